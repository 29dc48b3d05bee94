// SPDX-License-Identifier: Apache-2.0
//
// After an I/O error, the database resumes at a write once the interval has
// passed, or by Resume, or not at all.
//
// Shows D20 and D21 of docs/durability.md.
#include <functional>
#include <map>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tests/db/test_families.h"
#include "tests/support/wrapped_job_runner.h"

namespace tamis {
namespace {

constexpr uint64_t kInterval = 5'000'000;

// A runner with timers that the test lets expire.
class TimerRunner final : public WrappedJobRunner {
 public:
  using WrappedJobRunner::WrappedJobRunner;
  bool ScheduleAfter(uint64_t, std::function<void()> job) override {
    if (refuses) throw std::bad_alloc();
    timers.push_back(std::move(job));
    return true;
  }
  void Expire() {
    for (const auto& timer : std::exchange(timers, {})) timer();
  }

  bool refuses = false;
  std::vector<std::function<void()>> timers;
};

class ErrorResumeTest : public FamiliesTest {
 protected:
  ErrorResumeTest() { options_.bgerror_resume_retry_interval = kInterval; }

  // Fails every call of this operation on paths that hold the text.
  void Fail(const std::string& operation, const std::string& path,
            Status (*error)(const Slice&, const Slice&) = Status::NoSpace) {
    fs_->SetFaultHook([=](const SimulatedFileSystem::Call& call) {
      return call.operation == operation &&
                     call.path.find(path) != std::string::npos
                 ? error(call.path, "injected")
                 : Status::OK();
    });
  }
  void Heal() { fs_->SetFaultHook(nullptr); }
  void Wait(uint64_t micros) { clock_->SleepForMicroseconds(micros); }
  uint64_t BackgroundErrors() {
    return Property(DB::Properties::kBackgroundErrors);
  }
  // "OK", or what was said.
  std::shared_ptr<TimerRunner> UseTimers() {
    options_.stats_dump_period_sec = 0;
    const auto runner = std::make_shared<TimerRunner>(runner_);
    options_.job_runner = runner;
    return runner;
  }
  Status TryPutNow() {
    WriteOptions no_slowdown;
    no_slowdown.no_slowdown = true;
    return db_->Put(no_slowdown, Family("a"), "now", "v");
  }
  Status TryPut(const std::string& key) {
    return db_->Put(WriteOptions(), Family("a"), key, "v");
  }
};

TEST_F(ErrorResumeTest, AWriteResumesAfterTheRetryInterval) {
  const struct {
    const char* operation;
    const char* path;
    Status (*error)(const Slice&, const Slice&);
  } cases[] = {
      {"flush", ".log", Status::NoSpace},
      {"append", ".log", Status::IOError},
      {"append", ".sst", Status::NoSpace},
      {"sync", ".sst", Status::IOError},
      {"append", "MANIFEST", Status::NoSpace},
      {"sync", "MANIFEST", Status::IOError},
      {"create", ".log", Status::NoSpace},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(std::string(c.operation) + " " + c.path);
    MakeFamilies({"a", "b"});
    Put("a", "table", "1");
    FlushFamily("a");
    ASSERT_TRUE(PutInAll({"a", "b"}, "memtable", "2").ok());
    EXPECT_EQ(BackgroundErrors(), 0u);
    Fail(c.operation, c.path, c.error);
    Status status = TryPut("refused");
    const bool stored = status.ok();  // what fails is the flush
    if (stored) status = db_->Flush(FlushOptions(), Family("a"));
    EXPECT_TRUE(status.IsIOError()) << status;
    Heal();
    // Not yet.
    EXPECT_EQ(BackgroundErrors(), 1u);
    EXPECT_TRUE(TryPut("early").IsIOError());
    Wait(kInterval / 2);
    EXPECT_TRUE(TryPut("early").IsIOError());
    EXPECT_EQ(GetIn("a", "memtable"), "2");
    EXPECT_EQ(GetIn("a", "table"), "1");
    EXPECT_EQ(ContentsOf("b"), "memtable=2");
    Wait(kInterval);
    status = TryPut("healed");
    EXPECT_TRUE(status.ok()) << status;
    EXPECT_EQ(BackgroundErrors(), 0u);
    ASSERT_TRUE(db_->SyncWAL().ok());
    PowerCut();
    ReopenFamilies();
    EXPECT_EQ(AllContents(),
              std::string("default:  | a: healed=v memtable=2 ") +
                  (stored ? "refused=v " : "") + "table=1 | b: memtable=2");
    CloseAll();
    ASSERT_TRUE(DestroyDB(kTestDirectory, options_).ok());
  }
}

TEST_F(ErrorResumeTest, NoSlowdownNeitherBeginsAResumeNorWaitsForIt) {
  const auto runner = UseTimers();
  MakeFamilies({"a"});
  Put("a", "kept", "1");
  Fail("flush", ".log");
  EXPECT_TRUE(TryPut("refused").IsIOError());
  EXPECT_TRUE(TryPutNow().IsIOError());  // the error itself, before a retry
  Heal();
  Wait(kInterval);
  const Status refused = TryPutNow();
  EXPECT_TRUE(refused.IsIncomplete()) << refused;
  EXPECT_EQ(BackgroundErrors(), 1u);
  // The writer joins the queue while another resumes.
  Status meanwhile;
  fs_->SetFaultHook([&](const SimulatedFileSystem::Call& call) {
    if (call.operation == "create" && call.path.ends_with(".log")) {
      meanwhile = TryPutNow();
    }
    return Status::OK();
  });
  const Status resumed = TryPut("resumes");
  EXPECT_TRUE(resumed.ok()) << resumed;
  Heal();
  EXPECT_TRUE(meanwhile.IsIncomplete()) << meanwhile;
  EXPECT_TRUE(TryPutNow().ok());
  EXPECT_EQ(ContentsOf("a"), "kept=1 now=v resumes=v");
}

// A program may have no other writes.
TEST_F(ErrorResumeTest, NoSlowdownAloneResumesInTheEnd) {
  for (const bool has_timer : {false, true}) {
    SCOPED_TRACE(has_timer);
    const auto runner = UseTimers();
    if (!has_timer) options_.job_runner = runner_;
    MakeFamilies({"a"});
    runner->refuses = true;  // when the error would arm a timer
    Fail("flush", ".log");
    EXPECT_TRUE(TryPutNow().IsIOError());
    EXPECT_EQ(runner->timers.size(), 0u);
    Heal();
    Wait(kInterval);
    runner->refuses = false;
    if (has_timer) {
      EXPECT_TRUE(TryPutNow().IsIncomplete());
      EXPECT_TRUE(TryPutNow().IsIncomplete());
      ASSERT_EQ(runner->timers.size(), 1u);
      EXPECT_EQ(LogLines("event=resume_start").size(), 0u);
      runner->Expire();
    }
    EXPECT_EQ(TryPutNow(), Status::OK());
    EXPECT_EQ(BackgroundErrors(), 0u);
    EXPECT_EQ(ContentsOf("a"), "now=v");
    CloseAll();
    ASSERT_TRUE(DestroyDB(kTestDirectory, options_).ok());
  }
}

TEST_F(ErrorResumeTest, NoSlowdownResumesItselfIfATimerIsRefused) {
  const auto runner = UseTimers();
  MakeFamilies({"a"});
  runner->refuses = true;
  Fail("flush", ".log");
  EXPECT_TRUE(TryPutNow().IsIOError());
  Heal();
  Wait(kInterval);
  EXPECT_EQ(TryPutNow(), Status::OK());
  EXPECT_EQ(ContentsOf("a"), "now=v");
}

TEST_F(ErrorResumeTest, RetriesOneIntervalAfterEachFailure) {
  MakeFamilies({"a"});
  Fail("flush", ".log");
  EXPECT_TRUE(TryPut("1").IsNoSpace());
  EXPECT_EQ(LogLines("event=resume_start").size(), 0u);
  for (size_t attempt = 1; attempt <= 4; ++attempt) {
    Wait(kInterval);
    Fail("create", ".log");
    EXPECT_TRUE(TryPut("2").IsNoSpace());
    EXPECT_EQ(LogLines("event=resume_start").size(), attempt);
    EXPECT_TRUE(TryPut("3").IsNoSpace());  // without another attempt
    EXPECT_EQ(LogLines("event=resume_start").size(), attempt);
  }
  Heal();
  Wait(kInterval);
  EXPECT_TRUE(TryPut("4").ok());
  EXPECT_EQ(ContentsOf("a"), "4=v");
}

TEST_F(ErrorResumeTest, RetriesUpToTheCountAndThenNeedsResume) {
  options_.max_bgerror_resume_count = 2;
  size_t attempts = 0;
  for (int round = 0; round < 2; ++round) {  // success begins the count anew
    if (round == 0) MakeFamilies({"a"});
    Fail("flush", ".log");
    EXPECT_TRUE(TryPut("1").IsNoSpace());
    for (int attempt = 0; attempt < 2; ++attempt) {
      Wait(kInterval);
      Fail("create", ".log");
      EXPECT_TRUE(TryPut("2").IsNoSpace());
      ++attempts;
      EXPECT_EQ(LogLines("event=resume_start").size(), attempts);
    }
    Heal();
    Wait(100 * kInterval);
    EXPECT_TRUE(TryPut("3").IsNoSpace());
    EXPECT_EQ(BackgroundErrors(), 1u);
    EXPECT_EQ(LogLines("event=resume_start").size(), attempts);
    ASSERT_TRUE(db_->Resume().ok());
    ++attempts;
    EXPECT_TRUE(TryPut("4").ok());
    EXPECT_EQ(BackgroundErrors(), 0u);
  }
}

TEST_F(ErrorResumeTest, WithACountOfZeroOnlyResumeRecovers) {
  options_.max_bgerror_resume_count = 0;
  MakeFamilies({"a"});
  Fail("flush", ".log");
  EXPECT_TRUE(TryPut("1").IsNoSpace());
  Heal();
  Wait(1000 * kInterval);
  EXPECT_TRUE(TryPut("2").IsNoSpace());
  EXPECT_EQ(LogLines("event=resume_start").size(), 0u);
  ASSERT_TRUE(db_->Resume().ok());
  EXPECT_TRUE(TryPut("3").ok());
  EXPECT_EQ(ContentsOf("a"), "3=v");
}

// That a block does not fit its checksum does not pass.
TEST_F(ErrorResumeTest, CorruptionIsNotRetried) {
  MakeFamilies({"a"});
  for (int i = 0; i < 2; ++i) {
    Put("a", "k", Noise(3000, static_cast<uint64_t>(i)));
    FlushFamily("a");
  }
  const std::string path = std::string(kTestDirectory) + LiveFiles()[0].name;
  CloseAll();
  std::string bytes;
  ASSERT_TRUE(fs_->GetContents(path, &bytes).ok());
  bytes[1000] = static_cast<char>(bytes[1000] ^ 64);
  ASSERT_TRUE(fs_->SetContents(path, bytes).ok());
  options_.disable_auto_compactions = true;
  OpenFamilies({"a"});
  EXPECT_TRUE(
      db_->CompactRange({}, Family("a"), nullptr, nullptr).IsCorruption());
  Wait(1000 * kInterval);
  EXPECT_TRUE(TryPut("1").IsCorruption());
  EXPECT_EQ(LogLines("event=resume_start").size(), 0u);
}

// A full disk while a family is created or dropped. The family then exists or
// does not, and other families continue.
TEST_F(ErrorResumeTest, AFailedCreateOrDropOfAFamilyLeavesEitherState) {
  for (const char* operation : {"append", "sync"}) {
    SCOPED_TRACE(operation);
    MakeFamilies({"a", "old"});
    Put("old", "k", "1");
    Fail(operation, "MANIFEST");
    EXPECT_TRUE(TryCreate("new").IsNoSpace());
    EXPECT_EQ(BackgroundErrors(), 1u);
    Heal();
    Wait(kInterval);
    EXPECT_TRUE(TryPut("1").ok());
    Fail(operation, "MANIFEST");
    EXPECT_TRUE(db_->DropColumnFamily(Family("old")).IsNoSpace());
    EXPECT_EQ(ContentsOf("old"), "k=1");
    Heal();
    ASSERT_TRUE(db_->Resume().ok());
    EXPECT_EQ(Listed(), (std::vector<std::string>{"default", "a", "old"}));
    Put("old", "k", "2");
    Create("new");
    EXPECT_EQ(Family("new")->GetID(), 4u);  // 3 was used by the one that failed
    Drop("old");
    ReopenFamilies();
    EXPECT_EQ(AllContents(), "default:  | a: 1=v | new: ");
    CloseAll();
    ASSERT_TRUE(DestroyDB(kTestDirectory, options_).ok());
  }
}

// What the failed log holds is not known, and a power cut may take its end: no
// family may continue to tables without the others.
TEST_F(ErrorResumeTest, APowerFailureDuringResumeKeepsBatchesAtomic) {
  const Names all = {"default", "a", "b"};
  for (const CrashStyle style : {CrashStyle::kDropAll, CrashStyle::kPrefix}) {
    bool whole_run = false;
    for (uint64_t cut = 1; !whole_run; ++cut) {
      SCOPED_TRACE("power fails at call " + std::to_string(cut));
      MakeFamilies({"a", "b"});
      WriteOptions sync;
      sync.sync = true;
      ASSERT_TRUE(PutInAll(all, "synced", "1", sync).ok());
      for (int i = 0; i < 5; ++i) {
        ASSERT_TRUE(PutInAll(all, Key(i), std::string(300, 'v')).ok());
      }
      Fail("flush", ".log");
      EXPECT_TRUE(TryPut("refused").IsNoSpace());
      const uint64_t begin = fs_->calls();
      fs_->SetFaultHook([&](const SimulatedFileSystem::Call& call) {
        if (call.number == begin + cut) fs_->CutPower();
        return Status::OK();
      });
      const bool resumed = db_->Resume().ok();
      whole_run = fs_->calls() < begin + cut;
      PowerCut(cut, style);
      const Status status = TryOpenFamilies({"a", "b"});
      ASSERT_TRUE(status.ok()) << status;
      const std::string contents = ContentsOf("default");
      EXPECT_EQ(ContentsOf("a"), contents);
      EXPECT_EQ(ContentsOf("b"), contents);
      EXPECT_EQ(GetIn("a", "synced"), "1");
      if (resumed) {
        EXPECT_EQ(GetIn("b", Key(4)), std::string(300, 'v'));
      }
      CloseAll();
      ASSERT_TRUE(DestroyDB(kTestDirectory, options_).ok());
    }
  }
}

// Also when its job had been scheduled, and a flush failed before it began.
TEST_F(ErrorResumeTest, ACancelledCompactRangeNamesTheError) {
  for (int i = 0; i < 20; ++i) {  // the runner picks one of the two jobs
    MakeFamilies({"a"});
    Put("a", "k", "1");
    FlushFamily("a");
    Put("default", "k", "1");
    FlushOptions later;
    later.wait = false;
    ASSERT_TRUE(db_->Flush(later).ok());
    Fail("create", ".sst");
    CompactRangeOptions force;
    force.bottommost_level_compaction = BottommostLevelCompaction::kForce;
    const Status status =
        db_->CompactRange(force, Family("a"), nullptr, nullptr);
    EXPECT_TRUE(status.IsNoSpace()) << status;
    Heal();
    EXPECT_TRUE(db_->Resume().ok());
    CloseAll();
    ASSERT_TRUE(DestroyDB(kTestDirectory, options_).ok());
  }
}

TEST_F(ErrorResumeTest, UnloggedWritesSurviveAnError) {
  MakeFamilies({"a"});
  WriteOptions unlogged;
  unlogged.disableWAL = true;
  ASSERT_TRUE(db_->Put(unlogged, Family("a"), "unlogged", "1").ok());
  Fail("flush", ".log");
  EXPECT_TRUE(TryPut("2").IsNoSpace());
  Heal();
  ASSERT_TRUE(db_->Resume().ok());
  PowerCut(1, CrashStyle::kDropAll);  // Resume made tables of all there was
  ReopenFamilies();
  EXPECT_EQ(ContentsOf("a"), "unlogged=1");
}

}  // namespace
}  // namespace tamis
