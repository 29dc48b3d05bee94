// SPDX-License-Identifier: Apache-2.0
//
// What listeners are told, in which order, and that they harm nothing.
#include "tamis/listener.h"

#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/utilities/checkpoint.h"

#include "tests/db/test_db.h"

namespace tamis {
namespace {

// Keeps the last arguments, and a line for each event.
class Recorder : public EventListener {
 public:
  const char* Name() const override { return "test.Recorder"; }
  void OnFlushBegin(DB* db, const FlushJobInfo& info) override {
    Add("flush begin " + info.cf_name, db);
  }
  void OnFlushCompleted(DB* db, const FlushJobInfo& info) override {
    flush = info;
    Add("flush end " + Base(info.file_path), db);
  }
  void OnCompactionBegin(DB* db, const CompactionJobInfo& info) override {
    EXPECT_TRUE(info.output_files.empty());
    Add("compaction begin " + std::to_string(info.input_files.size()), db);
  }
  void OnCompactionCompleted(DB* db, const CompactionJobInfo& info) override {
    compaction = info;
    Add("compaction end " + std::to_string(info.output_files.size()) + " " +
            (info.status.ok() ? "OK" : "failed"),
        db);
  }
  void OnTableFileCreationStarted(
      const TableFileCreationBriefInfo& info) override {
    Add("table begin " + Base(info.file_path));
  }
  void OnTableFileCreated(const TableFileCreationInfo& info) override {
    created = info;
    Add("table end " + Base(info.file_path) +
        (info.status.ok() ? "" : " failed"));
  }
  void OnTableFileDeleted(const TableFileDeletionInfo& info) override {
    Add("table deleted " + Base(info.file_path) +
        (info.status.ok() ? "" : " failed"));
  }
  void OnMemTableSealed(const MemTableInfo& info) override {
    sealed = info;
    Add("sealed " + std::to_string(info.num_entries));
  }
  void OnColumnFamilyHandleDeletionStarted(
      ColumnFamilyHandle* handle) override {
    Add("handle of " + handle->GetName());
  }
  void OnStallConditionsChanged(const WriteStallInfo& info) override {
    Add("stall " + std::to_string(static_cast<int>(info.condition.prev)) +
        " to " + std::to_string(static_cast<int>(info.condition.cur)));
  }
  void OnBackgroundError(BackgroundErrorReason reason,
                         Status* bg_error) override {
    Add("error " + std::to_string(static_cast<int>(reason)) + " " +
        bg_error->ToString());
    *bg_error = Status::OK();
  }
  void OnErrorRecoveryBegin(BackgroundErrorReason reason, Status bg_error,
                            bool* auto_recovery) override {
    Add("recovery begin " + std::to_string(static_cast<int>(reason)) + " " +
        bg_error.ToString() + (*auto_recovery ? " by itself" : ""));
  }
  void OnErrorRecoveryCompleted(Status old_bg_error) override {
    Add("recovered from " + old_bg_error.ToString());
  }
  void OnErrorRecoveryEnd(const BackgroundErrorRecoveryInfo& info) override {
    Add("recovery end " + info.new_bg_error.ToString());
  }

  // The events since the last call, one a line.
  std::string Take() { return std::exchange(lines_, std::string()); }

  std::function<void(const std::string&, DB*)> on_event;
  FlushJobInfo flush;
  CompactionJobInfo compaction;
  TableFileCreationInfo created;
  MemTableInfo sealed;

 private:
  // "t1" is the first table that it hears of.
  std::string Base(const std::string& path) {
    if (path.empty()) return "none";
    const auto [it, is_new] = tables_.emplace(path, tables_.size() + 1);
    return "t" + std::to_string(it->second);
  }
  void Add(const std::string& line, DB* db = nullptr) {
    lines_ += line + "\n";
    if (on_event) on_event(line, db);
  }

  std::map<std::string, size_t> tables_;
  std::string lines_;
};

class ListenerTest : public DBTest {
 protected:
  ListenerTest() { options_.listeners = {recorder_}; }

  std::string Take() {
    RunJobs();
    return recorder_->Take();
  }

