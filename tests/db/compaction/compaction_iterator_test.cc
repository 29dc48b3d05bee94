// SPDX-License-Identifier: Apache-2.0
#include "db/compaction/compaction_iterator.h"

#include <algorithm>
#include <set>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "db/compaction/compaction_tombstones.h"
#include "tests/db/joiner.h"
#include "tests/support/tables.h"

namespace tamis {
namespace {

// A walk over entries in memory, that fails behind the last one on request.
class ListIterator : public InternalIterator {
 public:
  explicit ListIterator(Entries entries, Status at_end = Status())
      : InternalIterator(&shown_),
        entries_(std::move(entries)),
        at_end_(std::move(at_end)) {}
  void SeekToFirst() override { Show(0); }
  void SeekToLast() override {}
  void Seek(const Slice&) override {}
  void SeekForPrev(const Slice&) override {}
  void Next() override { Show(at_ + 1); }
  void Prev() override {}
  Status status() const override { return Valid() ? Status::OK() : at_end_; }

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
  WalkEntry shown_;
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

// What comes out, in words. The case: a Case or a KindCase; `options` has what
// is not in it.
template <typename AnyCase, typename ToWord>
std::string WalkOver(const AnyCase& c, const Entries& entries,
                     CompactionIterator::Options options, const ToWord& to_word,
                     CompactionIterator::Counts* counts) {
  ListIterator input(entries);
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
  uint64_t shown = 0;
  for (it.SeekToFirst(); it.Valid(); it.Next()) {
    ParsedInternalKey parsed;
    EXPECT_TRUE(ParseInternalKey(it.key(), &parsed));
    text += (text.empty() ? "" : " ") + to_word(parsed, it.value());
    EXPECT_EQ(it.same_user_key_as_previous(), it.user_key() == Slice(previous))
        << c.what;
    previous = it.user_key().ToString();
    ++shown;
  }
  EXPECT_TRUE(it.status().ok()) << it.status();
  *counts = it.counts();
  EXPECT_EQ(counts->entries_read, entries.size()) << c.what;
  EXPECT_EQ(counts->dropped_hidden + counts->dropped_obsolete + shown,
            entries.size())
      << c.what;
  return text;
}

std::string Walk(const Case& c, CompactionIterator::Counts* counts) {
  const auto to_word = [&c](const ParsedInternalKey& key, const Slice& value) {
    EXPECT_EQ(value.empty(), key.type == kTypeDeletion) << c.what;
    return key.user_key.ToString() + "@" + std::to_string(key.sequence) +
           (key.type == kTypeDeletion ? "-" : "");
  };
  return WalkOver(c, Parse(c.input), CompactionIterator::Options(Bytewise()),
                  to_word, counts);
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

// Entries of every kind, with their values:
//
//   k@9=v    put      k@9-   delete      k@9~   single delete
//   k@9+v    merge    a:c@9  range tombstone [a, c)
struct Script {
  Entries entries;
  std::vector<RangeTombstone> tombstones;
};

Script ParseScript(const std::string& text) {
  Script script;
  std::istringstream words(text);
  std::string word;
  while (words >> word) {
    const size_t at = word.find('@');
    const size_t colon = word.find(':');
    size_t digits = 0;
    const SequenceNumber sequence = std::stoull(word.substr(at + 1), &digits);
    if (colon < at) {
      script.tombstones.push_back({word.substr(0, colon),
                                   word.substr(colon + 1, at - colon - 1),
                                   sequence});
      continue;
    }
    const char kind = word[at + 1 + digits];
    const uint8_t type = kind == '='   ? kTypeValue
                         : kind == '+' ? kTypeMerge
                         : kind == '~' ? kTypeSingleDeletion
                                       : kTypeDeletion;
    script.entries.emplace_back(InternalKey(word.substr(0, at), sequence, type),
                                word.substr(at + 1 + digits + 1));
  }
  return script;
}

std::string ToText(const ParsedInternalKey& parsed, const Slice& value) {
  const char kind = parsed.type == kTypeValue            ? '='
                    : parsed.type == kTypeMerge          ? '+'
                    : parsed.type == kTypeSingleDeletion ? '~'
                                                         : '-';
  return parsed.user_key.ToString() + "@" + std::to_string(parsed.sequence) +
         kind + value.ToString();
}

struct KindCase {
  const char* what;
  const char* input;
  std::vector<SequenceNumber> snapshots;
  const char* below;  // as in Case
  bool bottommost;
  const char* output;
};

std::string WalkKinds(const KindCase& c, const MergeOperator* merge_operator) {
  const Script script = ParseScript(c.input);
  const RangeTombstoneFragments tombstones(Bytewise(), script.tombstones);
  CompactionIterator::Options options(Bytewise());
  options.merge_operator = merge_operator;
  options.tombstones = &tombstones;
  CompactionIterator::Counts counts;
  return WalkOver(c, script.entries, options, ToText, &counts);
}

void ExpectAll(std::span<const KindCase> cases,
               const MergeOperator* merge_operator) {
  for (const KindCase& c : cases) {
    EXPECT_EQ(WalkKinds(c, merge_operator), c.output) << c.what;
  }
}

TEST(CompactionIteratorTest, ASingleDeleteAndItsPutVanishTogether) {
  const KindCase cases[] = {
      {"alone it stays", "k@5~", {}, "*", false, "k@5~"},
      {"alone, where the key is not below", "k@5~", {}, "", false, ""},
      {"alone, in a snapshot's way", "k@5~", {4}, "", false, "k@5~"},
      {"with its put", "k@5~ k@4=v", {}, "*", false, ""},
      {"in a stripe above", "k@5~ k@4=v", {3}, "*", false, ""},
      {"a snapshot sees the put", "k@5~ k@4=v", {4}, "*", false, "k@5~ k@4=v"},
      {"what is older than the pair shows again",
       "k@5~ k@4=v k@3-",
       {},
       "*",
       false,
       "k@3-"},
      {"pair after pair", "k@5~ k@4=v k@3~ k@2=u", {}, "*", false, ""},
      {"a second one for the same put", "k@5~ k@4~ k@3=v", {}, "*", false, ""},
      {"over a delete", "k@5~ k@4- k@3=v", {}, "*", false, "k@4-"},
      {"over an operand it is a delete",
       "k@5~ k@4+x k@3=v",
       {},
       "*",
       false,
       "k@5-"},
      // Else the next single delete would take k@5 away and bare what k@4 hid.
      {"beneath a put it stays", "k@5=v k@4~", {}, "*", false, "k@5=v k@4~"},
      {"beneath a put, with its own",
       "k@5=v k@4~ k@3=u",
       {},
       "*",
       false,
       "k@5=v"},
      {"beneath a put it stays over a delete, which goes with the put",
       "k@5=v k@4~ k@3-",
       {},
       "*",
       false,
       "k@5=v k@4~"},
      {"beneath a put at the bottom", "k@5=v k@4~", {}, "", true, "k@0=v"},
      {"beneath a put, then a snapshot",
       "k@9=v k@8~ k@3=u",
       {5},
       "",
       true,
       "k@9=v k@8~ k@0=u"},
      {"beneath a delete it goes", "k@5- k@4~", {}, "*", false, "k@5-"},
      {"beneath a put it is hidden by a tombstone",
       "j:l@6 k@7=v k@4~",
       {},
       "*",
       false,
       "k@7=v"},
      {"the pair stands under a tombstone",
       "j:l@6 k@5~ k@4=v",
       {},
       "*",
       false,
       ""},
      {"a tombstone stands between", "j:l@5 k@6~ k@4=v", {}, "*", false, ""},
      {"another key's put is not its own",
       "a@5~ b@4=v",
       {},
       "*",
       false,
       "a@5~ b@4=v"},
  };
  ExpectAll(cases, nullptr);
}

TEST(CompactionIteratorTest, OperandsAreMergedWhereTheirBaseIsKnown) {
  const KindCase cases[] = {
      {"one operand, nothing known", "k@5+x", {}, "*", false, "k@5+x"},
      {"a put beneath", "k@5+x k@4=v", {}, "*", false, "k@5=v,x"},
      {"several", "k@5+y k@4+x k@3=v k@2=u", {}, "*", false, "k@5=v,x,y"},
      {"a delete beneath", "k@5+y k@4+x k@3- k@2=u", {}, "*", false, "k@5=x,y"},
      {"a single delete beneath", "k@5+x k@4~ k@3=u", {}, "*", false, "k@5=x"},
      {"the key ends and is not below",
       "k@5+y k@4+x",
       {},
       "",
       false,
       "k@5=x,y"},
      {"the same, newer than a snapshot",
       "k@5+y k@4+x",
       {1},
       "",
       false,
       "k@5=x,y"},
      {"the key ends and may be below",
       "k@5+y k@4+x",
       {},
       "k",
       false,
       "k@5+x,y"},
      {"at the bottom", "k@5+y k@4+x k@3=v", {}, "", true, "k@0=v,x,y"},
      {"at the bottom without a base", "k@5+x", {}, "", true, "k@0=x"},
      {"at the bottom, but newer than a snapshot",
       "k@5+x",
       {2},
       "",
       true,
       "k@5=x"},
      {"two keys", "a@5+y a@4=v b@3+x", {}, "*", false, "a@5=v,y b@3+x"},
      {"hidden by a put", "k@5=v k@4+x", {}, "*", false, "k@5=v"},
      {"hidden by a delete", "k@5- k@4+x", {}, "*", false, "k@5-"},

      // Stripes.
      {"a snapshot between operands",
       "k@5+z k@4+y k@3+x k@2=v",
       {3},
       "*",
       false,
       "k@5+y,z k@3=v,x"},
      {"the base in an older stripe",
       "k@5+x k@3=v",
       {3},
       "*",
       false,
       "k@5+x k@3=v"},
      {"each stripe for itself",
       "k@9+d k@8+c k@5+b k@4+a",
       {5},
       "",
       true,
       "k@9+c,d k@0=a,b"},

      // Range tombstones.
      {"all that is older is covered",
       "j:l@4 k@6+y k@5+x k@3=v",
       {},
       "*",
       false,
       "k@6=x,y"},
      {"nothing older, but a tombstone over it",
       "j:l@4 k@6+y k@5+x",
       {},
       "*",
       false,
       "k@6=x,y"},
      {"an operand is covered too",
       "j:l@5 k@6+y k@4+x k@3=v",
       {},
       "*",
       false,
       "k@6=y"},
      {"a tombstone of an older stripe over an older base",
       "j:l@4 k@9+x k@3=v",
       {6},
       "*",
       false,
       "k@9=x"},
      {"and a put between",
       "j:l@4 k@9+x k@5=v k@3=u",
       {6},
       "*",
       false,
       "k@9+x k@5=v"},
      {"what snapshots see beneath the tombstone stays",
       "j:l@7 k@9+x k@3=v",
       {3},
       "*",
       false,
       "k@9=x k@3=v"},
      {"a tombstone over the operands",
       "j:l@9 k@6+y k@5+x",
       {},
       "*",
       false,
       ""},

      // The operator refuses.
      {"no operand does for both",
       "k@5+? k@4+x",
       {},
       "*",
       false,
       "k@5+? k@4+x"},
      {"with a base it works",
       "k@5+? k@4+x k@3=v",
       {},
       "*",
       false,
       "k@5=v,x,?"},
      {"it fails: all stays",
       "k@5+! k@4+x k@3=v k@2=u",
       {},
       "*",
       false,
       "k@5+! k@4+x k@3=v"},
      {"it fails over a delete",
       "k@5+! k@4- k@3=v",
       {},
       "*",
       false,
       "k@5+! k@4-"},
      {"it fails at the bottom", "k@5+! k@4=v", {}, "", true, "k@5+! k@0=v"},
      {"it fails for one key of three",
       "a@5+x b@5+! c@5+x",
       {},
       "",
       false,
       "a@5=x b@5+! c@5=x"},
  };
  const Joiner joiner;
  ExpectAll(cases, &joiner);
}

TEST(CompactionIteratorTest, WithoutAnOperatorOperandsStayAsTheyAre) {
  const KindCase cases[] = {
      {"with their base",
       "k@5+y k@4+x k@3=v k@2=u",
       {},
       "",
       true,
       "k@5+y k@4+x k@0=v"},
      {"over a delete", "k@5+y k@4- k@3=v", {}, "*", false, "k@5+y k@4-"},
      {"hidden", "k@5=v k@4+y", {}, "*", false, "k@5=v"},
      {"covered", "j:l@6 k@5+y", {}, "*", false, ""},
  };
  ExpectAll(cases, nullptr);
}

TEST(CompactionIteratorTest, ATombstoneDropsWhatItCoversInItsStripe) {
  const KindCase cases[] = {
      {"older in the range",
       "b:d@5 a@4=v b@4=v c@4- d@4=v",
       {},
       "*",
       false,
       "a@4=v d@4=v"},
      {"newer in the range", "b:d@5 b@6=v c@7-", {}, "*", false, "b@6=v c@7-"},
      {"a snapshot sees it",
       "b:d@5 b@6=v b@4=u b@3=t",
       {4},
       "*",
       false,
       "b@6=v b@4=u"},
      {"a tombstone of each stripe",
       "b:d@5 b:d@3 b@4=u b@2=t",
       {4},
       "*",
       false,
       "b@4=u"},
      {"newer, at the bottom", "b:d@5 b@6=v b@4=u", {}, "", true, "b@0=v"},
  };
  ExpectAll(cases, nullptr);
}

TEST(TombstonesToKeepTest, KeepsTheNewestOfEachStripeWhileSomethingIsBelow) {
  const struct {
    const char* what;
    const char* input;
    std::vector<SequenceNumber> snapshots;
    const char* below;  // keys; "*": not known
    const char* output;
  } cases[] = {
      {"none", "", {}, "", ""},
      {"one", "a:c@5", {}, "*", "a:c@5"},
      {"nothing below", "a:c@5", {}, "", ""},
      {"something below it", "a:c@5", {}, "b", "a:c@5"},
      {"something beside it", "b:c@5", {}, "ac", ""},
      {"newer than a snapshot", "a:c@5", {4}, "", "a:c@5"},
      {"a snapshot sees it", "a:c@5", {5}, "", ""},
      {"hidden by a newer one", "a:c@5 a:c@4", {}, "*", "a:c@5"},
      {"but not from a snapshot", "a:c@5 a:c@4", {4}, "*", "a:c@5 a:c@4"},
      {"whole again", "a:k@5 c:e@3", {}, "*", "a:k@5"},
      {"whole in its stripe", "a:k@3 c:e@5", {4}, "*", "a:k@3 c:e@5"},
      {"hidden in its middle", "a:k@3 c:e@5", {}, "*", "a:c@3 c:e@5 e:k@3"},
      {"only where something is below", "a:k@3 c:e@5", {}, "d", "c:e@5"},
      {"neighbours of one number", "a:c@5 c:e@5", {}, "*", "a:e@5"},
      {"apart", "a:c@5 d:e@5", {}, "*", "a:c@5 d:e@5"},
  };
  for (const auto& c : cases) {
    const std::string below = c.below;
    MayOverlapBelow may_overlap_below;
    if (below != "*") {
      may_overlap_below = [below](const Slice& begin, const Slice& end) {
        return std::any_of(below.begin(), below.end(), [&](char key) {
          return begin[0] <= key && key < end[0];
        });
      };
    }
    const RangeTombstoneFragments fragments(Bytewise(),
                                            ParseScript(c.input).tombstones);
    std::string text;
    for (const RangeTombstone& kept :
         TombstonesToKeep(Bytewise(), fragments, SnapshotStripes(c.snapshots),
                          may_overlap_below)) {
      text += (text.empty() ? "" : " ") + kept.begin + ":" + kept.end + "@" +
              std::to_string(kept.sequence);
    }
    EXPECT_EQ(text, c.output) << c.what;
  }
}

TEST(CompactionIteratorTest, OperandsBeforeAnErrorAreNotTakenForTheLast) {
  const Joiner joiner;
  CompactionIterator::Options options(Bytewise());
  options.merge_operator = &joiner;
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
