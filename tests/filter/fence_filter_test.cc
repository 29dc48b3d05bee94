// SPDX-License-Identifier: Apache-2.0
#include "filter/fence_filter.h"

#include <algorithm>
#include <cstdio>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "filter/fence_group.h"
#include "tests/filter/sha256.h"
#include "tests/support/printed_keys.h"
#include "tests/support/sanitizers.h"
#include "tests/support/sorted_keys.h"
#include "util/base/random.h"

namespace tamis {
namespace {

// What a table, a tenth of a database, holds, and what it does not.
struct Database {
  template <typename MakeKey>
  Database(size_t n, MakeKey make_key) {
    Random random(301);
    for (size_t i = 0; i < n; ++i) all.push_back(make_key(&random));
    all = SortedKeys(std::move(all));
    for (const std::string& key : all) {
      if (random.OneIn(10)) table.push_back(key);
    }
  }
  Keys all;
  Keys table;
};

std::string Build(const Keys& keys, double bits_per_key) {
  const auto builder = FenceCodec()->NewBuilder(bits_per_key);
  for (const std::string& key : keys) builder->Add(key);
  return builder->Finish();
}

double BitsPerKey(const std::string& filter, const Keys& keys) {
  return 8.0 * static_cast<double>(filter.size()) /
         static_cast<double>(keys.size());
}

// Returns the share of ranges that match, of those between two neighbours of
// the database, the ends included, that hold no key of the table.
double Rate(const std::string& filter, const Database& database) {
  const RangeFilterView view = FenceCodec()->Open(filter);
  size_t empty = 0;
  size_t matches = 0;
  for (size_t i = 1; i < database.all.size(); ++i) {
    const std::string& begin = database.all[i - 1];
    const std::string end = database.all[i] + std::string(1, '\0');
    const auto next = std::ranges::lower_bound(database.table, begin);
    const bool holds = next != database.table.end() && *next < end;
    const bool match = view.MayMatch(begin, end);
    EXPECT_TRUE(match || !holds);
    empty += holds ? 0 : 1;
    matches += match && !holds ? 1 : 0;
  }
  return static_cast<double>(matches) / static_cast<double>(empty);
}

TEST(FenceFilterTest, DecimalKeysTake12BitsAndLessThanOnePercentMatches) {
  if (kSanitizer) GTEST_SKIP() << kNoOtherCode;
  const Database database(200000, UserKey);
  const std::string filter = Build(database.table, 12);
  EXPECT_LE(BitsPerKey(filter, database.table), 12.2);
  EXPECT_LE(Rate(filter, database), 0.006);
}

TEST(FenceFilterTest, TenantsTake14BitsAndLessThanOnePercentMatches) {
  if (kSanitizer) GTEST_SKIP() << kNoOtherCode;
  const Database database(400000, TenantKey);
  const std::string filter = Build(database.table, 12);
  EXPECT_LE(BitsPerKey(filter, database.table), 14.5);
  EXPECT_LE(Rate(filter, database), 0.006);
}

// Each tenant has ten keys of the table.
TEST(FenceFilterTest, ManySmallTenantsTakeMoreBits) {
  if (kSanitizer) GTEST_SKIP() << kNoOtherCode;
  const Database database(200000, [](Random* random) {
    return PrintKey("t/%05u/%013llu",
                    static_cast<unsigned>(random->Uniform(2000)),
                    static_cast<unsigned long long>(
                        1700000000000 + random->Uniform(2592000000)));
  });
  const std::string filter = Build(database.table, 12);
  EXPECT_LE(BitsPerKey(filter, database.table), 12 + 11);
  EXPECT_LE(Rate(filter, database), 0.03);
}

// Each tenant has ten keys of the table, and a name of 40 bytes.
TEST(FenceFilterTest, LongNamesOfSmallTenantsTakeManyBits) {
  if (kSanitizer) GTEST_SKIP() << kNoOtherCode;
  const Database database(200000, [](Random* random) {
    const auto tenant = static_cast<unsigned>(random->Uniform(2000));
    return PrintKey("t/%08x%08x%08x%08x%06u/%013llu", tenant * 2654435761u,
                    tenant * 2246822519u, tenant * 3266489917u,
                    tenant * 668265263u, tenant,
                    static_cast<unsigned long long>(
                        1700000000000 + random->Uniform(2592000000)));
  });
  const std::string filter = Build(database.table, 12);
  ASSERT_NE(filter, "");
  EXPECT_LE(BitsPerKey(filter, database.table), 12 + 40);
  EXPECT_LE(Rate(filter, database), 0.03);
}

TEST(FenceFilterTest, FewBitsCountAsEight) {
  const Database database(50000, UserKey);
  EXPECT_EQ(Build(database.table, 4), Build(database.table, 8));
  EXPECT_EQ(Build(database.table, std::nan("")), Build(database.table, 8));
}

TEST(FenceFilterTest, EachBitHalvesTheRate) {
  if (kSanitizer) GTEST_SKIP() << kNoOtherCode;
  const Database database(200000, UserKey);
  double last = Rate(Build(database.table, 8), database);
  EXPECT_LE(last, 0.1);
  for (const double bits : {9.0, 10.0, 11.0, 12.0}) {
    const double rate = Rate(Build(database.table, bits), database);
    EXPECT_GE(rate, 0.4 * last) << bits;
    EXPECT_LE(rate, 0.6 * last) << bits;
    last = rate;
  }
}

TEST(FenceFilterTest, PathsGetNoFilter) {
  const Database database(100000, FileKey);
  for (const double bits : {8.0, 12.0, 16.0, 20.0, 24.0, 32.0}) {
    EXPECT_EQ(Build(database.table, bits), "") << bits;
  }
}

TEST(FenceFilterTest, ARangeOutsideTheSharedPrefixIsExcluded) {
  const std::string filter =
      Build({"table7/ant", "table7/bee", "table7/c"}, 12);
  const RangeFilterView view = FenceCodec()->Open(filter);
  EXPECT_FALSE(view.MayMatch("", "a"));
  EXPECT_FALSE(view.MayMatch("table6", "table7"));
  EXPECT_FALSE(view.MayMatch("table6", "table7/"));
  EXPECT_FALSE(view.MayMatch("table70", "table8"));
  EXPECT_TRUE(view.MayMatch("table6", "table8"));
  EXPECT_TRUE(view.MayMatch("table6", "table7/b"));
  EXPECT_TRUE(view.MayMatch("table7/bb", "table8"));
  EXPECT_FALSE(view.MayMatch("table7/d", "table7/e"));
}

TEST(FenceFilterTest, ParametersTellTheRate) {
  const Database database(100000, UserKey);
  const std::string filter = Build(database.table, 10);
  const std::string text = FenceCodec()->Parameters(filter);
  EXPECT_TRUE(text.starts_with(std::to_string(database.table.size()) +
                               " keys, a shared prefix of 4 bytes, 2^6 cells"))
      << text;
  EXPECT_NE(text.find("about 1."), std::string::npos) << text;
  EXPECT_EQ(FenceCodec()->Parameters("x"), "");
}

// The cells of groups, against a search of all.
TEST(FenceGroupTest, RangesWithCellsAreFound) {
  Random random(301);
  for (int round = 0; round < 2000; ++round) {
    const auto n = static_cast<uint32_t>(random.Uniform(kGroupKeysMax) + 1);
    const auto low_bits = static_cast<uint32_t>(random.Uniform(8) + 1);
    // Spread, or in a few places.
    const uint64_t cells_end = uint64_t{n} << low_bits;
    const uint64_t first = random.Uniform(cells_end);
    const uint64_t width = random.OneIn(2) ? 3 : cells_end;
    std::vector<uint64_t> cells;
    for (uint32_t i = 0; i < n; ++i) {
      cells.push_back(std::min(first + random.Uniform(width), cells_end - 1));
      if (width == cells_end) cells.back() = random.Uniform(cells_end);
    }
    std::ranges::sort(cells);
    std::string group;
    AppendGroup(cells, low_bits, &group);
    ASSERT_EQ(group.size(), GroupSize(n, low_bits));
    group.append(kGroupBytesAfter, '\xff');
    for (int i = 0; i < 100; ++i) {
      uint64_t from = random.OneIn(2) ? cells[random.Uniform(n)]
                                      : random.Uniform(cells_end);
      uint64_t to = random.OneIn(2)
                        ? std::min(from + random.Uniform(4), cells_end - 1)
                        : random.Uniform(cells_end);
      if (to < from) std::swap(from, to);
      const auto next = std::ranges::lower_bound(cells, from);
      ASSERT_EQ(GroupHolds(group.data(), n, low_bits, from, to),
                next != cells.end() && *next <= to);
    }
  }
}

TEST(FenceFilterTest, TheGoldenFilterIsTheSameOnEveryMachine) {
  const Database database(20000, UserKey);
  const std::string filter = Build(database.table, 12);
  EXPECT_EQ(filter.size(), 2964u);
  EXPECT_EQ(Sha256Hex(filter),
            "facb7977642194a5f15dcaaf7117a8729921458813447c5889c20206e5e82370");
}

// Of many keys only some train the model: a rare byte may be above all that it
// knows.
TEST(FenceFilterTest, KeysWithBytesAboveTheModelMatch) {
  for (int n = 32768; n < 33168; ++n) {
    const bool check_all = n % 50 == 18;
    const auto builder = FenceCodec()->NewBuilder(12);
    const auto key_of = [](int i) {
      char key[16];
      std::snprintf(key, sizeof(key), "user%08d", i);
      return std::string(key);
    };
    for (int i = 0; i < n - 1; ++i) builder->Add(key_of(i));
    builder->Add("~end");
    const std::string filter = builder->Finish();
    const RangeFilterView view = FenceCodec()->Open(filter);
    ASSERT_TRUE(view.MayMatch("~end", "~ene")) << n;
    ASSERT_TRUE(view.MayMatch("z", "~~")) << n;
    if (!check_all) continue;
    for (int i = 0; i < n - 1; ++i) {
      const std::string key = key_of(i);
      ASSERT_TRUE(view.MayMatch(key, key + '\0')) << key << " of " << n;
    }
  }
}

TEST(FenceFilterTest, KeysWithRareBytesMatch) {
  if (kSanitizer) GTEST_SKIP() << kNoOtherCode;
  for (uint64_t seed = 0; seed < 12; ++seed) {
    Random random(seed);
    std::set<std::string> keys;
    const size_t n = 33000 + random.Uniform(40000);
    char key[32];
    while (keys.size() < n) {
      std::snprintf(key, sizeof(key), "%c%08d",
                    static_cast<char>('a' + random.Uniform(3)),
                    static_cast<int>(random.Uniform(100000000)));
      keys.insert(key);
    }
    for (int i = 0; i < 10; ++i) {
      std::snprintf(key, sizeof(key), "d%08d_%d",
                    static_cast<int>(random.Uniform(100000000)), i);
      keys.insert(key);
    }
    keys.insert("x");
    const auto builder = FenceCodec()->NewBuilder(12);
    for (const std::string& one : keys) builder->Add(one);
    const std::string filter = builder->Finish();
    const RangeFilterView view = FenceCodec()->Open(filter);
    for (const std::string& one : keys) {
      ASSERT_TRUE(view.MayMatch(one, one + '\0')) << one << ", seed " << seed;
    }
  }
}

// Small groups with long prefixes.
TEST(FenceFilterTest, AFilterThatWouldBeTooLargeIsNotWritten) {
  const auto builder = FenceCodec()->NewBuilder(16);
  Random random(301);
  for (int folder = 0; folder < 1000; ++folder) {
    std::string path = std::to_string(1000 + folder);
    for (int i = 0; i < 200; ++i) {
      path.push_back(static_cast<char>('a' + random.Uniform(26)));
    }
    for (int i = 100; i < 110; ++i) builder->Add(path + std::to_string(i));
  }
  EXPECT_EQ(builder->Finish(), "");
}

}  // namespace
}  // namespace tamis
