// SPDX-License-Identifier: Apache-2.0
//
// The calls of the file system that each call of a database makes, in order:
// what is written and synced before what is named, and what is deleted last
// (docs/durability.md); and how many an open takes.
#include <functional>
#include <memory>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include "tamis/utilities/checkpoint.h"
#include "tamis/write_batch.h"

#include "tests/db/test_db.h"
#include "tests/support/data_driven.h"

namespace tamis {
namespace {

class DurabilityOrderTest : public DBTest {
 protected:
  DurabilityOrderTest() {
    fs_->SetFaultHook([this](const SimulatedFileSystem::Call& call) {
      Record(call);
      return Status::OK();
    });
    fs_->SetReadHook([this](const SimulatedFileSystem::Call& call) {
      if (reads_) Record(call);
      return Status::OK();
    });
  }
  ~DurabilityOrderTest() override {
    db_.reset();
    fs_->SetFaultHook(nullptr);
    fs_->SetReadHook(nullptr);
  }

  void RunFile(const std::string& name) {
    const auto step =
        [this](Status (DurabilityOrderTest::*act)(const DataCase&)) {
          return [this, act](const DataCase& data) {
            calls_.clear();
            reads_ = data.Has("reads");
            const Status status = (this->*act)(data);
            if (!status.ok()) return calls_ + status.ToString();
            return data.Has("silent") ? "" : calls_;
          };
        };
    RunDataFile("db/durability_order/" + name + ".txt",
                {{"open", step(&DurabilityOrderTest::OpenWith)},
                 {"write", step(&DurabilityOrderTest::Write)},
                 {"sync_wal", step(&DurabilityOrderTest::SyncWal)},
                 {"flush", step(&DurabilityOrderTest::FlushNow)},
                 {"compact", step(&DurabilityOrderTest::CompactAll)},
                 {"checkpoint", step(&DurabilityOrderTest::MakeCheckpoint)},
                 {"close", step(&DurabilityOrderTest::Close)},
                 {"power_cut", step(&DurabilityOrderTest::CutPower)}});
  }

 private:
  // One line for calls of one kind on one file that follow each other. The info
  // log promises nothing.
  void Record(const SimulatedFileSystem::Call& call) {
    const std::string directory = kTestDirectory;
    std::string path = call.path;
    if (path == directory) {
      path = ".";
    } else if (path.starts_with(directory + "/")) {
      path = path.substr(directory.size() + 1);
    }
    if (path == "LOG" || path.starts_with("LOG.old")) return;
    const std::string line = call.operation + " " + path + "\n";
    if (!calls_.ends_with("\n" + line) && calls_ != line) calls_ += line;
  }

  Status OpenWith(const DataCase& data) {
    options_.max_manifest_file_size =
        data.Number("manifest_bytes", options_.max_manifest_file_size);
    options_.avoid_flush_during_recovery = data.Has("keep_logs");
    return TryOpen();
  }
  // Lines "put <key> <value>", "delete <key>".
  Status Write(const DataCase& data) {
    WriteBatch batch;
    for (const std::string& line : data.InputLines()) {
      std::istringstream words(line);
      std::string verb;
      std::string key;
      std::string value;
      words >> verb >> key >> value;
      const Status status =
          verb == "put" ? batch.Put(key, value) : batch.Delete(key);
      if (!status.ok()) return status;
    }
    WriteOptions options;
    options.sync = data.Has("sync");
    return db_->Write(options, &batch);
  }
  Status SyncWal(const DataCase&) { return db_->FlushWAL(/*sync=*/true); }
  Status FlushNow(const DataCase&) { return db_->Flush(FlushOptions()); }
  Status CompactAll(const DataCase&) {
    return db_->CompactRange(CompactRangeOptions(), nullptr, nullptr);
  }
  Status MakeCheckpoint(const DataCase&) {
    Checkpoint* made = nullptr;
    const Status status = Checkpoint::Create(db_.get(), &made);
    const std::unique_ptr<Checkpoint> checkpoint(made);
    return status.ok() ? checkpoint->CreateCheckpoint("/parent/copy") : status;
  }
  Status Close(const DataCase&) {
    const Status status = db_->Close();
    db_.reset();
    return status;
  }
  // Nothing but what was synced is there again.
  Status CutPower(const DataCase&) {
    fs_->CutPower();
    db_.reset();
    fs_->Restart(/*seed=*/1, CrashStyle::kDropAll);
    calls_.clear();
    return Status::OK();
  }

  std::string calls_;
  bool reads_ = false;  // calls that change nothing count, too
};

TEST_F(DurabilityOrderTest, LogsAreSyncedBeforeAWriteIsAcknowledged) {
  RunFile("writes");
}

TEST_F(DurabilityOrderTest, TablesAreSyncedBeforeTheManifestNamesThem) {
  RunFile("tables");
}

TEST_F(DurabilityOrderTest, AManifestIsSyncedBeforeCurrentNamesIt) {
  RunFile("manifest_roll");
}

TEST_F(DurabilityOrderTest, ARecoveryWritesTablesBeforeItDeletesLogs) {
  RunFile("recovery");
}

TEST_F(DurabilityOrderTest, AnOpenListsTheDirectoryOnce) { RunFile("opens"); }

TEST_F(DurabilityOrderTest, ACheckpointIsSyncedBeforeItsRename) {
  RunFile("checkpoint");
}

}  // namespace
}  // namespace tamis
