// SPDX-License-Identifier: Apache-2.0
//
// LOG says for each table why it has its filter.
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/db/test_db.h"

namespace tamis {
namespace {

class FilterReasonTest : public DBTest {
 protected:
  void OpenWith(const FilterPolicy* policy) {
    BlockBasedTableOptions table;
    table.filter_policy.reset(policy);
    SetTable(table);
    options_.disable_auto_compactions = true;
    Open();
  }
  // Of the newest table.
  std::string Reason() {
    const std::vector<std::string> lines = LogLines("event=table_written");
    if (lines.empty()) return "";
    const std::string& line = lines.back();
    const size_t at = line.find("filter_reason=");
    return at == std::string::npos ? line : line.substr(at + 14);
  }
  std::string ReasonOf(const FilterPolicy* policy, int keys = 5000) {
    OpenWith(policy);
    PutMany(keys, 10);
    Flush();
    std::string reason = Reason();
    Destroy();
    return reason;
  }
};

TEST_F(FilterReasonTest, Formats) {
  EXPECT_EQ(ReasonOf(NewBloomFilterPolicy(10)),
            "\"FastLocalBloom: 10 bits per key\"");
  EXPECT_EQ(ReasonOf(NewBloomFilterPolicy(0)), "\"none: 0 bits per key\"");
  EXPECT_EQ(ReasonOf(NewBloomFilterPolicy(10, true)),
            "\"the policy is block-based\"");
  EXPECT_EQ(ReasonOf(NewRibbonFilterPolicy(10, 1)),
            "\"FastLocalBloom: 10 bits per key, level before "
            "bloom_before_level\"");
  EXPECT_EQ(ReasonOf(NewRibbonFilterPolicy(10, -1)),
            "\"Ribbon: 10 bits per key of a Bloom filter's rate\"");
  EXPECT_EQ(ReasonOf(NewFilterPolicy({.format = FilterFormat::kXor})),
            "\"Xor: rate 0.01, of the policy\"");
  EXPECT_EQ(ReasonOf(NewFilterPolicy()),
            "\"HomogeneousRibbon: rate 0.01, of the policy; a "
            "short-lived table\"");
  EXPECT_EQ(ReasonOf(nullptr), "\"no filter_policy\"");
}

TEST_F(FilterReasonTest, TooFewKeys) {
  EXPECT_EQ(ReasonOf(NewFilterPolicy(), 5),
            "\"HomogeneousRibbon: rate 0.01, of the policy; a "
            "short-lived table; FastLocalBloom is smaller for 5 keys\"");
}

TEST_F(FilterReasonTest, OptimizedForHits) {
  options_.optimize_filters_for_hits = true;
  OpenWith(NewBloomFilterPolicy(10));
  PutMany(10);
  Compact(/*force=*/true);
  EXPECT_EQ(Reason(), "optimize_filters_for_hits");
}

TEST_F(FilterReasonTest, ABudget) {
  OpenWith(NewBudgetFilterPolicy(10000));
  PutMany(5000, 10);
  Flush();
  EXPECT_EQ(Reason(),
            "\"HomogeneousRibbon: rate 0.01, as no level is known to have "
            "entries; a short-lived table\"");
  std::string value;
  for (int i = 0; i < 100000; ++i) {
    EXPECT_TRUE(db_->Get(ReadOptions(), Key(i % 5000), &value).ok());
  }
  Compact(/*force=*/true);
  const std::string reason = Reason();
  EXPECT_TRUE(reason.starts_with("\"BumpedRibbon: rate ")) << reason;
  EXPECT_NE(reason.find("share of 10000 bytes for level 1"), std::string::npos)
      << reason;
  EXPECT_TRUE(reason.ends_with("; a long-lived table\"")) << reason;
}

TEST_F(FilterReasonTest, ABudgetThatIsTooSmall) {
  OpenWith(NewBudgetFilterPolicy(100));
  PutMany(5000, 10);
  Flush();
  PutMany(5000, 10);
  Flush();
  EXPECT_EQ(Reason(),
            "\"none: share of 100 bytes for level 0 with 5000 entries\"");
}

// A user's policy may give reasons, too.
class Explains final : public FilterPolicy {
 public:
  class Builder final : public FilterBitsBuilder {
   public:
    void AddKey(const Slice&) override { ++keys_; }
    size_t EstimateEntriesAdded() override { return keys_; }
    Slice Finish(std::unique_ptr<const char[]>* buf) override {
      auto bytes = std::make_unique<char[]>(8);
      const Slice filter(bytes.get(), 8);
      *buf = std::move(bytes);
      return filter;
    }
    size_t ApproximateNumEntries(size_t bytes) override { return bytes; }
    std::string Reason() const override { return "it is Monday"; }

   private:
    size_t keys_ = 0;
  };
  const char* Name() const override { return "my.Explains"; }
  FilterBitsBuilder* GetFilterBitsBuilder() const override {
    return new Builder;
  }
};

TEST_F(FilterReasonTest, AUsersPolicyMayGiveReasons) {
  EXPECT_EQ(ReasonOf(new Explains), "\"it is Monday\"");
}

}  // namespace
}  // namespace tamis
