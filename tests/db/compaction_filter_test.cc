// SPDX-License-Identifier: Apache-2.0
//
// Compaction filters in a database: which tables they see, what they may
// change, and what happens if they fail. What they do to each kind of entry is
// in tests/testdata/db/compaction/iterator/filter.txt.
#include "tamis/compaction_filter.h"

#include <atomic>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/db/joiner.h"
#include "tests/db/test_db.h"

namespace tamis {
namespace {

// Removes the values "old", changes "plain" to "changed", and calls `before`
// first. Counts its calls.
class TestFilter : public CompactionFilter {
 public:
  explicit TestFilter(std::function<void(int, const Slice&)> before = {})
      : before_(std::move(before)) {}
  const char* Name() const override { return "test.Filter"; }
  bool Filter(int level, const Slice& key, const Slice& existing_value,
              std::string* new_value, bool* value_changed) const override {
    ++calls_;
    if (before_) before_(level, key);
    if (existing_value == Slice("plain")) {
      *new_value = "changed";
      *value_changed = true;
    }
    return existing_value == Slice("old");
  }
  bool FilterMergeOperand(int, const Slice&,
                          const Slice& operand) const override {
    return operand == Slice("old");
  }
  int calls() const { return calls_.load(); }

 private:
  const std::function<void(int, const Slice&)> before_;
  mutable std::atomic<int> calls_{0};
};

// Makes TestFilters for the reasons that the test names.
class TestFactory : public CompactionFilterFactory {
 public:
  using Context = CompactionFilter::Context;

  const char* Name() const override { return "test.Factory"; }
  bool ShouldFilterTableFileCreation(
      TableFileCreationReason reason) const override {
    return by_default
               ? CompactionFilterFactory::ShouldFilterTableFileCreation(reason)
               : reason == wanted;
  }
  std::unique_ptr<CompactionFilter> CreateCompactionFilter(
      const Context& context) override {
    contexts.push_back(context);
    if (throws) throw std::runtime_error("no filter today");
    if (none) return nullptr;
    return std::make_unique<TestFilter>();
  }

  bool by_default = true;
  TableFileCreationReason wanted = TableFileCreationReason::kFlush;
  bool throws = false;
  bool none = false;
  std::vector<Context> contexts;
};

class CompactionFilterTest : public DBTest {
 protected:
  void UseFactory() {
    factory_ = std::make_shared<TestFactory>();
    options_.compaction_filter_factory = factory_;
  }
  Status CompactRange(BottommostLevelCompaction bottom) {
    return db_->CompactRange({.bottommost_level_compaction = bottom}, nullptr,
                             nullptr);
  }

