// SPDX-License-Identifier: Apache-2.0
//
// The property tamis.filter-report: what filters hold, promise and do.
#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/filter_policy.h"
#include "tamis/slice_transform.h"

#include "tests/db/test_db.h"

namespace tamis {
namespace {

class FilterReportTest : public DBTest {
 protected:
  std::map<std::string, std::string> Report() {
    std::map<std::string, std::string> report;
    EXPECT_TRUE(db_->GetMapProperty(DB::Properties::kFilterReport, &report));
    return report;
  }
  void UseFilter(double bits) {
    table_.filter_policy.reset(NewBloomFilterPolicy(bits));
    SetTable(table_);
  }

  BlockBasedTableOptions table_;
};

// Reads are sampled, one in 64 at random, so that counts are estimates.
constexpr int kKeys = 4000;
constexpr int kRounds = 20;

TEST_F(FilterReportTest, PointReadsAreObserved) {
  UseFilter(4);  // passes about one absent key in seven
  Open();
  for (int i = 0; i < kKeys; ++i) Put(Key(2 * i), "v");
  Flush();
  auto report = Report();
  EXPECT_EQ(report.at("0.FastLocalBloom.tables"), "1");
  EXPECT_EQ(report.at("0.FastLocalBloom.keys"), std::to_string(kKeys));
  EXPECT_NEAR(std::stod(report.at("0.FastLocalBloom.bits_per_key")), 4, 0.5);
  EXPECT_EQ(report.at("0.FastLocalBloom.get_observed_fpr"), "-");
  EXPECT_EQ(report.at("0.FastLocalBloom.gets_saved"), "0");
  const double predicted =
      std::stod(report.at("0.FastLocalBloom.predicted_fpr"));
  EXPECT_GT(predicted, 0.05);
  EXPECT_LT(predicted, 0.3);

  PinnableSlice value;
  for (int round = 0; round < kRounds; ++round) {
    for (int i = 0; i < kKeys; ++i) {
      const Status s = db_->Get(ReadOptions(), Key(2 * i + 1), &value);
      ASSERT_TRUE(s.IsNotFound()) << s;
    }
  }
  report = Report();
  const double asked = std::stod(report.at("0.FastLocalBloom.gets_saved")) +
                       std::stod(report.at("0.FastLocalBloom.gets_wasted"));
  // 1250 samples are expected; the last key is beyond the table.
  EXPECT_GT(asked, 0.7 * kKeys * kRounds);
  EXPECT_LT(asked, 1.3 * kKeys * kRounds);
  EXPECT_NEAR(std::stod(report.at("0.FastLocalBloom.get_observed_fpr")),
              predicted, 0.5 * predicted);
  EXPECT_EQ(report.at("0.FastLocalBloom.seeks_saved"), "0");

  // Keys that are there are neither saved nor wasted.
  const std::string wasted = report.at("0.FastLocalBloom.gets_wasted");
  for (int i = 0; i < kKeys; ++i) {
    ASSERT_TRUE(db_->Get(ReadOptions(), Key(2 * i), &value).ok());
  }
  EXPECT_EQ(Report().at("0.FastLocalBloom.gets_wasted"), wasted);
}

TEST_F(FilterReportTest, BatchesAreObserved) {
  UseFilter(10);
  Open();
  for (int i = 0; i < kKeys; ++i) Put(Key(2 * i), "v");
  Flush();
  for (int round = 0; round < kRounds * 4; ++round) {
    for (int i = 0; i + 16 < kKeys; i += 16) {
      std::vector<std::string> names;
      for (int k = i; k < i + 16; ++k) names.push_back(Key(2 * k + 1));
      std::vector<std::string> values;
      db_->MultiGet(ReadOptions(), {names.begin(), names.end()}, &values);
    }
  }
  EXPECT_GT(std::stod(Report().at("0.FastLocalBloom.gets_saved")),
            0.5 * kKeys * kRounds * 4);
}

TEST_F(FilterReportTest, SeeksAreObservedApart) {
  table_.range_filter = BlockBasedTableOptions::kGrafite;
  UseFilter(10);
  options_.prefix_extractor.reset(NewFixedPrefixTransform(8));
  Open();
  for (int i = 0; i < kKeys; ++i) Put(Key(20 * i), "v");
  Flush();
  ASSERT_EQ(Report().at("0.Grafite.tables"), "1");

  // One prefix has ten keys: every other one is in the table.
  ReadOptions prefix;
  prefix.prefix_same_as_start = true;
  std::unique_ptr<Iterator> it(db_->NewIterator(prefix));
  for (int round = 0; round < kRounds; ++round) {
    for (int i = 0; i < kKeys; ++i) {
      it->Seek(Key(10 * i));
      ASSERT_EQ(it->Valid(), i % 2 == 0);
    }
  }
  it.reset();
  auto report = Report();
  const double expected = 0.5 * kKeys * kRounds;
  EXPECT_NEAR(std::stod(report.at("0.FastLocalBloom.seeks_saved")), expected,
              0.4 * expected);
  EXPECT_LT(std::stod(report.at("0.FastLocalBloom.seek_observed_fpr")), 0.1);
  EXPECT_EQ(report.at("0.FastLocalBloom.gets_saved"), "0");
  EXPECT_EQ(report.at("0.Grafite.seeks_saved"), "0");

  ReadOptions bounded;
  bounded.total_order_seek = true;
  std::string end;
  Slice bound;
  for (int round = 0; round < 2 * kRounds; ++round) {
    for (int i = 0; i < kKeys / 10; ++i) {
      end = Key(20 * i + 12);
      bound = end;
      bounded.iterate_upper_bound = &bound;
      it.reset(db_->NewIterator(bounded));
      it->Seek(Key(20 * i + 10));
      ASSERT_FALSE(it->Valid());
    }
  }
  it.reset();
  report = Report();
  EXPECT_GT(std::stod(report.at("0.Grafite.seeks_saved")), 0);
  EXPECT_EQ(report.at("0.Grafite.gets_saved"), "0");
}

TEST_F(FilterReportTest, EachLevelAndCodecHasItsLine) {
  UseFilter(10);
  Open();
  PutMany(1000);
  Compact();
  table_.filter_policy.reset(
      NewRibbonFilterPolicy(10, /*bloom_before_level=*/-1));
  db_.reset();
  SetTable(table_);
  Open();
  PutMany(1000);
  Flush();
  table_.filter_policy.reset();
  db_.reset();
  SetTable(table_);
  Open();
  PutMany(10);
  Flush();
  const auto report = Report();
  EXPECT_EQ(report.at("1.FastLocalBloom.tables"), "1");
  EXPECT_EQ(report.at("0.Ribbon.tables"), "1");
  EXPECT_LT(std::stod(report.at("0.Ribbon.bits_per_key")), 8);
  EXPECT_EQ(report.at("0.none.tables"), "1");
  EXPECT_EQ(report.at("0.none.predicted_fpr"), "1.000000");
  EXPECT_EQ(report.size(), 3 * 11u);

  std::string text;
  ASSERT_TRUE(db_->GetProperty(DB::Properties::kFilterReport, &text));
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 4) << text;
  EXPECT_NE(text.find("predicted %"), std::string::npos) << text;
  EXPECT_NE(text.find("    1  FastLocalBloom"), std::string::npos) << text;
  uint64_t number = 0;
  EXPECT_FALSE(db_->GetIntProperty(DB::Properties::kFilterReport, &number));
}

}  // namespace
}  // namespace tamis
