// SPDX-License-Identifier: Apache-2.0
#include "db/stall_controller.h"

#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/job_runner.h"
#include "tamis/perf_context.h"

#include "tests/db/test_db.h"

namespace tamis {
namespace {

class StallTest : public DBTest {
 protected:
  void OpenWith(const std::shared_ptr<JobRunner>& runner,
                int slowdown_trigger) {
    options_.job_runner = runner;
    options_.level0_file_num_compaction_trigger = 2;
    options_.level0_slowdown_writes_trigger = slowdown_trigger;
    Open();
  }
  std::map<std::string, std::string> Stalls() {
    std::map<std::string, std::string> map;
    EXPECT_TRUE(db_->GetMapProperty(DB::Properties::kCFWriteStallStats, &map));
    EXPECT_EQ(map.size(), 10u);
    std::map<std::string, std::string> io_stalls;
    EXPECT_TRUE(db_->GetMapProperty(DB::Properties::kCFStats, &io_stalls));
    EXPECT_EQ(map["total-stops"], io_stalls["io_stalls.total_stop"]);
    EXPECT_EQ(map["total-delays"], io_stalls["io_stalls.total_slowdown"]);
    std::string text;
    EXPECT_TRUE(db_->GetProperty(DB::Properties::kCFWriteStallStats, &text));
    EXPECT_NE(text.find(", total-stops: " + map["total-stops"] + "\n"),
              std::string::npos)
        << text;
    return map;
  }
};

// Makes level 0 files whose compactions do not run: jobs wait in a runner that
// the test holds back, and only flushes are let through.
class HeldBackRunner : public JobRunner {
 public:
  void Schedule(JobPriority priority, std::function<void()> job) override {
    (priority == JobPriority::kHigh ? flushes_ : compactions_)
        .push_back(std::move(job));
  }
  void Wait(std::unique_lock<std::mutex>& lock, std::condition_variable&,
            const std::function<bool()>& predicate) override {
    while (!predicate()) {
      lock.unlock();
      if (!flushes_.empty()) {
        RunFirst(&flushes_);
      } else {
        ASSERT_FALSE(compactions_.empty());
        ++waited_for_compaction;
        RunFirst(&compactions_);
      }
      lock.lock();
    }
  }
  int waited_for_compaction = 0;

 protected:
  void RunCompactions() {
    while (!compactions_.empty()) RunFirst(&compactions_);
  }

