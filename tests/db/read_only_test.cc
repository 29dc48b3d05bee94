// SPDX-License-Identifier: Apache-2.0
//
// OpenForReadOnly: reads a directory without changing it.
//
// Shows D13 of docs/durability.md.
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/utilities/checkpoint.h"

#include "tests/db/test_families.h"
#include "tests/support/wrapped_file_system.h"

namespace tamis {
namespace {

// The first listing of a directory lacks what came to it while it was made.
class LateNames final : public WrappedFileSystem {
 public:
  LateNames(std::shared_ptr<FileSystem> base, std::string late)
      : WrappedFileSystem(std::move(base)), late_(std::move(late)) {}
  Status GetChildren(const std::string& directory,
                     std::vector<std::string>* names) override {
    const Status status = WrappedFileSystem::GetChildren(directory, names);
    std::erase(*names, std::exchange(late_, ""));
    return status;
  }

 private:
  std::string late_;
};

class ReadOnlyTest : public FamiliesTest {
 protected:
  using Look = Beside;
  Status TryLook(const Names& families, Look* look, bool no_logs = false) {
    std::vector<ColumnFamilyHandle*> handles;
    const Status status =
        DB::OpenForReadOnly(options_, kTestDirectory, Descriptors(families),
                            &handles, &look->db, no_logs);
    TakeHandles(status, handles, look);
    return status;
  }
  // Tables, and logs that hold more.
  void MakeDatabase() {
    MakeFamilies({"a", "b"});
    Put("a", "table", "1");
    Put("default", "table", "2");
    FlushFamily("a");
    ASSERT_TRUE(PutInAll({"default", "a", "b"}, "log", "3").ok());
  }
  static constexpr const char* kContentsOfA = "log=3 table=1";
};

TEST_F(ReadOnlyTest, ChangesNothingInTheDirectory) {
  MakeDatabase();
  CloseAll();
  const auto before = Directory();
  const uint64_t calls = fs_->calls();
  {
    Look look;
    ASSERT_TRUE(TryLook({"a", "b"}, &look).ok());
    EXPECT_EQ(look.Contents("a"), kContentsOfA);
    EXPECT_EQ(look.Contents("b"), "log=3");
    EXPECT_EQ(look.Contents("default"), "log=3 table=2");
    const Snapshot* snapshot = look.db->GetSnapshot();
    look.db->ReleaseSnapshot(snapshot);
    RunJobs();
    look.handles.clear();
    EXPECT_TRUE(look.db->Close().ok());
  }
  EXPECT_EQ(fs_->calls(), calls);  // not even a LOCK
  EXPECT_EQ(Directory(), before);
  OpenFamilies({"a", "b"});
  EXPECT_EQ(ContentsOf("a"), kContentsOfA);
}

TEST_F(ReadOnlyTest, ManyMayBeOpenBesideAWriter) {
  MakeDatabase();
  const uint64_t calls = fs_->calls();
  Look first;
  Look second;
  ASSERT_TRUE(TryLook({"a", "b"}, &first).ok());
  ASSERT_TRUE(TryLook({"a", "b"}, &second).ok());
  EXPECT_EQ(fs_->calls(), calls);
  EXPECT_EQ(first.Contents("a"), kContentsOfA);
  // The state at the open.
  Put("a", "later", "4");
  EXPECT_EQ(second.Contents("a"), kContentsOfA);
  EXPECT_EQ(ContentsOf("a"), "later=4 log=3 table=1");
  Look third;
  ASSERT_TRUE(TryLook({"a"}, &third).ok());
  EXPECT_EQ(third.Contents("a"), "later=4 log=3 table=1");
  EXPECT_EQ(third.db->GetLatestSequenceNumber(),
            db_->GetLatestSequenceNumber());
}

// Whatever a writer does meanwhile.
TEST_F(ReadOnlyTest, IsConsistentWhenAWriterContinuesDuringTheOpen) {
  const auto at_first = [this](const std::string& operation,
                               const std::string& text,
                               std::function<void()> act) {
    fs_->SetReadHook(
        [this, operation, text, act](const SimulatedFileSystem::Call& call) {
          if (call.operation == operation &&
              call.path.find(text) != std::string::npos) {
            fs_->SetReadHook(nullptr);
            act();
          }
          return Status::OK();
        });
  };
  const std::map<std::string, std::function<void()>> writers = {
      {"replaces tables",
       [this] {
         ASSERT_TRUE(PutInAll({"default", "a", "b"}, "new", "5").ok());
         for (const char* name : {"default", "a", "b"}) {
           ASSERT_TRUE(
               db_->CompactRange({}, Family(name), nullptr, nullptr).ok());
         }
       }},
      {"begins logs",
       [this] {
         for (const char* key : {"new", "newer"}) {
           ASSERT_TRUE(PutInAll({"default", "a", "b"}, key, "5").ok());
           FlushFamily("a");
         }
       }},
  };
  for (const auto& [what, write] : writers) {
    for (const auto& [operation, text] :
         std::map<std::string, std::string>{{"open", "MANIFEST"},
                                            {"size", ".sst"},
                                            {"list", ""},
                                            {"open ", ".log"}}) {
      SCOPED_TRACE(what + " at " + operation + " " + text);
      MakeDatabase();
      at_first(operation.substr(0, 4), text, write);
      Look look;
      const Status status = TryLook({"a", "b"}, &look);
      fs_->SetReadHook(nullptr);
      ASSERT_TRUE(status.ok()) << status;
      for (const char* key : {"log", "new", "newer"}) {
        std::vector<std::string> values;
        const auto statuses = look.db->MultiGet(
            ReadOptions(),
            {look.handles["default"].get(), look.handles["a"].get(),
             look.handles["b"].get()},
            {key, key, key}, &values);
        EXPECT_EQ(statuses[0], statuses[1]) << key;
        EXPECT_EQ(statuses[0], statuses[2]) << key;
      }
      EXPECT_EQ(look.Contents("b").substr(0, 5), "log=3");
      look.handles.clear();
      look.db.reset();
      CloseAll();
      ASSERT_TRUE(DestroyDB(kTestDirectory, options_).ok());
    }
  }
}

TEST_F(ReadOnlyTest, ReturnsTryAgainWhenAWriterNeverPauses) {
  MakeDatabase();
  int looks = 0;
  const std::function<void()> write = [this] {
    ASSERT_TRUE(PutInAll({"default", "a", "b"}, "new", "5").ok());
    for (const char* name : {"default", "a", "b"}) {
      ASSERT_TRUE(db_->CompactRange({}, Family(name), nullptr, nullptr).ok());
    }
  };
  SimulatedFileSystem::FaultHook hook;
  hook = [&](const SimulatedFileSystem::Call& call) {
    if (call.operation == "size" && call.path.ends_with(".sst")) {
      ++looks;
      fs_->SetReadHook(nullptr);
      write();
      fs_->SetReadHook(hook);
    }
    return Status::OK();
  };
  fs_->SetReadHook(hook);
  Look look;
  const Status status = TryLook({"a", "b"}, &look);
  fs_->SetReadHook(nullptr);
  EXPECT_TRUE(status.IsTryAgain()) << status;
  EXPECT_NE(status.message().find("is missing"), std::string::npos) << status;
  EXPECT_GT(looks, 10);
  EXPECT_TRUE(TryLook({"a", "b"}, &look).ok());
}

// Damage is told at once.
TEST_F(ReadOnlyTest, APersistentErrorIsReturnedBesideAWriter) {
  MakeDatabase();
  const std::string table =
      std::string(kTestDirectory) + "/" + FilesEndingIn(".sst").front();
  ASSERT_TRUE(fs_->SetContents(table, "short").ok());
  int looks = 0;
  SimulatedFileSystem::FaultHook hook;
  hook = [&](const SimulatedFileSystem::Call& call) {
    if (call.operation == "open" &&
        call.path.find("MANIFEST") != std::string::npos) {
      ++looks;
      fs_->SetReadHook(nullptr);
      Put("default", "new", "5");
      FlushFamily("default");
      fs_->SetReadHook(hook);
    }
    return Status::OK();
  };
  fs_->SetReadHook(hook);
  Look look;
  const Status status = TryLook({"a", "b"}, &look);
  fs_->SetReadHook(nullptr);
  EXPECT_TRUE(status.IsCorruption()) << status;
  EXPECT_NE(status.message().find(table), std::string::npos) << status;
  EXPECT_EQ(looks, 2);
}

TEST_F(ReadOnlyTest, AListingWithoutANeededLogIsNotUsed) {
  MakeFamilies({"a", "b"});
  for (const char* key : {"1", "2", "3"}) {
    Put("b", key, key);  // which keeps the logs
    Put("a", key, key);
    FlushFamily("a");
  }
  Put("b", "4", "4");
  const auto logs = Logs();
  ASSERT_GE(logs.size(), 3u);
  for (const std::string& late : logs) {
    SCOPED_TRACE(late);
    Options options = options_;
    options.file_system = std::make_shared<LateNames>(fs_, late);
    std::vector<ColumnFamilyHandle*> handles;
    std::unique_ptr<DB> db;
    ASSERT_TRUE(DB::OpenForReadOnly(options, kTestDirectory, Descriptors({"b"}),
                                    &handles, &db)
                    .ok());
    const bool is_newest = late == logs.back();
    for (ColumnFamilyHandle* handle : handles) {
      if (handle->GetName() == "b") {
        EXPECT_EQ(ContentsIn(db.get(), handle),
                  is_newest ? "1=1 2=2 3=3" : "1=1 2=2 3=3 4=4");
      }
      delete handle;
    }
  }
}

TEST_F(ReadOnlyTest, CreatesNoDatabaseWhenAListingLacksCurrent) {
  MakeFamilies({});
  CloseAll();
  for (const std::string& name : FilesEndingIn("")) {
    if (name == "CURRENT" || name == "IDENTITY") continue;
    ASSERT_TRUE(fs_->RemoveFile(std::string(kTestDirectory) + "/" + name).ok());
  }
  const auto before = Directory();
  const uint64_t calls = fs_->calls();
  Options options = options_;
  options.file_system = std::make_shared<LateNames>(fs_, "CURRENT");
  std::unique_ptr<DB> db;
  const Status status = DB::OpenForReadOnly(options, kTestDirectory, &db);
  EXPECT_TRUE(status.IsCorruption()) << status;
  EXPECT_EQ(fs_->calls(), calls);
  EXPECT_EQ(Directory(), before);
}

TEST_F(ReadOnlyTest, OpensAnyFamiliesThatIncludeDefault) {
  MakeDatabase();
  CloseAll();
  {
    Look look;
    ASSERT_TRUE(TryLook({"b"}, &look).ok());
    EXPECT_EQ(look.Contents("b"), "log=3");
  }
  {
    std::unique_ptr<DB> db;
    ASSERT_TRUE(DB::OpenForReadOnly(options_, kTestDirectory, &db).ok());
    EXPECT_EQ(ContentsIn(db.get(), db->DefaultColumnFamily()), "log=3 table=2");
  }
  Look look;
  options_.create_missing_column_families = true;
  const Status status = TryLook({"a", "x"}, &look);
  EXPECT_TRUE(status.IsInvalidArgument()) << status;
  EXPECT_EQ(status.message(), "Column family not found: x");
  std::vector<ColumnFamilyHandle*> handles;
  EXPECT_TRUE(DB::OpenForReadOnly(options_, kTestDirectory, {{"a", options_}},
                                  &handles, &look.db)
                  .IsInvalidArgument());
}

TEST_F(ReadOnlyTest, ShowsDeletionsAndMergesOfTheLog) {
  MakeFamilies({});
  for (const char* key : {"a", "b", "c", "d"}) Put("default", key, "1");
  FlushFamily("default");
  Delete("a");
  DeleteRange("c", "d");
  CloseAll();
  std::unique_ptr<DB> db;
  ASSERT_TRUE(DB::OpenForReadOnly(options_, kTestDirectory, &db).ok());
  EXPECT_EQ(ContentsIn(db.get(), db->DefaultColumnFamily()), "b=1 d=1");
}

TEST_F(ReadOnlyTest, ErrorIfWALFileExistsRefusesEntriesInLogs) {
  MakeDatabase();
  CloseAll();
  Look look;
  const Status status = TryLook({"a", "b"}, &look, /*no_logs=*/true);
  EXPECT_TRUE(status.IsCorruption()) << status;
  EXPECT_NE(status.message().find("error_if_wal_file_exists"),
            std::string::npos);
  OpenFamilies({"a", "b"});  // which makes tables of the logs
  CloseAll();
  ASSERT_TRUE(TryLook({"a", "b"}, &look, /*no_logs=*/true).ok());
  EXPECT_EQ(look.Contents("a"), kContentsOfA);
}

TEST_F(ReadOnlyTest, CallsThatWriteAreNotSupported) {
  MakeDatabase();
  CloseAll();
  const auto before = Directory();
  Look look;
  ASSERT_TRUE(TryLook({"a", "b"}, &look).ok());
  DB* const db = look.db.get();
  ColumnFamilyHandle* const a = look.handles.at("a").get();
  ColumnFamilyHandle* made = nullptr;
  const WriteOptions write;
  WriteBatch batch;
  std::unique_ptr<Checkpoint> checkpoint;
  ASSERT_TRUE(Checkpoint::Create(db, &checkpoint).ok());
  const std::map<std::string, std::function<Status()>> calls = {
      {"Put", [&] { return db->Put(write, a, "k", "v"); }},
      {"Delete", [&] { return db->Delete(write, a, "k"); }},
      {"SingleDelete", [&] { return db->SingleDelete(write, "k"); }},
      {"DeleteRange", [&] { return db->DeleteRange(write, a, "k", "l"); }},
      {"Merge", [&] { return db->Merge(write, a, "k", "v"); }},
      {"Write", [&] { return db->Write(write, &batch); }},
      {"Flush", [&] { return db->Flush(FlushOptions(), a); }},
      {"CompactRange",
       [&] { return db->CompactRange({}, a, nullptr, nullptr); }},
      {"FlushWAL", [&] { return db->FlushWAL(false); }},
      {"SyncWAL", [&] { return db->SyncWAL(); }},
      {"Resume", [&] { return db->Resume(); }},
      {"CreateColumnFamily",
       [&] { return db->CreateColumnFamily(options_, "x", &made); }},
      {"DropColumnFamily", [&] { return db->DropColumnFamily(a); }},
      {"CreateCheckpoint",
       [&] { return checkpoint->CreateCheckpoint("/parent/copy"); }},
  };
  for (const auto& [name, call] : calls) {
    const Status status = call();
    EXPECT_TRUE(status.IsNotSupported()) << name << ": " << status;
  }
  EXPECT_EQ(look.Contents("a"), kContentsOfA);
  EXPECT_EQ(Directory(), before);
}

TEST_F(ReadOnlyTest, CreatesNoDirectoryAndNoDatabase) {
  const uint64_t calls = fs_->calls();
  Look look;
  EXPECT_FALSE(TryLook({}, &look).ok());  // create_if_missing or not
  EXPECT_EQ(fs_->calls(), calls);
  EXPECT_TRUE(fs_->FileExists(kTestDirectory).IsPathNotFound());
}

TEST_F(ReadOnlyTest, ATornLogEndsAtTheTearAndIsNotChanged) {
  MakeDatabase();
  Put("b", "last", std::string(200, 'x'));
  const std::string log = std::string(kTestDirectory) + "/" + Logs().back();
  std::string bytes;
  ASSERT_TRUE(fs_->GetContents(log, &bytes).ok());
  PowerCut(1, CrashStyle::kKeepAll);  // no marker
  ASSERT_TRUE(fs_->SetContents(log, bytes.substr(0, bytes.size() - 100)).ok());
  const auto before = Directory();
  {
    Look look;
    ASSERT_TRUE(TryLook({"a", "b"}, &look).ok());
    EXPECT_EQ(look.Contents("b"), "log=3");
    EXPECT_EQ(look.Contents("a"), kContentsOfA);
  }
  EXPECT_EQ(Directory(), before);
  options_.wal_recovery_mode = WALRecoveryMode::kAbsoluteConsistency;
  Look look;
  EXPECT_TRUE(TryLook({"a", "b"}, &look).IsCorruption());
  EXPECT_EQ(Directory(), before);
}

TEST_F(ReadOnlyTest, LogsLargerThanAMemtableAreKeptInMemory) {
  MakeFamilies({});
  for (int i = 0; i < 100; ++i) Put("default", Key(i), Noise(1000, 1));
  CloseAll();
  options_.write_buffer_size = 64 << 10;
  std::unique_ptr<DB> db;
  const uint64_t calls = fs_->calls();
  ASSERT_TRUE(DB::OpenForReadOnly(options_, kTestDirectory, &db).ok());
  for (int i = 0; i < 100; ++i) {
    std::string value;
    ASSERT_TRUE(db->Get(ReadOptions(), Key(i), &value).ok());
    EXPECT_EQ(value, Noise(1000, 1));
  }
  EXPECT_EQ(fs_->calls(), calls);
}

}  // namespace
}  // namespace tamis
