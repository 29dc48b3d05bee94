// SPDX-License-Identifier: Apache-2.0
//
// At the limit of the SstFileManager: what fails, what does not, what ends it;
// and that no call waits for room.
#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/convenience.h"
#include "tamis/sst_file_manager.h"
#include "tamis/sst_file_writer.h"

#include "tests/db/test_families.h"
#include "tests/support/timer_runner.h"

namespace tamis {
namespace {

constexpr size_t kValueBytes = 10'000;

class InputRecorder final : public EventListener {
 public:
  void OnCompactionBegin(DB*, const CompactionJobInfo& info) override {
    inputs.push_back(info.input_files);
  }
  void OnBackgroundError(BackgroundErrorReason reason, Status*) override {
    reasons.push_back(reason);
  }
  void OnFlushCompleted(DB*, const FlushJobInfo&) override {
    errors_before_flush_end.push_back(reasons.size());
  }
  std::vector<std::vector<std::string>> inputs;
  std::vector<BackgroundErrorReason> reasons;
  std::vector<size_t> errors_before_flush_end;
};

class SpaceLimitTest : public FamiliesTest {
 protected:
  SpaceLimitTest() {
    options_.stats_dump_period_sec = 0;
    options_.job_runner = timers_;
    options_.level0_file_num_compaction_trigger = 100;
    options_.level0_slowdown_writes_trigger = 100;
    options_.level0_stop_writes_trigger = 100;
    options_.sst_file_manager.reset(
        NewSstFileManager(clock_, timers_, nullptr, 0, 0.25, 0));
    options_.listeners = {recorder_};
  }
  ~SpaceLimitTest() override { CloseAll(); }

  SstFileManager& manager() { return *options_.sst_file_manager; }
  static bool IsSpaceLimit(const Status& status) {
    return status.IsIOError() && status.subcode() == Status::kSpaceLimit;
  }
  Status TryPut(const std::string& key = "put") {
    return db_->Put(WriteOptions(), key, "v");
  }
  Status TryFlush() { return db_->Flush(FlushOptions()); }
  Status TryCompact() {
    return db_->CompactRange(CompactRangeOptions(), nullptr, nullptr);
  }
  // A table of level 0 with the keys a and z.
  void AddTable(uint64_t seed = 1) {
    Put("a", Noise(kValueBytes, seed));
    Put("z", "z");
    Flush();
  }
  // Leaves room for this number of bytes.
  void LimitTo(uint64_t bytes) {
    manager().SetMaxAllowedSpaceUsage(manager().GetTotalSize() + bytes);
  }
  // Writes a table that reaches the limit.
  void ReachLimit() {
    LimitTo(kValueBytes / 2);
    Put("b", Noise(kValueBytes, 7));
    const Status flushed = TryFlush();
    ASSERT_TRUE(IsSpaceLimit(flushed)) << flushed;
  }