 private:
  static void RunFirst(std::vector<std::function<void()>>* jobs) {
    const std::function<void()> job = std::move(jobs->front());
    jobs->erase(jobs->begin());
    job();
  }
  std::vector<std::function<void()>> flushes_;
  std::vector<std::function<void()>> compactions_;
};

TEST_F(StallTest, SlowdownTriggerDelaysEachWrite) {
  OpenWith(std::make_shared<HeldBackRunner>(), 3);
  MakeLevel0Files(2);
  EXPECT_EQ(Tick(STALL_MICROS), 0u);
  MakeLevel0Files(1);
  EXPECT_EQ(Tick(STALL_MICROS), 0u);
  const uint64_t before = clock_->NowMicros();
  SetPerfLevel(kEnableWait);
  get_perf_context()->Reset();
  Put("a", "delayed");
  SetPerfLevel(kEnableCount);
  EXPECT_GT(get_perf_context()->write_delay_time, 0u);
  EXPECT_EQ(get_perf_context()->write_wal_time, 0u);
  const uint64_t stall = Tick(STALL_MICROS);
  EXPECT_EQ(stall, 1000u);
  EXPECT_GE(clock_->NowMicros() - before, stall);
  Put("a", "again");
  EXPECT_EQ(Tick(STALL_MICROS), 2 * stall);
  Compact();
  Put("a", "free");
  EXPECT_EQ(Tick(STALL_MICROS), 2 * stall);
  EXPECT_EQ(LogLines("event=write_delay_start").size(), 1u);
  EXPECT_EQ(LogLines("event=write_delay_end").size(), 1u);
  auto stalls = Stalls();
  EXPECT_EQ(stalls["l0-file-count-limit-delays"], "1") << "both writes in one";
  EXPECT_EQ(stalls["cf-l0-file-count-limit-delays-with-ongoing-compaction"],
            "1");
  EXPECT_EQ(stalls["total-delays"], "1");
  EXPECT_EQ(stalls["total-stops"], "0");
  MakeLevel0Files(3);
  EXPECT_EQ(Stalls()["l0-file-count-limit-delays"], "2");
  ASSERT_EQ(db_->ResetStats(), Status::OK());
  EXPECT_EQ(Stalls()["total-delays"], "0");
}

// Runs the compactions in a timed wait, without the lock, as threads would.
class ReleasingRunner : public HeldBackRunner {
 public:
  bool WaitFor(std::unique_lock<std::mutex>& lock, std::condition_variable&,
               Clock&, uint64_t,
               const std::function<bool()>& predicate) override {
    lock.unlock();
    RunCompactions();
    lock.lock();
    return predicate();
  }
};

TEST_F(StallTest, ADelayEndsWithTheStall) {
  OpenWith(std::make_shared<ReleasingRunner>(), 3);
  MakeLevel0Files(3);
  Put("a", "delayed");
  EXPECT_LT(Tick(STALL_MICROS), 1000u);
  EXPECT_EQ(LogLines("event=write_delay_start").size(), 1u);
  EXPECT_EQ(LogLines("event=write_delay_end").size(), 1u);
}

TEST_F(StallTest, StopTriggerWaitsForACompaction) {
  const auto runner = std::make_shared<HeldBackRunner>();
  options_.level0_stop_writes_trigger = 4;  // counts as 1000 at first
  options_.write_buffer_size = 64 << 10;
  OpenWith(runner, 1000);
  MakeLevel0Files(8);
  PutMany(100, 1000);
  EXPECT_EQ(runner->waited_for_compaction, 0);
  EXPECT_GE(LiveFiles().size(), 8u);
  db_.reset();

  options_.level0_slowdown_writes_trigger = 4;
  Open();
  runner->waited_for_compaction = 0;
  PutMany(100, 1000);
  EXPECT_GE(runner->waited_for_compaction, 1);
  EXPECT_GT(Tick(STALL_MICROS), 0u);
  const auto stops = LogLines("event=write_stop_start family=default");
  EXPECT_GE(stops.size(), 1u);
  EXPECT_EQ(LogLines("event=write_stop_end").size(), stops.size());
  auto stalls = Stalls();
  EXPECT_EQ(stalls["total-stops"], std::to_string(stops.size()));
  const size_t of_level0 = LogLines("cause=level0").size();
  EXPECT_GE(of_level0, 1u);
  EXPECT_EQ(stalls["l0-file-count-limit-stops"], std::to_string(of_level0));
  EXPECT_EQ(stalls["cf-l0-file-count-limit-stops-with-ongoing-compaction"],
            std::to_string(of_level0));
  std::map<std::string, std::string> writes;
  ASSERT_TRUE(db_->GetMapProperty(DB::Properties::kDBStats, &writes));
  EXPECT_GT(std::stoul(writes["db.user_write_stall_micros"]), 0u);
}

TEST_F(StallTest, FullMemTablesCountAsTheirOwnCause) {
  options_.write_buffer_size = 64 << 10;
  OpenWith(std::make_shared<HeldBackRunner>(), 1000);
  PutMany(300, 1000);
  const size_t stops = LogLines("cause=memtables").size();
  EXPECT_GE(stops, 1u);
  auto stalls = Stalls();
  EXPECT_EQ(stalls["memtable-limit-stops"], std::to_string(stops));
  EXPECT_EQ(stalls["memtable-limit-delays"], "0");
  EXPECT_EQ(stalls["total-stops"], std::to_string(stops));
  EXPECT_EQ(stalls["l0-file-count-limit-stops"], "0");
}

TEST_F(StallTest, AStopTriggerBelowTheCompactionTriggerStopsNothing) {
  options_.level0_file_num_compaction_trigger = 6;
  options_.level0_slowdown_writes_trigger = 1;
  options_.level0_stop_writes_trigger = 2;
  options_.write_buffer_size = 64 << 10;
  Open();
  PutMany(200, 1000);
  EXPECT_EQ(Get(Key(199)), Noise(1000, 199));
}

// A level 1 that is much too large.
class PendingBytesTest : public StallTest {
 protected:
  void OpenBehind(uint64_t soft, uint64_t hard) {
    options_.disable_auto_compactions = true;
    options_.compression = kNoCompression;
    options_.write_buffer_size = 64 << 10;
    Open();
    PutMany(200, 1000);
    Compact();
    PutMany(200, 1000);
    Compact();
    options_.disable_auto_compactions = false;
    options_.max_bytes_for_level_base = 10 << 10;
    options_.soft_pending_compaction_bytes_limit = soft;
    options_.hard_pending_compaction_bytes_limit = hard;
    options_.job_runner = held_back_;
    Reopen();
    stalled_before_ = Tick(STALL_MICROS);
    ASSERT_GT(Property(DB::Properties::kEstimatePendingCompactionBytes),
              100u << 10);
  }
  uint64_t Stalled() { return Tick(STALL_MICROS) - stalled_before_; }

