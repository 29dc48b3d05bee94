// SPDX-License-Identifier: Apache-2.0
//
// What a policy of filters learns of the table that is built, and of the levels
// of its family.
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/db/test_db.h"

namespace tamis {
namespace {

// What one table's builder was told.
struct Told {
  int level = -1;
  bool is_flush = false;
  uint64_t expected_keys = 0;
  uint64_t filter_budget_bytes = 0;
  std::vector<LevelShape> levels;
};

// Notes what it is told, and builds what the wrapped policy builds.
class Listener final : public FilterPolicy {
 public:
  Listener(const FilterPolicy* wrapped, std::vector<Told>* told)
      : wrapped_(wrapped), told_(told) {}

  const char* Name() const override { return "my.Listener"; }
  const char* CompatibilityName() const override {
    return wrapped_->CompatibilityName();
  }
  FilterBitsBuilder* GetBuilderWithContext(
      const FilterBuildingContext& context) const override {
    Told told{.level = context.level_at_creation,
              .is_flush = context.is_flush,
              .expected_keys = context.expected_keys,
              .filter_budget_bytes = context.filter_budget_bytes,
              .levels = {}};
    if (context.levels) {
      told.levels = context.levels();
      told_->push_back(std::move(told));
    }
    return wrapped_->GetBuilderWithContext(context);
  }
  uint64_t FilterBudgetBytes() const override {
    return wrapped_->FilterBudgetBytes();
  }

 private:
  const std::unique_ptr<const FilterPolicy> wrapped_;
  std::vector<Told>* const told_;
};

class FilterContextTest : public DBTest {
 protected:
  void OpenWith(const FilterPolicy* policy) {
    BlockBasedTableOptions table;
    table.filter_policy = std::make_shared<Listener>(policy, &told_);
    SetTable(table);
    options_.disable_auto_compactions = true;
    Open();
  }
  // Puts every step-th key from `first` on.
  void PutEvery(int step, int first) {
    for (int i = first; i < 3000; i += step) {
      Put(Key(i), Noise(60, static_cast<uint64_t>(i)));
    }
  }
  // Levels 1 and 0: multiples of 3, and those and 1. Other keys are absent.
  void MakeTwoLevels() {
    PutEvery(3, 0);
    Compact();
    PutEvery(3, 1);
    Flush();
    ASSERT_EQ(Levels(), "1,1");
  }
  // Looks up keys that are `offset` above a multiple of 3.
  void LookUp(int offset, int rounds = 30) {
    std::string value;
    for (int round = 0; round < rounds; ++round) {
      for (int i = offset; i < 2990; i += 3) {
        db_->Get(ReadOptions(), Key(i), &value).PermitUncheckedError();
      }
    }
  }
  // The levels as the next flush is told.
  std::vector<LevelShape> LevelsNow() {
    told_.clear();
    Put("zzz", "");
    Flush();
    EXPECT_EQ(told_.size(), 1u);
    return told_.empty() ? std::vector<LevelShape>(7) : told_[0].levels;
  }

