// SPDX-License-Identifier: Apache-2.0
#include "db/memtable/tombstone_tree.h"

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/comparators.h"
#include "util/base/random.h"

namespace tamis {
namespace {

struct Filled {
  explicit Filled(const Comparator* comparator = BytewiseComparator())
      : order(comparator), tree(order, &arena) {}
  // Ignores empty ranges.
  void Add(SequenceNumber sequence, const Slice& begin, const Slice& end) {
    if (order.CompareUserKeys(begin, end) >= 0) return;
    tree.Add(sequence, begin, end);
    all.push_back({begin.ToString(), end.ToString(), sequence});
  }
  SequenceNumber Expected(const Slice& key, SequenceNumber visible_at) const {
    SequenceNumber newest = 0;
    for (const RangeTombstone& t : all) {
      if (t.sequence <= visible_at &&
          order.CompareUserKeys(t.begin, key) <= 0 &&
          order.CompareUserKeys(key, t.end) < 0) {
        newest = std::max(newest, t.sequence);
      }
    }
    return newest;
  }

  const KeyOrder order;
  Arena arena;
  TombstoneTree tree;
  std::vector<RangeTombstone> all;
};

TEST(TombstoneTreeTest, AnEmptyTreeCoversNothing) {
  const Filled empty;
  const TombstoneTree::View view = empty.tree.At(kMaxSequenceNumber);
  EXPECT_TRUE(view.empty());
  EXPECT_EQ(view.Covering("a"), 0u);
  EXPECT_FALSE(view.HidesAll("a", "b", 0));
  std::vector<RangeTombstone> all;
  empty.tree.AppendTo(&all);
  EXPECT_TRUE(all.empty());
}

TEST(TombstoneTreeTest, ShowsWhatAReaderAtASequenceSees) {
  Filled f;
  f.Add(5, "a", "k");
  f.Add(9, "d", "p");
  EXPECT_TRUE(f.tree.At(4).empty());
  EXPECT_EQ(f.tree.At(8).Covering("e"), 5u);
  EXPECT_EQ(f.tree.At(8).Covering("k"), 0u);
  const TombstoneTree::View view = f.tree.At(9);
  const struct {
    const char* key;
    SequenceNumber covering;
  } cases[] = {{"", 0},  {"A", 0}, {"a", 5}, {"c\xff", 5},
               {"d", 9}, {"k", 9}, {"o", 9}, {"p", 0}};
  for (const auto& c : cases) EXPECT_EQ(view.Covering(c.key), c.covering);
  std::vector<RangeTombstone> all;
  f.tree.AppendTo(&all);
  EXPECT_EQ(all, (std::vector<RangeTombstone>{{"d", "p", 9}, {"a", "k", 5}}));
}

TEST(TombstoneTreeTest, AViewIsStableWhileTombstonesAreAdded) {
  Filled f;
  f.Add(1, "b", "d");
  const TombstoneTree::View view = f.tree.At(kMaxSequenceNumber);
  for (SequenceNumber s = 2; s <= 200; ++s) {
    f.Add(s, std::string(1, static_cast<char>('a' + s % 7)), "z");
  }
  EXPECT_EQ(view.Covering("b"), 1u);
  EXPECT_EQ(view.Covering("a"), 0u);
  EXPECT_EQ(view.Covering("d"), 0u);
}

TEST(TombstoneTreeTest, HidesAllWhereTombstonesLeaveNoGap) {
  Filled f;
  f.Add(3, "a", "f");
  f.Add(7, "f", "k");
  f.Add(9, "m", "p");
  const TombstoneTree::View view = f.tree.At(9);
  EXPECT_TRUE(view.HidesAll("a", "j", 2));
  EXPECT_TRUE(view.HidesAll("f", "j", 6));
  EXPECT_FALSE(view.HidesAll("e", "j", 3));
  EXPECT_FALSE(view.HidesAll("a", "k", 2));
  EXPECT_FALSE(view.HidesAll("j", "m", 2));
  EXPECT_FALSE(view.HidesAll("A", "b", 2));
  EXPECT_TRUE(view.HidesAll("m", "m", 8));
  EXPECT_FALSE(f.tree.At(8).HidesAll("m", "m", 0));
}

// Empty, one byte and two bytes of few letters: boundaries and keys are often
// the same, next to each other, or one the beginning of the other.
std::string RandomKey(Random* random) {
  static constexpr char kLetters[] = {'\0', 'a', 'b', 'k', '\xff'};
  std::string key(random->Uniform(3), ' ');
  for (char& c : key) c = kLetters[random->Uniform(5)];
  return key;
}

std::vector<std::string> AllKeys(const KeyOrder& order) {
  std::vector<std::string> keys = {""};
  for (const char a : {'\0', 'a', 'b', 'k', '\xff'}) {
    keys.emplace_back(1, a);
    for (const char b : {'\0', 'a', 'b', 'k', '\xff'}) {
      keys.push_back({a, b});
    }
  }
  std::sort(keys.begin(), keys.end(), [&](const auto& a, const auto& b) {
    return order.CompareUserKeys(a, b) < 0;
  });
  return keys;
}

// From every key, above every sequence number that a run may be above.
void CheckRuns(const KeyOrder& order, const TombstoneTree::View& view,
               const std::vector<std::string>& keys,
               const std::vector<SequenceNumber>& covering) {
  for (size_t i = 0; i < keys.size(); ++i) {
    for (const SequenceNumber newest : covering) {
      if (covering[i] <= newest) continue;
      size_t end = i;
      while (covering[end] > newest) ++end;
      size_t begin = i;
      while (begin > 0 && covering[begin - 1] > newest) --begin;
      ASSERT_EQ(
          order.CompareUserKeys(view.EndOfRun(keys[i], newest), keys[end]), 0)
          << i << " above " << newest;
      ASSERT_EQ(
          order.CompareUserKeys(view.BeginOfRun(keys[i], newest), keys[begin]),
          0)
          << i << " above " << newest;
    }
  }
}

void CheckAtEverySequence(const Filled& f, SequenceNumber last) {
  const std::vector<std::string> keys = AllKeys(f.order);
  for (SequenceNumber s = 0; s <= last + 1; ++s) {
    const TombstoneTree::View view = f.tree.At(s);
    std::vector<SequenceNumber> expected;
    for (const std::string& key : keys) expected.push_back(f.Expected(key, s));
    TombstoneTree::Stretch forward;
    TombstoneTree::Stretch backward;
    for (size_t i = 0; i < keys.size(); ++i) {
      ASSERT_EQ(view.Covering(keys[i]), expected[i]) << i << " at " << s;
      ASSERT_EQ(view.Covering(keys[i], &forward), expected[i]) << i;
      const size_t back = keys.size() - 1 - i;
      ASSERT_EQ(view.Covering(keys[back], &backward), expected[back]) << back;
    }
    if (s % 7 != 0) continue;
    ASSERT_NO_FATAL_FAILURE(CheckRuns(f.order, view, keys, expected));
    for (size_t i = 0; i < keys.size(); ++i) {
      SequenceNumber oldest = kMaxSequenceNumber;
      for (size_t j = i; j < keys.size(); ++j) {
        oldest = std::min(oldest, expected[j]);
        // There are no other keys, so that no gap exists between two of them.
        for (const SequenceNumber newest : {oldest, oldest - 1}) {
          if (oldest == 0 && newest != 0) continue;
          ASSERT_EQ(view.HidesAll(keys[i], keys[j], newest), newest < oldest)
              << i << ", " << j << " at " << s;
        }
      }
    }
  }
}

TEST(TombstoneTreeTest, AgreesWithTheListInEveryOrder) {
  const ByLength by_length;
  for (const Comparator* comparator :
       {BytewiseComparator(), ReverseBytewiseComparator(),
        static_cast<const Comparator*>(&by_length)}) {
    for (uint64_t seed = 1; seed <= 20; ++seed) {
      SCOPED_TRACE(std::string(comparator->Name()) + " seed " +
                   std::to_string(seed));
      Random random(seed);
      Filled f(comparator);
      SequenceNumber last = 0;
      for (uint64_t n = random.Uniform(60); n > 0; --n) {
        last += 1 + random.Uniform(3);
        f.Add(last, RandomKey(&random), RandomKey(&random));
      }
      ASSERT_NO_FATAL_FAILURE(CheckAtEverySequence(f, last));
      std::vector<RangeTombstone> all;
      f.tree.AppendTo(&all);
      std::reverse(all.begin(), all.end());
      EXPECT_EQ(all, f.all);
    }
  }
}

TEST(TombstoneTreeTest, NumbersTombstonesInTheOrderAdded) {
  Filled f;
  EXPECT_EQ(f.tree.count(), 0u);
  for (SequenceNumber s = 1; s <= 300; ++s) f.Add(10 * s, "a", "b");
  EXPECT_EQ(f.tree.count(), 300u);
  for (uint64_t n = 1; n <= 300; ++n) ASSERT_EQ(f.tree.SequenceOf(n), 10 * n);
}

std::string Number(uint64_t n) {
  std::string digits = std::to_string(n);
  return std::string(8 - digits.size(), '0') + digits;
}

// Whatever their shape, and as of every sequence number.
TEST(TombstoneTreeTest, ManyTombstonesAreSearchedRight) {
  constexpr uint64_t kKeys = 4000;
  for (int shape = 0; shape < 4; ++shape) {
    SCOPED_TRACE(shape);
    Random random(301);
    Filled f;
    for (SequenceNumber s = 1; s <= 2000; ++s) {
      const uint64_t at = random.Uniform(kKeys);
      if (shape == 0) f.Add(s, Number(at), Number(at + 2));
      if (shape == 1) f.Add(s, Number(2 * s), Number(2 * s + 2));
      if (shape == 2) f.Add(s, Number(2000 - s), Number(2000 + s));
      if (shape == 3) f.Add(s, Number(at), Number(random.Uniform(kKeys)));
    }
    for (int i = 0; i < 2000; ++i) {
      const std::string key = Number(random.Uniform(kKeys));
      const SequenceNumber at = random.Uniform(2001);
      ASSERT_EQ(f.tree.At(at).Covering(key), f.Expected(key, at))
          << key << " at " << at;
    }
  }
}

// Not the whole tree is copied for each.
TEST(TombstoneTreeTest, ATombstoneTakesLittleMemory) {
  const auto bytes_each = [](bool nested) {
    constexpr uint64_t kTombstones = 20'000;
    Random random(301);
    Filled f;
    for (SequenceNumber s = 1; s <= kTombstones; ++s) {
      const uint64_t at = nested ? kTombstones - s : random.Uniform(1'000'000);
      f.Add(s, Number(at), Number(nested ? kTombstones + s : at + 10));
    }
    return f.arena.MemoryUsage() / kTombstones;
  };
  EXPECT_LE(bytes_each(false), 1200u);
  EXPECT_LE(bytes_each(true), 300u);
}

}  // namespace
}  // namespace tamis
