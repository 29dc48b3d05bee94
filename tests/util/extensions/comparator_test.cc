// SPDX-License-Identifier: Apache-2.0
#include "tamis/comparator.h"

#include <string>

#include <gtest/gtest.h>

#include "util/base/random.h"

namespace tamis {
namespace {

std::string Separator(const Comparator* order, std::string start,
                      const Slice& limit) {
  order->FindShortestSeparator(&start, limit);
  return start;
}

std::string Successor(const Comparator* order, std::string key) {
  order->FindShortSuccessor(&key);
  return key;
}

TEST(ComparatorTest, BytewiseSeparators) {
  const struct {
    const char* start;
    const char* limit;
    const char* expected;
  } kCases[] = {
      {"abcdef", "abzz", "abd"},
      {"abc", "abc", "abc"},
      {"abc", "abcd", "abc"},   // a prefix of the limit
      {"abcd", "abc", "abcd"},  // wrong way round
      {"abz", "abc", "abz"},    // wrong way round
      {"abcx", "abdx", "abd"},  // one more is a prefix of the limit
      {"abcx", "abd", "abcy"},  // one more is the limit itself
      {"abc\xff\xffk", "abd", "abc\xff\xffl"},
      {"abc\xff\xff", "abd", "abc\xff\xff"},  // nothing can grow
      {"abc", "abd", "abc"},
      {"a\xfe", "b", "a\xff"},
      {"1", "3abc", "2"},
  };
  for (const auto& c : kCases) {
    EXPECT_EQ(Separator(BytewiseComparator(), c.start, c.limit), c.expected)
        << c.start << " " << c.limit;
  }
}

TEST(ComparatorTest, BytewiseSuccessors) {
  EXPECT_EQ(Successor(BytewiseComparator(), "abc"), "b");
  EXPECT_EQ(Successor(BytewiseComparator(), "\xff\xff q"), "\xff\xff!");
  EXPECT_EQ(Successor(BytewiseComparator(), "\xff\xff"), "\xff\xff");
  EXPECT_EQ(Successor(BytewiseComparator(), ""), "");
}

TEST(ComparatorTest, SeparatorsAreBetweenTheirKeysInBothOrders) {
  Random random(7);
  const auto key = [&random] {
    std::string k(random.Uniform(6), '\0');
    for (char& c : k) {
      static constexpr char kBytes[] = {'\0', 'a', 'b', '\x7f', '\xfe', '\xff'};
      c = kBytes[random.Uniform(sizeof(kBytes))];
    }
    return k;
  };
  for (const Comparator* order :
       {BytewiseComparator(), ReverseBytewiseComparator()}) {
    for (int i = 0; i < 20000; ++i) {
      const std::string a = key();
      const std::string b = key();
      if (order->Compare(a, b) >= 0) {
        EXPECT_EQ(Separator(order, a, b), a);
        continue;
      }
      const std::string s = Separator(order, a, b);
      EXPECT_LE(order->Compare(a, s), 0);
      EXPECT_LT(order->Compare(s, b), 0);
      EXPECT_LE(s.size(), a.size());
      EXPECT_LE(order->Compare(a, Successor(order, a)), 0);
    }
  }
}

TEST(ComparatorTest, ReverseIsTheOppositeOfBytewise) {
  EXPECT_LT(BytewiseComparator()->Compare("a", "b"), 0);
  EXPECT_GT(ReverseBytewiseComparator()->Compare("a", "b"), 0);
  EXPECT_GT(BytewiseComparator()->Compare("\x80", "\x7f"), 0);
  EXPECT_STREQ(BytewiseComparator()->Name(), "leveldb.BytewiseComparator");
  EXPECT_STREQ(ReverseBytewiseComparator()->Name(),
               "rocksdb.ReverseBytewiseComparator");
  EXPECT_EQ(Separator(ReverseBytewiseComparator(), "azzz", "aab"), "az");
}

}  // namespace
}  // namespace tamis