  std::vector<Told> told_;
};

TEST_F(FilterContextTest, AFlushExpectsTheEntriesOfItsMemtables) {
  OpenWith(NewBloomFilterPolicy(10));
  PutMany(1000);
  Flush();
  ASSERT_EQ(told_.size(), 1u);
  EXPECT_TRUE(told_[0].is_flush);
  EXPECT_EQ(told_[0].level, 0);
  EXPECT_EQ(told_[0].expected_keys, 1000u);
  EXPECT_EQ(told_[0].filter_budget_bytes, kNoFilterBudget);
}

TEST_F(FilterContextTest, ACompactionExpectsTheEntriesOfItsInputs) {
  OpenWith(NewBudgetFilterPolicy(12345));
  PutEvery(2, 0);
  Flush();
  PutEvery(2, 1);
  Flush();
  told_.clear();
  Compact();
  ASSERT_EQ(told_.size(), 1u);
  EXPECT_FALSE(told_[0].is_flush);
  EXPECT_EQ(told_[0].level, 1);
  EXPECT_EQ(told_[0].expected_keys, 3000u);
  EXPECT_EQ(told_[0].filter_budget_bytes, 12345u);
}

// The share of the inputs that fits into a table.
TEST_F(FilterContextTest, ACompactionExpectsNoMoreThanATableMayHold) {
  options_.compression = kNoCompression;
  options_.target_file_size_base = 64 << 10;
  OpenWith(NewBloomFilterPolicy(10));
  PutEvery(1, 0);
  Flush();
  told_.clear();
  Compact();
  ASSERT_GT(told_.size(), 2u);
  const double entries =
      static_cast<double>(Tables().begin()->second.num_entries);
  for (const Told& told : told_) {
    EXPECT_GT(static_cast<double>(told.expected_keys), 0.6 * entries);
    EXPECT_LT(static_cast<double>(told.expected_keys), 1.4 * entries);
  }
}

TEST_F(FilterContextTest, NegativeLookupsAreUnknownWithoutLookups) {
  OpenWith(NewBloomFilterPolicy(10));
  MakeTwoLevels();
  for (const LevelShape& level : LevelsNow()) {
    EXPECT_LT(level.negative_lookups, 0);
  }
}

TEST_F(FilterContextTest, AbsentKeysAreLookedUpInVainInEveryLevel) {
  OpenWith(NewBloomFilterPolicy(10));
  MakeTwoLevels();
  LookUp(2);
  const std::vector<LevelShape> levels = LevelsNow();
  EXPECT_NEAR(levels[0].negative_lookups, 1, 0.1);
  EXPECT_NEAR(levels[1].negative_lookups, 1, 0.1);
  EXPECT_EQ(levels[2].negative_lookups, 0);
}

TEST_F(FilterContextTest, AKeyThatIsFoundIsNotLookedUpInVainThere) {
  OpenWith(NewBloomFilterPolicy(10));
  MakeTwoLevels();
  LookUp(0);  // in level 1
  const std::vector<LevelShape> levels = LevelsNow();
  EXPECT_NEAR(levels[0].negative_lookups, 1, 0.1);
  // The rest is supposed, not counted.
  EXPECT_LT(levels[1].negative_lookups, 0.1);
}

TEST_F(FilterContextTest, CountsOutliveTheReaders) {
  options_.max_open_files = 1;
  OpenWith(NewBloomFilterPolicy(10));
  MakeTwoLevels();
  LookUp(0);
  const std::vector<LevelShape> levels = LevelsNow();
  EXPECT_NEAR(levels[0].negative_lookups, 1, 0.1);
  EXPECT_LT(levels[1].negative_lookups, 0.1);
}

// A table that a compaction writes is not judged anew.
TEST_F(FilterContextTest, CompactionsPassTheCountsOn) {
  OpenWith(NewBloomFilterPolicy(10));
  MakeTwoLevels();
  LookUp(0);
  Compact();
  ASSERT_EQ(Levels(), "0,1");
  EXPECT_LT(LevelsNow()[1].negative_lookups, 0.2);
}

TEST_F(FilterContextTest, MultiGetCountsToo) {
  OpenWith(NewBloomFilterPolicy(10));
  MakeTwoLevels();
  std::vector<std::string> names;
  for (int i = 0; i < 2990; i += 3) names.push_back(Key(i));
  const std::vector<Slice> keys(names.begin(), names.end());
  for (int round = 0; round < 100; ++round) {
    std::vector<std::string> values;
    db_->MultiGet(ReadOptions(), keys, &values);
  }
  const std::vector<LevelShape> levels = LevelsNow();
  EXPECT_NEAR(levels[0].negative_lookups, 1, 0.1);
  EXPECT_LT(levels[1].negative_lookups, 0.1);
}

}  // namespace
}  // namespace tamis