  const std::shared_ptr<TimerRunner> timers_ =
      std::make_shared<TimerRunner>(runner_);
  const std::shared_ptr<InputRecorder> recorder_ =
      std::make_shared<InputRecorder>();
};

TEST_F(SpaceLimitTest, AFlushThatReachesItStopsWrites) {
  MakeFamilies({"a"});
  AddTable();
  ReachLimit();
  EXPECT_EQ(Levels(), "2");  // nothing is lost
  EXPECT_TRUE(manager().IsMaxAllowedSpaceReached());
  const std::string external = "/parent/external.sst";
  SstFileWriter writer(EnvOptions(), options_);
  ASSERT_TRUE(writer.Open(external).ok());
  ASSERT_TRUE(writer.Put("k", "v").ok());
  ASSERT_TRUE(writer.Finish().ok());
  EXPECT_TRUE(IsSpaceLimit(TryPut()));
  EXPECT_TRUE(IsSpaceLimit(TryFlush()));
  EXPECT_TRUE(IsSpaceLimit(TryCompact()));
  EXPECT_TRUE(IsSpaceLimit(db_->Resume()));
  EXPECT_TRUE(IsSpaceLimit(
      db_->IngestExternalFile({external}, IngestExternalFileOptions())));
  EXPECT_TRUE(IsSpaceLimit(db_->WaitForCompact(WaitForCompactOptions())));
  EXPECT_EQ(Property(DB::Properties::kBackgroundErrors), 1u);
  EXPECT_EQ(Get("b"), Noise(kValueBytes, 7));
  EXPECT_EQ(Get("z"), "z");
  EXPECT_EQ(TryCreate("b"), Status::OK());
  Drop("a");
  EXPECT_EQ(recorder_->reasons,
            std::vector<BackgroundErrorReason>{BackgroundErrorReason::kFlush});
  // The error is set before anything tells that the flush has ended.
  EXPECT_EQ(recorder_->errors_before_flush_end, (std::vector<size_t>{0, 1}));
  // It does not outlive an open, as in RocksDB: the next flush finds it again.
  ReopenFamilies();
  EXPECT_TRUE(TryPut().ok());
  EXPECT_TRUE(IsSpaceLimit(TryFlush()));
}

TEST_F(SpaceLimitTest, CloseSavesWritesThatAreNotLogged) {
  WriteOptions unlogged;
  unlogged.disableWAL = true;
  const std::string value = Noise(kValueBytes, 3);
  for (const bool reached : {false, true}) {
    MakeFamilies({"a"});
    AddTable();
    ASSERT_EQ(PutInAll({"default", "a"}, "k", value, unlogged), Status::OK());
    if (reached) {
      ReachLimit();
    } else {
      LimitTo(kValueBytes / 2);  // the flush of one family reaches it
    }
    EXPECT_EQ(db_->Close(), Status::OK());
    EXPECT_TRUE(manager().IsMaxAllowedSpaceReached());
    ReopenFamilies();
    EXPECT_EQ(GetIn("default", "k"), value);
    EXPECT_EQ(GetIn("a", "k"), value);
    CloseAll();
    manager().SetMaxAllowedSpaceUsage(0);
    Destroy();
  }
}

TEST_F(SpaceLimitTest, TheNextWriteResumesWhenTheLimitIsRaised) {
  Open();
  AddTable();
  Put("c", "in the memtable, not flushed by the resume");
  ReachLimit();
  const std::vector<std::string> logs = FilesEndingIn(".log");
  const std::string levels = Levels();
  LimitTo(1'000'000);
  EXPECT_TRUE(TryPut().ok());
  EXPECT_EQ(Levels(), levels);
  EXPECT_EQ(FilesEndingIn(".log"), logs);  // nothing had failed
  EXPECT_EQ(Property(DB::Properties::kBackgroundErrors), 0u);
  EXPECT_TRUE(TryCompact().ok());
}

TEST_F(SpaceLimitTest, ATimerResumesAnIdleDatabase) {
  Open();
  AddTable();
  ReachLimit();
  ASSERT_EQ(timers_->delays.size(), 1u);
  EXPECT_EQ(timers_->delays[0], options_.bgerror_resume_retry_interval);
  timers_->Expire();
  EXPECT_TRUE(IsSpaceLimit(TryPut()));
  ASSERT_EQ(timers_->delays.size(), 1u);  // it looks again
  manager().SetMaxAllowedSpaceUsage(0);
  timers_->Expire();
  EXPECT_EQ(Property(DB::Properties::kBackgroundErrors), 0u);
  EXPECT_TRUE(timers_->delays.empty());
}

// A timer that expires at once, again and again, would keep a thread busy.
TEST_F(SpaceLimitTest, TimersForRoomAreNeverSetToZero) {
  options_.bgerror_resume_retry_interval = 0;
  Open();
  AddTable();
  ReachLimit();
  EXPECT_EQ(timers_->delays, std::vector<uint64_t>{100'000});
  timers_->Expire();
  EXPECT_EQ(timers_->delays, std::vector<uint64_t>{100'000});
  manager().SetMaxAllowedSpaceUsage(0);
  timers_->Expire();
  EXPECT_TRUE(timers_->delays.empty());
  Destroy();
  options_.level0_file_num_compaction_trigger = 2;  // which has no room
  Open();
  AddTable(1);
  LimitTo(3 * kValueBytes / 2);
  AddTable(2);
  RunJobs();
  EXPECT_EQ(timers_->delays, std::vector<uint64_t>{100'000});
}

TEST_F(SpaceLimitTest, OnlyResumeEndsItWithoutRetries) {
  options_.max_bgerror_resume_count = 0;
  Open();
  AddTable();
  ReachLimit();
  manager().SetMaxAllowedSpaceUsage(0);
  EXPECT_TRUE(timers_->delays.empty());
  EXPECT_TRUE(IsSpaceLimit(TryPut()));
  EXPECT_TRUE(db_->Resume().ok());
  EXPECT_TRUE(TryPut().ok());
}

TEST_F(SpaceLimitTest, DeletedFilesMakeRoom) {
  Open();
  AddTable();
  Compact();
  ReachLimit();
  const RangePtr all(nullptr, nullptr);
  ASSERT_TRUE(
      DeleteFilesInRanges(db_.get(), db_->DefaultColumnFamily(), &all, 1).ok());
  EXPECT_FALSE(manager().IsMaxAllowedSpaceReached());
  EXPECT_TRUE(TryPut().ok());
}

TEST_F(SpaceLimitTest, ADroppedFamilyMakesRoom) {
  MakeFamilies({"a"});
  Put("a", "k", Noise(kValueBytes, 3));
  ASSERT_TRUE(db_->Flush(FlushOptions(), Family("a")).ok());
  ReachLimit();
  DropAndForget("a");
  EXPECT_FALSE(manager().IsMaxAllowedSpaceReached());
  EXPECT_TRUE(TryPut().ok());
}

TEST_F(SpaceLimitTest, AFailureIsWorseThanTheLimit) {
  Open();
  AddTable();
  Compact();
  ReachLimit();
  fs_->SetFaultHook([](const SimulatedFileSystem::Call& call) {
    return call.path.find("MANIFEST") != std::string::npos
               ? Status::IOError(call.path, "injected")
               : Status::OK();
  });
  const RangePtr all(nullptr, nullptr);
  const auto delete_files = [&] {
    return DeleteFilesInRanges(db_.get(), db_->DefaultColumnFamily(), &all, 1);
  };
  EXPECT_NE(delete_files().ToString().find("injected"), std::string::npos);
  manager().SetMaxAllowedSpaceUsage(0);
  const Status put = TryPut();
  EXPECT_NE(put.ToString().find("injected"), std::string::npos) << put;
  EXPECT_TRUE(delete_files().IsIOError());  // the limit would allow it
  fs_->SetFaultHook(nullptr);
  EXPECT_TRUE(db_->Resume().ok());
  EXPECT_TRUE(TryPut().ok());
}

// A quota of the file system, for instance.
TEST_F(SpaceLimitTest, ASpaceLimitOfTheFileSystemIsAFailure) {
  for (const bool flush : {true, false}) {
    Open();
    AddTable();
    AddTable();
    if (flush) Put("c", "v");
    fs_->SetFaultHook([](const SimulatedFileSystem::Call& call) {
      return call.operation == "append" && call.path.ends_with(".sst")
                 ? Status::SpaceLimit(call.path, "quota")
                 : Status::OK();
    });
    const Status failed = flush ? TryFlush() : TryCompact();
    EXPECT_NE(failed.ToString().find("quota"), std::string::npos) << failed;
    // The manager has room, but the interval is not over.
    EXPECT_TRUE(IsSpaceLimit(TryPut()));
    const RangePtr all(nullptr, nullptr);
    EXPECT_TRUE(IsSpaceLimit(
        DeleteFilesInRanges(db_.get(), db_->DefaultColumnFamily(), &all, 1)));
    fs_->SetFaultHook(nullptr);
    clock_->SleepForMicroseconds(options_.bgerror_resume_retry_interval);
    EXPECT_TRUE(TryPut().ok());
    Destroy();
  }
}

TEST_F(SpaceLimitTest, ACompactionThatReachesItIsDiscarded) {
  Open();
  AddTable(1);
  AddTable(2);
  const auto before = manager().GetTrackedFiles();
  fs_->SetFaultHook([this](const SimulatedFileSystem::Call& call) {
    if (call.operation == "create" && call.path.ends_with(".sst")) LimitTo(1);
    return Status::OK();
  });
  EXPECT_TRUE(IsSpaceLimit(TryCompact()));
  fs_->SetFaultHook(nullptr);
  EXPECT_EQ(manager().GetTrackedFiles(), before);
  EXPECT_EQ(Levels(), "2");
  EXPECT_FALSE(manager().IsMaxAllowedSpaceReachedIncludingCompactions());
  EXPECT_EQ(recorder_->reasons, std::vector<BackgroundErrorReason>{
                                    BackgroundErrorReason::kCompaction});
  // There is room for writes, but it would fail again.
  EXPECT_TRUE(IsSpaceLimit(TryPut()));
  LimitTo(1'000'000);
  EXPECT_TRUE(TryPut().ok());
  EXPECT_TRUE(TryCompact().ok());
}

TEST_F(SpaceLimitTest, RequestsWithoutRoomEnd) {
  Open();
  AddTable(1);
  AddTable(2);
  LimitTo(kValueBytes);
  EXPECT_TRUE(TryCompact().IsCompactionTooLarge());
  EXPECT_TRUE(db_->RewriteFilters(RewriteFiltersOptions(), nullptr, nullptr)
                  .IsCompactionTooLarge());
  std::vector<std::string> names;
  for (const auto& file : LiveFiles()) names.push_back(file.name);
  EXPECT_TRUE(
      db_->CompactFiles(CompactionOptions(), names, 1).IsCompactionTooLarge());
  EXPECT_GE(Tick(COMPACTION_CANCELLED), 3u);
  EXPECT_EQ(Levels(), "2");
  EXPECT_TRUE(TryPut().ok());  // and do no harm
  // The inputs and the buffer must fit.
  LimitTo(4 * kValueBytes);
  manager().SetCompactionBufferSize(3 * kValueBytes);
  EXPECT_TRUE(TryCompact().IsCompactionTooLarge());
  manager().SetCompactionBufferSize(kValueBytes);
  EXPECT_TRUE(TryCompact().ok());
  EXPECT_EQ(Levels(), "0,1");
}

TEST_F(SpaceLimitTest, AnAutomaticCompactionWaitsForRoom) {
  options_.level0_file_num_compaction_trigger = 2;
  Open();
  AddTable(1);
  LimitTo(3 * kValueBytes / 2);
  AddTable(2);
  RunJobs();
  EXPECT_EQ(Levels(), "2");
  EXPECT_TRUE(
      db_->WaitForCompact(WaitForCompactOptions()).IsCompactionTooLarge());
  EXPECT_TRUE(TryPut().ok());
  EXPECT_EQ(Tick(COMPACTION_CANCELLED), 1u);  // once, however often it asks
  timers_->Expire();
  RunJobs();
  EXPECT_EQ(Levels(), "2");
  manager().SetMaxAllowedSpaceUsage(0);
  timers_->Expire();
  RunJobs();
  EXPECT_EQ(Levels(), "0,1");
  EXPECT_TRUE(db_->WaitForCompact(WaitForCompactOptions()).ok());
}

// Level 0 is full, and the compaction that would empty it has no room.
TEST_F(SpaceLimitTest, WritesFailWhereTheyWouldWaitForRoom) {
  for (const bool timers : {true, false}) {
    timers_->has_timers = timers;
    options_.level0_file_num_compaction_trigger = 2;
    options_.level0_slowdown_writes_trigger = 3;
    options_.level0_stop_writes_trigger = 4;
    options_.write_buffer_size = 64 << 10;
    Open();
    AddTable(1);
    LimitTo(100 * kValueBytes);
    manager().SetCompactionBufferSize(99 * kValueBytes);
    Status status;
    for (uint64_t i = 0; i < 100 && status.ok(); ++i) {
      status = db_->Put(WriteOptions(), "a", Noise(kValueBytes, i));
    }
    EXPECT_TRUE(IsSpaceLimit(status)) << status;
    EXPECT_FALSE(manager().IsMaxAllowedSpaceReached());
    EXPECT_TRUE(IsSpaceLimit(TryFlush()));
    EXPECT_TRUE(IsSpaceLimit(TryCompact()));
    manager().SetCompactionBufferSize(0);
    for (uint64_t i = 0; i < 50; ++i) Put("a", Noise(kValueBytes, i));
    RunJobs();
    EXPECT_LT(Levels()[0], '4');
    Destroy();
  }
}

// CompactRange flushes when that slows no write, which it cannot wait for.
TEST_F(SpaceLimitTest, CompactRangeDoesNotWaitForRoom) {
  options_.level0_file_num_compaction_trigger = 2;
  options_.level0_slowdown_writes_trigger = 3;
  Open();
  AddTable(1);
  LimitTo(100 * kValueBytes);
  manager().SetCompactionBufferSize(99 * kValueBytes);
  AddTable(2);
  Put("a", "v");
  EXPECT_TRUE(TryCompact().IsCompactionTooLarge());
}

// The picker rotates through level 1: a refusal must not make it skip tables.
TEST_F(SpaceLimitTest, ARefusedPlanIsPickedAgain) {
  std::vector<std::vector<std::vector<std::string>>> inputs;
  for (const bool refuse : {false, true}) {
    options_.target_file_size_base = 20'000;
    options_.max_bytes_for_level_base = 50'000;
    Open();
    options_.disable_auto_compactions = true;
    ASSERT_TRUE(db_->SetOptions({{"disable_auto_compactions", "true"}}).ok());
    // Both levels overlap, so that tables are not merely moved.
    CompactionOptions small;
    small.output_file_size_limit = options_.target_file_size_base;
    for (const int level : {2, 1}) {
      PutMany(40, kValueBytes);
      Flush();
      std::vector<std::string> level0;
      for (const auto& file : LiveFiles()) {
        if (file.level == 0) level0.push_back(file.name);
      }
      ASSERT_TRUE(db_->CompactFiles(small, level0, level).ok());
    }
    recorder_->inputs.clear();
    if (refuse) LimitTo(1000);
    ASSERT_TRUE(db_->SetOptions({{"disable_auto_compactions", "false"}}).ok());
    RunJobs();
    if (refuse) {
      for (int i = 0; i < 5; ++i) timers_->Expire();
      manager().SetMaxAllowedSpaceUsage(0);
      timers_->Expire();
    }
    RunJobs();
    inputs.push_back(recorder_->inputs);
    options_.disable_auto_compactions = false;
    Destroy();
  }
  ASSERT_GT(inputs[0].size(), 5u);
  EXPECT_EQ(inputs[0], inputs[1]);
}

// No timer has to look: the deletion of the inputs of one compaction makes room
// for the next.
TEST_F(SpaceLimitTest, RoomOfDeletedInputsIsUsedAtOnce) {
  timers_->has_timers = false;
  options_.level0_file_num_compaction_trigger = 2;
  options_.disable_auto_compactions = true;
  MakeFamilies({"a", "b"});
  for (const char* const family : {"a", "b"}) {
    for (uint64_t seed = 0; seed < 2; ++seed) {
      Put(family, "a", Noise(kValueBytes, seed));
      Put(family, "z", "z");
      ASSERT_TRUE(db_->Flush(FlushOptions(), Family(family)).ok());
    }
  }
  LimitTo(5 * kValueBytes / 2);
  for (const char* const family : {"a", "b"}) {
    ASSERT_TRUE(
        db_->SetOptions(Family(family), {{"disable_auto_compactions", "false"}})
            .ok());
  }
  RunJobs();
  EXPECT_EQ(LiveFiles().size(), 2u);
}

TEST_F(SpaceLimitTest, ARefusedSuggestionIsNotForgotten) {
  Open();
  AddTable(1);
  ASSERT_TRUE(db_->CompactRange(CompactRangeOptions(), nullptr, nullptr).ok());
  AddTable(2);
  LimitTo(1000);
  ASSERT_TRUE(
      db_->SuggestCompactRange(db_->DefaultColumnFamily(), nullptr, nullptr)
          .ok());
  RunJobs();
  EXPECT_EQ(Levels(), "1,1");
  manager().SetMaxAllowedSpaceUsage(0);
  timers_->Expire();
  RunJobs();
  EXPECT_EQ(Levels(), "0,1");
}

TEST_F(SpaceLimitTest, DeletionsByFifoNeedNoRoom) {
  options_.compaction_style = kCompactionStyleFIFO;
  options_.compaction_options_fifo.max_table_files_size = 2 * kValueBytes;
  Open();
  AddTable(1);
  LimitTo(100 * kValueBytes);
  manager().SetCompactionBufferSize(200 * kValueBytes);
  for (uint64_t i = 2; i < 6; ++i) AddTable(i);
  RunJobs();
  EXPECT_LE(LiveFiles().size(), 2u);
}

// What one database writes stops the other at its next flush.
TEST_F(SpaceLimitTest, DatabasesShareTheLimit) {
  Open();
  AddTable();
  std::unique_ptr<DB> other;
  ASSERT_TRUE(DB::Open(options_, "/parent/other", &other).ok());
  ASSERT_TRUE(other->Put(WriteOptions(), "a", "v").ok());
  ReachLimit();
  ASSERT_TRUE(other->Put(WriteOptions(), "b", "v").ok());
  EXPECT_TRUE(IsSpaceLimit(other->Flush(FlushOptions())));
  ASSERT_TRUE(other->Close().ok());
  other.reset();
  EXPECT_TRUE(IsSpaceLimit(TryPut()));
  // What is deleted of one makes room in the other.
  ASSERT_TRUE(DestroyDB("/parent/other", options_).ok());
  manager().SetMaxAllowedSpaceUsage(manager().GetTotalSize() + 1);
  EXPECT_TRUE(TryPut().ok());
}

}  // namespace
}  // namespace tamis
