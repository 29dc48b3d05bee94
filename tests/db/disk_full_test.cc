// SPDX-License-Identifier: Apache-2.0
//
// A disk that becomes full, during every kind of write. It is a real one of
// 8 MiB, a tmpfs, if mounting is allowed; otherwise a file system that refuses
// to grow files, which has no partly written pages, and the test says so.
//
// Each time, writes fail with a Status that says "no space" and names the file;
// reads work; Resume or a reopen succeeds once there is space; and no
// acknowledged write is lost. RocksDB's ldb, if installed, reads the survivors.
//
// Shows D20 and D21 of docs/durability.md.
#include <atomic>
#include <chrono>
#include <cstdio>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/db.h"

#include "tests/db/test_db.h"
#include "tests/support/databases.h"
#include "tests/support/tmpfs_disk.h"
#include "tests/support/wrapped_file_system.h"
#include "util/base/mutex.h"
#include "util/base/random.h"

namespace tamis {
namespace {

class SmallDiskFile final : public WrappedWritableFile {
 public:
  SmallDiskFile(std::unique_ptr<WritableFile> file, std::string path,
                std::function<Status(const std::string&)> before_append)
      : WrappedWritableFile(std::move(file)),
        path_(std::move(path)),
        before_append_(std::move(before_append)) {}
  Status Append(const Slice& data) override {
    const Status status = before_append_(path_);
    return status.ok() ? WrappedWritableFile::Append(data) : status;
  }

 private:
  const std::string path_;
  const std::function<Status(const std::string&)> before_append_;
};

// A disk of 32 MiB, more than any test writes, that can be filled to the brim
// at once, by hand or when a file whose name holds a text is next appended to.
// Any thread.
class SmallDisk final : public WrappedFileSystem {
 public:
  SmallDisk() : WrappedFileSystem(NewPosixFileSystem()) {
    if (!real()) std::fprintf(stderr, "*** the full disk is simulated ***\n");
  }

  std::string directory() const { return disk_.path() + "/db"; }

  void Fill() EXCLUDES(mutex_) {
    MutexLock lock(&mutex_);
    FillLocked();
  }
  void FillAtAppendTo(const std::string& text) EXCLUDES(mutex_) {
    MutexLock lock(&mutex_);
    fill_at_ = text;
  }
  bool full() EXCLUDES(mutex_) {
    MutexLock lock(&mutex_);
    return full_;
  }
  void MakeSpace() EXCLUDES(mutex_) {
    MutexLock lock(&mutex_);
    fill_at_.clear();
    full_ = false;
    if (real()) std::remove(Ballast().c_str());
  }

  Status NewWritableFile(const std::string& path,
                         std::unique_ptr<WritableFile>* file) override {
    const Status status = WrappedFileSystem::NewWritableFile(path, file);
    if (!status.ok()) return status;
    *file = std::make_unique<SmallDiskFile>(
        std::move(*file), path,
        [this](const std::string& name) { return BeforeAppend(name); });
    return Status::OK();
  }

 private:
  bool real() const { return disk_.is_mounted(); }
  std::string Ballast() const { return disk_.path() + "/ballast"; }

  void FillLocked() REQUIRES(mutex_) {
    full_ = true;
    if (!real()) return;
    std::FILE* const file = std::fopen(Ballast().c_str(), "ab");
    ASSERT_NE(file, nullptr);
    std::setvbuf(file, nullptr, _IONBF, 0);
    const std::string page(4096, 'b');
    while (std::fwrite(page.data(), 1, page.size(), file) == page.size()) {
    }
    std::fclose(file);
  }

  Status BeforeAppend(const std::string& path) EXCLUDES(mutex_) {
    MutexLock lock(&mutex_);
    if (!fill_at_.empty() && path.find(fill_at_) != std::string::npos) {
      fill_at_.clear();
      FillLocked();
    }
    return full_ && !real()
               ? Status::NoSpace(path, "the simulated disk is full")
               : Status::OK();
  }

  const TmpfsDisk disk_{32};
  Mutex mutex_;
  std::string fill_at_ GUARDED_BY(mutex_);
  bool full_ GUARDED_BY(mutex_) = false;
};

class DiskFullTest : public testing::Test {
 protected:
  DiskFullTest() : disk_(std::make_shared<SmallDisk>()) {
    options_.create_if_missing = true;
    options_.file_system = disk_;
    options_.compression = kNoCompression;
    options_.write_buffer_size = 64 * 1024;
    options_.target_file_size_base = 64 * 1024;
    options_.max_bytes_for_level_base = 256 * 1024;
    options_.max_log_file_size = 256 * 1024;
  }
  ~DiskFullTest() override { db_.reset(); }

