// SPDX-License-Identifier: Apache-2.0
//
// YCSB's keys and mixes, against what YCSB and the paper have.
#include "tools/ycsb_workload.h"

#include <array>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace tamis::ycsb {
namespace {

constexpr uint64_t kRecords = 10000;

TEST(YcsbKeyTest, KeysAreYcsbs) {
  KeyMaker keys;
  EXPECT_EQ(keys.Make(0), "user6284781860667377211");
  EXPECT_EQ(keys.Make(1), "user8517097267634966620");
  EXPECT_EQ(keys.Make(2), "user1820151046732198393");
}

TEST(YcsbKeyTest, AbsentKeysAreNoRecords) {
  KeyMaker keys;
  std::set<std::string, std::less<>> records;
  for (uint64_t i = 0; i < kRecords; ++i) records.emplace(keys.Make(i));
  EXPECT_EQ(records.size(), kRecords);
  for (uint64_t i = 0; i < kRecords; ++i) {
    EXPECT_FALSE(records.contains(keys.MakeAbsent(i)));
  }
}

TEST(YcsbRecordsTest, RecordsCountOnceAllBeforeThemAreInserted) {
  Records records(5);
  EXPECT_EQ(records.StartInsert(), 5u);
  EXPECT_EQ(records.StartInsert(), 6u);
  EXPECT_EQ(records.StartInsert(), 7u);
  EXPECT_EQ(records.present(), 5u);
  records.Inserted(6);
  EXPECT_EQ(records.present(), 5u);
  records.Inserted(5);
  EXPECT_EQ(records.present(), 7u);
  records.Inserted(7);
  EXPECT_EQ(records.present(), 8u);
}

// The percentages of table 2 of the paper: reads, updates, inserts, scans,
// read-modify-writes.
struct Published {
  char name;
  std::array<double, 5> percent;
};

class YcsbMixTest : public testing::TestWithParam<Published> {};

TEST_P(YcsbMixTest, OperationsAreThoseOfThePaper) {
  constexpr uint64_t kOperations = 100000;
  const Mix* const mix = FindMix(GetParam().name);
  ASSERT_NE(mix, nullptr);
  Records records(kRecords);
  OperationSource source(*mix, {.operations = kOperations, .seed = 301},
                         &records);
  std::array<double, 5> counts{};
  std::vector<uint64_t> lengths(kLongestScan + 1);
  for (uint64_t i = 0; i < kOperations; ++i) {
    const Operation operation = source.Next();
    ++counts[static_cast<size_t>(operation.kind)];
    EXPECT_FALSE(operation.absent);
    if (operation.kind == Kind::kInsert) {
      records.Inserted(records.StartInsert());
    } else {
      EXPECT_LT(operation.number, records.present());
    }
    if (operation.kind == Kind::kScan) {
      ASSERT_LE(operation.scan_length, kLongestScan);
      ++lengths[operation.scan_length];
    }
  }
  const std::array<double, 5>& expected = GetParam().percent;
  for (size_t kind = 0; kind < expected.size(); ++kind) {
    EXPECT_NEAR(counts[kind] * 100 / kOperations, expected[kind],
                expected[kind] == 0 ? 0 : 0.5)
        << kind;
  }
  // Scans are 1 to 100 entries long, each length as likely.
  EXPECT_EQ(lengths[0], 0u);
  const double scans = counts[static_cast<size_t>(Kind::kScan)];
  for (size_t length = 1; scans > 0 && length < lengths.size(); ++length) {
    EXPECT_NEAR(static_cast<double>(lengths[length]), scans / 100,
                5 * std::sqrt(scans / 100))
        << length;
  }
}

INSTANTIATE_TEST_SUITE_P(AToF, YcsbMixTest,
                         testing::Values(Published{'a', {50, 50, 0, 0, 0}},
                                         Published{'b', {95, 5, 0, 0, 0}},
                                         Published{'c', {100, 0, 0, 0, 0}},
                                         Published{'d', {95, 0, 5, 0, 0}},
                                         Published{'e', {0, 0, 5, 95, 0}},
                                         Published{'f', {50, 0, 0, 0, 50}}),
                         [](const auto& mix) {
                           return std::string(1, mix.param.name);
                         });

TEST(YcsbWorkloadTest, ThereAreSixWorkloads) {
  EXPECT_EQ(FindMix('g'), nullptr);
  EXPECT_EQ(FindMix('d')->distribution, Distribution::kLatest);
  for (const char name : {'a', 'b', 'c', 'e', 'f'}) {
    EXPECT_EQ(FindMix(name)->distribution, Distribution::kScrambledZipfian);
  }
}

TEST(YcsbWorkloadTest, TheShareOfAbsentKeysIsThatRequested) {
  const Records records(kRecords);
  for (const double share : {0.0, 0.25, 1.0}) {
    OperationSource source(*FindMix('a'), {.absent_share = share, .seed = 301},
                           &records);
    double reads = 0;
    double absent = 0;
    std::set<uint64_t> numbers;
    for (int i = 0; i < 100000; ++i) {
      const Operation operation = source.Next();
      if (operation.kind == Kind::kRead) ++reads;
      if (!operation.absent) continue;
      ++absent;
      EXPECT_TRUE(numbers.insert(operation.number).second);
    }
    EXPECT_NEAR(absent / reads, share, share == 0 || share == 1 ? 0 : 0.01);
  }
}

TEST(YcsbWorkloadTest, TheDistributionCanBeChosen) {
  const Records records(kRecords);
  OperationSource source(*FindMix('c'),
                         {.distribution = Distribution::kLatest, .seed = 301},
                         &records);
  uint64_t newest = 0;
  for (int i = 0; i < 10000; ++i) {
    if (source.Next().number == kRecords - 1) ++newest;
  }
  const double share = 1 / Zeta(kRecords, kZipfianTheta);
  EXPECT_NEAR(static_cast<double>(newest), 10000 * share,
              5 * std::sqrt(10000 * share));
}

}  // namespace
}  // namespace tamis::ycsb