  void FailCallsTo(const std::string& files) {
    fs_->SetFaultHook([files](const SimulatedFileSystem::Call& call) {
      const bool fails = call.operation != "create" &&
                         call.path.find(files) != std::string::npos;
      return fails ? Status::IOError("failed on purpose") : Status::OK();
    });
  }

  const std::shared_ptr<Recorder> recorder_ = std::make_shared<Recorder>();
};

TEST_F(ListenerTest, AFlush) {
  Open();
  EXPECT_EQ(Take(), "");
  Put("a", "1");
  Delete("b");
  Flush();
  EXPECT_EQ(Take(),
            "sealed 2\n"
            "flush begin default\n"
            "table begin t1\n"
            "table end t1\n"
            "flush end t1\n");
  EXPECT_EQ(recorder_->sealed.cf_name, "default");
  EXPECT_EQ(recorder_->sealed.num_deletes, 1u);
  EXPECT_EQ(recorder_->sealed.earliest_seqno, 1u);

  const FlushJobInfo& flush = recorder_->flush;
  EXPECT_EQ(flush.cf_id, 0u);
  EXPECT_EQ(flush.file_path, kTestDirectory + LiveFiles().at(0).name);
  EXPECT_EQ(flush.file_number, LiveFiles().at(0).file_number);
  EXPECT_EQ(flush.smallest_seqno, 1u);
  EXPECT_EQ(flush.largest_seqno, 2u);
  EXPECT_EQ(flush.flush_reason, FlushReason::kManualFlush);
  EXPECT_EQ(flush.table_properties.num_entries, 2u);
  EXPECT_FALSE(flush.triggered_writes_slowdown);
  EXPECT_EQ(
      LogLines("event=flush_end job=" + std::to_string(flush.job_id)).size(),
      1u);

  const TableFileCreationInfo& created = recorder_->created;
  EXPECT_EQ(created.db_name, kTestDirectory);
  EXPECT_EQ(created.cf_name, "default");
  EXPECT_EQ(created.job_id, flush.job_id);
  EXPECT_EQ(created.reason, TableFileCreationReason::kFlush);
  EXPECT_EQ(created.file_size, LiveFiles().at(0).size);
  EXPECT_EQ(created.table_properties.num_deletions, 1u);
}

TEST_F(ListenerTest, ACompactionAndTheDeletionOfItsInputs) {
  options_.disable_auto_compactions = true;
  Open();
  MakeLevel0Files(2);
  Take();
  Compact();
  EXPECT_EQ(Take(),
            "compaction begin 2\n"
            "table begin t3\n"
            "table end t3\n"
            "compaction end 1 OK\n"
            "table deleted t2\n"
            "table deleted t1\n");
  const CompactionJobInfo& compaction = recorder_->compaction;
  EXPECT_EQ(compaction.cf_name, "default");
  EXPECT_EQ(compaction.base_input_level, 0);
  EXPECT_EQ(compaction.output_level, 1);
  ASSERT_EQ(compaction.input_files.size(), 2u);
  ASSERT_EQ(compaction.input_file_infos.size(), 2u);
  EXPECT_EQ(compaction.input_file_infos.at(0).level, 0);
  EXPECT_EQ(compaction.output_files.at(0),
            kTestDirectory + LiveFiles().at(0).name);
  EXPECT_EQ(compaction.output_file_infos.at(0).level, 1);
  EXPECT_EQ(compaction.table_properties.at(compaction.output_files.at(0))
                ->num_entries,
            2u);
  EXPECT_EQ(compaction.compaction_reason, CompactionReason::kManualCompaction);
  EXPECT_EQ(compaction.compression, kSnappyCompression);
  EXPECT_EQ(compaction.stats.num_input_records, 4u);
  EXPECT_EQ(compaction.stats.num_output_records, 2u);
  EXPECT_GT(compaction.stats.total_input_bytes, 0u);
  EXPECT_EQ(recorder_->created.reason, TableFileCreationReason::kCompaction);
}

TEST_F(ListenerTest, CompactionsAreToldWithTheirReasons) {
  options_.level0_file_num_compaction_trigger = 2;
  Open();
  MakeLevel0Files(2);
  RunJobs();
  EXPECT_EQ(recorder_->compaction.compaction_reason,
            CompactionReason::kLevelL0FilesNum);
  options_.max_bytes_for_level_base = 1;
  Reopen();
  RunJobs();
  EXPECT_EQ(recorder_->compaction.compaction_reason,
            CompactionReason::kLevelMaxLevelSize);
  // Those were moves.
  EXPECT_EQ(recorder_->compaction.output_files,
            recorder_->compaction.input_files);
  EXPECT_TRUE(recorder_->compaction.table_properties.empty());
}

TEST_F(ListenerTest, FlushesAreToldWithTheirReasons) {
  options_.write_buffer_size = 64 << 10;
  Open();
  PutMany(100, 1000);
  RunJobs();
  EXPECT_EQ(recorder_->flush.flush_reason, FlushReason::kWriteBufferFull);
  Put("a", "1");
  Compact();
  EXPECT_EQ(recorder_->flush.flush_reason, FlushReason::kManualCompaction);
  Put("a", "2");
  Checkpoint* made = nullptr;
  ASSERT_TRUE(Checkpoint::Create(db_.get(), &made).ok());
  const std::unique_ptr<Checkpoint> checkpoint(made);
  ASSERT_TRUE(checkpoint->CreateCheckpoint("/parent/copy").ok());
  RunJobs();
  EXPECT_EQ(recorder_->flush.flush_reason, FlushReason::kGetLiveFiles);
  ASSERT_TRUE(db_->Put({.disableWAL = true}, "a", "3").ok());
  ASSERT_TRUE(db_->Close().ok());
  EXPECT_EQ(recorder_->flush.flush_reason, FlushReason::kShutDown);
}

TEST_F(ListenerTest, TablesOfALogReplayAreToldAfterTheOpen) {
  Open();
  Put("a", "1");
  db_.reset();
  Take();
  recorder_->on_event = [this](const std::string&, DB*) {
    EXPECT_NE(db_, nullptr);
  };
  Open();
  const std::string events = Take();
  EXPECT_NE(events.find("table begin"), std::string::npos) << events;
  EXPECT_NE(events.find("table end"), std::string::npos) << events;
  EXPECT_EQ(recorder_->created.reason, TableFileCreationReason::kRecovery);
  EXPECT_EQ(recorder_->created.job_id, 0);
  recorder_->on_event = nullptr;
}

TEST_F(ListenerTest, AFlushWithoutATable) {
  Open();
  Put("a", "1");
  SingleDelete("a");
  Flush();
  EXPECT_EQ(Take(), "sealed 2\nflush begin default\nflush end none\n");
}

TEST_F(ListenerTest, ErrorsAndRecoveries) {
  Open();
  Put("a", "1");
  FailCallsTo(".log");
  const Status failed = db_->Put({}, "b", "1");
  ASSERT_FALSE(failed.ok());
  std::string events = Take();
  EXPECT_EQ(events, "error 2 " + failed.ToString() + "\n");
  // It could not suppress the error.
  EXPECT_FALSE(db_->Put({}, "b", "1").ok());
  fs_->SetFaultHook(nullptr);
  ASSERT_TRUE(db_->Resume().ok());
  events = Take();
  EXPECT_TRUE(
      events.starts_with("recovery begin 2 " + failed.ToString() + "\n"))
      << events;
  EXPECT_TRUE(events.ends_with("recovered from " + failed.ToString() +
                               "\nrecovery end OK\n"))
      << events;
  EXPECT_EQ(recorder_->flush.flush_reason, FlushReason::kErrorRecovery);
  Put("b", "1");
  EXPECT_EQ(Contents(), "a=1 b=1");
}

TEST_F(ListenerTest, StallsByLevel0BeginAndEnd) {
  options_.level0_file_num_compaction_trigger = 2;
  options_.level0_slowdown_writes_trigger = 2;
  options_.level0_stop_writes_trigger = 3;
  Open();
  MakeLevel0Files(1);
  EXPECT_EQ(Take().find("stall"), std::string::npos);
  EXPECT_FALSE(recorder_->flush.triggered_writes_slowdown);
  MakeLevel0Files(1);
  const std::string delayed = Take();
  const size_t begin = delayed.find("stall 0 to 1\n");
  ASSERT_NE(begin, std::string::npos) << delayed;
  EXPECT_NE(delayed.find("stall 1 to 0\n", begin), std::string::npos)
      << delayed;
  EXPECT_TRUE(recorder_->flush.triggered_writes_slowdown);
  EXPECT_FALSE(recorder_->flush.triggered_writes_stop);
  options_.level0_stop_writes_trigger = 2;
  Reopen();
  MakeLevel0Files(2);
  EXPECT_NE(Take().find("stall 0 to 2\n"), std::string::npos);
  EXPECT_TRUE(recorder_->flush.triggered_writes_stop);
}

TEST_F(ListenerTest, StallsByMemTablesBeginAndEnd) {
  options_.write_buffer_size = 64 << 10;
  Open();
  // Flushes run only when a write waits for one.
  PutMany(200, 1000);
  const std::string events = Take();
  const size_t begin = events.find("stall 0 to 2\n");
  ASSERT_NE(begin, std::string::npos) << events;
  EXPECT_NE(events.find("stall 2 to 0\n", begin), std::string::npos) << events;
}

TEST_F(ListenerTest, HandlesThatAreDestroyed) {
  Open();
  ColumnFamilyHandle* handle = nullptr;
  ASSERT_TRUE(db_->CreateColumnFamily(options_, "other", &handle).ok());
  ASSERT_TRUE(db_->DestroyColumnFamilyHandle(handle).ok());
  EXPECT_EQ(recorder_->Take(), "handle of other\n");
}

TEST_F(ListenerTest, ListenersMayUseTheDatabase) {
  Open();
  int calls = 0;
  recorder_->on_event = [&](const std::string& line, DB* db) {
    if (db == nullptr) return;
    ++calls;
    EXPECT_EQ(db, db_.get()) << line;
    std::string value;
    EXPECT_TRUE(db->Get({}, "a", &value).ok()) << line;
    EXPECT_TRUE(db->Put({}, "b", std::to_string(calls)).ok()) << line;
    EXPECT_TRUE(db->GetProperty(DB::Properties::kStats, &value)) << line;
    if (calls < 10) {
      EXPECT_TRUE(db->Flush({.wait = false}).ok()) << line;
    }
  };
  Put("a", "1");
  Flush();
  RunJobs();
  EXPECT_GE(calls, 10);
  EXPECT_EQ(Get("b"), std::to_string(calls));
}

TEST_F(ListenerTest, ExceptionsAreNamedInLog) {
  const auto second = std::make_shared<Recorder>();
  options_.listeners.push_back(second);
  recorder_->on_event = [](const std::string& line, DB*) {
    throw std::runtime_error("not " + line);
  };
  Open();
  Put("a", "1");
  Flush();
  RunJobs();
  EXPECT_EQ(second->Take(),
            "sealed 1\n"
            "flush begin default\n"
            "table begin t1\n"
            "table end t1\n"
            "flush end t1\n");
  EXPECT_EQ(LogLines("event=listener_exception").size(), 5u);
  EXPECT_EQ(LogLines("listener=test.Recorder").size(), 5u);
  EXPECT_EQ(LogLines("not sealed 1").size(), 1u);
  Put("b", "1");
  EXPECT_EQ(Contents(), "a=1 b=1");
}

TEST_F(ListenerTest, CloseDeliversWhatIsLeft) {
  Open();
  Put("a", "1");
  Flush();
  ASSERT_TRUE(db_->Close().ok());
  EXPECT_NE(recorder_->Take().find("flush end"), std::string::npos);
  RunJobs();
  EXPECT_EQ(recorder_->Take(), "");
}

TEST_F(ListenerTest, ATableThatIsNotCompletedIsToldAsFailed) {
  Open();
  Put("a", "1");
  FailCallsTo(".sst");
  EXPECT_FALSE(db_->Flush({}).ok());
  const std::string events = Take();
  EXPECT_NE(events.find("table begin t1\n"), std::string::npos) << events;
  EXPECT_NE(events.find("table end t1 failed\n"), std::string::npos) << events;
  EXPECT_NE(events.find("error 0 "), std::string::npos) << events;
  EXPECT_EQ(events.find("flush end"), std::string::npos) << events;
}

}  // namespace
}  // namespace tamis
