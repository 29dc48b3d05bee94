// SPDX-License-Identifier: Apache-2.0
//
// max_open_files limits the open tables, except those in use, and does not
// change results. The limit is checked by counting in the file system, and in a
// process with few descriptors.
#include <atomic>
#include <cstdio>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tests/db/test_db.h"
#include "tests/support/databases.h"
#include "tests/support/effort.h"
#include "tests/support/wrapped_file_system.h"
#include "util/base/random.h"

namespace tamis {
namespace {

// Counts the tables that are open for reading, and remembers the most.
class OpenCount {
 public:
  void Opened() {
    const int now = count_.fetch_add(1) + 1;
    int most = most_.load();
    while (now > most && !most_.compare_exchange_weak(most, now)) {
    }
  }
  void Closed() { count_.fetch_sub(1); }
  int now() const { return count_.load(); }
  int most() const { return most_.load(); }
  void ForgetMost() { most_.store(now()); }

 private:
  std::atomic<int> count_{0};
  std::atomic<int> most_{0};
};

class CountedFile final : public RandomAccessFile {
 public:
  CountedFile(std::unique_ptr<RandomAccessFile> file,
              std::shared_ptr<OpenCount> count)
      : file_(std::move(file)), count_(std::move(count)) {
    count_->Opened();
  }
  ~CountedFile() override {
    file_.reset();
    count_->Closed();
  }
  Status Read(uint64_t offset, size_t n, Slice* result,
              char* scratch) const override {
    return file_->Read(offset, n, result, scratch);
  }

 private:
  std::unique_ptr<RandomAccessFile> file_;
  const std::shared_ptr<OpenCount> count_;
};

class CountingFileSystem final : public WrappedFileSystem {
 public:
  using WrappedFileSystem::WrappedFileSystem;
  OpenCount& tables() { return *tables_; }
  // From now on, the first one to open a table waits until another thread does.
  void MeetInOpen() { to_meet_ = 2; }
  std::set<std::thread::id> openers() {
    const std::lock_guard lock(mutex_);
    return std::exchange(openers_, {});
  }

  Status NewRandomAccessFile(const std::string& path,
                             std::unique_ptr<RandomAccessFile>* file) override {
    if (to_meet_ > 0) --to_meet_;
    while (to_meet_ > 0) {
    }
    {
      const std::lock_guard lock(mutex_);
      openers_.insert(std::this_thread::get_id());
    }
    const Status status = WrappedFileSystem::NewRandomAccessFile(path, file);
    if (status.ok()) {
      *file = std::make_unique<CountedFile>(std::move(*file), tables_);
    }
    return status;
  }

 private:
  const std::shared_ptr<OpenCount> tables_ = std::make_shared<OpenCount>();
  std::atomic<int> to_meet_{0};
  std::mutex mutex_;
  std::set<std::thread::id> openers_;
};

constexpr int kKeys = 4000;
constexpr int kLimit = 16;

std::string ValueOf(int i) {
  return "value of " + Key(i) + Noise(50, static_cast<uint64_t>(i));
}

// Tables of about 20 keys.
void MakeTablesSmall(Options* options) {
  BlockBasedTableOptions table;
  table.block_size = 256;
  options->table_factory.reset(NewBlockBasedTableFactory(table));
  options->target_file_size_base = 1200;
}

class MaxOpenFilesTest : public DBTest {
 protected:
  MaxOpenFilesTest() : counting_(std::make_shared<CountingFileSystem>(fs_)) {
    options_.file_system = counting_;
    MakeTablesSmall(&options_);
  }
  OpenCount& tables() { return counting_->tables(); }

  // kKeys keys in some 200 tables of level 1, reopened with the limit.
  void MakeTree(int limit) {
    options_.disable_auto_compactions = true;
    Open();
    for (int i = 0; i < kKeys; ++i) Put(Key(i), ValueOf(i));
    Flush();
    Compact();
    ASSERT_GE(LiveFiles().size(), 150u);
    ASSERT_EQ(Levels(), "0," + std::to_string(LiveFiles().size()));
    options_.max_open_files = limit;
    db_.reset();
    tables().ForgetMost();
    Open();
  }
  void ExpectAllThere() {
    int i = 0;
    const std::unique_ptr<Iterator> it(db_->NewIterator(ReadOptions()));
    for (it->SeekToFirst(); it->Valid(); it->Next(), ++i) {
      ASSERT_EQ(it->key(), Slice(Key(i)));
      ASSERT_EQ(it->value(), Slice(ValueOf(i)));
    }
    ASSERT_TRUE(it->status().ok()) << it->status();
    ASSERT_EQ(i, kKeys);
  }