  Status TryOpen() {
    db_.reset();
    return DB::Open(options_, disk_->directory(), &db_);
  }
  void Open() {
    const Status status = TryOpen();
    ASSERT_TRUE(status.ok()) << status;
  }
  Status Put(const std::string& key, const std::string& value) {
    const Status status = db_->Put(WriteOptions(), key, value);
    if (status.ok()) {
      acknowledged_[key] = value;
      uncertain_.erase(key);
    } else {
      // The error came after the log took it, or before: either is right.
      uncertain_[key] = value;
    }
    return status;
  }
  // Keys long enough that the bounds of two tables pass a page: an edit of the
  // MANIFEST does not fit into what is left of the last one.
  static std::string LongKey(int i) { return Key(i) + std::string(3000, 'k'); }
  void PutSome(int n, uint64_t seed) {
    for (int i = 0; i < n; ++i) {
      const Status status =
          Put(LongKey(i), Noise(1000, seed * 1000 + static_cast<uint64_t>(i)));
      ASSERT_TRUE(status.ok()) << status;
    }
  }
  void ExpectNoSpace(const Status& status, const std::string& file) {
    EXPECT_TRUE(status.IsNoSpace()) << status;
    EXPECT_NE(status.message().find(disk_->directory()), std::string::npos)
        << status;
    EXPECT_NE(status.message().find(file), std::string::npos) << status;
  }
  // Everything acknowledged is there and, of what was refused, at most what
  // was refused last for a key that the database itself took into its log.
  void ExpectAcknowledged(bool reopened) {
    KeyValues expected(acknowledged_.begin(), acknowledged_.end());
    Status status;
    KeyValues shown = ScanForward(db_.get(), &status);
    EXPECT_TRUE(status.ok()) << status;
    if (reopened) {
      for (const auto& [key, value] : shown) {
        const auto maybe = uncertain_.find(key);
        if (maybe != uncertain_.end() && maybe->second == value) {
          acknowledged_[key] = value;
        }
      }
      expected.assign(acknowledged_.begin(), acknowledged_.end());
      uncertain_.clear();
    }
    EXPECT_EQ(Difference(expected, shown), "");
    EXPECT_EQ(DifferenceFrom(expected, db_.get(), &status), "");
    EXPECT_TRUE(status.ok()) << status;
  }
  // The disk is full, and the database has the error.
  void ExpectReadOnly() {
    EXPECT_TRUE(disk_->full());
    for (int n = 0; n < 3; ++n) {
      EXPECT_TRUE(Put("refused", "x").IsNoSpace());
      EXPECT_TRUE(db_->Flush(FlushOptions()).IsNoSpace());
    }
    ExpectAcknowledged(false);
    // Nothing is better before there is space. A failed job removes its files:
    // what they gave back is filled, too.
    disk_->Fill();
    EXPECT_TRUE(db_->Resume().IsNoSpace());
    EXPECT_TRUE(Put("refused", "x").IsNoSpace());
    ExpectAcknowledged(false);
  }
  void ExpectRecovery() {
    disk_->MakeSpace();
    const Status status = db_->Resume();
    ASSERT_TRUE(status.ok()) << status;
    ExpectAcknowledged(false);
    EXPECT_TRUE(Put("after", "1").ok());
    EXPECT_TRUE(db_->Flush(FlushOptions()).ok());
    EXPECT_TRUE(
        db_->CompactRange(CompactRangeOptions(), nullptr, nullptr).ok());
    ExpectAcknowledged(false);
    Open();
    ExpectAcknowledged(true);
    ExpectLdbAgrees();
  }
  // Closes the database for it: a directory that is copied may not change.
  void ExpectLdbAgrees() {
    if (RunCommand("command -v ldb").exit_code != 0) {
      std::fprintf(stderr, "*** ldb is missing: Tamis reads alone ***\n");
      return;
    }
    db_.reset();
    const TemporaryDirectory temporary;
    const std::string copy = temporary.Path("copy");
    CopyDirectory(disk_->directory(), copy);
    const CommandResult scanned =
        RunCommand("ldb --db=" + copy + " --hex scan");
    std::string rest;
    EXPECT_EQ(scanned.exit_code, 0) << scanned.output.substr(0, 1000);
    EXPECT_EQ(Difference(KeyValues(acknowledged_.begin(), acknowledged_.end()),
                         ParseHexScan(scanned.output, &rest)),
              "");
    Open();
  }

