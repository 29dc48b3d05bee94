// SPDX-License-Identifier: Apache-2.0
//
// Tables of real files, read by calls, through mappings and directly. Another
// process truncates a table that is mapped: reads of what is gone return the
// error, the process and all other tables live, and so does the table when its
// bytes are back.
#include <algorithm>
#include <atomic>
#include <fcntl.h>
#include <map>
#include <memory>
#include <ostream>
#include <string>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/db.h"
#include "tamis/file_system.h"
#include "tamis/table.h"

#include "tests/support/directories.h"
#include "tests/support/wrapped_file_system.h"
#include "util/base/random.h"

namespace tamis::process {
namespace {

class TableReadsTest : public ::testing::Test {
 protected:
  TableReadsTest() {
    BlockBasedTableOptions table;
    table.no_block_cache = true;
    options_.create_if_missing = true;
    options_.compression = kNoCompression;
    options_.disable_auto_compactions = true;
    options_.table_factory.reset(NewBlockBasedTableFactory(table));
  }
  void Open() {
    const Status status = DB::Open(options_, directory_, &db_);
    ASSERT_TRUE(status.ok()) << status;
  }
  static std::string Key(char prefix, int i) {
    std::string digits = std::to_string(i);
    return prefix + std::string(5 - digits.size(), '0') + digits;
  }
  static std::string Value(int i) {
    return std::string(1000, static_cast<char>('A' + i % 26));
  }
  // Makes a table of some 200 KB.
  void WriteTable(char prefix) {
    for (int i = 0; i < kKeys; ++i) {
      ASSERT_TRUE(db_->Put({}, Key(prefix, i), Value(i)).ok());
    }
    ASSERT_TRUE(db_->Flush(FlushOptions()).ok());
  }
  std::vector<std::string> Tables() const {
    std::vector<std::string> names;
    EXPECT_TRUE(NewPosixFileSystem()->GetChildren(directory_, &names).ok());
    std::vector<std::string> tables;
    for (const std::string& name : names) {
      if (name.ends_with(".sst")) tables.push_back(directory_ + "/" + name);
    }
    std::sort(tables.begin(), tables.end());
    return tables;
  }
  static bool Names(const Status& status, const std::string& part) {
    return status.message().find(part) != std::string::npos;
  }