  const std::shared_ptr<CountingFileSystem> counting_;
};

TEST_F(MaxOpenFilesTest, WithoutALimitEveryTableStaysOpen) {
  MakeTree(-1);
  RunJobs();  // opens those that the open left
  EXPECT_EQ(static_cast<size_t>(tables().now()), LiveFiles().size());
  const uint64_t opens = Tick(NO_FILE_OPENS);
  ExpectAllThere();
  EXPECT_EQ(Tick(NO_FILE_OPENS), opens);
}

TEST_F(MaxOpenFilesTest, AnOpenForReadingOpensTablesInThreads) {
  ASSERT_NO_FATAL_FAILURE(MakeTree(-1));
  const size_t files = LiveFiles().size();
  db_.reset();
  UseThreads();
  counting_->MeetInOpen();
  ASSERT_EQ(DB::OpenForReadOnly(options_, kTestDirectory, &db_), Status::OK());
  EXPECT_EQ(static_cast<size_t>(tables().now()), files);
  EXPECT_GE(counting_->openers().size(), 2u);
  ExpectAllThere();
  options_.max_file_opening_threads = 1;
  db_.reset();
  counting_->openers();
  ASSERT_EQ(DB::OpenForReadOnly(options_, kTestDirectory, &db_), Status::OK());
  EXPECT_EQ(counting_->openers().size(), 1u);
}

TEST_F(MaxOpenFilesTest, AThreadThatFindsATableMissingFailsTheOpen) {
  MakeTree(-1);
  std::vector<LiveFileMetaData> files;
  db_->GetLiveFilesMetaData(&files);
  const std::string missing = files[files.size() / 2].name;
  db_.reset();
  UseThreads();
  ASSERT_EQ(fs_->RemoveFile(kTestDirectory + missing), Status::OK());
  const Status status = DB::OpenForReadOnly(options_, kTestDirectory, &db_);
  EXPECT_TRUE(status.IsCorruption()) << status;
  EXPECT_NE(status.ToString().find(missing), std::string::npos) << status;
  EXPECT_EQ(tables().now(), 0);
}

TEST_F(MaxOpenFilesTest, TheLimitHoldsAndEveryAnswerIsRight) {
  MakeTree(kLimit);
  EXPECT_EQ(tables().now(), kLimit);
  Random random(301);
  for (int n = 0; n < 2000; ++n) {
    const int i = static_cast<int>(random.Uniform(kKeys));
    ASSERT_EQ(Get(Key(i)), ValueOf(i));
    ASSERT_EQ(Get(Key(i) + "x"), "NOT_FOUND");
  }
  ExpectAllThere();
  EXPECT_EQ(Property(DB::Properties::kEstimateNumKeys),
            static_cast<uint64_t>(kKeys));
  EXPECT_EQ(Tables().size(), LiveFiles().size());
  EXPECT_EQ(tables().now(), kLimit);
  EXPECT_EQ(tables().most(), kLimit);
}

TEST_F(MaxOpenFilesTest, TheLimitChangesWhileTheDatabaseIsOpen) {
  MakeTree(kLimit);
  const auto set = [this](int limit) {
    return db_->SetDBOptions({{"max_open_files", std::to_string(limit)}});
  };
  ASSERT_EQ(set(5), Status::OK());
  EXPECT_EQ(tables().now(), 5) << "the others were closed";
  EXPECT_EQ(db_->GetDBOptions().max_open_files, 5);
  ExpectAllThere();
  EXPECT_EQ(tables().now(), 5);
  ASSERT_EQ(set(40), Status::OK());
  ExpectAllThere();
  EXPECT_EQ(tables().now(), 40);
  EXPECT_EQ(set(-1).ToString(),
            "Invalid argument: max_open_files: can be set to another limit, "
            "but from or to -1, no limit, only when the database is opened");
  EXPECT_TRUE(set(0).IsInvalidArgument());
  EXPECT_EQ(db_->GetDBOptions().max_open_files, 40);
}

// A table that an iterator is in stays readable.
TEST_F(MaxOpenFilesTest, ALowerLimitClosesNoTableUnderAnIterator) {
  MakeTree(kLimit);
  const std::unique_ptr<Iterator> it(db_->NewIterator(ReadOptions()));
  it->Seek(Key(kKeys / 2));
  ASSERT_TRUE(it->Valid());
  ASSERT_EQ(db_->SetDBOptions({{"max_open_files", "1"}}), Status::OK());
  for (int i = kKeys / 2; i < kKeys; ++i, it->Next()) {
    ASSERT_TRUE(it->Valid());
    ASSERT_EQ(it->value(), Slice(ValueOf(i)));
  }
  EXPECT_EQ(it->status(), Status::OK());
}

TEST_F(MaxOpenFilesTest, ALimitOfOneWorks) {
  MakeTree(1);
  EXPECT_EQ(tables().now(), 1);
  for (int i = 0; i < kKeys; i += 7) ASSERT_EQ(Get(Key(i)), ValueOf(i));
  ExpectAllThere();
  EXPECT_EQ(tables().most(), 1);
  Put("new", "1");
  Flush();
  Compact();
  EXPECT_EQ(Get("new"), "1");
  EXPECT_LE(tables().now(), 1);
}

TEST_F(MaxOpenFilesTest, IndexMemoryIsBounded) {
  MakeTree(-1);
  RunJobs();
  const uint64_t all = Property(DB::Properties::kEstimateTableReadersMem);
  options_.max_open_files = kLimit;
  Reopen();
  ExpectAllThere();
  EXPECT_LT(Property(DB::Properties::kEstimateTableReadersMem), all / 5);
}

TEST_F(MaxOpenFilesTest, TablesStayOpenWhileAnIteratorIsInThem) {
  MakeTree(kLimit);
  constexpr int kIterators = 40;
  std::vector<std::unique_ptr<Iterator>> iterators;
  for (int n = 0; n < kIterators; ++n) {
    iterators.emplace_back(db_->NewIterator(ReadOptions()));
    iterators.back()->Seek(Key(n * 100));
  }
  EXPECT_GE(tables().now(), kIterators);
  EXPECT_LE(tables().most(), kIterators + kLimit);
  for (int i = 0; i < kKeys; i += 11) ASSERT_EQ(Get(Key(i)), ValueOf(i));
  EXPECT_LE(tables().most(), kIterators + kLimit);
  for (int n = 0; n < kIterators; ++n) {
    Iterator* const it = iterators[static_cast<size_t>(n)].get();
    for (int i = n * 100; i < n * 100 + 100; ++i, it->Next()) {
      ASSERT_TRUE(it->Valid());
      ASSERT_EQ(it->key(), Slice(Key(i)));
      ASSERT_EQ(it->value(), Slice(ValueOf(i)));
    }
  }
  iterators.clear();
  EXPECT_LE(tables().now(), kLimit);
}

TEST_F(MaxOpenFilesTest, ATableUnderAnIteratorIsNotOpenedTwice) {
  MakeTree(2);
  const std::unique_ptr<Iterator> first(db_->NewIterator(ReadOptions()));
  const std::unique_ptr<Iterator> second(db_->NewIterator(ReadOptions()));
  first->Seek(Key(0));
  second->Seek(Key(2000));
  // Both are in use, and others push them out.
  EXPECT_EQ(Get(Key(1000)), ValueOf(1000));
  EXPECT_EQ(Get(Key(3000)), ValueOf(3000));
  const uint64_t opens = Tick(NO_FILE_OPENS);
  EXPECT_EQ(Get(Key(0)), ValueOf(0));
  EXPECT_EQ(Get(Key(2000)), ValueOf(2000));
  EXPECT_EQ(Tick(NO_FILE_OPENS), opens);
}

TEST_F(MaxOpenFilesTest, TablesInFrequentUseStayOpen) {
  MakeTree(kLimit);
  EXPECT_EQ(Get(Key(5)), ValueOf(5));
  const uint64_t before = Tick(NO_FILE_OPENS);
  int others = 0;
  for (int i = 100; i < kKeys; i += 40, ++others) {
    EXPECT_EQ(Get(Key(i)), ValueOf(i));
    EXPECT_EQ(Get(Key(5)), ValueOf(5));
  }
  EXPECT_LE(Tick(NO_FILE_OPENS) - before, static_cast<uint64_t>(others));
}

// The way to a resident block leads through its table's index.
TEST_F(MaxOpenFilesTest, ClosingATableRemovesItsBlocksFromTheCache) {
  MakeTree(1);
  const auto usage = [&] {
    uint64_t bytes = 0;
    EXPECT_TRUE(db_->GetIntProperty(DB::Properties::kBlockCacheUsage, &bytes));
    return bytes;
  };
  const uint64_t before = usage();
  EXPECT_EQ(Get(Key(0)), ValueOf(0));
  const uint64_t one_block = usage() - before;
  EXPECT_GT(one_block, 0u);
  for (int i = 100; i < kKeys; i += 100) EXPECT_EQ(Get(Key(i)), ValueOf(i));
  // A table that a Get evicts stays open until the Get ends and a later call
  // reclaims it.
  ASSERT_TRUE(db_->Put(WriteOptions(), "key", "value").ok());
  ASSERT_TRUE(db_->Flush(FlushOptions()).ok());
  EXPECT_LT(usage(), before + 3 * one_block);
}

TEST_F(MaxOpenFilesTest, AClosedTableIsIncompleteForTheCacheTier) {
  MakeTree(1);
  EXPECT_EQ(Get(Key(0)), ValueOf(0));
  EXPECT_EQ(Get(Key(kKeys - 1)), ValueOf(kKeys - 1));
  ReadOptions memory;
  memory.read_tier = kBlockCacheTier;
  std::string value;
  EXPECT_TRUE(db_->Get(memory, Key(kKeys - 1), &value).ok());
  const Status status = db_->Get(memory, Key(0), &value);
  EXPECT_TRUE(status.IsIncomplete()) << status;
}

TEST_F(MaxOpenFilesTest, OpenDetectsAMissingTableThatItDoesNotOpen) {
  MakeTree(1);
  db_.reset();
  const std::string path =
      std::string(kTestDirectory) + "/" + FilesEndingIn(".sst").back();
  std::string bytes;
  ASSERT_TRUE(fs_->GetContents(path, &bytes).ok());
  ASSERT_TRUE(fs_->SetContents(path, bytes + "x").ok());
  Status status = TryOpen();
  EXPECT_TRUE(status.IsCorruption()) << status;
  EXPECT_NE(status.message().find(path), std::string::npos) << status;
  ASSERT_TRUE(fs_->RemoveFile(path).ok());
  status = TryOpen();
  EXPECT_TRUE(status.IsCorruption()) << status;
  EXPECT_NE(status.message().find(path), std::string::npos) << status;
}

TEST_F(MaxOpenFilesTest, AFailedOpenTakesNoPlace) {
  MakeTree(2);
  const std::string path =
      std::string(kTestDirectory) + "/" + FilesEndingIn(".sst").back();
  std::string bytes;
  ASSERT_TRUE(fs_->GetContents(path, &bytes).ok());
  ASSERT_TRUE(fs_->SetContents(path, std::string(bytes.size(), '\x55')).ok());
  for (int n = 0; n < 10; ++n) {
    std::string value;
    EXPECT_TRUE(db_->Get(ReadOptions(), Key(kKeys - 1), &value).IsCorruption());
    EXPECT_EQ(Get(Key(0)), ValueOf(0));
    EXPECT_EQ(Get(Key(500)), ValueOf(500));
  }
  const uint64_t opens = Tick(NO_FILE_OPENS);
  EXPECT_EQ(Get(Key(0)), ValueOf(0));
  EXPECT_EQ(Get(Key(500)), ValueOf(500));
  EXPECT_EQ(Tick(NO_FILE_OPENS), opens);
  ASSERT_TRUE(fs_->SetContents(path, bytes).ok());
  EXPECT_EQ(Get(Key(kKeys - 1)), ValueOf(kKeys - 1));
}

TEST_F(MaxOpenFilesTest, InvalidLimitsAreRefusedByName) {
  for (const int limit : {0, -2, -100}) {
    options_.max_open_files = limit;
    const Status status = TryOpen();
    EXPECT_TRUE(status.IsInvalidArgument()) << status;
    EXPECT_NE(status.message().find("max_open_files"), std::string::npos);
  }
}

// Point reads, iterators, writes, flushes and compactions on several threads.
TEST_F(MaxOpenFilesTest, TheLimitHoldsUnderLoad) {
  MakeTree(kLimit);
  db_.reset();
  constexpr int kReaders = 4;
  constexpr int kScanners = 2;
  constexpr int kLevel0Max = 6;
  options_.disable_auto_compactions = false;
  UseThreads();
  options_.level0_file_num_compaction_trigger = 4;
  options_.level0_slowdown_writes_trigger = 5;
  options_.level0_stop_writes_trigger = kLevel0Max;
  options_.max_bytes_for_level_base = 200 * 1024;
  options_.write_buffer_size = 64 * 1024;
  Open();
  tables().ForgetMost();

  std::atomic<bool> stop{false};
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < kReaders; ++t) {
    threads.emplace_back([&, t] {
      Random random(static_cast<uint64_t>(t));
      while (!stop.load()) {
        const int i = static_cast<int>(random.Uniform(kKeys));
        if (Get(Key(i)) != ValueOf(i)) wrong.fetch_add(1);
      }
    });
  }
  for (int t = 0; t < kScanners; ++t) {
    threads.emplace_back([&, t] {
      Random random(static_cast<uint64_t>(100 + t));
      while (!stop.load()) {
        const std::unique_ptr<Iterator> it(db_->NewIterator(ReadOptions()));
        int i = static_cast<int>(random.Uniform(kKeys));
        const bool forward = random.OneIn(2);
        it->Seek(Key(i));
        for (int n = 0; n < 200 && i >= 0 && i < kKeys; ++n) {
          if (!it->Valid() || it->key() != Slice(Key(i)) ||
              it->value() != Slice(ValueOf(i))) {
            wrong.fetch_add(1);
            break;
          }
          forward ? it->Next() : it->Prev();
          i += forward ? 1 : -1;
        }
      }
    });
  }
  // Keys again, with the same value: what is read does not change, while
  // tables are replaced; all of them, where the effort is whole.
  Random random(7);
  for (int n = 0; n < Rounds(3 * kKeys); ++n) {
    const int i = static_cast<int>(random.Uniform(kKeys));
    Put(Key(i), ValueOf(i));
  }
  stop.store(true);
  for (std::thread& thread : threads) thread.join();
  Compact();