  const std::shared_ptr<SmallDisk> disk_;
  Options options_;
  std::unique_ptr<DB> db_;
  std::map<std::string, std::string> acknowledged_;
  std::map<std::string, std::string> uncertain_;
};

TEST_F(DiskFullTest, InTheLog) {
  Open();
  PutSome(10, 1);
  disk_->Fill();
  Status status;
  for (int i = 0; i < 10 && status.ok(); ++i) {
    status = Put(LongKey(100 + i), Noise(1000, 2));
  }
  ExpectNoSpace(status, ".log");
  ExpectReadOnly();
  ExpectRecovery();
}

TEST_F(DiskFullTest, InASyncedWriteToTheLog) {
  Open();
  PutSome(10, 1);
  disk_->FillAtAppendTo(".log");
  WriteOptions sync;
  sync.sync = true;
  ExpectNoSpace(db_->Put(sync, "large", Noise(30000, 1)), ".log");
  uncertain_["large"] = Noise(30000, 1);
  ExpectReadOnly();
  ExpectRecovery();
}

TEST_F(DiskFullTest, InAFlush) {
  Open();
  PutSome(10, 1);
  disk_->FillAtAppendTo(".sst");
  ExpectNoSpace(db_->Flush(FlushOptions()), ".sst");
  ExpectReadOnly();
  ExpectRecovery();
}

TEST_F(DiskFullTest, InAFlushOfAFullMemtable) {
  Open();
  disk_->FillAtAppendTo(".sst");
  Status status;
  for (int i = 0; i < 1000 && status.ok(); ++i) {
    status = Put(LongKey(i % 50), Noise(1000, static_cast<uint64_t>(i)));
  }
  // The log may have been first to meet the full disk.
  EXPECT_TRUE(status.IsNoSpace()) << status;
  ExpectReadOnly();
  ExpectRecovery();
}

TEST_F(DiskFullTest, InACompaction) {
  options_.disable_auto_compactions = true;
  Open();
  for (uint64_t n = 0; n < 3; ++n) {
    PutSome(12, n);
    ASSERT_TRUE(db_->Flush(FlushOptions()).ok());
  }
  disk_->FillAtAppendTo(".sst");
  ExpectNoSpace(db_->CompactRange(CompactRangeOptions(), nullptr, nullptr),
                ".sst");
  ExpectReadOnly();
  ExpectRecovery();
}

TEST_F(DiskFullTest, InTheManifestAfterAFlush) {
  Open();
  PutSome(10, 1);
  disk_->FillAtAppendTo("MANIFEST");
  ExpectNoSpace(db_->Flush(FlushOptions()), "MANIFEST");
  ExpectReadOnly();
  ExpectRecovery();
}

TEST_F(DiskFullTest, InTheManifestAfterACompaction) {
  options_.disable_auto_compactions = true;
  Open();
  for (uint64_t n = 0; n < 3; ++n) {
    PutSome(12, n);
    ASSERT_TRUE(db_->Flush(FlushOptions()).ok());
  }
  disk_->FillAtAppendTo("MANIFEST");
  ExpectNoSpace(db_->CompactRange(CompactRangeOptions(), nullptr, nullptr),
                "MANIFEST");
  ExpectReadOnly();
  ExpectRecovery();
}

TEST_F(DiskFullTest, AnOpenOnAFullDiskFailsAndDamagesNothing) {
  Open();
  PutSome(10, 1);
  ASSERT_TRUE(db_->Flush(FlushOptions()).ok());
  PutSome(10, 2);
  db_.reset();
  disk_->Fill();
  for (int n = 0; n < 3; ++n) {
    const Status status = TryOpen();
    EXPECT_TRUE(status.IsNoSpace()) << status;
    EXPECT_NE(status.message().find(disk_->directory()), std::string::npos)
        << status;
  }
  disk_->MakeSpace();
  Open();
  ExpectAcknowledged(true);
  ExpectLdbAgrees();
}

TEST_F(DiskFullTest, ADatabaseClosedOnAFullDiskReopensWhole) {
  Open();
  PutSome(10, 1);
  disk_->FillAtAppendTo("MANIFEST");
  ExpectNoSpace(db_->Flush(FlushOptions()), "MANIFEST");
  // Closed without Resume, and opened in vain.
  db_.reset();
  EXPECT_TRUE(TryOpen().IsNoSpace());
  disk_->MakeSpace();
  Open();
  ExpectAcknowledged(true);
  EXPECT_TRUE(Put("after", "1").ok());
  Open();
  ExpectAcknowledged(true);
  ExpectLdbAgrees();
}

// Writes with small buffers, so that flushes and compactions are under way
// all the time, and the disk fills when some file is appended to.
TEST_F(DiskFullTest, AtAnyTimeUnderLoad) {
  const uint64_t seed = 301;
  Random random(seed);
  // A failed job gives back space, with which the database could go on.
  options_.max_bgerror_resume_count = 0;
  Open();
  int met = 0;  // rounds in which a write failed
  for (int round = 0; round < 24 && !HasFailure(); ++round) {
    SCOPED_TRACE("round " + std::to_string(round));
    const char* const kinds[] = {".log", ".sst", "MANIFEST", "/db/"};
    const std::string kind = kinds[random.Uniform(4)];
    const uint64_t quiet = random.Uniform(150);
    Status status;
    for (uint64_t n = 0; n < 5000 && status.ok(); ++n) {
      if (n == quiet) disk_->FillAtAppendTo(kind);
      status = Put(Key(static_cast<int>(random.Uniform(300))),
                   Noise(random.Uniform(3000), random.Next()));
    }
    // What a job deletes just then may be enough for all writes.
    EXPECT_TRUE(status.IsNoSpace() || status.ok()) << status;
    if (!status.ok()) ++met;
    EXPECT_TRUE(disk_->full());
    ExpectAcknowledged(false);
    const bool resume = random.OneIn(2);
    if (resume) {
      // It may do with what the failure gave back.
      if (random.OneIn(2)) {
        status = db_->Resume();
        EXPECT_TRUE(status.ok() || status.IsNoSpace()) << status;
        ExpectAcknowledged(false);
      }
      disk_->MakeSpace();
      status = db_->Resume();
      ASSERT_TRUE(status.ok()) << status;
      // A job that met the full disk, after the first Resume, may fail now.
      if (!db_->WaitForCompact(WaitForCompactOptions()).ok()) {
        status = db_->Resume();
        ASSERT_TRUE(status.ok()) << status;
      }
      ExpectAcknowledged(false);
    } else {
      db_.reset();
      if (random.OneIn(2)) {
        status = TryOpen();
        EXPECT_TRUE(status.ok() || status.IsNoSpace()) << status;
      }
      disk_->MakeSpace();
      Open();
      ExpectAcknowledged(true);
    }
    if (round % 6 == 5) {
      Open();
      ExpectAcknowledged(true);
      ExpectLdbAgrees();
    }
  }
  EXPECT_GT(met, 12);
}

class DiskFullResumeTest : public DBTest {};

// A compaction is in the middle of a table when the log meets the full disk;
// it meets it only when the disk has space again and Resume is under way.
TEST_F(DiskFullResumeTest, ResumeWaitsForJobsThatFailLate) {
  UseThreads();
  options_.disable_auto_compactions = true;
  Open();
  for (int n = 0; n < 2; ++n) {
    Put("a", std::to_string(n));
    Flush();
  }
  std::promise<void> reached;
  std::promise<void> released;
  std::atomic<bool> log_fails{false};
  std::atomic<bool> first{true};
  fs_->SetFaultHook([&](const SimulatedFileSystem::Call& call) {
    if (call.operation == "append" && call.path.ends_with(".sst") &&
        first.exchange(false)) {
      reached.set_value();
      released.get_future().wait();
      return Status::NoSpace(call.path, "the disk was full");
    }
    if (log_fails && call.operation == "flush" && call.path.ends_with(".log")) {
      return Status::NoSpace(call.path, "the disk is full");
    }
    return Status::OK();
  });
  std::thread compaction([this] {
    EXPECT_TRUE(
        db_->CompactRange(CompactRangeOptions(), nullptr, nullptr).IsNoSpace());
  });
  reached.get_future().wait();
  log_fails = true;
  EXPECT_TRUE(db_->Put(WriteOptions(), "b", "1").IsNoSpace());
  log_fails = false;
  std::thread release([&released] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    released.set_value();
  });
  const Status status = db_->Resume();
  EXPECT_TRUE(status.ok()) << status;
  compaction.join();
  release.join();
  fs_->SetFaultHook(nullptr);
  Put("b", "2");
  Compact();
  EXPECT_EQ(Get("a"), "1");
}

}  // namespace
}  // namespace tamis