  std::shared_ptr<TestFactory> factory_;
};

TEST_F(CompactionFilterTest, RemovesAndChangesValuesAndOperands) {
  const TestFilter filter;
  options_.compaction_filter = &filter;
  options_.merge_operator = std::make_shared<Joiner>();
  Open();
  Put("a", "old");
  Put("b", "plain");
  Put("c", "new");
  Merge("d", "old");
  Flush();
  Merge("d", "x");
  Flush();
  EXPECT_EQ(Contents(), "a=old b=plain c=new d=old,x");
  EXPECT_EQ(filter.calls(), 0);
  Compact();
  EXPECT_EQ(Contents(), "b=changed c=new d=x");
  EXPECT_EQ(OnlyTable().num_entries, 3u);
  EXPECT_EQ(LogLines("filtered=2").size(), 1u);
  Reopen();
  EXPECT_EQ(Contents(), "b=changed c=new d=x");
}

TEST_F(CompactionFilterTest, ARemovedValueHidesThoseOfDeeperLevels) {
  // Down to the last level.
  options_.level0_file_num_compaction_trigger = 1;
  options_.max_bytes_for_level_base = 1;
  options_.max_bytes_for_level_multiplier = 1;
  Open();
  Put("a", "first");
  Put("b", "first");
  Flush();
  RunJobs();
  ASSERT_EQ(Levels(), "0,0,0,0,0,0,1");
  int level_of_filter = -1;
  const TestFilter filter(
      [&](int level, const Slice&) { level_of_filter = level; });
  options_.compaction_filter = &filter;
  options_.level0_file_num_compaction_trigger = 2;
  options_.max_bytes_for_level_base = 1 << 20;
  Reopen();
  for (int i = 0; i < 2; ++i) {
    Put("a", "old");
    Flush();
  }
  RunJobs();
  ASSERT_EQ(Levels(), "0,1,0,0,0,0,1");
  EXPECT_EQ(level_of_filter, 0);
  EXPECT_EQ(Contents(), "b=first");
  Compact(/*force=*/true);
  EXPECT_EQ(Contents(), "b=first");
  EXPECT_EQ(OnlyTable().num_entries, 1u);
}

TEST_F(CompactionFilterTest, CompactRangeFiltersEveryTableOnce) {
  const TestFilter filter;
  options_.disable_auto_compactions = true;
  Open();
  Put("a", "old");
  Put("b", "new");
  Flush();
  ASSERT_TRUE(CompactRange(BottommostLevelCompaction::kSkip).ok());
  ASSERT_EQ(Levels(), "0,1");
  options_.compaction_filter = &filter;
  Reopen();
  // All tables are in the deepest level.
  ASSERT_TRUE(CompactRange(BottommostLevelCompaction::kSkip).ok());
  EXPECT_EQ(filter.calls(), 0);
  EXPECT_EQ(Contents(), "a=old b=new");
  ASSERT_TRUE(db_->CompactRange({}, nullptr, nullptr).ok());
  EXPECT_EQ(filter.calls(), 2);
  EXPECT_EQ(Contents(), "b=new");
  // From level 0 they are written once.
  Put("c", "new");
  Flush();
  Delete("b");
  Flush();
  ASSERT_TRUE(db_->CompactRange({}, nullptr, nullptr).ok());
  EXPECT_EQ(Contents(), "c=new");
}

// A table that could move is rewritten.
TEST_F(CompactionFilterTest, CompactRangeMovesNoTableUnfiltered) {
  const TestFilter filter;
  Open();
  Put("m", "1");
  Flush();
  Compact();
  Put("a", "old");
  Flush();
  options_.compaction_filter = &filter;
  Reopen();
  ASSERT_TRUE(CompactRange(BottommostLevelCompaction::kSkip).ok());
  EXPECT_EQ(Contents(), "m=1");
}

TEST_F(CompactionFilterTest, AFactoryIsToldWhatItsFilterIsFor) {
  UseFactory();
  options_.disable_auto_compactions = true;
  Open();
  ColumnFamilyHandle* other = nullptr;
  ASSERT_TRUE(db_->CreateColumnFamily(options_, "other", &other).ok());
  ASSERT_TRUE(db_->Put({}, other, "a", "old").ok());
  ASSERT_TRUE(db_->Flush({}, other).ok());
  // Not in flushes, by default.
  EXPECT_TRUE(factory_->contexts.empty());
  ASSERT_TRUE(db_->CompactRange({}, other, nullptr, nullptr).ok());
  ASSERT_EQ(factory_->contexts.size(), 1u);
  EXPECT_TRUE(factory_->contexts[0].is_full_compaction);
  EXPECT_TRUE(factory_->contexts[0].is_manual_compaction);
  EXPECT_EQ(factory_->contexts[0].column_family_id, other->GetID());
  EXPECT_EQ(factory_->contexts[0].reason, TableFileCreationReason::kCompaction);
  std::string value;
  EXPECT_TRUE(db_->Get({}, other, "a", &value).IsNotFound());
  ASSERT_TRUE(db_->DestroyColumnFamilyHandle(other).ok());
}

TEST_F(CompactionFilterTest, AnAutomaticCompactionOfSomeTablesIsNotFull) {
  UseFactory();
  options_.level0_file_num_compaction_trigger = 2;
  Open();
  MakeLevel0Files(2);
  RunJobs();
  ASSERT_EQ(factory_->contexts.size(), 1u);
  EXPECT_TRUE(factory_->contexts[0].is_full_compaction);
  EXPECT_FALSE(factory_->contexts[0].is_manual_compaction);
  Put("zz", "1");
  Flush();
  ASSERT_TRUE(CompactRange(BottommostLevelCompaction::kSkip).ok());
  ASSERT_EQ(factory_->contexts.size(), 2u);
  EXPECT_FALSE(factory_->contexts[1].is_full_compaction);
}

TEST_F(CompactionFilterTest, FlushesAreFilteredIfTheFactorySaysSo) {
  UseFactory();
  factory_->by_default = false;
  Open();
  Put("a", "first");
  Flush();
  Put("a", "old");
  Put("b", "plain");
  Flush();
  ASSERT_EQ(factory_->contexts.size(), 2u);
  EXPECT_EQ(factory_->contexts[1].reason, TableFileCreationReason::kFlush);
  EXPECT_FALSE(factory_->contexts[1].is_full_compaction);
  EXPECT_EQ(Contents(), "b=changed");
  // But not compactions then.
  Compact();
  EXPECT_EQ(factory_->contexts.size(), 2u);
}

TEST_F(CompactionFilterTest, LogsThatAreReplayedAreFilteredIfTheFactorySaysSo) {
  UseFactory();
  factory_->by_default = false;
  factory_->wanted = TableFileCreationReason::kRecovery;
  Open();
  Put("a", "old");
  Put("b", "plain");
  EXPECT_EQ(Contents(), "a=old b=plain");
  Reopen();
  EXPECT_EQ(Contents(), "b=changed");
  ASSERT_EQ(factory_->contexts.size(), 1u);
  EXPECT_EQ(factory_->contexts[0].reason, TableFileCreationReason::kRecovery);
}

TEST_F(CompactionFilterTest, AFactoryMayReturnNone) {
  UseFactory();
  factory_->none = true;
  Open();
  Put("a", "old");
  Compact();
  EXPECT_EQ(factory_->contexts.size(), 1u);
  EXPECT_EQ(Contents(), "a=old");
}

TEST_F(CompactionFilterTest, ACompactionFilterComesBeforeAFactory) {
  const TestFilter filter;
  UseFactory();
  options_.compaction_filter = &filter;
  Open();
  Put("a", "old");
  Compact();
  EXPECT_GT(filter.calls(), 0);
  EXPECT_TRUE(factory_->contexts.empty());
}

TEST_F(CompactionFilterTest, WhatASnapshotSeesRemains) {
  const TestFilter filter;
  options_.compaction_filter = &filter;
  Open();
  Put("a", "old");
  Put("b", "old");
  const Snapshot* snapshot = db_->GetSnapshot();
  Put("b", "plain");
  Put("c", "old");
  Compact(/*force=*/true);
  EXPECT_EQ(ContentsAt(snapshot), "a=old b=old");
  EXPECT_EQ(Contents(), "a=old b=changed");
  db_->ReleaseSnapshot(snapshot);
  Compact(/*force=*/true);
  EXPECT_EQ(Contents(), "b=changed");
}

// The snapshot is newer than the entries, and the filter decides about them
// after it was taken.
TEST_F(CompactionFilterTest, ASnapshotTakenWhileAFilterRunsReadsTheSame) {
  for (const bool flush : {false, true}) {
    const Snapshot* snapshot = nullptr;
    ColumnFamilyHandle* other = nullptr;
    const auto take = [&](int, const Slice&) {
      if (snapshot == nullptr) snapshot = db_->GetSnapshot();
    };
    class Factory : public TestFactory {
     public:
      explicit Factory(std::function<void(int, const Slice&)> before)
          : before_(std::move(before)) {}
      std::unique_ptr<CompactionFilter> CreateCompactionFilter(
          const Context&) override {
        return std::make_unique<TestFilter>(before_);
      }

     private:
      const std::function<void(int, const Slice&)> before_;
    };
    const auto factory = std::make_shared<Factory>(take);
    factory->by_default = !flush;
    options_.compaction_filter_factory = factory;
    Open();
    ASSERT_TRUE(db_->CreateColumnFamily(options_, "other", &other).ok());
    Put("a", "old");
    Put("b", "plain");
    Flush();
    if (!flush) Compact();
    ASSERT_NE(snapshot, nullptr);
    EXPECT_EQ(Contents(), "b=changed");
    const auto expect_before = [&] {
      EXPECT_EQ(ContentsAt(snapshot), "a=old b=plain");
      EXPECT_EQ(Get("a", snapshot), "old");
      std::vector<std::string> values;
      ReadOptions read;
      read.snapshot = snapshot;
      for (const Status& status : db_->MultiGet(read, {"a", "b"}, &values)) {
        EXPECT_TRUE(status.ok()) << status;
      }
      EXPECT_EQ(values, (std::vector<std::string>{"old", "plain"}));
      std::vector<Iterator*> its;
      ASSERT_TRUE(
          db_->NewIterators(read, {db_->DefaultColumnFamily()}, &its).ok());
      const std::unique_ptr<Iterator> it(its[0]);
      it->Seek("a");
      ASSERT_TRUE(it->Valid());
      EXPECT_EQ(it->value(), Slice("old"));
    };
    expect_before();
    Put("a", "newer");
    Put("c", "newer");
    Flush();
    Compact(/*force=*/true);
    expect_before();
    EXPECT_EQ(Contents(), "a=newer b=changed c=newer");
    // Its tables go when it does.
    const size_t kept = TablesOnDisk();
    db_->ReleaseSnapshot(snapshot);
    EXPECT_EQ(TablesOnDisk(), LiveFiles().size());
    if (!flush) {
      EXPECT_GT(kept, TablesOnDisk());
    }
    ASSERT_TRUE(db_->DestroyColumnFamilyHandle(other).ok());
    Destroy();
  }
}

TEST_F(CompactionFilterTest, AFilterThatThrowsStopsWritesAndLosesNothing) {
  bool throws = true;
  const TestFilter filter([&throws](int, const Slice& key) {
    if (throws && key == Slice("b")) throw std::runtime_error("not b");
  });
  options_.compaction_filter = &filter;
  Open();
  Put("a", "old");
  Put("b", "plain");
  const std::string error =
      "Operation aborted: compaction filter test.Filter: an exception was "
      "thrown: not b";
  EXPECT_EQ(db_->CompactRange({}, nullptr, nullptr).ToString(), error);
  EXPECT_EQ(LogLines("event=background_error").size(), 1u);
  EXPECT_EQ(db_->Put({}, "c", "1").ToString(), error);
  EXPECT_EQ(Contents(), "a=old b=plain");
  throws = false;
  ASSERT_TRUE(db_->Resume().ok());
  Put("c", "1");
  Compact(/*force=*/true);
  EXPECT_EQ(Contents(), "b=changed c=1");
}

TEST_F(CompactionFilterTest, AFactoryThatThrowsIsNamed) {
  UseFactory();
  factory_->throws = true;
  Open();
  Put("a", "old");
  EXPECT_EQ(db_->CompactRange({}, nullptr, nullptr).ToString(),
            "Operation aborted: compaction filter factory test.Factory: an "
            "exception was thrown: no filter today");
  EXPECT_EQ(Contents(), "a=old");
}

// Each part of a large compaction has a filter, which skips within it.
TEST_F(CompactionFilterTest, SkipsEndWhereASubcompactionEnds) {
  class SkipAll : public CompactionFilter {
   public:
    const char* Name() const override { return "test.SkipAll"; }
    Decision FilterV2(int, const Slice& key, ValueType, const Slice&,
                      std::string*, std::string* skip_until) const override {
      if (key.compare(Key(5)) < 0) return Decision::kKeep;
      *skip_until = "zzz";
      return Decision::kRemoveAndSkipUntil;
    }
  };
  const SkipAll filter;
  options_.compaction_filter = &filter;
  options_.max_subcompactions = 4;
  options_.target_file_size_base = 16 << 10;
  options_.disable_auto_compactions = true;
  Open();
  for (int round = 0; round < 3; ++round) {
    PutMany(4000);
    Flush();
  }
  Compact();
  std::string expected;
  for (int i = 0; i < 5; ++i) {
    expected += (i == 0 ? "" : " ") + Key(i) + "=" +
                Noise(100, static_cast<uint64_t>(i));
  }
  EXPECT_EQ(Contents(), expected);
}

}  // namespace
}  // namespace tamis
