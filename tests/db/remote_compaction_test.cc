// SPDX-License-Identifier: Apache-2.0
//
// Compactions that a CompactionService's worker carries out: its tables become
// part of the database, or the database does the work itself.
#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/compaction_filter.h"
#include "tamis/listener.h"
#include "tamis/utilities/merge_operators.h"

#include "tests/db/test_db.h"
#include "tests/support/worker_service.h"

namespace tamis {
namespace {

using JobStatus = CompactionServiceJobStatus;

class RemoteCompactionTest : public DBTest {
 protected:
  RemoteCompactionTest() : service_(std::make_shared<WorkerService>()) {
    options_.disable_auto_compactions = true;
    options_.compaction_service = service_;
    SetObjects();
  }
  ~RemoteCompactionTest() override { db_.reset(); }

  // Gives the worker what the database has.
  void SetObjects() { service_->overrides = WorkerObjectsOf(options_); }
  // Two tables of level 0 that overlap.
  void MakeTables() {
    for (int i = 0; i < 100; ++i) Put(Key(i), "1");
    Flush();
    for (int i = 50; i < 150; ++i) Put(Key(i), "2");
    Flush();
  }
  void ExpectTables() {
    for (int i = 0; i < 150; ++i) ASSERT_EQ(Get(Key(i)), i < 50 ? "1" : "2");
    EXPECT_EQ(db_->VerifyChecksum(), Status::OK());
  }
  // The next compaction is the worker's, or the database's own, which LOG
  // explains.
  void ExpectRemote() {
    const int before = service_->told(JobStatus::kSuccess);
    Compact();
    EXPECT_EQ(service_->told(JobStatus::kSuccess), before + 1);
    EXPECT_EQ(LogLines("compaction_remote_failed").size(), 0u);
    ExpectNothingIsLeft();
  }
  void ExpectLocal(const std::string& reason,
                   const std::string& event = "compaction_remote_failed") {
    const size_t before = LogLines(event).size();
    const int installed = service_->told(JobStatus::kSuccess);
    Compact();
    EXPECT_EQ(service_->told(JobStatus::kSuccess), installed);
    const auto lines = LogLines(event);
    ASSERT_GT(lines.size(), before);
    EXPECT_NE(lines.back().find(reason), std::string::npos) << lines.back();
    EXPECT_EQ(Levels(), "0,1");
    ExpectTables();
    ExpectNothingIsLeft();
  }
  std::vector<std::string> JobDirectories() {
    std::vector<std::string> names;
    EXPECT_EQ(fs_->GetChildren(kTestDirectory, &names), Status::OK());
    std::erase_if(names, [](const std::string& name) {
      return !name.starts_with("compaction-");
    });
    return names;
  }
  // Of the job that runs.
  std::vector<std::string> Outputs() {
    std::vector<std::string> paths;
    for (const std::string& directory : JobDirectories()) {
      std::vector<std::string> names;
      const std::string path = std::string(kTestDirectory) + "/" + directory;
      EXPECT_EQ(fs_->GetChildren(path, &names), Status::OK());
      for (const std::string& name : names) {
        if (name.ends_with(".sst")) paths.push_back(path + "/" + name);
      }
    }
    return paths;
  }
  std::string OnlyOutput() {
    const auto outputs = Outputs();
    EXPECT_EQ(outputs.size(), 1u);
    return outputs.empty() ? "" : outputs[0];
  }
  void ExpectNothingIsLeft() {
    EXPECT_EQ(JobDirectories(), std::vector<std::string>());
    EXPECT_EQ(TablesOnDisk(), LiveFiles().size());
  }

