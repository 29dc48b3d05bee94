// SPDX-License-Identifier: Apache-2.0
#include "filter/surf_filter.h"

#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "filter/surf_builder.h"
#include "filter/surf_format.h"
#include "tests/filter/filter_test_util.h"
#include "tests/filter/sha256.h"
#include "tests/support/sanitizers.h"
#include "tests/support/sorted_keys.h"
#include "util/base/random.h"

namespace tamis {
namespace {

std::string Build(const Keys& keys, double bits_per_key,
                  SurfSuffix suffix = SurfSuffix::kReal) {
  const auto builder = NewSurfBuilder(bits_per_key, suffix);
  for (const std::string& key : keys) builder->Add(key);
  return builder->Finish();
}

// All strings over two bytes of up to three bytes, in order.
Keys ShortStrings(char low, char high) {
  Keys all = {""};
  for (size_t i = 0; i < all.size(); ++i) {
    if (all[i].size() == 3) continue;
    all.push_back(all[i] + low);
    all.push_back(all[i] + high);
  }
  return SortedKeys(std::move(all));
}

void CheckAllSets(char low, char high, double bits_per_key,
                  size_t least_filters) {
  const Keys strings = ShortStrings(low, high);
  ASSERT_EQ(strings.size(), 15u);
  size_t filters = 0;
  size_t excluded = 0;
  size_t empty = 0;
  for (uint32_t set = 1; set < 1u << strings.size(); ++set) {
    Keys keys;
    for (size_t i = 0; i < strings.size(); ++i) {
      if ((set >> i & 1) != 0) keys.push_back(strings[i]);
    }
    const std::string filter = Build(keys, bits_per_key);
    if (filter.empty()) continue;
    ++filters;
    const RangeFilterView view = SurfCodec()->Open(filter);
    for (size_t begin = 0; begin < strings.size(); ++begin) {
      for (size_t end = begin + 1; end < strings.size(); ++end) {
        const bool holds = (set >> begin & ((1u << (end - begin)) - 1)) != 0;
        const bool matches = view.MayMatch(strings[begin], strings[end]);
        ASSERT_TRUE(matches || !holds) << set << " " << begin << " " << end;
        empty += holds ? 0 : 1;
        excluded += matches ? 0 : 1;
      }
    }
  }
  EXPECT_GE(filters, least_filters);
  EXPECT_GE(excluded, empty / 5 * 2);
}

TEST(SurfFilterTest, AllSetsOfShortStringsAreRight) {
  CheckAllSets('a', 'b', 12, 18000);
  CheckAllSets('a', 'b', 24, 31000);
  CheckAllSets('\0', '\xff', 12, 18000);
  CheckAllSets('\0', '\xff', 24, 31000);
}

// Few different bytes, 0 and 255 among them; prefixes of each other; empty.
TEST(SurfFilterTest, AMillionRangesOfBinaryKeysAreRight) {
  static constexpr char kBytes[] = {'\0', '\1', 'a', 'b', '\xfe', '\xff'};
  Random random(301);
  const auto any_key = [&random](size_t longest) {
    std::string key(random.Uniform(longest + 1), '\0');
    for (char& c : key) {
      c = random.OneIn(10) ? static_cast<char>(random.Next())
                           : kBytes[random.Uniform(sizeof(kBytes))];
    }
    return key;
  };
  size_t excluded = 0;
  for (int round = 0; round < 100; ++round) {
    const size_t longest = 2 + random.Uniform(10);
    Keys keys;
    const size_t n = 1 + random.Uniform(round % 10 == 0 ? 20000 : 500);
    for (size_t i = 0; i < n; ++i) keys.push_back(any_key(longest));
    keys = SortedKeys(std::move(keys));
    const double bits = 8 + static_cast<double>(random.Uniform(24));
    const std::string filter = Build(
        keys, bits, random.OneIn(2) ? SurfSuffix::kReal : SurfSuffix::kHash);
    if (filter.empty()) continue;
    const RangeFilterView view = SurfCodec()->Open(filter);
    for (int i = 0; i < 10000; ++i) {
      std::string begin = any_key(longest);
      std::string end = random.OneIn(4)   ? begin + '\0'
                        : random.OneIn(2) ? begin + any_key(3)
                                          : any_key(longest);
      if (end < begin) std::swap(begin, end);
      if (begin == end) continue;
      const bool matches = view.MayMatch(begin, end);
      ASSERT_TRUE(matches || !HoldsAny(keys, begin, end))
          << "round " << round << " " << ToHex(begin) << " " << ToHex(end);
      excluded += matches ? 0 : 1;
    }
  }
  EXPECT_GE(excluded, 50000u);
}

std::string YcsbKey(Random* random) {
  char key[32];
  std::snprintf(
      key, sizeof(key), "user%019llu",
      static_cast<unsigned long long>(random->Next() % 10000000000000000000u));
  return key;
}

// What a table, a tenth of a database, holds, and what it does not.
struct Database {
  explicit Database(size_t n) {
    Random random(301);
    for (size_t i = 0; i < n; ++i) all.push_back(YcsbKey(&random));
    all = SortedKeys(std::move(all));
    for (const std::string& key : all) {
      if (random.OneIn(10)) table.push_back(key);
    }
  }
  // Returns the share of ranges that match, of those from each key to the next
  // one, if `to_next`, or of that key alone, that hold no key of the table.
  double Rate(const std::string& filter, bool to_next) const {
    const RangeFilterView view = SurfCodec()->Open(filter);
    size_t empty = 0;
    size_t matches = 0;
    for (size_t i = 1; i < all.size(); ++i) {
      const std::string end = all[to_next ? i : i - 1] + '\0';
      const bool match = view.MayMatch(all[i - 1], end);
      const bool holds = HoldsAny(table, all[i - 1], end);
      EXPECT_TRUE(match || !holds);
      empty += holds ? 0 : 1;
      matches += match && !holds ? 1 : 0;
    }
    return static_cast<double>(matches) / static_cast<double>(empty);
  }
  Keys all;
  Keys table;
};

double BitsPerKey(const std::string& filter, const Keys& keys) {
  return 8.0 * static_cast<double>(filter.size()) /
         static_cast<double>(keys.size());
}

TEST(SurfFilterTest, RealBitsHalveTheRateOfRanges) {
  if (kSanitizer) GTEST_SKIP() << kNoOtherCode;
  const Database database(100000);
  double expected = 0.5;
  for (const double bits : {12.0, 18.0, 20.0, 22.0, 24.0}) {
    const std::string filter = Build(database.table, bits);
    EXPECT_LE(BitsPerKey(filter, database.table), std::max(bits, 17.0) + 0.2);
    EXPECT_LE(database.Rate(filter, true), expected) << bits;
    expected /= 4;
  }
}

TEST(SurfFilterTest, HashBitsHalveTheRateOfSingleKeysOnly) {
  const Database database(100000);
  const std::string filter = Build(database.table, 24, SurfSuffix::kHash);
  EXPECT_LE(database.Rate(filter, false), 0.005);
  EXPECT_GE(database.Rate(filter, true), 0.3);
}

TEST(SurfFilterTest, ARangeOutsideTheSharedPrefixIsExcluded) {
  const std::string filter =
      Build({"table7/ant", "table7/bee", "table7/c"}, 20);
  const RangeFilterView view = SurfCodec()->Open(filter);
  EXPECT_FALSE(view.MayMatch("", "a"));
  EXPECT_FALSE(view.MayMatch("table6", "table7"));
  EXPECT_FALSE(view.MayMatch("table70", "table8"));
  EXPECT_TRUE(view.MayMatch("table6", "table8"));
  EXPECT_TRUE(view.MayMatch("table6", "table7/b"));
  EXPECT_TRUE(view.MayMatch("table7/bb", "table8"));
  EXPECT_FALSE(view.MayMatch("table7/d", "table7/e"));
}

TEST(SurfFilterTest, OneKeyIsKnownExactly) {
  for (const std::string& key : Keys{"", "k", "key\xff", std::string(2, 0)}) {
    const std::string filter = Build({key}, 12);
    const RangeFilterView view = SurfCodec()->Open(filter);
    EXPECT_TRUE(view.MayMatch(key, key + '\0'));
    EXPECT_FALSE(view.MayMatch(key + '\0', key + '\1'));
    EXPECT_TRUE(key.empty() || !view.MayMatch("", key));
  }
}

// More than kLoudsDepthMax bytes, so that the trie does not tell them apart.
TEST(SurfFilterTest, KeysThatDifferLateAreFound) {
  Random random(301);
  Keys keys;
  for (int i = 0; i < 1000; ++i) {
    std::string key = std::to_string(i);
    if (random.OneIn(50)) key += std::string(random.Uniform(600), 'x');
    keys.push_back(key);
    if (key.size() > 100) keys.push_back(key + "y");
  }
  keys = SortedKeys(std::move(keys));
  const std::string filter = Build(keys, 32);
  ASSERT_NE(filter, "");
  const RangeFilterView view = SurfCodec()->Open(filter);
  for (const std::string& key : keys) {
    EXPECT_TRUE(view.MayMatch(key, key + '\0'));
    EXPECT_TRUE(view.MayMatch(key.substr(0, key.size() / 2), key + '\0'));
    EXPECT_TRUE(view.MayMatch(key, key + "z"));
  }
}

// The paths of these keys would take ten times the bits that were asked for.
TEST(SurfFilterTest, ATrieThatWouldBeTooLargeIsCut) {
  Random random(301);
  Keys keys;
  for (int i = 0; i < 2000; ++i) {
    std::string key;
    for (int c = 0; c < 4; ++c) {
      key.push_back(static_cast<char>('a' + random.Uniform(26)));
    }
    keys.push_back(key);
    // A few keys that share long parts.
    if (i % 10 == 0) keys.push_back(key + std::string(200, 'x'));
    if (i % 10 == 0) keys.push_back(key + std::string(200, 'x') + "y");
  }
  keys = SortedKeys(std::move(keys));
  const std::string filter = Build(keys, 12);
  ASSERT_NE(filter, "");
  EXPECT_LE(BitsPerKey(filter, keys), 25);
  const auto state = ParseSurfTrailer(filter);
  ASSERT_TRUE(state);
  EXPECT_LT(state->depth, 50);
  const RangeFilterView view = SurfCodec()->Open(filter);
  for (const std::string& key : keys) {
    EXPECT_TRUE(view.MayMatch(key, key + '\0'));
  }
  EXPECT_FALSE(view.MayMatch("z~", "z~~"));
}

// Runs of keys that differ only at their ends.
TEST(SurfFilterTest, AFilterThatWouldExcludeLittleIsNotWritten) {
  Random random(301);
  Keys keys;
  for (int folder = 0; folder < 1000; ++folder) {
    std::string path = std::to_string(1000 + folder);
    for (int i = 0; i < 200; ++i) {
      path.push_back(static_cast<char>('a' + random.Uniform(26)));
    }
    for (int i = 100; i < 110; ++i) keys.push_back(path + std::to_string(i));
  }
  EXPECT_EQ(Build(SortedKeys(std::move(keys)), 12), "");
}

// Every byte of a filter with dense nodes and suffixes, and random tries.
TEST(SurfFilterTest, MalformedTriesAreSafe) {
  Random random(301);
  Keys keys;
  for (int i = 0; i < 3000; ++i) {
    std::string key;
    for (int c = 0; c < 4; ++c) key.push_back(static_cast<char>(random.Next()));
    keys.push_back(key);
  }
  keys = SortedKeys(std::move(keys));
  const std::string whole = Build(keys, 20);
  const auto state = ParseSurfTrailer(whole);
  ASSERT_TRUE(state);
  ASSERT_GT(state->shape.dense_nodes, 0u);
  ASSERT_GT(state->num_suffixes, 0u);
  const auto probe = [&](const std::string& bytes) {
    const auto copy = std::make_unique<char[]>(bytes.size());
    std::ranges::copy(bytes, copy.get());
    const RangeFilterView view =
        SurfCodec()->Open(Slice(copy.get(), bytes.size()));
    for (int i = 0; i < 20; ++i) {
      std::string begin = keys[random.Uniform(keys.size())];
      std::string end =
          random.OneIn(2) ? begin + '\0' : keys[random.Uniform(keys.size())];
      if (end < begin) std::swap(begin, end);
      if (begin != end) view.MayMatch(begin, end);
    }
    (void)SurfCodec()->Parameters(bytes);
  };
  for (int round = 0; round < 20000; ++round) {
    std::string bytes = whole;
    for (uint64_t n = random.Uniform(8) + 1; n > 0; --n) {
      const bool trailer = random.OneIn(4);
      const size_t at = trailer ? bytes.size() - 1 - random.Uniform(32)
                                : random.Uniform(bytes.size());
      bytes[at] = static_cast<char>(random.Next());
    }
    // All of a trie at random, mostly ones or mostly zeros.
    if (round % 10 == 0) {
      const uint64_t kind = random.Uniform(3);
      for (size_t i = 0; i < state->model(); ++i) {
        bytes[i] = kind == 0          ? static_cast<char>(random.Next())
                   : random.OneIn(50) ? static_cast<char>(random.Next())
                   : kind == 1        ? '\0'
                                      : '\xff';
      }
    }
    probe(bytes);
  }
}

TEST(SurfFilterTest, ParametersTellTheTrieAndTheRate) {
  const Database database(100000);
  const std::string filter = Build(database.table, 20);
  const std::string text = SurfCodec()->Parameters(filter);
  EXPECT_TRUE(text.starts_with(std::to_string(database.table.size()) +
                               " keys, a shared prefix of 4 bytes, "))
      << text;
  EXPECT_NE(text.find(" dense nodes, "), std::string::npos) << text;
  EXPECT_NE(text.find(" real and 0 hash bits a leaf"), std::string::npos)
      << text;
  EXPECT_EQ(SurfCodec()->Parameters("x"), "");
}

TEST(SurfFilterTest, TheExampleOfTheFormatPageIsRight) {
  const std::string filter =
      Build({"user1", "user12", "user471", "user485", "user9"}, 20);
  EXPECT_EQ(ToHex(filter),
            "030000000000000003000000000000002900000000000000"
            "313439ff323738" +
                std::string(2 * 57, '0') +
                "00b00d"
                "6a5bb46db56db66db76d0080"
                "75736572"
                "0500000000000000070000000500000004000000"
                "0001666600043135"
                "00000000");
}

TEST(SurfFilterTest, TheGoldenFilterIsTheSameOnEveryMachine) {
  const Database database(20000);
  const std::string filter = Build(database.table, 20);
  EXPECT_EQ(filter.size(), 5115u);
  EXPECT_EQ(Sha256Hex(filter),
            "c0752b9e99fbd52db8814552ed09d0adb0e0b1b4ec46254b4d07dcda17a82b9e");
}

}  // namespace
}  // namespace tamis
