// SPDX-License-Identifier: Apache-2.0
#include "table/range_tombstones.h"

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "util/base/random.h"

namespace tamis {
namespace {

const KeyOrder& Order(bool reverse) {
  static const KeyOrder bytewise(BytewiseComparator());
  static const KeyOrder reversed(ReverseBytewiseComparator());
  return reverse ? reversed : bytewise;
}

std::string ToText(const RangeTombstoneFragments& fragments) {
  std::string text;
  for (size_t i = 0; i < fragments.size(); ++i) {
    const auto fragment = fragments.at(i);
    text +=
        "[" + fragment.begin.ToString() + "," + fragment.end.ToString() + ")";
    for (const SequenceNumber s : fragment.sequences) {
      text += " " + std::to_string(s);
    }
    text += ";";
  }
  return text;
}

TEST(RangeTombstonesTest, OverlapsAreFragmentedAtEveryBoundary) {
  const RangeTombstoneFragments fragments(
      Order(false), {{"a", "k", 5}, {"d", "p", 9}, {"x", "z", 2}});
  EXPECT_EQ(ToText(fragments), "[a,d) 5;[d,k) 9 5;[k,p) 9;[x,z) 2;");
}

TEST(RangeTombstonesTest, EmptyAndBackwardRangesCoverNothing) {
  const RangeTombstoneFragments fragments(Order(false),
                                          {{"b", "b", 5}, {"d", "c", 9}});
  EXPECT_TRUE(fragments.empty());
  EXPECT_EQ(fragments.Covering("b", kMaxSequenceNumber), 0u);
  EXPECT_EQ(fragments.FindFragment("b"), 0u);
}

TEST(RangeTombstonesTest, OneSequenceTwiceIsShownOnce) {
  const RangeTombstoneFragments fragments(Order(false),
                                          {{"a", "c", 4}, {"b", "d", 4}});
  EXPECT_EQ(ToText(fragments), "[a,b) 4;[b,c) 4;[c,d) 4;");
}

TEST(RangeTombstonesTest, TheEndIsNotCovered) {
  const RangeTombstoneFragments fragments(Order(false), {{"b", "d", 7}});
  EXPECT_EQ(fragments.Covering("a", 10), 0u);
  EXPECT_EQ(fragments.Covering("b", 10), 7u);
  EXPECT_EQ(fragments.Covering("c\xff", 10), 7u);
  EXPECT_EQ(fragments.Covering("d", 10), 0u);
}

TEST(RangeTombstonesTest, AReaderSeesNoNewerTombstones) {
  const RangeTombstoneFragments fragments(
      Order(false), {{"a", "z", 3}, {"a", "z", 6}, {"a", "z", 9}});
  EXPECT_EQ(fragments.Covering("m", 2), 0u);
  EXPECT_EQ(fragments.Covering("m", 3), 3u);
  EXPECT_EQ(fragments.Covering("m", 8), 6u);
  EXPECT_EQ(fragments.Covering("m", kMaxSequenceNumber), 9u);
}

class RangeTombstonesRandomTest : public ::testing::TestWithParam<bool> {};

// Keys are single letters, from 'a' to 'm', which nothing covers.
void CheckRuns(const KeyOrder& order, const RangeTombstoneFragments& fragments,
               SequenceNumber visible) {
  std::vector<std::string> keys;
  for (char c = 'a'; c <= 'm'; ++c) keys.emplace_back(1, c);
  std::sort(keys.begin(), keys.end(), [&](const auto& a, const auto& b) {
    return order.CompareUserKeys(a, b) < 0;
  });
  std::vector<SequenceNumber> covering;
  for (const std::string& key : keys) {
    covering.push_back(fragments.Covering(key, visible));
  }
  for (size_t i = 0; i < keys.size(); ++i) {
    for (const SequenceNumber newest : covering) {
      if (covering[i] <= newest) continue;
      size_t end = i;
      while (end < keys.size() && covering[end] > newest) ++end;
      size_t begin = i;
      while (begin > 0 && covering[begin - 1] > newest) --begin;
      ASSERT_LT(end, keys.size());
      ASSERT_EQ(fragments.EndOfRun(keys[i], visible, newest), Slice(keys[end]));
      ASSERT_EQ(fragments.BeginOfRun(keys[i], visible, newest),
                Slice(keys[begin]));
      for (size_t last = i; last < keys.size(); ++last) {
        ASSERT_EQ(fragments.HidesAll(keys[i], keys[last], visible, newest),
                  last < end);
      }
    }
    ASSERT_FALSE(fragments.HidesAll(keys[i], keys[i], visible, covering[i]));
  }
}

TEST_P(RangeTombstonesRandomTest, FragmentsAgreeWithTheUncutList) {
  const KeyOrder& order = Order(GetParam());
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    Random random(seed);
    const auto key = [&random] {
      return std::string(1, static_cast<char>('a' + random.Uniform(12)));
    };
    std::vector<RangeTombstone> tombstones;
    for (uint64_t n = random.Uniform(12); n > 0; --n) {
      tombstones.push_back({key(), key(), 1 + random.Uniform(20)});
    }
    const RangeTombstoneFragments fragments(order, tombstones);
    for (char c = 'a'; c <= 'm'; ++c) {
      const std::string at(1, c);
      for (SequenceNumber visible = 0; visible <= 21; ++visible) {
        SequenceNumber expected = 0;
        for (const RangeTombstone& t : tombstones) {
          if (t.sequence <= visible &&
              order.CompareUserKeys(t.begin, at) <= 0 &&
              order.CompareUserKeys(at, t.end) < 0) {
            expected = std::max(expected, t.sequence);
          }
        }
        ASSERT_EQ(fragments.Covering(at, visible), expected)
            << "seed " << seed << ", key " << at << " at " << visible;
      }
    }
    for (SequenceNumber visible = 0; visible <= 21; ++visible) {
      ASSERT_NO_FATAL_FAILURE(CheckRuns(order, fragments, visible));
    }
    for (size_t i = 0; i + 1 < fragments.size(); ++i) {
      ASSERT_LE(
          order.CompareUserKeys(fragments.at(i).end, fragments.at(i + 1).begin),
          0);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Orders, RangeTombstonesRandomTest, ::testing::Bool());

}  // namespace
}  // namespace tamis
