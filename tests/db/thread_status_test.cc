// SPDX-License-Identifier: Apache-2.0
//
// GetThreadList, called from within jobs and while threads run them.
#include "tamis/thread_status.h"

#include <atomic>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/listener.h"
#include "tamis/rate_limiter.h"
#include "tamis/table_properties_collector.h"

#include "tests/db/test_families.h"

namespace tamis {
namespace {

std::vector<ThreadStatus> ThreadsNow() {
  std::vector<ThreadStatus> threads;
  EXPECT_TRUE(GetThreadList(&threads).ok());
  return threads;
}

// "type operation stage db family", of each.
std::string Describe(const std::vector<ThreadStatus>& threads) {
  std::string text;
  for (const ThreadStatus& thread : threads) {
    text += (text.empty() ? "" : "; ") +
            ThreadStatus::GetThreadTypeName(thread.thread_type) + "|" +
            ThreadStatus::GetOperationName(thread.operation_type) + "|" +
            ThreadStatus::GetOperationStageName(thread.operation_stage) + "|" +
            thread.db_name + "|" + thread.cf_name;
  }
  return text;
}

// Calls a function at each entry of a new table.
class Observer final : public TablePropertiesCollectorFactory {
 public:
  explicit Observer(std::function<void()> call) : call_(std::move(call)) {}
  const char* Name() const override { return "Observer"; }
  TablePropertiesCollector* CreateTablePropertiesCollector(Context) override {
    class Collector final : public TablePropertiesCollector {
     public:
      explicit Collector(const std::function<void()>& call) : call_(call) {}
      const char* Name() const override { return "Observer"; }
      Status AddUserKey(const Slice&, const Slice&, EntryType, SequenceNumber,
                        uint64_t) override {
        call_();
        return Status::OK();
      }
      Status Finish(UserCollectedProperties*) override { return Status::OK(); }
      UserCollectedProperties GetReadableProperties() const override {
        return {};
      }

     private:
      const std::function<void()>& call_;
    };
    return new Collector(call_);
  }

 private:
  const std::function<void()> call_;
};

class ThreadStatusTest : public FamiliesTest {
 protected:
  ThreadStatusTest() {
    options_.enable_thread_tracking = true;
    options_.disable_auto_compactions = true;
    options_.table_properties_collector_factories = {
        std::make_shared<Observer>([this] { Look(); })};
  }
  ~ThreadStatusTest() override {
    fs_->SetFaultHook(nullptr);
    CloseAll();
    EXPECT_EQ(Describe(ThreadsNow()), "");
  }
  void Look() {
    last_ = ThreadsNow();
    seen_.insert(Describe(last_));
  }
  // Looks at each call that changes files.
  void LookAtFileCalls() {
    fs_->SetFaultHook([this](const SimulatedFileSystem::Call&) {
      Look();
      return Status::OK();
    });
  }
  uint64_t Last(int property) const {
    return last_.empty() ? 0 : last_[0].op_properties[property];
  }