  static constexpr int kKeys = 200;
  const TemporaryDirectory temporary_;
  const std::string directory_ = temporary_.Path("db");
  Options options_;
  std::unique_ptr<DB> db_;
};

// The parameter: bytes that stay of the table.
class CutTableTest : public TableReadsTest,
                     public ::testing::WithParamInterface<int> {
 protected:
  CutTableTest() { options_.allow_mmap_reads = true; }
  void MakeTables() {
    ASSERT_NO_FATAL_FAILURE(Open());
    ASSERT_NO_FATAL_FAILURE(WriteTable('a'));
    ASSERT_NO_FATAL_FAILURE(WriteTable('b'));
    // Opens them, and has their mappings used (util/io/page_cache_sampler.h).
    std::string value;
    for (int i = 0; i < kKeys; ++i) {
      ASSERT_TRUE(db_->Get({}, Key('a', i), &value).ok());
      ASSERT_TRUE(db_->Get({}, Key('b', i), &value).ok());
    }
    cut_ = Tables().at(0);
    bytes_ = ReadWholeFile(cut_);
    ASSERT_GT(bytes_.size(), 200'000u);
    ASSERT_TRUE(IsMapped());
  }
  // Returns whether a mapping of the table exists. True if nothing tells.
  bool IsMapped() const {
    const std::string maps = ReadWholeFile("/proc/self/maps");
    return maps.empty() || maps.find(cut_) != std::string::npos;
  }
  void Cut() const { ASSERT_EQ(::truncate(cut_.c_str(), GetParam()), 0); }
  // A page that was cut in its middle shows zeros, which the checksum finds.
  bool IsExpected(const Status& status) const {
    return Names(status, cut_) &&
           (status.IsIOError()
                ? Names(status, "truncated") && Names(status, "at offset ")
                : status.IsCorruption() &&
                      GetParam() % ::sysconf(_SC_PAGESIZE) != 0);
  }

  std::string cut_;
  std::string bytes_;
};

TEST_P(CutTableTest, IsAnErrorAndNotACrash) {
  ASSERT_NO_FATAL_FAILURE(MakeTables());
  ASSERT_NO_FATAL_FAILURE(Cut());
  std::string value;
  int errors = 0;
  for (int i = 0; i < kKeys; ++i) {
    const Status status = db_->Get({}, Key('a', i), &value);
    if (status.ok()) {
      EXPECT_EQ(value, Value(i));
    } else {
      EXPECT_TRUE(IsExpected(status)) << status;
      errors += status.IsIOError();
    }
    ASSERT_TRUE(db_->Get({}, Key('b', i), &value).ok()) << i;
    EXPECT_EQ(value, Value(i));
  }
  EXPECT_GE(errors, (200'000 - GetParam()) / 1100);
  {
    const std::unique_ptr<Iterator> it(db_->NewIterator({}));
    int i = 0;
    for (it->SeekToFirst(); it->Valid(); it->Next(), ++i) {
      ASSERT_EQ(it->key().ToString(), Key('a', i));
    }
    EXPECT_LT(i, kKeys);
    EXPECT_TRUE(IsExpected(it->status())) << it->status();
  }
  // Its bytes come back, in place.
  const int fd = ::open(cut_.c_str(), O_WRONLY | O_CLOEXEC);
  ASSERT_EQ(::pwrite(fd, bytes_.data(), bytes_.size(), 0),
            static_cast<ssize_t>(bytes_.size()));
  ::close(fd);
  for (int i = 0; i < kKeys; ++i) {
    const Status status = db_->Get({}, Key('a', i), &value);
    ASSERT_TRUE(status.ok()) << status;
    EXPECT_EQ(value, Value(i));
  }
}

// A read behind the cut finds that a page is not in memory, one time in
// sixteen, and is a call then. The others fault.
TEST_P(CutTableTest, IsNotMappedAfterAFault) {
  if (ReadWholeFile("/proc/self/maps").empty()) {
    GTEST_SKIP() << "the system does not list mappings";
  }
  bool is_mapped = true;
  for (int attempt = 0; attempt < 10 && is_mapped; ++attempt) {
    if (db_ != nullptr) {
      db_.reset();
      ASSERT_TRUE(DestroyDB(directory_, options_).ok());
    }
    ASSERT_NO_FATAL_FAILURE(MakeTables());
    ASSERT_NO_FATAL_FAILURE(Cut());
    std::string value;
    ASSERT_FALSE(db_->Get({}, Key('a', kKeys - 1), &value).ok());
    is_mapped = IsMapped();
  }
  EXPECT_FALSE(is_mapped);
}

TEST_P(CutTableTest, IsAnErrorInEveryThread) {
  ASSERT_NO_FATAL_FAILURE(MakeTables());
  std::atomic<int> reads{0};
  std::atomic<int> wrong{0};
  std::atomic<int> errors{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      std::string value;
      for (int i = t; errors < 1000; ++i) {
        const Status status = db_->Get({}, Key('a', i % kKeys), &value);
        ++reads;
        if (!status.ok()) ++errors;
        const bool right =
            status.ok() ? value == Value(i % kKeys) : IsExpected(status);
        if (!right) ++wrong;
      }
    });
  }
  while (reads < 1000) std::this_thread::yield();
  Cut();
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

INSTANTIATE_TEST_SUITE_P(Lengths, CutTableTest,
                         ::testing::Values(0, 1, 4096, 10'000, 100'000));

// Files can be opened for direct reads, and each read fails with one error.
class FailingReadsFileSystem final : public WrappedFileSystem {
 public:
  FailingReadsFileSystem(std::shared_ptr<FileSystem> base, Status error)
      : WrappedFileSystem(std::move(base)), error_(std::move(error)) {}

  Status OpenRandomAccessFile(
      const std::string& path, const FileOptions& options,
      std::unique_ptr<RandomAccessFile>* file) override {
    if (!options.use_direct_reads) return NewRandomAccessFile(path, file);
    *file = std::make_unique<FailingFile>(error_);
    return Status::OK();
  }

 private:
  class FailingFile final : public RandomAccessFile {
   public:
    explicit FailingFile(Status error) : error_(std::move(error)) {}
    Status Read(uint64_t, size_t, Slice* result, char*) const override {
      *result = Slice();
      return error_;
    }

   private:
    const Status error_;
  };

  const Status error_;
};

using DirectReadsTest = TableReadsTest;

// Only a file system that has no direct reads is an error of the option.
TEST_F(DirectReadsTest, OpenReturnsTheErrorOfItsFirstRead) {
  ASSERT_NO_FATAL_FAILURE(Open());
  db_.reset();
  options_.use_direct_reads = true;
  const std::shared_ptr<FileSystem> posix = NewPosixFileSystem();
  options_.file_system = std::make_shared<FailingReadsFileSystem>(
      posix, Status::IOError("the device", "failed"));
  Status status = DB::Open(options_, directory_, &db_);
  EXPECT_TRUE(status.IsIOError()) << status;
  EXPECT_FALSE(Names(status, "use_direct_reads")) << status;
  options_.file_system = std::make_shared<FailingReadsFileSystem>(
      posix, Status::NotSupported("no direct reads"));
  status = DB::Open(options_, directory_, &db_);
  EXPECT_TRUE(status.IsInvalidArgument()) << status;
  EXPECT_TRUE(Names(status, "use_direct_reads")) << status;
}

struct ReadMode {
  const char* name;
  bool mmap;
  bool direct;
};
void PrintTo(const ReadMode& mode, std::ostream* out) { *out << mode.name; }

class ReadModeTest : public TableReadsTest,
                     public ::testing::WithParamInterface<ReadMode> {};

// Blocks of all sizes, in tables that come and go.
TEST_P(ReadModeTest, ReadsWhatWasWritten) {
  options_.allow_mmap_reads = GetParam().mmap;
  options_.use_direct_reads = GetParam().direct;
  options_.write_buffer_size = 64 << 10;
  options_.target_file_size_base = 64 << 10;
  options_.max_bytes_for_level_base = 256 << 10;
  options_.disable_auto_compactions = false;
  options_.compression = kSnappyCompression;
  const Status opened = DB::Open(options_, directory_, &db_);
  if (GetParam().direct && opened.IsInvalidArgument()) {
    GTEST_SKIP() << opened;
  }
  ASSERT_TRUE(opened.ok()) << opened;
  Random random(301);
  std::map<std::string, std::string> model;
  std::string value;
  for (int round = 0; round < 8; ++round) {
    for (int i = 0; i < 1500; ++i) {
      const std::string key = Key('k', static_cast<int>(random.Uniform(5000)));
      std::string bytes;
      const uint64_t n = random.Uniform(random.OneIn(50) ? 40'000 : 300);
      while (bytes.size() < n) {
        bytes.push_back(static_cast<char>(random.Uniform(256)));
      }
      ASSERT_TRUE(db_->Put({}, key, bytes).ok());
      model[key] = std::move(bytes);
    }
    for (int i = 0; i < 1000; ++i) {
      const std::string key = Key('k', static_cast<int>(random.Uniform(5000)));
      const auto found = model.find(key);
      const Status status = db_->Get({}, key, &value);
      ASSERT_TRUE(status.ok() || status.IsNotFound()) << status;
      ASSERT_EQ(status.ok(), found != model.end()) << key;
      if (!status.ok()) continue;
      ASSERT_TRUE(value == found->second) << key;
    }
    ReadOptions read;
    read.readahead_size = round % 2 == 0 ? 0 : 10'000;
    const std::unique_ptr<Iterator> it(db_->NewIterator(read));
    auto expected = model.begin();
    for (it->SeekToFirst(); it->Valid(); it->Next(), ++expected) {
      ASSERT_EQ(it->key().ToString(), expected->first);
      ASSERT_TRUE(it->value() == Slice(expected->second)) << expected->first;
    }
    ASSERT_TRUE(it->status().ok()) << it->status();
    ASSERT_TRUE(expected == model.end());
    if (round == 5) {
      const Status status = db_->CompactRange({}, nullptr, nullptr);
      ASSERT_TRUE(status.ok()) << status;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Modes, ReadModeTest,
                         ::testing::Values(ReadMode{"Calls", false, false},
                                           ReadMode{"Mapped", true, false},
                                           ReadMode{"Direct", false, true}),
                         [](const auto& mode) { return mode.param.name; });

}  // namespace
}  // namespace tamis::process