  EXPECT_EQ(wrong.load(), 0);
  // One table of each level, all of level 0; and a flush and a compaction
  // verify their output.
  constexpr int kLevels = 3;
  constexpr int kInUseMax = kReaders + (kScanners + 1) * (kLevel0Max + kLevels);
  constexpr int kReadBack = 2;
  EXPECT_LE(tables().most(), kLimit + kInUseMax + kReadBack);
  EXPECT_LE(tables().now(), kLimit);
  EXPECT_GE(LiveFiles().size(), 100u);
  ExpectAllThere();
  std::printf("at most %d tables were open, of %zu\n", tables().most(),
              LiveFiles().size());
}

// What a process with few descriptors sees. Exit code 0: all as it should.
int RunWithFewDescriptors(const std::string& directory, int max_open_files) {
  const struct rlimit few = {64, 64};
  if (::setrlimit(RLIMIT_NOFILE, &few) != 0) return 10;
  Options options;
  MakeTablesSmall(&options);
  options.max_open_files = max_open_files;
  options.write_buffer_size = 64 * 1024;
  std::unique_ptr<DB> db;
  const Status status = DB::Open(options, directory, &db);
  if (max_open_files == -1) {
    return status.IsIOError() &&
                   status.message().find(directory) != std::string::npos
               ? 0
               : 11;
  }
  if (!status.ok()) return 12;
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < kKeys; ++i) {
      std::string value;
      if (!db->Get(ReadOptions(), Key(i), &value).ok()) return 13;
      if (value != ValueOf(i)) return 14;
      if (!db->Put(WriteOptions(), Key(i), ValueOf(i)).ok()) return 15;
    }
    if (!db->CompactRange(CompactRangeOptions(), nullptr, nullptr).ok()) {
      return 16;
    }
    Status scanned;
    if (ScanForward(db.get(), &scanned).size() != kKeys || !scanned.ok()) {
      return 17;
    }
  }
  return db->Close().ok() ? 0 : 18;
}

TEST(MaxOpenFilesPosixTest, AProcessWithFewDescriptorsCanUseManyTables) {
  const TemporaryDirectory temporary;
  const std::string directory = temporary.Path("db");
  {
    Options options;
    options.create_if_missing = true;
    MakeTablesSmall(&options);
    std::unique_ptr<DB> db;
    ASSERT_TRUE(DB::Open(options, directory, &db).ok());
    for (int i = 0; i < kKeys; ++i) {
      ASSERT_TRUE(db->Put(WriteOptions(), Key(i), ValueOf(i)).ok());
    }
    ASSERT_TRUE(db->CompactRange(CompactRangeOptions(), nullptr, nullptr).ok());
    std::vector<LiveFileMetaData> files;
    db->GetLiveFilesMetaData(&files);
    ASSERT_GE(files.size(), 150u);
  }
  for (const int limit : {-1, kLimit}) {
    const pid_t child = ::fork();
    if (child == 0) ::_exit(RunWithFewDescriptors(directory, limit));
    ASSERT_GT(child, 0);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status)) << limit;
    EXPECT_EQ(WEXITSTATUS(status), 0) << limit;
  }
}

}  // namespace
}  // namespace tamis