  std::vector<ThreadStatus> last_;
  std::set<std::string> seen_;
};

TEST_F(ThreadStatusTest, AFlushIsListedWithItsStages) {
  Open();
  Put("a", "1");
  EXPECT_EQ(Describe(ThreadsNow()), "");
  LookAtFileCalls();
  Flush();
  const std::string prefix = "High Pri|Flush|";
  const std::string suffix = std::string("|") + kTestDirectory + "|default";
  for (const char* stage : {"FlushJob::Run", "FlushJob::WriteLevel0Table",
                            "MemTableList::TryInstallMemtableFlushResults"}) {
    EXPECT_TRUE(seen_.contains(prefix + stage + suffix)) << stage;
  }
  EXPECT_EQ(Describe(ThreadsNow()), "");
}

TEST_F(ThreadStatusTest, AFlushTellsItsProperties) {
  Open();
  PutMany(100);
  uint64_t written = 0;
  fs_->SetFaultHook([&](const SimulatedFileSystem::Call& call) {
    if (call.operation == "sync" && call.path.ends_with(".sst")) {
      Look();
      written = Last(ThreadStatus::FLUSH_BYTES_WRITTEN);
    }
    return Status::OK();
  });
  Flush();
  ASSERT_EQ(last_.size(), 1u);
  EXPECT_GT(Last(ThreadStatus::FLUSH_JOB_ID), 0u);
  EXPECT_GT(Last(ThreadStatus::FLUSH_BYTES_MEMTABLES), 100u * 100u);
  EXPECT_EQ(written, LiveFiles()[0].size);
  EXPECT_GT(last_[0].thread_id, 0u);
  EXPECT_GT(last_[0].op_elapsed_micros, 0u);
  EXPECT_EQ(last_[0].state_type, ThreadStatus::STATE_UNKNOWN);
}

TEST_F(ThreadStatusTest, ElapsedTimeIsOfTheClockOfTheDatabase) {
  Open();
  Put("a", "1");
  bool slept = false;
  options_.table_properties_collector_factories.clear();
  fs_->SetFaultHook([&](const SimulatedFileSystem::Call& call) {
    if (call.operation == "sync" && call.path.ends_with(".sst")) {
      Look();
      const uint64_t before = last_.at(0).op_elapsed_micros;
      clock_->SleepForMicroseconds(5'000'000);
      Look();
      EXPECT_GE(last_.at(0).op_elapsed_micros, before + 5'000'000);
      EXPECT_LE(last_.at(0).op_elapsed_micros, before + 5'000'100);
      slept = true;
    }
    return Status::OK();
  });
  Flush();
  EXPECT_TRUE(slept);
}

TEST_F(ThreadStatusTest, ACompactionIsListedWithItsStages) {
  class FilterThatLooks final : public CompactionFilter {
   public:
    explicit FilterThatLooks(std::function<void()> call)
        : call_(std::move(call)) {}
    const char* Name() const override { return "FilterThatLooks"; }
    bool Filter(int, const Slice&, const Slice&, std::string*,
                bool*) const override {
      call_();
      return false;
    }

   private:
    const std::function<void()> call_;
  } filter([this] { Look(); });
  class Listener final : public EventListener {
   public:
    explicit Listener(std::function<void()> call) : call_(std::move(call)) {}
    void OnTableFileCreationStarted(
        const TableFileCreationBriefInfo&) override {
      call_();
    }

   private:
    const std::function<void()> call_;
  };
  options_.compaction_filter = &filter;
  options_.target_file_size_base = 1000;  // several parts, whose cuts are read
  options_.max_subcompactions = 2;
  options_.listeners = {std::make_shared<Listener>([this] { Look(); })};
  Open();
  PutMany(50);
  Flush();
  PutMany(50);
  Flush();
  fs_->SetReadHook([this](const SimulatedFileSystem::Call&) {
    Look();
    return Status::OK();
  });
  LookAtFileCalls();
  seen_.clear();
  Compact();
  fs_->SetReadHook(nullptr);
  fs_->SetFaultHook(nullptr);
  CloseAll();  // before the filter goes
  const std::string prefix = "Low Pri|Compaction|CompactionJob::";
  const std::string suffix = std::string("|") + kTestDirectory + "|default";
  for (const char* stage : {"Run", "ProcessKeyValueCompaction",
                            "FinishCompactionOutputFile", "Install"}) {
    EXPECT_TRUE(seen_.contains(prefix + stage + suffix)) << stage;
  }
}

TEST_F(ThreadStatusTest, ACompactionTellsItsProperties) {
  Open();
  PutMany(50);
  Flush();
  PutMany(50);
  Flush();
  const uint64_t inputs = LiveBytes();
  uint64_t read = 0;
  uint64_t written = 0;
  std::map<std::string, uint64_t> named;
  fs_->SetFaultHook([&](const SimulatedFileSystem::Call& call) {
    if (call.operation == "sync" && call.path.ends_with(".sst")) {
      Look();
      read = Last(ThreadStatus::COMPACTION_BYTES_READ);
      written = Last(ThreadStatus::COMPACTION_BYTES_WRITTEN);
      named = ThreadStatus::InterpretOperationProperties(
          ThreadStatus::OP_COMPACTION, last_.at(0).op_properties);
    }
    return Status::OK();
  });
  Compact();
  EXPECT_EQ(named["TotalInputBytes"], inputs);
  EXPECT_EQ(named["BaseInputLevel"], 0u);
  EXPECT_EQ(named["OutputLevel"], 1u);
  EXPECT_EQ(named["IsManual"], 1u);
  EXPECT_EQ(named["IsDeletion"], 0u);
  EXPECT_EQ(named["IsTrivialMove"], 0u);
  EXPECT_GT(named["JobID"], 0u);
  EXPECT_GT(read, inputs / 2);
  EXPECT_LE(read, 2 * inputs);
  EXPECT_EQ(written, LiveFiles()[0].size);
}

TEST_F(ThreadStatusTest, OpeningIsListed) {
  bool seen = false;
  fs_->SetFaultHook([&](const SimulatedFileSystem::Call&) {
    seen = seen || Describe(ThreadsNow()) ==
                       std::string("User|DBOpen||") + kTestDirectory + "|";
    return Status::OK();
  });
  Open();
  EXPECT_TRUE(seen);
  EXPECT_EQ(Describe(ThreadsNow()), "");
}

TEST_F(ThreadStatusTest, NothingIsListedWithoutTheOption) {
  options_.enable_thread_tracking = false;
  LookAtFileCalls();
  Open();
  Put("a", "1");
  Flush();
  Put("a", "2");
  Flush();
  Compact();
  EXPECT_EQ(seen_, std::set<std::string>{""});
}

TEST_F(ThreadStatusTest, FailedOperationsAreListedNoMore) {
  fs_->SetFaultHook([&](const SimulatedFileSystem::Call& call) {
    return call.path.find("MANIFEST") != std::string::npos
               ? Status::IOError(call.path, "no")
               : Status::OK();
  });
  EXPECT_FALSE(TryOpen().ok());
  EXPECT_EQ(Describe(ThreadsNow()), "");
  fs_->SetFaultHook(nullptr);
  Open();
  Put("a", "1");
  fs_->SetFaultHook([&](const SimulatedFileSystem::Call& call) {
    if (call.path.ends_with(".sst")) throw std::bad_alloc();
    return Status::OK();
  });
  EXPECT_FALSE(db_->Flush(FlushOptions()).ok());
  EXPECT_EQ(Describe(ThreadsNow()), "");
}

TEST_F(ThreadStatusTest, EnvListsTheSame) {
  std::vector<ThreadStatus> threads;
  bool seen = false;
  options_.table_properties_collector_factories = {
      std::make_shared<Observer>([&] {
        EXPECT_TRUE(Env::Default()->GetThreadList(&threads).ok());
        seen = Describe(threads) == Describe(ThreadsNow()) && !threads.empty();
      })};
  Open();
  Put("a", "1");
  Flush();
  EXPECT_TRUE(seen);
}

// A job of one database sees that of another.
TEST_F(ThreadStatusTest, DatabasesOfTheProcessAreListedTogether) {
  Open();
  Put("a", "1");
  std::unique_ptr<DB> other;
  Options options = options_;
  options.job_runner = NewDeterministicJobRunner(1);
  options.table_properties_collector_factories.clear();
  ASSERT_TRUE(DB::Open(options, "/parent/other", &other).ok());
  ASSERT_TRUE(other->Put(WriteOptions(), "a", "1").ok());
  fs_->SetFaultHook([&](const SimulatedFileSystem::Call& call) {
    if (call.operation == "sync" && call.path.ends_with(".sst") &&
        call.path.find("other") != std::string::npos) {
      Flush();  // whose collector looks
    }
    return Status::OK();
  });
  ASSERT_TRUE(other->Flush(FlushOptions()).ok());
  ASSERT_EQ(last_.size(), 2u);
  EXPECT_EQ(last_[0].db_name, "/parent/other");
  EXPECT_EQ(last_[1].db_name, kTestDirectory);
  EXPECT_EQ(last_[0].thread_id, last_[1].thread_id);
}

TEST_F(ThreadStatusTest, JobsOfDroppedFamiliesEnd) {
  MakeFamilies({"other"});
  ASSERT_TRUE(db_->Put(WriteOptions(), Family("other"), "a", "1").ok());
  bool dropped = false;
  fs_->SetFaultHook([&](const SimulatedFileSystem::Call& call) {
    if (!dropped && call.operation == "sync" && call.path.ends_with(".sst")) {
      dropped = true;
      Look();
      EXPECT_EQ(last_.at(0).cf_name, "other");
      EXPECT_TRUE(db_->DropColumnFamily(Family("other")).ok());
    }
    return Status::OK();
  });
  db_->Flush(FlushOptions(), Family("other")).PermitUncheckedError();
  EXPECT_TRUE(dropped);
  EXPECT_EQ(Describe(ThreadsNow()), "");
}

// Threads list jobs while others begin and end.
TEST_F(ThreadStatusTest, ManyThreadsMayListThem) {
  UseThreads();
  options_.table_properties_collector_factories.clear();
  options_.disable_auto_compactions = false;
  options_.level0_file_num_compaction_trigger = 2;
  options_.write_buffer_size = 64 << 10;
  options_.max_subcompactions = 2;
  Open();
  std::atomic<bool> done{false};
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([&] {
      while (!done) {
        for (const ThreadStatus& one : ThreadsNow()) {
          EXPECT_EQ(one.db_name, kTestDirectory);
          EXPECT_EQ(one.cf_name, "default");
        }
      }
    });
  }
  for (int i = 0; i < 20; ++i) {
    PutMany(500);
    Flush();
  }
  Compact();
  done = true;
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace tamis
