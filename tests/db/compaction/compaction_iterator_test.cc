// SPDX-License-Identifier: Apache-2.0
#include "db/compaction/compaction_iterator.h"

#include <algorithm>
#include <cstdio>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "db/compaction/compaction_tombstones.h"
#include "tests/db/compaction/commanded_filter.h"
#include "tests/db/joiner.h"
#include "tests/support/comparators.h"
#include "tests/support/data_driven.h"
#include "tests/support/tables.h"

namespace tamis {
namespace {

// Iterates over entries in memory, and fails after the last one on request.
class ListIterator : public InternalIterator {
 public:
  explicit ListIterator(Entries entries, Status at_end = Status())
      : InternalIterator(&shown_),
        entries_(std::move(entries)),
        at_end_(std::move(at_end)) {}
  void SeekToFirst() override { Show(0); }
  void SeekToLast() override {}
  void Seek(const Slice& target) override {
    size_t at = 0;
    while (at < entries_.size() &&
           Bytewise().Compare(entries_[at].first, target) < 0) {
      ++at;
    }
    ++seeks_;
    Show(at);
  }
  void SeekForPrev(const Slice&) override {}
  void Next() override { Show(at_ + 1); }
  void Prev() override {}
  Status status() const override { return Valid() ? Status::OK() : at_end_; }
  int seeks() const { return seeks_; }

 private:
  void Show(size_t at) {
    at_ = at;
    shown_.valid = at < entries_.size();
    if (!shown_.valid) return;
    shown_.key = entries_[at].first;
    shown_.value = entries_[at].second;
  }

