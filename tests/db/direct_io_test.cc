// SPDX-License-Identifier: Apache-2.0
//
// use_direct_io_for_flush_and_compaction: which files are opened with it, and
// file systems without it.
#include <map>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "tests/db/test_db.h"
#include "tests/support/directories.h"
#include "tests/support/wrapped_file_system.h"

namespace tamis {
namespace {

// Counts opens by how they are done.
class WatchedFileSystem final : public WrappedFileSystem {
 public:
  explicit WatchedFileSystem(std::shared_ptr<FileSystem> base)
      : WrappedFileSystem(base), watched_(std::move(base)) {}

  Status OpenRandomAccessFile(
      const std::string& path, const FileOptions& options,
      std::unique_ptr<RandomAccessFile>* file) override {
    if (path.ends_with(".sst")) {
      ++(options.use_direct_reads ? direct_reads : other_reads);
    }
    return watched_->OpenRandomAccessFile(path, options, file);
  }
  Status OpenWritableFile(const std::string& path, const FileOptions& options,
                          std::unique_ptr<WritableFile>* file) override {
    if (path.ends_with(".sst")) {
      ++(options.use_direct_writes ? direct_writes : other_writes);
    }
    EXPECT_FALSE(options.use_direct_writes && path.ends_with(".log"));
    return watched_->OpenWritableFile(path, options, file);
  }

  int direct_reads = 0;
  int other_reads = 0;
  int direct_writes = 0;
  int other_writes = 0;

 private:
  const std::shared_ptr<FileSystem> watched_;
};

class DirectIoTest : public DBTest {
 protected:
  DirectIoTest() {
    options_.use_direct_io_for_flush_and_compaction = true;
    options_.file_system = watched_;
  }
  const std::shared_ptr<WatchedFileSystem> watched_ =
      std::make_shared<WatchedFileSystem>(fs_);
};

TEST_F(DirectIoTest, FlushesAndCompactionsUseIt) {
  Open();
  PutMany(100);
  Flush();
  EXPECT_EQ(watched_->direct_writes, 1);
  EXPECT_EQ(watched_->other_writes, 0);
  PutMany(100);
  Flush();
  const int written = watched_->direct_writes;
  const int read = watched_->direct_reads;
  Compact();
  EXPECT_GT(watched_->direct_writes, written);
  EXPECT_GE(watched_->direct_reads, read + 2);
  EXPECT_EQ(watched_->other_writes, 0);
  // Reads do not.
  const int direct = watched_->direct_reads;
  EXPECT_EQ(Get(Key(7)), Noise(100, 7));
  EXPECT_EQ(watched_->direct_reads, direct);
  EXPECT_GT(watched_->other_reads, 0);
}

TEST_F(DirectIoTest, WithoutTheOptionNothingDoes) {
  options_.use_direct_io_for_flush_and_compaction = false;
  Open();
  PutMany(100);
  Flush();
  PutMany(100);
  Flush();
  Compact();
  EXPECT_EQ(watched_->direct_writes + watched_->direct_reads, 0);
  EXPECT_GT(watched_->other_writes, 0);
}

TEST_F(DirectIoTest, TablesOfARecoveredLogUseIt) {
  Open();
  PutMany(100);
  Reopen();
  EXPECT_EQ(watched_->direct_writes, 1);
  EXPECT_EQ(watched_->other_writes, 0);
}

// At the open, before a flush fails.
TEST_F(DirectIoTest, AFileSystemWithoutItIsRefusedByName) {
  options_.use_direct_io_for_flush_and_compaction = false;
  Open();
  Put("a", "1");
  db_.reset();
  options_.use_direct_io_for_flush_and_compaction = true;
  options_.file_system = std::make_shared<WrappedFileSystem>(fs_);
  const Status status = TryOpen();
  EXPECT_TRUE(status.IsInvalidArgument()) << status;
  EXPECT_NE(status.message().find("use_direct_io_for_flush_and_compaction"),
            std::string::npos)
      << status;
  // Nothing is compacted there.
  ASSERT_EQ(DB::OpenForReadOnly(options_, kTestDirectory, &db_), Status::OK());
  EXPECT_EQ(Get("a"), "1");
  db_.reset();
  // A repair writes in the way that always works.
  const Status repaired = RepairDB(kTestDirectory, options_);
  EXPECT_EQ(repaired, Status::OK());
}

// One that reads directly, but does not write so.
TEST_F(DirectIoTest, WritesAreTriedToo) {
  class OnlyReads final : public WrappedFileSystem {
   public:
    explicit OnlyReads(std::shared_ptr<FileSystem> base)
        : WrappedFileSystem(base), base_(std::move(base)) {}
    Status OpenRandomAccessFile(
        const std::string& path, const FileOptions& options,
        std::unique_ptr<RandomAccessFile>* file) override {
      return base_->OpenRandomAccessFile(path, options, file);
    }

   private:
    const std::shared_ptr<FileSystem> base_;
  };
  options_.file_system = std::make_shared<OnlyReads>(fs_);
  const Status status = TryOpen();
  EXPECT_TRUE(status.IsInvalidArgument()) << status;
  EXPECT_NE(status.message().find("no direct writes"), std::string::npos)
      << status;
  EXPECT_TRUE(FilesEndingIn(".dbtmp").empty());
}

// On the operating system's files.
TEST_F(DirectIoTest, RealTablesAreWrittenSo) {
  const TemporaryDirectory directory;
  options_.file_system = NewPosixFileSystem();
  options_.bytes_per_sync = 1000;
  const std::string where = directory.Path("db");
  const Status status = DB::Open(options_, where, &db_);
  if (status.IsInvalidArgument()) GTEST_SKIP() << status;
  ASSERT_EQ(status, Status::OK());
  for (int round = 0; round < 3; ++round) {
    PutMany(300, 5000);
    Flush();
  }
  Compact();
  EXPECT_EQ(db_->VerifyChecksum(), Status::OK());
  db_.reset();
  ASSERT_EQ(DB::Open(options_, where, &db_), Status::OK());
  for (int i = 0; i < 300; ++i) {
    ASSERT_EQ(Get(Key(i)), Noise(5000, static_cast<uint64_t>(i)));
  }
}

}  // namespace
}  // namespace tamis