  const std::shared_ptr<WorkerService> service_;
};

TEST_F(RemoteCompactionTest, TablesOfAWorkerBecomePartOfTheDatabase) {
  Open();
  MakeTables();
  ExpectRemote();
  EXPECT_EQ(Levels(), "0,1");
  ExpectTables();
  EXPECT_GT(Tick(COMPACT_READ_BYTES), 0u);
  EXPECT_EQ(LogLines("compaction_remote_start").size(), 1u);
  EXPECT_EQ(LogLines("compaction_end").size(), 1u);
  // The table is that of the worker's session, and of this database.
  const TableProperties table = OnlyTable();
  std::string session;
  std::string id;
  ASSERT_EQ(db_->GetDbSessionId(session), Status::OK());
  ASSERT_EQ(db_->GetDbIdentity(&id), Status::OK());
  EXPECT_NE(table.db_session_id, session);
  EXPECT_EQ(table.db_id, id);
  EXPECT_EQ(table.num_entries, 150u);
  Reopen();
  ExpectTables();
}

TEST_F(RemoteCompactionTest, ServiceIsToldOfTheJob) {
  Open();
  MakeTables();
  const uint64_t bytes = LiveBytes();
  Compact();
  const auto infos = service_->infos();
  ASSERT_EQ(infos.size(), 1u);
  const CompactionServiceJobInfo& info = infos[0];
  EXPECT_EQ(info.db_name, kTestDirectory);
  std::string text;
  ASSERT_EQ(db_->GetDbIdentity(&text), Status::OK());
  EXPECT_EQ(info.db_id, text);
  ASSERT_EQ(db_->GetDbSessionId(text), Status::OK());
  EXPECT_EQ(info.db_session_id, text);
  EXPECT_GT(info.job_id, 0u);
  EXPECT_EQ(info.cf_id, 0u);
  EXPECT_EQ(info.cf_name, "default");
  EXPECT_EQ(info.priority, Env::USER);
  EXPECT_EQ(info.compaction_reason, CompactionReason::kManualCompaction);
  EXPECT_TRUE(info.is_full_compaction);
  EXPECT_TRUE(info.is_manual_compaction);
  EXPECT_TRUE(info.bottommost_level);
  EXPECT_EQ(info.base_input_level, 0);
  EXPECT_EQ(info.output_level, 1);
  EXPECT_EQ(info.input_bytes, bytes);
}

TEST_F(RemoteCompactionTest, AutomaticOnesToo) {
  options_.disable_auto_compactions = false;
  options_.level0_file_num_compaction_trigger = 2;
  Open();
  MakeTables();
  RunJobs();
  EXPECT_EQ(Levels(), "0,1");
  ExpectTables();
  ASSERT_EQ(service_->infos().size(), 1u);
  EXPECT_EQ(service_->infos()[0].priority, Env::LOW);
  EXPECT_EQ(service_->infos()[0].compaction_reason,
            CompactionReason::kLevelL0FilesNum);
  EXPECT_FALSE(service_->infos()[0].is_manual_compaction);
}

TEST_F(RemoteCompactionTest, MovesAreNotAskedFor) {
  options_.disable_auto_compactions = false;
  options_.level0_file_num_compaction_trigger = 1;
  Open();
  Put("a", "1");
  Flush();
  RunJobs();
  EXPECT_EQ(Levels(), "0,1");
  EXPECT_EQ(service_->infos().size(), 0u);
}

// All that can be wrong with a service or a worker.
TEST_F(RemoteCompactionTest, WhatFailsIsDoneByTheDatabase) {
  const struct {
    std::string reason;
    std::function<void(WorkerService*)> spoil;
  } cases[] = {
      {"failure",
       [](WorkerService* s) { s->schedule_returns = JobStatus::kFailure; }},
      {"aborted",
       [](WorkerService* s) {
         s->after = [](auto&, auto*) { return JobStatus::kAborted; };
       }},
      {"thrown",
       [](WorkerService* s) {
         s->before = [](auto*) { throw std::runtime_error("thrown"); };
       }},
      {"not one of this release",
       [](WorkerService* s) {
         s->after = [](auto&, std::string* result) {
           result->clear();
           return JobStatus::kSuccess;
         };
       }},
      {"checksum",
       [](WorkerService* s) {
         s->before = [](std::string* input) { input->back() ^= 1; };
         s->after = [](const Status& status, std::string* result) {
           EXPECT_TRUE(status.IsCorruption()) << status;
           EXPECT_EQ(*result, "");
           result->assign("TamisCa1 and something else");
           return JobStatus::kSuccess;
         };
       }},
      {"no space on the worker",
       [this](WorkerService* s) {
         s->before = [this](auto*) {
           fs_->SetFaultHook([](const SimulatedFileSystem::Call& call) {
             return call.path.find("compaction-") != std::string::npos &&
                            call.operation == "append"
                        ? Status::NoSpace(call.path, "no space on the worker")
                        : Status::OK();
           });
         };
         s->after = [this](const Status& status, auto*) {
           EXPECT_TRUE(status.IsNoSpace()) << status;
           fs_->SetFaultHook(nullptr);
           return JobStatus::kFailure;
         };
       }},
      {"expected",
       [this](WorkerService* s) {
         s->after = [this](auto&, auto*) {
           // A byte less.
           const std::string path = OnlyOutput();
           std::string bytes;
           EXPECT_EQ(fs_->GetContents(path, &bytes), Status::OK());
           bytes.pop_back();
           EXPECT_EQ(WriteStringToFile(fs_.get(), bytes, path, false),
                     Status::OK());
           return JobStatus::kSuccess;
         };
       }},
      {"Corruption",
       [this](WorkerService* s) {
         s->after = [this](auto&, auto*) {
           // Another table of this size.
           const std::string path = OnlyOutput();
           std::string bytes;
           EXPECT_EQ(fs_->GetContents(path, &bytes), Status::OK());
           std::reverse(bytes.begin(), bytes.end());
           EXPECT_EQ(WriteStringToFile(fs_.get(), bytes, path, false),
                     Status::OK());
           return JobStatus::kSuccess;
         };
       }},
      {"IO error",
       [this](WorkerService* s) {
         s->after = [this](auto&, auto*) {
           EXPECT_EQ(fs_->RemoveFile(OnlyOutput()), Status::OK());
           return JobStatus::kSuccess;
         };
       }},
  };
  for (const auto& one : cases) {
    SCOPED_TRACE(one.reason);
    Destroy();
    const auto service = std::make_shared<WorkerService>();
    service->overrides = service_->overrides;
    one.spoil(service.get());
    options_.compaction_service = service;
    Open();
    MakeTables();
    ExpectLocal(one.reason);
    EXPECT_EQ(service->told(JobStatus::kSuccess), 0);
  }
}

TEST_F(RemoteCompactionTest, ReplyOfAnotherJobIsRefused) {
  std::string first;
  service_->after = [&first](auto&, std::string* result) {
    if (first.empty()) first = *result;
    *result = first;
    return JobStatus::kSuccess;
  };
  Open();
  MakeTables();
  Compact();
  EXPECT_EQ(service_->told(JobStatus::kSuccess), 1);
  MakeTables();
  ExpectLocal("it is of job");
  EXPECT_EQ(service_->told(JobStatus::kFailure), 1);
}

TEST_F(RemoteCompactionTest, EveryDamagedByteIsNoticed) {
  std::string right;
  service_->before = [&](std::string* input) {
    const std::string given = *input;
    for (size_t i = 0; i < given.size(); ++i) {
      std::string damaged = given;
      damaged[i] ^= 0x20;
      std::string output;
      const Status status = DB::OpenAndCompact(kTestDirectory, "", damaged,
                                               &output, service_->overrides);
      ASSERT_TRUE(status.IsCorruption() || status.IsInvalidArgument())
          << i << " " << status;
      const Status cut = DB::OpenAndCompact(
          kTestDirectory, "", given.substr(0, i), &output, service_->overrides);
      ASSERT_FALSE(cut.ok()) << i;
    }
  };
  size_t at = 0;
  service_->after = [&](const Status& status, std::string* result) {
    EXPECT_EQ(status, Status::OK());
    right = *result;
    if (at < result->size()) (*result)[at] ^= 0x20;
    return JobStatus::kSuccess;
  };
  Open();
  for (at = 0; at == 0 || at < right.size(); at += 7) {
    MakeTables();
    Compact();
    service_->before = nullptr;
  }
  EXPECT_EQ(service_->told(JobStatus::kSuccess), 0);
  ExpectTables();
  ExpectNothingIsLeft();
}

class KeepAll : public CompactionFilter {
 public:
  const char* Name() const override { return "test.KeepAll"; }
};

// A worker without an object of the database's would make other tables.
TEST_F(RemoteCompactionTest, WorkerNamesTheObjectThatItLacks) {
  const KeepAll filter;
  options_.merge_operator = MergeOperators::CreateStringAppendOperator();
  options_.compaction_filter = &filter;
  SetObjects();
  service_->overrides.compaction_filter = nullptr;
  Open();
  MakeTables();
  ExpectLocal("compaction_filter");
  service_->overrides.compaction_filter = &filter;
  service_->overrides.comparator = ReverseBytewiseComparator();
  MakeTables();
  ExpectLocal("comparator");
  service_->overrides.comparator = nullptr;  // it is built in
  const size_t failed = LogLines("compaction_remote_failed").size();
  MakeTables();
  Compact();
  EXPECT_EQ(LogLines("compaction_remote_failed").size(), failed);
  EXPECT_GT(service_->told(JobStatus::kSuccess), 0);
  ExpectTables();
}

TEST_F(RemoteCompactionTest, OutputsMayHaveADirectoryOfTheirOwn) {
  service_->output_directory = "/parent/outputs";
  Open();
  MakeTables();
  ExpectRemote();
  ExpectTables();
  std::vector<std::string> names;
  ASSERT_EQ(fs_->GetChildren("/parent/outputs", &names), Status::OK());
  EXPECT_EQ(names, std::vector<std::string>());
  // What is there stays.
  ASSERT_EQ(
      WriteStringToFile(fs_.get(), "mine", "/parent/outputs/000001.sst", false),
      Status::OK());
  MakeTables();
  ExpectRemote();
  ExpectTables();
  std::string mine;
  ASSERT_EQ(fs_->GetContents("/parent/outputs/000001.sst", &mine),
            Status::OK());
  EXPECT_EQ(mine, "mine");
}

TEST_F(RemoteCompactionTest, DirectoryOfTheDatabaseIsRefused) {
  service_->output_directory = std::string(kTestDirectory) + "/";
  Open();
  MakeTables();
  ExpectLocal("that is not a database's");
}

TEST_F(RemoteCompactionTest, CanceledWorkerLeavesNothing) {
  std::atomic<bool> canceled{true};
  service_->open_options.canceled = &canceled;
  service_->after = [this](const Status& status, auto*) {
    EXPECT_TRUE(status.IsIncomplete()) << status;
    EXPECT_EQ(status.subcode(), Status::kManualCompactionPaused);
    EXPECT_EQ(Outputs().size(), 0u);
    return JobStatus::kAborted;
  };
  Open();
  MakeTables();
  ExpectLocal("Manual compaction paused");
  EXPECT_EQ(service_->told(JobStatus::kAborted), 1);
}

TEST_F(RemoteCompactionTest, WhatAProcessLeftIsRemoved) {
  Open();
  MakeTables();
  const std::string left =
      std::string(kTestDirectory) + "/compaction-ABCDEFGHIJ0123456789-17";
  const std::string other = std::string(kTestDirectory) + "/compaction-of-mine";
  for (const std::string& directory : {left, other}) {
    ASSERT_EQ(fs_->CreateDirIfMissing(directory), Status::OK());
    ASSERT_EQ(
        WriteStringToFile(fs_.get(), "x", directory + "/000001.sst", false),
        Status::OK());
  }
  // Not by one who reads.
  std::unique_ptr<DB> reader;
  ASSERT_EQ(DB::OpenForReadOnly(options_, kTestDirectory, &reader),
            Status::OK());
  EXPECT_EQ(fs_->FileExists(left + "/000001.sst"), Status::OK());
  reader.reset();
  Reopen();
  EXPECT_TRUE(fs_->FileExists(left).IsPathNotFound());
  EXPECT_EQ(fs_->FileExists(other + "/000001.sst"), Status::OK());
  ASSERT_EQ(fs_->CreateDirIfMissing(left), Status::OK());
  Destroy();
  EXPECT_TRUE(fs_->FileExists(left).IsPathNotFound());
  EXPECT_EQ(fs_->FileExists(other + "/000001.sst"), Status::OK());
}

// Options that SetOptions changed, codecs by level, paths, checksums.
TEST_F(RemoteCompactionTest, WorkerUsesTheOptionsOfTheJob) {
  options_.compression = kNoCompression;
  options_.file_checksum_gen_factory = GetFileChecksumGenCrc32cFactory();
  options_.cf_paths = {{"/parent/fast", 1 << 30}, {"/parent/slow", 1 << 30}};
  SetObjects();
  service_->overrides.file_checksum_gen_factory = nullptr;  // it is built in
  Open();
  MakeTables();
  ASSERT_EQ(db_->SetOptions({{"compression", "kSnappyCompression"},
                             {"target_file_size_base", "2000"}}),
            Status::OK());
  for (int i = 0; i < 1000; ++i) Put("v" + Key(i), std::string(20, 'v'));
  Flush();
  Compact();
  ASSERT_EQ(service_->told(JobStatus::kSuccess), 1);
  EXPECT_GT(LiveFiles().size(), 3u);
  for (const LiveFileMetaData& file : LiveFiles()) {
    EXPECT_EQ(file.db_path, "/parent/fast");
    EXPECT_EQ(file.file_checksum_func_name, "FileChecksumCrc32c");
  }
  for (const auto& [name, table] : Tables()) {
    EXPECT_EQ(table.compression_name, "Snappy");
  }
  EXPECT_EQ(db_->VerifyFileChecksums(ReadOptions()), Status::OK());
  ExpectTables();
}

TEST_F(RemoteCompactionTest, WorkersOptionsMayDiffer) {
  service_->overrides.options_map = {{"compression", "kNoCompression"},
                                     {"max_subcompactions", "1"}};
  Open();
  MakeTables();
  ExpectRemote();
  EXPECT_EQ(OnlyTable().compression_name, "NoCompression");
  service_->overrides.options_map = {{"no_such_option", "1"}};
  MakeTables();
  ExpectLocal("no_such_option");
}

// A listener that keeps the paths of tables that were made.
class Created : public EventListener {
 public:
  void OnTableFileCreated(const TableFileCreationInfo& info) override {
    if (info.reason == TableFileCreationReason::kCompaction) {
      statuses.push_back(info.status);
      paths.push_back(info.file_path);
    }
  }
  std::vector<Status> statuses;
  std::vector<std::string> paths;
};

TEST_F(RemoteCompactionTest, ListenersAreToldOfTheTables) {
  const auto created = std::make_shared<Created>();
  const auto by_worker = std::make_shared<Created>();
  options_.listeners = {created};
  service_->overrides.listeners = {by_worker};
  Open();
  MakeTables();
  Compact();
  EXPECT_EQ(db_->Close(), Status::OK());
  ASSERT_EQ(created->statuses.size(), 1u);
  EXPECT_EQ(created->statuses[0], Status::OK());
  EXPECT_EQ(created->paths[0].rfind(std::string(kTestDirectory) + "/0", 0), 0u)
      << created->paths[0];
  ASSERT_EQ(by_worker->statuses.size(), 1u);
  EXPECT_EQ(by_worker->statuses[0], Status::OK());
  EXPECT_NE(by_worker->paths[0].find("/compaction-"), std::string::npos)
      << by_worker->paths[0];
}

// Waits until it is told to give up.
class Patient : public CompactionService {
 public:
  const char* Name() const override { return "test.Patient"; }
  CompactionServiceScheduleResponse Schedule(const CompactionServiceJobInfo&,
                                             const std::string&) override {
    return {"1", JobStatus::kSuccess};
  }
  JobStatus Wait(const std::string&, std::string*) override {
    waits = true;
    waits.notify_all();
    canceled.wait(false);
    return JobStatus::kAborted;
  }
  void CancelAwaitingJobs() override {
    canceled = true;
    canceled.notify_all();
  }
  std::atomic<bool> waits{false};
  std::atomic<bool> canceled{false};
};

TEST_F(RemoteCompactionTest, CloseEndsTheWaitForAWorker) {
  UseThreads();
  const auto patient = std::make_shared<Patient>();
  options_.compaction_service = patient;
  options_.disable_auto_compactions = false;
  options_.level0_file_num_compaction_trigger = 2;
  Open();
  MakeTables();
  patient->waits.wait(false);
  EXPECT_EQ(db_->Close(), Status::OK());
  EXPECT_TRUE(patient->canceled);
  db_.reset();
  options_.compaction_service = nullptr;
  options_.disable_auto_compactions = true;
  Open();
  EXPECT_EQ(Levels(), "2");
  ExpectTables();
  ExpectNothingIsLeft();
}

TEST_F(RemoteCompactionTest, DroppedFamilyGetsNoTables) {
  Open();
  ColumnFamilyHandle* family = nullptr;
  ASSERT_EQ(db_->CreateColumnFamily(options_, "other", &family), Status::OK());
  for (int i = 0; i < 2; ++i) {
    ASSERT_EQ(db_->Put({}, family, "k", std::to_string(i)), Status::OK());
    ASSERT_EQ(db_->Flush({}, family), Status::OK());
  }
  service_->before = [&](auto*) {
    EXPECT_EQ(db_->DropColumnFamily(family), Status::OK());
  };
  const Status status = db_->CompactRange({}, family, nullptr, nullptr);
  EXPECT_FALSE(status.ok());
  delete family;
  RunJobs();
  EXPECT_EQ(TablesOnDisk(), 0u);
  EXPECT_EQ(JobDirectories().size(), 0u);
  EXPECT_EQ(service_->told(JobStatus::kSuccess), 0);
}

// That is no failure, and no line of LOG's errors.
TEST_F(RemoteCompactionTest, ServiceMayLeaveAJobToTheDatabase) {
  Open();
  service_->schedule_returns = JobStatus::kUseLocal;
  MakeTables();
  ExpectLocal("job=", "compaction_remote_declined");
  service_->schedule_returns = JobStatus::kSuccess;
  service_->after = [](auto&, auto*) { return JobStatus::kUseLocal; };
  MakeTables();
  ExpectLocal("job=", "compaction_remote_declined");
  EXPECT_EQ(service_->told(JobStatus::kUseLocal), 1);
  EXPECT_EQ(LogLines("compaction_remote_failed").size(), 0u);
}

// The default service, and kUseLocal, change nothing.
class Idle : public CompactionService {
 public:
  const char* Name() const override { return "test.Idle"; }
};

TEST_F(RemoteCompactionTest, DefaultServiceDoesNothing) {
  options_.compaction_service = std::make_shared<Idle>();
  Open();
  MakeTables();
  ExpectLocal("job=", "compaction_remote_declined");
}

}  // namespace
}  // namespace tamis
