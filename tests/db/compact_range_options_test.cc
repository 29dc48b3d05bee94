// SPDX-License-Identifier: Apache-2.0
//
// CompactRangeOptions: what a CompactRange rewrites, where the result goes,
// what runs beside it, and how it is canceled.
#include <atomic>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/utilities/merge_operators.h"

#include "tests/db/test_db.h"

namespace tamis {
namespace {

class CompactRangeOptionsTest : public DBTest {
 protected:
  CompactRangeOptionsTest() { options_.compression = kNoCompression; }

  void MakeTable(int first, int last) {
    for (int i = first; i <= last; ++i) {
      Put(Key(i), Noise(1000, static_cast<uint64_t>(i)));
    }
    Flush();
  }
  Status CompactAll(const CompactRangeOptions& options) {
    return db_->CompactRange(options, nullptr, nullptr);
  }
  // The place of the first line of LOG with this text; SIZE_MAX: none.
  size_t LineOf(const std::string& text) {
    const std::vector<std::string> lines = LogLines("");
    for (size_t i = 0; i < lines.size(); ++i) {
      if (lines[i].find(text) != std::string::npos) return i;
    }
    return SIZE_MAX;
  }
};

TEST_F(CompactRangeOptionsTest, TheBottomIsRewrittenAsAsked) {
  using Bottommost = BottommostLevelCompaction;
  std::map<Bottommost, uint64_t> written;
  for (const Bottommost bottommost :
       {Bottommost::kSkip, Bottommost::kIfHaveCompactionFilter,
        Bottommost::kForce, Bottommost::kForceOptimized}) {
    Open();
    MakeTable(0, 19);
    Compact();
    ASSERT_EQ(Levels(), "0,1");
    const std::string old = LiveFiles()[0].name;
    Delete(Key(40));  // so that the table is rewritten
    MakeTable(30, 39);
    const uint64_t before = Tick(COMPACT_WRITE_BYTES);
    CompactRangeOptions options;
    options.bottommost_level_compaction = bottommost;
    ASSERT_TRUE(CompactAll(options).ok());
    written[bottommost] = Tick(COMPACT_WRITE_BYTES) - before;
    // kForce makes one table of both.
    EXPECT_EQ(Levels(), bottommost == Bottommost::kForce ? "0,1" : "0,2");
    const auto files = LiveFiles();
    const bool kept =
        std::any_of(files.begin(), files.end(),
                    [&old](const auto& file) { return file.name == old; });
    EXPECT_EQ(kept, bottommost == Bottommost::kSkip ||
                        bottommost == Bottommost::kIfHaveCompactionFilter);
    Destroy();
  }
  EXPECT_GT(written[Bottommost::kForceOptimized], written[Bottommost::kSkip]);
  EXPECT_GT(written[Bottommost::kForce], written[Bottommost::kForceOptimized]);
}

TEST_F(CompactRangeOptionsTest, ATableThatARewriteWouldNotChangeIsMoved) {
  const auto compacted_bytes = [this](const std::function<void()>& fill) {
    Open();
    fill();
    const uint64_t before = Tick(COMPACT_WRITE_BYTES);
    Compact();
    const uint64_t written = Tick(COMPACT_WRITE_BYTES) - before;
    EXPECT_EQ(Levels().substr(0, 2), "0,");
    Destroy();
    return written;
  };
  EXPECT_EQ(compacted_bytes([this] { MakeTable(0, 19); }), 0u);
  // Each of these may change something.
  EXPECT_GT(compacted_bytes([this] {
              Delete(Key(5));
              MakeTable(10, 19);
            }),
            0u);
  EXPECT_GT(compacted_bytes([this] {
              Put(Key(5), "old");
              const Snapshot* const snapshot = db_->GetSnapshot();
              MakeTable(0, 19);
              db_->ReleaseSnapshot(snapshot);
            }),
            0u);
  EXPECT_GT(compacted_bytes([this] {
              MakeTable(0, 19);
              MakeTable(30, 39);
            }),
            0u);
  EXPECT_GT(compacted_bytes([this] {
              MakeTable(0, 19);
              Reopen();  // what is in the table is not known any more
            }),
            0u);
  options_.target_file_size_base = 500;
  EXPECT_GT(compacted_bytes([this] { MakeTable(0, 19); }), 0u);
}

TEST_F(CompactRangeOptionsTest, TheResultChangesItsLevel) {
  Open();
  MakeTable(0, 9);
  CompactRangeOptions options;
  options.change_level = true;
  options.target_level = 4;
  ASSERT_TRUE(CompactAll(options).ok());
  EXPECT_EQ(Levels(), "0,0,0,0,1");
  options.target_level = -1;
  ASSERT_TRUE(CompactAll(options).ok());
  EXPECT_EQ(Levels(), "0,1");
  EXPECT_EQ(Get(Key(3)), Noise(1000, 3));
  Reopen();
  EXPECT_EQ(Levels(), "0,1");
  // Without the option, nothing moves up.
  options.target_level = 5;
  options.change_level = false;
  ASSERT_TRUE(CompactAll(options).ok());
  EXPECT_EQ(Levels(), "0,1");
}

TEST_F(CompactRangeOptionsTest, TheLowestLevelIsOneIntoWhichTheResultFits) {
  options_.disable_auto_compactions = true;
  options_.max_bytes_for_level_base = 3 << 10;
  Open();
  MakeTable(0, 19);  // 20 KiB
  CompactRangeOptions options;
  options.change_level = true;
  options.target_level = 5;
  ASSERT_TRUE(CompactAll(options).ok());
  ASSERT_EQ(Levels(), "0,0,0,0,0,1");
  options.target_level = -1;
  ASSERT_TRUE(CompactAll(options).ok());
  EXPECT_EQ(Levels(), "0,0,1");
}

TEST_F(CompactRangeOptionsTest, LevelsThatCannotBeAreRefused) {
  options_.disable_auto_compactions = true;
  options_.num_levels = 5;
  Open();
  MakeTable(0, 9);
  CompactRangeOptions options;
  options.change_level = true;
  for (const int level : {0, 5, 100}) {
    options.target_level = level;
    const Status status = CompactAll(options);
    EXPECT_TRUE(status.IsInvalidArgument()) << status;
    EXPECT_NE(status.ToString().find("1 to 4"), std::string::npos) << status;
  }
  options.target_level = 3;
  ASSERT_TRUE(CompactAll(options).ok());
  // A part of the keys stays above.
  MakeTable(100, 109);
  const std::string from = Key(100);
  const Slice begin(from);
  CompactRangeOptions part;
  ASSERT_TRUE(db_->CompactRange(part, &begin, nullptr).ok());
  ASSERT_EQ(Levels(), "0,1,0,1");
  options.target_level = 2;
  ASSERT_TRUE(CompactAll(options).ok());
  EXPECT_EQ(Levels(), "0,0,2");
  CompactRangeOptions parts;
  parts.max_subcompactions = 1025;
  EXPECT_TRUE(CompactAll(parts).IsInvalidArgument());
}

TEST_F(CompactRangeOptionsTest, PartsAreThoseOfTheCall) {
  std::map<uint32_t, size_t> tables;
  for (const uint32_t parts : {0u, 2u}) {
    options_.target_file_size_base = 100 << 10;
    Open();
    MakeTable(0, 249);
    MakeTable(0, 249);
    CompactRangeOptions options;
    options.max_subcompactions = parts;
    ASSERT_TRUE(CompactAll(options).ok());
    tables[parts] = LiveFiles().size();
    EXPECT_EQ(Get(Key(249)), Noise(1000, 249));
    Destroy();
  }
  // 250 KiB: 100 + 100 + 50, or twice 100 + 25.
  EXPECT_EQ(tables[0], 3u);
  EXPECT_EQ(tables[2], 4u);
}

TEST_F(CompactRangeOptionsTest, ACanceledCallChangesNothing) {
  Open();
  MakeLevel0Files(3);
  std::atomic<bool> canceled{true};
  CompactRangeOptions options;
  options.canceled = &canceled;
  const Status status = CompactAll(options);
  EXPECT_TRUE(status.IsManualCompactionPaused()) << status;
  EXPECT_EQ(Levels(), "3");
  canceled = false;
  EXPECT_TRUE(CompactAll(options).ok());
  EXPECT_EQ(Levels(), "0,1");
}

// Cancels the call when the compaction merges its first operands.
class CancelingOperator final : public MergeOperator {
 public:
  explicit CancelingOperator(std::atomic<bool>* flag)
      : flag_(flag), append_(MergeOperators::CreateStringAppendOperator(",")) {}

