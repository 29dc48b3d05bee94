// SPDX-License-Identifier: Apache-2.0
#include "db/compaction_iterator.h"

#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/tables.h"

namespace tamis {
namespace {

// A walk over entries in memory, that fails behind the last one on request.
class ListIterator : public InternalIterator {
 public:
  explicit ListIterator(Entries entries, Status at_end = Status())
      : entries_(std::move(entries)), at_end_(std::move(at_end)) {}
  bool Valid() const override { return at_ < entries_.size(); }
  void SeekToFirst() override { at_ = 0; }
  void SeekToLast() override {}
  void Seek(const Slice&) override {}
  void SeekForPrev(const Slice&) override {}
  void Next() override { ++at_; }
  void Prev() override {}
  Slice key() const override { return entries_[at_].first; }
  Slice value() const override { return entries_[at_].second; }
  Status status() const override { return Valid() ? Status::OK() : at_end_; }

 private:
  const Entries entries_;
  const Status at_end_;
  size_t at_ = 0;
};

// "k@12 k@8-": versions of keys, '-' behind a tombstone.
Entries Parse(const std::string& text) {
  Entries entries;
  std::istringstream words(text);
  std::string word;
  while (words >> word) {
    const size_t at = word.find('@');
    const bool tombstone = word.back() == '-';
    entries.emplace_back(
        InternalKey(word.substr(0, at), std::stoull(word.substr(at + 1)),
                    tombstone ? kTypeDeletion : kTypeValue),
        tombstone ? "" : "value of " + word);
  }
  return entries;
}

struct Case {
  const char* what;
  const char* input;
  std::vector<SequenceNumber> snapshots;
  const char* below;  // user keys, one letter each; "*": not known
  bool bottommost;
  const char* output;
  uint64_t hidden;
  uint64_t obsolete;
};

std::string Walk(const Case& c, CompactionIterator::Counts* counts) {
  ListIterator input(Parse(c.input));
  CompactionIterator::Options options(Bytewise());
  options.snapshots = c.snapshots;
  options.bottommost = c.bottommost;
  const std::string below = c.below;
  CompactionIterator::MayExistBelow may_exist_below;
  if (below != "*") {
    may_exist_below = [below](const Slice& key) {
      return below.find(key[0]) != std::string::npos;
    };
  }
  CompactionIterator it(&input, options, may_exist_below);
  std::string text;
  std::string previous;
  for (it.SeekToFirst(); it.Valid(); it.Next()) {
    ParsedInternalKey parsed;
    EXPECT_TRUE(ParseInternalKey(it.key(), &parsed));
    text += (text.empty() ? "" : " ") + parsed.user_key.ToString() + "@" +
            std::to_string(parsed.sequence) +
            (parsed.type == kTypeDeletion ? "-" : "");
    EXPECT_EQ(it.value().empty(), parsed.type == kTypeDeletion) << c.what;
    EXPECT_EQ(it.same_user_key_as_previous(), it.user_key() == Slice(previous))
        << c.what;
    previous = it.user_key().ToString();
  }
  EXPECT_TRUE(it.status().ok()) << it.status();
  *counts = it.counts();
  return text;
}

TEST(CompactionIteratorTest, KeepsWhatSomebodyCanSee) {
  const Case cases[] = {
      {"nothing", "", {}, "", true, "", 0, 0},
      {"only the newest version", "k@3 k@2 k@1", {}, "*", false, "k@3", 2, 0},
      {"keys are apart", "a@3 b@2 c@1", {}, "*", false, "a@3 b@2 c@1", 0, 0},
      // The drawing in the header.
      {"two snapshots",
       "k@12 k@10 k@8- k@3",
       {5, 9},
       "*",
       false,
       "k@12 k@8- k@3",
       1,
       0},
      {"a snapshot at the version's own sequence sees it",
       "k@5 k@4",
       {4},
       "*",
       false,
       "k@5 k@4",
       0,
       0},
      {"a snapshot just before it does not",
       "k@5 k@4",
       {3},
       "*",
       false,
       "k@5",
       1,
       0},
      {"a snapshot above all changes nothing",
       "k@5 k@4",
       {9},
       "*",
       false,
       "k@5",
       1,
       0},
      {"one version per stripe",
       "k@9 k@8 k@7 k@6 k@5 k@4 k@3 k@2 k@1",
       {2, 4, 6},
       "*",
       false,
       "k@9 k@6 k@4 k@2",
       5,
       0},
      {"the hidden version is a tombstone",
       "k@9 k@8- k@7",
       {},
       "*",
       false,
       "k@9",
       2,
       0},

      // Tombstones.
      {"it stays where nothing is known of below",
       "k@5-",
       {},
       "*",
       false,
       "k@5-",
       0,
       0},
      {"it stays where the key may be below",
       "k@5-",
       {},
       "k",
       false,
       "k@5-",
       0,
       0},
      {"it goes where the key is not below", "k@5-", {}, "j", false, "", 0, 1},
      {"with it goes what it hides",
       "k@5- k@4 k@3- k@2",
       {},
       "",
       true,
       "",
       3,
       1},
      {"it stays when a snapshot sees what it hides",
       "k@5- k@4",
       {4},
       "",
       true,
       "k@5- k@0",
       0,
       0},
      {"it goes when every snapshot sees it",
       "k@5- k@4",
       {5, 7},
       "",
       true,
       "",
       1,
       1},
      {"below a newer version of another stripe",
       "k@9 k@5- k@4",
       {6},
       "",
       true,
       "k@9",
       1,
       1},
      {"each key is asked for itself",
       "a@5- b@5- c@5-",
       {},
       "b",
       false,
       "b@5-",
       0,
       2},

      // Sequence numbers at the bottom.
      {"all see it: zero", "a@7 b@3", {}, "", true, "a@0 b@0", 0, 0},
      {"not above the bottom", "a@7", {}, "", false, "a@7", 0, 0},
      {"only what the oldest snapshot sees",
       "a@7 a@5 b@9 c@2",
       {5, 8},
       "",
       true,
       "a@7 a@0 b@9 c@0",
       0,
       0},
      {"it is zero already", "a@0", {}, "", true, "a@0", 0, 0},
      {"a tombstone that stays keeps its number",
       "k@5-",
       {4},
       "",
       true,
       "k@5-",
       0,
       0},
      {"bottommost, but below is not known",
       "k@5-",
       {},
       "*",
       true,
       "k@5-",
       0,
       0},
  };
  for (const Case& c : cases) {
    CompactionIterator::Counts counts;
    EXPECT_EQ(Walk(c, &counts), c.output) << c.what;
    EXPECT_EQ(counts.dropped_hidden, c.hidden) << c.what;
    EXPECT_EQ(counts.dropped_obsolete, c.obsolete) << c.what;
    EXPECT_EQ(counts.entries_read, Parse(c.input).size()) << c.what;
  }
}

TEST(CompactionIteratorTest, ShowsTheValueOfTheKeyItShows) {
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
  class FirstLetter : public Comparator {
   public:
    const char* Name() const override { return "test.FirstLetter"; }
    int Compare(const Slice& a, const Slice& b) const override {
      return Slice(a.data(), 1).compare(Slice(b.data(), 1));
    }
    void FindShortestSeparator(std::string*, const Slice&) const override {}
    void FindShortSuccessor(std::string*) const override {}
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

TEST(CompactionIteratorTest, AnErrorOfTheInputIsPassedOn) {
  ListIterator input(Parse("a@2"), Status::Corruption("block 7"));
  CompactionIterator it(&input, CompactionIterator::Options(Bytewise()),
                        nullptr);
  it.SeekToFirst();
  ASSERT_TRUE(it.Valid());
  it.Next();
  EXPECT_FALSE(it.Valid());
  EXPECT_TRUE(it.status().IsCorruption());
}

TEST(CompactionIteratorTest, RefusesKindsThatItCannotCompact) {
  const struct {
    uint8_t type;
    Status::Code code;
    const char* says;
  } cases[] = {
      {kTypeMerge, Status::kNotSupported, "merge"},
      {kTypeSingleDeletion, Status::kNotSupported, "ingle"},
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
