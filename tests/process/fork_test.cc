// SPDX-License-Identifier: Apache-2.0
//
// A process with an open database forks. The database remains the parent's,
// whatever the child does: no acknowledged write is lost, and nothing hangs.
#include <algorithm>
#include <cstdlib>
#include <memory>
#include <spawn.h>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/db.h"
#include "tamis/file_system.h"
#include "tamis/utilities/backup_engine.h"
#include "tamis/utilities/checkpoint.h"

#include "tests/process/child.h"
#include "tests/support/directories.h"
#include "tests/support/effort.h"

extern char** environ;

namespace tamis::process {
namespace {

// A daemon's or a prefork server's: exit() destroys it.
std::unique_ptr<DB> global_db;

Options Creating() {
  Options options;
  options.create_if_missing = true;
  return options;
}

std::string Key(uint64_t i) {
  std::string digits = std::to_string(i);
  return "key" + std::string(8 - digits.size(), '0') + digits;
}

void OpenGlobal(const Options& options, const std::string& directory) {
  const Status status = DB::Open(options, directory, &global_db);
  Require(status.ok(), "open: " + status.ToString());
}

// Keys [from, to), each acknowledged in the counter.
void PutAll(uint64_t from, uint64_t to, bool sync,
            std::atomic<uint64_t>* acknowledged) {
  WriteOptions options;
  options.sync = sync;
  for (uint64_t i = from; i < to; ++i) {
    const Status status =
        global_db->Put(options, Key(i), std::string(100, 'v'));
    Require(status.ok(), "put: " + status.ToString());
    acknowledged->store(i + 1);
  }
}

uint64_t CountKeys(const std::string& directory) {
  std::unique_ptr<DB> db;
  const Status status = DB::Open(Options(), directory, &db);
  EXPECT_TRUE(status.ok()) << status;
  if (!status.ok()) return 0;
  uint64_t n = 0;
  const std::unique_ptr<Iterator> it(db->NewIterator(ReadOptions()));
  for (it->SeekToFirst(); it->Valid(); it->Next()) {
    EXPECT_EQ(it->key(), Slice(Key(n)));
    ++n;
  }
  EXPECT_TRUE(it->status().ok()) << it->status();
  return n;
}

class ForkTest : public ::testing::TestWithParam<bool> {
 protected:
  bool sync() const { return GetParam(); }
  uint64_t Puts() const { return sync() ? 200 : 20'000; }

  const TemporaryDirectory temporary_;
  const std::string directory_ = temporary_.Path("db");
  SharedCounters shared_;
};

// In the program under test: open, some puts, fork a child that calls exit(),
// more puts, and then no chance to close.
TEST_P(ForkTest, ChildThatExitsLosesNothingOfTheParents) {
  Child program([&] {
    OpenGlobal(Creating(), directory_);
    PutAll(0, Puts(), sync(), &shared_[0]);
    const int child = RunChild([]() -> int { std::exit(0); });
    Require(child == 0, "the child ended with " + std::to_string(child));
    PutAll(Puts(), 3 * Puts(), sync(), &shared_[0]);
    ::raise(SIGKILL);
    return 0;
  });
  EXPECT_EQ(program.Wait(), 128 + SIGKILL);
  EXPECT_EQ(shared_[0].load(), 3 * Puts());
  EXPECT_EQ(CountKeys(directory_), 3 * Puts());
}

// The same with threads that write, flush and compact while children come and
// go.
TEST_P(ForkTest, ChildrenExitWhileThreadsWrite) {
  constexpr uint64_t kThreads = 3;
  const int forks = Rounds(30);
  Child program([&] {
    Options options = Creating();
    options.write_buffer_size = 64 << 10;
    options.level0_file_num_compaction_trigger = 2;
    OpenGlobal(options, directory_);
    std::vector<std::thread> writers;
    for (uint64_t t = 0; t < kThreads; ++t) {
      writers.emplace_back([&, t] {
        WriteOptions write;
        write.sync = sync();
        for (uint64_t i = t;; i += kThreads) {
          const Status status =
              global_db->Put(write, Key(i), std::string(100, 'v'));
          Require(status.ok(), "put: " + status.ToString());
          shared_[t].fetch_add(1);
        }
      });
    }
    for (int i = 0; i < forks; ++i) {
      const int child = RunChild([]() -> int { std::exit(0); });
      Require(child == 0, "a child ended with " + std::to_string(child));
    }
    ::raise(SIGKILL);
    return 0;
  });
  EXPECT_EQ(program.Wait(std::chrono::seconds(120)), 128 + SIGKILL);
  std::unique_ptr<DB> db;
  const Status status = DB::Open(Options(), directory_, &db);
  ASSERT_TRUE(status.ok()) << status;
  std::string value;
  for (uint64_t t = 0; t < kThreads; ++t) {
    for (uint64_t n = 0; n < shared_[t].load(); ++n) {
      const Status got = db->Get(ReadOptions(), Key(t + n * kThreads), &value);
      ASSERT_TRUE(got.ok()) << t << " " << n << " " << got;
    }
  }
}

TEST_P(ForkTest, ChildThatDestroysEverythingLosesNothing) {
  Child program([&] {
    OpenGlobal(Creating(), directory_);
    PutAll(0, Puts(), sync(), &shared_[0]);
    ColumnFamilyHandle* family = nullptr;
    Require(global_db->CreateColumnFamily({}, "other", &family).ok(), "create");
    Require(global_db->Put({}, family, "k", "v").ok(), "put");
    Iterator* const iterator = global_db->NewIterator(ReadOptions());
    iterator->SeekToFirst();
    const Snapshot* const snapshot = global_db->GetSnapshot();
    PinnableSlice pinned;
    Require(global_db->Flush(FlushOptions()).ok(), "flush");
    Require(
        global_db->Get({}, global_db->DefaultColumnFamily(), Key(1), &pinned)
            .ok(),
        "get");
    const int child = RunChild([&] {
      delete iterator;
      global_db->ReleaseSnapshot(snapshot);
      pinned.Reset();
      delete family;
      global_db.reset();
      return 0;
    });
    Require(child == 0, "the child ended with " + std::to_string(child));
    Require(iterator->Valid() && iterator->key() == Slice(Key(0)), "iterator");
    PutAll(Puts(), 2 * Puts(), sync(), &shared_[0]);
    ::raise(SIGKILL);
    return 0;
  });
  EXPECT_EQ(program.Wait(), 128 + SIGKILL);
  std::vector<std::string> families;
  ASSERT_TRUE(DB::ListColumnFamilies({}, directory_, &families).ok());
  EXPECT_EQ(families.size(), 2U);
  std::unique_ptr<DB> db;
  std::vector<ColumnFamilyHandle*> handles;
  const Status status =
      DB::Open(DBOptions(), directory_,
               {{kDefaultColumnFamilyName, {}}, {"other", {}}}, &handles, &db);
  ASSERT_TRUE(status.ok()) << status;
  std::string value;
  for (uint64_t i = 0; i < 2 * Puts(); ++i) {
    ASSERT_TRUE(db->Get(ReadOptions(), Key(i), &value).ok()) << i;
  }
  EXPECT_TRUE(db->Get(ReadOptions(), handles[1], "k", &value).ok());
  for (ColumnFamilyHandle* handle : handles) delete handle;
}

INSTANTIATE_TEST_SUITE_P(Sync, ForkTest, ::testing::Bool(),
                         [](const auto& sync) {
                           return sync.param ? "Synced" : "NotSynced";
                         });

// By itself: the compiler distrusts every local variable beside a vfork.
int VforkAndWait() {
  int status = -1;
  const pid_t pid = ::vfork();
  if (pid == 0) ::_exit(0);
  return ::waitpid(pid, &status, 0) == pid ? status : -1;
}

class ForkedChildTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const Status status = DB::Open(Creating(), directory_, &db_);
    ASSERT_TRUE(status.ok()) << status;
    ASSERT_TRUE(db_->Put(WriteOptions(), "a", "1").ok());
  }