  const char* Name() const override { return append_->Name(); }
  bool FullMergeV2(const MergeOperationInput& in,
                   MergeOperationOutput* out) const override {
    flag_->store(true);
    return append_->FullMergeV2(in, out);
  }
  bool PartialMerge(const Slice& key, const Slice& left, const Slice& right,
                    std::string* value, Logger* logger) const override {
    return append_->PartialMerge(key, left, right, value, logger);
  }

 private:
  std::atomic<bool>* const flag_;
  const std::shared_ptr<MergeOperator> append_;
};

TEST_F(CompactRangeOptionsTest, ARunningCallIsCanceled) {
  std::atomic<bool> canceled{false};
  options_.merge_operator = std::make_shared<CancelingOperator>(&canceled);
  options_.disable_auto_compactions = true;
  Open();
  for (int round = 0; round < 2; ++round) {
    Put("a", "1");
    for (int i = 0; i < 200; ++i) Put(Key(i), "v");
    Flush();
    Merge("a", "2");
    Flush();
  }
  CompactRangeOptions options;
  options.canceled = &canceled;
  const Status status = CompactAll(options);
  EXPECT_TRUE(status.IsManualCompactionPaused()) << status;
  EXPECT_EQ(Levels(), "4");
  EXPECT_EQ(TablesOnDisk(), 4u);
  // It is no background error.
  Put("b", "1");
  canceled = false;
  options.canceled = nullptr;
  EXPECT_TRUE(CompactAll(options).ok());
  EXPECT_EQ(Get("a"), "1,2");
}

// Eight times, level 0 is one table short of a delay, and a compaction of it is
// due, but has not run; then flush(allow_write_stall) runs. Counts, by that
// option, how often writes were delayed.
class FlushBesideLevel0Test : public CompactRangeOptionsTest {
 protected:
  template <typename Flush>
  std::map<bool, int> CountDelays(const Flush& flush) {
    std::map<bool, int> delays;
    for (const bool allow : {false, true}) {
      for (int round = 0; round < 8; ++round) {
        options_.disable_auto_compactions = true;
        options_.level0_file_num_compaction_trigger = 4;
        options_.level0_slowdown_writes_trigger = 5;
        Open();
        MakeLevel0Files(4);
        options_.disable_auto_compactions = false;
        Reopen();
        Put("b", "1");
        EXPECT_EQ(flush(allow), Status::OK());
        EXPECT_EQ(Get("b"), "1");
        delays[allow] += LineOf("write_delay_start") != SIZE_MAX ? 1 : 0;
        Destroy();
      }
    }
    return delays;
  }
};

TEST_F(FlushBesideLevel0Test, CompactRangeWaitsUntilItsFlushStallsNoWrites) {
  auto delays = CountDelays([this](bool allow) {
    CompactRangeOptions options;
    options.allow_write_stall = allow;
    return CompactAll(options);
  });
  EXPECT_EQ(delays[false], 0);
  EXPECT_GT(delays[true], 0);
}

TEST_F(FlushBesideLevel0Test, FlushWaitsUntilItStallsNoWrites) {
  auto delays = CountDelays([this](bool allow) {
    FlushOptions options;
    options.allow_write_stall = allow;
    const Status status = db_->Flush(options);
    RunJobs();
    return status;
  });
  EXPECT_EQ(delays[false], 0);
  EXPECT_GT(delays[true], 0);
}

// No compaction will make room: a flush that waited would never end.
TEST_F(CompactRangeOptionsTest, FlushDoesNotWaitForWhatWillNotCome) {
  options_.disable_auto_compactions = true;
  options_.level0_slowdown_writes_trigger = 3;
  options_.level0_stop_writes_trigger = 100;
  Open();
  MakeLevel0Files(6);
  Put("b", "1");
  ASSERT_EQ(db_->Flush(FlushOptions()), Status::OK());
  EXPECT_EQ(Levels(), "7");
}

TEST_F(CompactRangeOptionsTest, OtherFamiliesWaitOnlyForAnExclusiveCall) {
  std::map<bool, int> first;  // calls that began before the other family's
  for (const bool exclusive : {false, true}) {
    for (int round = 0; round < 8; ++round) {
      options_.disable_auto_compactions = true;
      Open();
      ColumnFamilyHandle* other = nullptr;
      ASSERT_TRUE(db_->CreateColumnFamily(options_, "other", &other).ok());
      for (int i = 0; i < 4; ++i) {
        ASSERT_TRUE(db_->Put(WriteOptions(), other, "k", "v").ok());
        ASSERT_TRUE(db_->Flush(FlushOptions(), other).ok());
      }
      MakeLevel0Files(2);
      delete other;
      db_.reset();
      ColumnFamilyOptions automatic(options_);
      automatic.disable_auto_compactions = false;
      std::vector<ColumnFamilyHandle*> handles;
      ASSERT_TRUE(
          DB::Open(options_, kTestDirectory,
                   {{kDefaultColumnFamilyName, options_}, {"other", automatic}},
                   &handles, &db_)
              .ok());
      CompactRangeOptions options;
      options.exclusive_manual_compaction = exclusive;
      ASSERT_TRUE(CompactAll(options).ok());
      RunJobs();
      const size_t ours = LineOf("reason=manual");
      const size_t theirs = LineOf("reason=level0");
      ASSERT_NE(ours, SIZE_MAX);
      ASSERT_NE(theirs, SIZE_MAX);
      first[exclusive] += ours < theirs ? 1 : 0;
      for (ColumnFamilyHandle* handle : handles) delete handle;
      Destroy();
    }
  }
  EXPECT_EQ(first[true], 0);
  EXPECT_GT(first[false], 0);
}

}  // namespace
}  // namespace tamis