  const std::shared_ptr<HeldBackRunner> held_back_ =
      std::make_shared<HeldBackRunner>();
  uint64_t stalled_before_ = 0;
};

TEST_F(PendingBytesTest, WritesSlowDownAtTheSoftLimit) {
  OpenBehind(100 << 10, 1 << 30);
  EXPECT_EQ(LogLines("write_delay_start").size(), 1u);
  Put("a", "1");
  EXPECT_EQ(Stalled(), 1000u);
  Put("a", "2");
  EXPECT_EQ(Stalled(), 2000u);
  EXPECT_EQ(Stalls()["pending-compaction-bytes-delays"], "1");
  EXPECT_EQ(Stalls()["pending-compaction-bytes-stops"], "0");
  options_.job_runner = runner_;
  Reopen();
  RunJobs();
  EXPECT_EQ(LogLines("write_delay_end").size(), 1u);
  EXPECT_EQ(Property(DB::Properties::kEstimatePendingCompactionBytes), 0u);
}

TEST_F(PendingBytesTest, WritesStopAtTheHardLimit) {
  OpenBehind(0, 100 << 10);
  EXPECT_EQ(LogLines("write_delay_start").size(), 1u);  // the same for it
  PutMany(100, 1000);                                   // a memtable is full
  EXPECT_EQ(LogLines("cause=pending_compaction_bytes").size(), 1u);
  EXPECT_EQ(Stalls()["pending-compaction-bytes-stops"], "1");
  EXPECT_GT(held_back_->waited_for_compaction, 0);
  EXPECT_LT(Property(DB::Properties::kEstimatePendingCompactionBytes),
            100u << 10);
}

TEST_F(PendingBytesTest, WithoutLimitsWritesGoOn) {
  OpenBehind(0, 0);
  PutMany(50, 1000);
  EXPECT_EQ(Stalled(), 0u);
  EXPECT_EQ(held_back_->waited_for_compaction, 0);
}

TEST_F(PendingBytesTest, TheSoftLimitIsClamped) {
  options_.soft_pending_compaction_bytes_limit = 100;
  options_.hard_pending_compaction_bytes_limit = 50;
  Open();
  EXPECT_EQ(db_->GetOptions().soft_pending_compaction_bytes_limit, 50u);
}

}  // namespace
}  // namespace tamis