  const TemporaryDirectory temporary_;
  const std::string directory_ = temporary_.Path("db");
  std::unique_ptr<DB> db_;
};

TEST_F(ForkedChildTest, EveryCallIsRefusedByName) {
  std::unique_ptr<Checkpoint> checkpoint;
  ASSERT_TRUE(Checkpoint::Create(db_.get(), &checkpoint).ok());
  std::unique_ptr<BackupEngine> backups;
  ASSERT_TRUE(
      BackupEngine::Open(BackupEngineOptions(temporary_.Path("backups")),
                         nullptr, &backups)
          .ok());
  const std::unique_ptr<Iterator> iterator(db_->NewIterator(ReadOptions()));
  iterator->SeekToFirst();
  ASSERT_TRUE(iterator->Valid());
  const std::string owner = std::to_string(::getpid());
  const int code = RunChild([&] {
    const auto refused = [&](const Status& status, const char* call) {
      Require(
          status.IsNotSupported() &&
              status.message().find("process " + owner) != std::string::npos &&
              status.message().find(std::to_string(::getpid())) !=
                  std::string::npos,
          std::string(call) + ": " + status.ToString());
    };
    WriteBatch batch;
    Require(batch.Put("b", "2").ok(), "batch");
    std::string value;
    ColumnFamilyHandle* handle = nullptr;
    std::vector<Iterator*> iterators;
    TablePropertiesCollection properties;
    std::vector<std::string> values;
    refused(db_->Write({}, &batch), "Write");
    refused(db_->Put({}, "b", "2"), "Put");
    refused(db_->Get({}, "a", &value), "Get");
    refused(db_->MultiGet({}, {Slice("a")}, &values)[0], "MultiGet");
    refused(db_->MultiGet({}, {db_->DefaultColumnFamily()}, {Slice("a")},
                          &values)[0],
            "MultiGet over families");
    refused(db_->Flush({}), "Flush");
    refused(db_->CompactRange({}, nullptr, nullptr), "CompactRange");
    refused(db_->Resume(), "Resume");
    refused(db_->SyncWAL(), "SyncWAL");
    refused(db_->CreateColumnFamily({}, "x", &handle), "CreateColumnFamily");
    refused(db_->DropColumnFamily(db_->DefaultColumnFamily()),
            "DropColumnFamily");
    refused(db_->NewIterators({}, {db_->DefaultColumnFamily()}, &iterators),
            "NewIterators");
    refused(db_->GetPropertiesOfAllTables(&properties), "table properties");
    refused(db_->GetDbIdentity(&value), "GetDbIdentity");
    refused(checkpoint->CreateCheckpoint(temporary_.Path("copy")),
            "CreateCheckpoint");
    BackupInfo info;
    refused(backups->GetLatestBackupInfo(&info), "GetLatestBackupInfo");
    refused(backups->CreateNewBackup(db_.get()), "CreateNewBackup");
    refused(backups->GarbageCollect(), "GarbageCollect");
    refused(db_->Close(), "Close");
    Require(!db_->GetProperty("rocksdb.stats", &value), "GetProperty");
    Require(db_->GetSnapshot() == nullptr, "GetSnapshot");
    const std::unique_ptr<Iterator> fresh(db_->NewIterator({}));
    refused(fresh->status(), "NewIterator");
    refused(iterator->Refresh(), "Iterator::Refresh");
    Require(iterator->Valid(), "a refused Refresh changes nothing");
    iterator->Next();
    Require(!iterator->Valid(), "an iterator moves");
    refused(iterator->status(), "Iterator::Next");
    iterator->SeekToFirst();
    Require(!iterator->Valid(), "an iterator seeks");
    refused(iterator->status(), "Iterator::SeekToFirst");
    return 0;
  });
  EXPECT_EQ(code, 0);
  EXPECT_TRUE(iterator->Valid());
  EXPECT_TRUE(db_->Put(WriteOptions(), "c", "3").ok());
  EXPECT_TRUE(db_->Close().ok());
}

// A compaction has replaced a table that the iterator reads: it goes with the
// iterator, and when that is, the owner says.
TEST_F(ForkedChildTest, TablesThatAnInheritedIteratorHoldsStay) {
  const auto tables = [this] {
    std::vector<std::string> names;
    EXPECT_TRUE(NewPosixFileSystem()->GetChildren(directory_, &names).ok());
    return std::count_if(
        names.begin(), names.end(),
        [](const std::string& name) { return name.ends_with(".sst"); });
  };
  ASSERT_TRUE(db_->Flush(FlushOptions()).ok());
  std::unique_ptr<Iterator> iterator(db_->NewIterator(ReadOptions()));
  ASSERT_TRUE(db_->Put(WriteOptions(), "a", "2").ok());
  ASSERT_TRUE(db_->CompactRange({}, nullptr, nullptr).ok());
  while (tables() > 2) std::this_thread::yield();
  EXPECT_EQ(RunChild([&] {
              iterator.reset();
              return 0;
            }),
            0);
  EXPECT_EQ(tables(), 2);
  iterator->SeekToFirst();
  ASSERT_TRUE(iterator->Valid()) << iterator->status();
  EXPECT_EQ(iterator->value(), Slice("1"));
  iterator.reset();
  EXPECT_EQ(tables(), 1);
}

TEST_F(ForkedChildTest, OpensDatabasesOfItsOwn) {
  const int code = RunChild([&] {
    const std::string own = temporary_.Path("own");
    std::unique_ptr<DB> db;
    Status status = DB::Open(Creating(), own, &db);
    Require(status.ok(), "open: " + status.ToString());
    Require(db->Put({}, "b", "2").ok(), "put");
    Require(db->Flush({}).ok(), "flush");
    Require(!db_->Put({}, "b", "2").ok(), "the parent's took a put");
    // And so does a child of the child's.
    const int grandchild = RunChild([&] {
      Require(!db->Put({}, "b", "2").ok(), "the child's took a put");
      Require(!db_->Put({}, "b", "2").ok(), "the parent's took a put");
      std::unique_ptr<DB> third;
      status = DB::Open(Creating(), temporary_.Path("third"), &third);
      Require(status.ok(), "open: " + status.ToString());
      Require(third->Put({}, "c", "3").ok(), "put");
      return third->Close().ok() ? 0 : 1;
    });
    Require(grandchild == 0, "the grandchild");
    return db->Close().ok() ? 0 : 1;
  });
  EXPECT_EQ(code, 0);
}

TEST_F(ForkedChildTest, OpenRefusesTheParentsDatabase) {
  BlockBasedTableOptions table;
  table.block_cache = NewLRUCache(1 << 20);
  Options cached = Creating();
  cached.table_factory.reset(NewBlockBasedTableFactory(table));
  Options threaded = Creating();
  threaded.job_runner = NewThreadJobRunner(1, 1);
  Options managed = Creating();
  managed.sst_file_manager.reset(
      NewSstFileManager(Env::Default(), nullptr, "", /*rate_bytes_per_sec=*/1));
  const int code = RunChild([&] {
    std::unique_ptr<DB> db;
    const std::string own = temporary_.Path("own");
    Status status = DB::Open(cached, own, &db);
    Require(status.IsInvalidArgument() &&
                status.message().find("block_cache") != std::string::npos,
            status.ToString());
    status = DB::Open(threaded, own, &db);
    Require(status.IsInvalidArgument() &&
                status.message().find("job_runner") != std::string::npos,
            status.ToString());
    status = DB::Open(managed, own, &db);
    Require(status.IsInvalidArgument() &&
                status.message().find("sst_file_manager") != std::string::npos,
            status.ToString());
    managed.sst_file_manager.reset();
    return 0;
  });
  EXPECT_EQ(code, 0);
}

TEST_F(ForkedChildTest, SpawnedAndVforkedProgramsRunBesideIt) {
  for (int i = 0; i < 20; ++i) {
    ASSERT_TRUE(db_->Put(WriteOptions(), "k" + std::to_string(i), "v").ok());
    pid_t pid = 0;
    char program[] = "/bin/true";
    char* arguments[] = {program, nullptr};
    ASSERT_EQ(
        ::posix_spawn(&pid, program, nullptr, nullptr, arguments, environ), 0);
    int status = 0;
    ASSERT_EQ(::waitpid(pid, &status, 0), pid);
    ASSERT_EQ(status, 0);
    ASSERT_EQ(VforkAndWait(), 0);
  }
  ASSERT_TRUE(db_->Close().ok());
  db_.reset();
  ASSERT_TRUE(DB::Open(Options(), directory_, &db_).ok());
  std::string value;
  EXPECT_TRUE(db_->Get(ReadOptions(), "k19", &value).ok());
}

}  // namespace
}  // namespace tamis::process