  const Entries entries_;
  const Status at_end_;
  size_t at_ = 0;
  int seeks_ = 0;
  IteratorEntry shown_;
};

// Entries of every kind, with their values:
//
//   k@9=v    put      k@9-   delete      k@9~   single delete
//   k@9+v    merge    a:c@9  range tombstone [a, c)
//
// k@9 is a put of "value of k@9".
struct History {
  Entries entries;
  std::vector<RangeTombstone> tombstones;
};

History ParseHistory(const std::string& text) {
  History history;
  std::istringstream words(text);
  std::string word;
  while (words >> word) {
    const size_t at = word.find('@');
    const size_t colon = word.find(':');
    size_t digits = 0;
    const SequenceNumber sequence = std::stoull(word.substr(at + 1), &digits);
    if (colon < at) {
      history.tombstones.push_back({word.substr(0, colon),
                                    word.substr(colon + 1, at - colon - 1),
                                    sequence});
      continue;
    }
    const std::string kind = word.substr(at + 1 + digits);
    const uint8_t type = kind.empty() || kind[0] == '=' ? kTypeValue
                         : kind[0] == '+'               ? kTypeMerge
                         : kind[0] == '~'               ? kTypeSingleDeletion
                                                        : kTypeDeletion;
    history.entries.emplace_back(
        InternalKey(word.substr(0, at), sequence, type),
        kind.empty() ? "value of " + word : kind.substr(1));
  }
  return history;
}

Entries Parse(const std::string& text) { return ParseHistory(text).entries; }

std::string ToWord(const ParsedInternalKey& parsed, const Slice& value) {
  const std::string key = parsed.user_key.ToString() + "@";
  const std::string word = key + std::to_string(parsed.sequence);
  switch (parsed.type) {
    case kTypeValue:
      return value.starts_with("value of " + key)
                 ? word
                 : word + "=" + value.ToString();
    case kTypeMerge:
      return word + "+" + value.ToString();
    case kTypeSingleDeletion:
      return word + "~" + value.ToString();
    default:
      return word + "-" + value.ToString();
  }
}

// below=<keys of one letter> is what deeper levels may hold; without it nothing
// is known of them. filter: values are commands to a CommandedFilter, which
// with ignore_snapshots ignores them.
std::string Iterate(const DataCase& data, const MergeOperator* merge_operator) {
  const History history = ParseHistory(data.input());
  const RangeTombstoneFragments tombstones(Bytewise(), history.tombstones);
  CompactionIterator::Options options(Bytewise());
  options.merge_with = merge_operator;
  options.tombstones = &tombstones;
  options.snapshots = data.Numbers("snapshots");
  options.bottommost = data.Has("bottommost");
  CompactionIterator::MayExistBelow may_exist_below;
  if (data.Has("below")) {
    may_exist_below = [below = data.Text("below")](const Slice& key) {
      return below.find(key[0]) != std::string::npos;
    };
  }
  CommandedFilter commanded(data.Has("ignore_snapshots"));
  ColumnFamilyOptions family;
  family.compaction_filter = &commanded;
  const auto filter =
      EntryFilter::Make(family, {{}, 0, data.Numbers("snapshots")});
  EXPECT_TRUE(filter.ok()) << filter.status();
  if (data.Has("filter")) options.filter = filter->get();
  ListIterator input(history.entries);
  CompactionIterator it(&input, options, may_exist_below);
  std::string text;
  std::string previous;
  uint64_t shown = 0;
  for (it.SeekToFirst(); it.Valid(); it.Next()) {
    ParsedInternalKey parsed;
    EXPECT_TRUE(ParseInternalKey(it.key(), &parsed));
    text += (text.empty() ? "" : " ") + ToWord(parsed, it.value());
    EXPECT_EQ(it.same_user_key_as_previous(), it.user_key() == Slice(previous))
        << data.input();
    previous = it.user_key().ToString();
    ++shown;
  }
  if (!it.status().ok()) return it.status().ToString();
  const CompactionIterator::Counts& counts = it.counts();
  EXPECT_EQ(counts.entries_read, history.entries.size()) << data.input();
  const uint64_t hidden = counts.dropped_hidden + counts.dropped_covered;
  EXPECT_EQ(hidden + counts.dropped_obsolete + shown, history.entries.size())
      << data.input();
  std::string dropped;
  if (hidden > 0) {
    dropped += std::to_string(hidden) + " hidden";
  }
  if (counts.dropped_obsolete > 0) {
    dropped += (dropped.empty() ? "" : ", ") +
               std::to_string(counts.dropped_obsolete) + " obsolete";
  }
  if (data.Has("filter")) {
    dropped += (dropped.empty() ? "" : ", ") +
               std::to_string(counts.removed_by_filter) +
               " by filter\nasked: " + commanded.Asked();
  }
  return (text.empty() ? "nothing" : text) + "\n" + dropped;
}

std::string Keep(const DataCase& data) {
  MayOverlapBelow may_overlap_below;
  if (data.Has("below")) {
    may_overlap_below = [below = data.Text("below")](const Slice& begin,
                                                     const Slice& end) {
      return std::any_of(below.begin(), below.end(), [&](char key) {
        return begin[0] <= key && key < end[0];
      });
    };
  }
  const RangeTombstoneFragments fragments(
      Bytewise(), ParseHistory(data.input()).tombstones);
  const std::vector<SequenceNumber> snapshots = data.Numbers("snapshots");
  std::string text;
  for (const RangeTombstone& kept :
       TombstonesToKeep(Bytewise(), fragments, SnapshotStripes(snapshots),
                        may_overlap_below)) {
    text += (text.empty() ? "" : " ") + kept.begin + ":" + kept.end + "@" +
            std::to_string(kept.sequence);
  }
  return text.empty() ? "nothing" : text;
}

void RunIteratorFile(const std::string& name,
                     const MergeOperator* merge_operator = nullptr) {
  RunDataFile(
      "db/compaction/iterator/" + name + ".txt",
      {{"iterate",
        [&](const DataCase& data) { return Iterate(data, merge_operator); }},
       {"keep", Keep}});
}

TEST(CompactionIteratorTest, KeepsEveryVisibleVersion) {
  RunIteratorFile("snapshots");
}

TEST(CompactionIteratorTest, ASingleDeleteAndItsPutAreDroppedTogether) {
  RunIteratorFile("single_deletes");
}

TEST(CompactionIteratorTest, OperandsAreMergedWhereTheirBaseIsKnown) {
  const Joiner joiner;
  RunIteratorFile("merges", &joiner);
}

TEST(CompactionIteratorTest, WithoutAnOperatorOperandsAreKeptUnchanged) {
  RunIteratorFile("no_operator");
}

TEST(CompactionIteratorTest, ATombstoneDropsCoveredVersionsOfItsStripe) {
  RunIteratorFile("tombstones");
}

TEST(TombstonesToKeepTest, KeepsTheNewestOfEachStripeAboveOtherData) {
  RunIteratorFile("tombstones_to_keep");
}

TEST(CompactionIteratorTest, AFilterDecidesWhatBecomesOfTheNewestVersions) {
  const Joiner joiner;
  RunIteratorFile("filter", &joiner);
}

TEST(CompactionIteratorTest, ALongSkipAtTheBottomReadsNotEverything) {
  Entries entries;
  constexpr int kEntries = 5000;
  for (int i = 0; i < kEntries; ++i) {
    char key[16];
    std::snprintf(key, sizeof(key), "k%06d", i);
    entries.emplace_back(InternalKey(key, 1), i == 10 ? "!s:k004000" : "value");
  }
  for (const bool bottommost : {true, false}) {
    ListIterator input(entries);
    CommandedFilter commanded(/*ignore_snapshots=*/false);
    ColumnFamilyOptions family;
    family.compaction_filter = &commanded;
    const auto filter = EntryFilter::Make(family, {});
    ASSERT_TRUE(filter.ok());
    CompactionIterator::Options options(Bytewise());
    options.filter = filter->get();
    options.bottommost = bottommost;
    CompactionIterator it(&input, options,
                          [&](const Slice&) { return !bottommost; });
    int values = 0;
    int deletions = 0;
    for (it.SeekToFirst(); it.Valid(); it.Next()) {
      ParsedInternalKey parsed;
      ASSERT_TRUE(ParseInternalKey(it.key(), &parsed));
      const bool skipped = parsed.user_key.compare("k000010") >= 0 &&
                           parsed.user_key.compare("k004000") < 0;
      ASSERT_EQ(parsed.type, skipped ? kTypeDeletion : kTypeValue)
          << parsed.user_key.ToString();
      ++(skipped ? deletions : values);
    }
    ASSERT_TRUE(it.status().ok());
    EXPECT_EQ(values, 1010);
    EXPECT_EQ(deletions, bottommost ? 0 : 3990);
    // Elsewhere every key may need a deletion.
    EXPECT_EQ(input.seeks(), bottommost ? 1 : 0);
    EXPECT_EQ(it.counts().entries_read < kEntries, bottommost);
  }
}

TEST(CompactionIteratorTest, AFilterThatFailsEndsTheIterationByItsName) {
  const struct {
    const char* command;
    const char* says;
  } cases[] = {
      {"!t",
       "Operation aborted: compaction filter test.Commanded: an "
       "exception was thrown: test"},
      {"!x",
       "Operation aborted: compaction filter test.Commanded: it returned "
       "the unknown decision 99"},
  };
  for (const auto& c : cases) {
    for (const uint8_t type : {kTypeValue, kTypeMerge}) {
      ListIterator input({{InternalKey("a", 1), "v"},
                          {InternalKey("b", 2, type), c.command},
                          {InternalKey("c", 3), "v"}});
      CommandedFilter commanded(/*ignore_snapshots=*/false);
      ColumnFamilyOptions family;
      family.compaction_filter = &commanded;
      const auto filter = EntryFilter::Make(family, {});
      ASSERT_TRUE(filter.ok());
      CompactionIterator::Options options(Bytewise());
      options.filter = filter->get();
      CompactionIterator it(&input, options, nullptr);
      it.SeekToFirst();
      ASSERT_TRUE(it.Valid());
      it.Next();
      EXPECT_FALSE(it.Valid());
      EXPECT_EQ(it.status().ToString(), c.says);
    }
  }
}

TEST(CompactionIteratorTest, KeyAndValueAreOfTheSameEntry) {
  ListIterator input(Parse("a@9 a@8 b@7 b@3"));
  CompactionIterator::Options options(Bytewise());
  options.snapshots = {5};
  CompactionIterator it(&input, options, nullptr);
  it.SeekToFirst();
  ASSERT_TRUE(it.Valid());
  EXPECT_EQ(it.value(), Slice("value of a@9"));
  it.Next();
  ASSERT_TRUE(it.Valid());
  EXPECT_EQ(it.value(), Slice("value of b@7"));
  it.Next();
  ASSERT_TRUE(it.Valid());
  EXPECT_EQ(it.value(), Slice("value of b@3"));
  it.Next();
  EXPECT_FALSE(it.Valid());
}

TEST(CompactionIteratorTest, EqualKeysOfDifferentBytesAreOneKey) {
  class FirstLetter : public NamedComparator {
   public:
    FirstLetter() : NamedComparator("test.FirstLetter") {}
    int Compare(const Slice& a, const Slice& b) const override {
      return Slice(a.data(), 1).compare(Slice(b.data(), 1));
    }
  };
  const FirstLetter comparator;
  ListIterator input(Parse("ab@9 ax@8 a@7- b@1"));
  CompactionIterator it(
      &input, CompactionIterator::Options(KeyOrder(&comparator)), nullptr);
  std::vector<std::string> keys;
  for (it.SeekToFirst(); it.Valid(); it.Next()) {
    keys.push_back(it.user_key().ToString());
  }
  EXPECT_EQ(keys, (std::vector<std::string>{"ab", "b"}));
}

TEST(CompactionIteratorTest, OperandsBeforeAnErrorAreNotMergedAsTheLast) {
  const Joiner joiner;
  CompactionIterator::Options options(Bytewise());
  options.merge_with = &joiner;
  const auto nothing_below = [](const Slice&) { return false; };
  ListIterator broken({{InternalKey("k", 5, kTypeMerge), "x"}},
                      Status::IOError("gone"));
  CompactionIterator it(&broken, options, nothing_below);
  it.SeekToFirst();
  ASSERT_TRUE(it.Valid());
  EXPECT_EQ(it.key(), Slice(InternalKey("k", 5, kTypeMerge)));
  it.Next();
  EXPECT_FALSE(it.Valid());
  EXPECT_TRUE(it.status().IsIOError());

  ListIterator strange({{InternalKey("k", 5, kTypeMerge), "x"},
                        {InternalKey("k", 4, kTypeBlobIndex), "v"}});
  CompactionIterator second(&strange, options, nothing_below);
  second.SeekToFirst();
  ASSERT_TRUE(second.Valid());
  EXPECT_EQ(second.key(), Slice(InternalKey("k", 5, kTypeMerge)));
  second.Next();
  EXPECT_FALSE(second.Valid());
  EXPECT_TRUE(second.status().IsNotSupported());
}

TEST(CompactionIteratorTest, InputErrorsArePropagated) {
  ListIterator input(Parse("a@2"), Status::Corruption("block 7"));
  CompactionIterator it(&input, CompactionIterator::Options(Bytewise()),
                        nullptr);
  it.SeekToFirst();
  ASSERT_TRUE(it.Valid());
  it.Next();
  EXPECT_FALSE(it.Valid());
  EXPECT_TRUE(it.status().IsCorruption());
}

TEST(CompactionIteratorTest, RefusesUnsupportedEntryTypes) {
  const struct {
    uint8_t type;
    Status::Code code;
    const char* says;
  } cases[] = {
      {kTypeRangeDeletion, Status::kNotSupported, "ange"},
      {kTypeBlobIndex, Status::kNotSupported, "lob"},
      {kTypeWideColumnEntity, Status::kNotSupported, "ide"},
      {0x33, Status::kCorruption, "never stored"},
  };
  for (const auto& c : cases) {
    ListIterator input({{InternalKey("a", 1), "v"},
                        {InternalKey("b", 2, c.type), "v"},
                        {InternalKey("c", 3), "v"}});
    CompactionIterator it(&input, CompactionIterator::Options(Bytewise()),
                          nullptr);
    int shown = 0;
    for (it.SeekToFirst(); it.Valid(); it.Next()) ++shown;
    EXPECT_EQ(shown, 1);
    EXPECT_EQ(it.status().code(), c.code) << it.status();
    EXPECT_NE(it.status().message().find(c.says), std::string::npos)
        << it.status();
  }
}

}  // namespace
}  // namespace tamis
