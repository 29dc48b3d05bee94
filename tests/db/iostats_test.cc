// SPDX-License-Identifier: Apache-2.0
//
// What an IOStatsContext counts of a database, on a FileSystem of the
// program's.
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/iostats_context.h"
#include "tamis/listener.h"
#include "tamis/rate_limiter.h"

#include "tests/db/test_db.h"
#include "tests/support/directories.h"
#include "tests/support/wrapped_file_system.h"
#include "util/base/nanos_timer.h"
#include "util/io/file_io.h"

namespace tamis {
namespace {

class IOStatsTest : public DBTest {
 protected:
  IOStatsTest() { options_.disable_auto_compactions = true; }
  ~IOStatsTest() override {
    SetPerfLevel(kEnableCount);
    get_iostats_context()->disable_iostats = false;
  }

  // Returns what the call counts at the level.
  template <typename Call>
  IOStatsContext CountsOf(PerfLevel level, const Call& call) {
    get_iostats_context()->Reset();
    SetPerfLevel(level);
    call();
    SetPerfLevel(kEnableCount);
    return *get_iostats_context();
  }
  uint64_t SizeOf(const std::string& name) {
    uint64_t size = 0;
    EXPECT_TRUE(
        fs_->GetFileSize(std::string(kTestDirectory) + "/" + name, &size).ok());
    return size;
  }
};

TEST_F(IOStatsTest, WritesCountTheBytesOfTheLog) {
  for (const bool in_place : {false, true}) {
    SCOPED_TRACE(in_place);
    fs_->SetStoresInPlace(in_place);
    Open();
    const IOStatsContext counts =
        CountsOf(kEnableCount, [this] { PutMany(10); });
    db_.reset();
    // The first record begins the log, and the close appends its marker.
    constexpr uint64_t kMarkerBytes = 7 + 12;
    EXPECT_EQ(counts.bytes_written,
              SizeOf(FilesEndingIn(".log").back()) - kMarkerBytes);
    EXPECT_EQ(counts.bytes_read, 0u);
    EXPECT_EQ(counts.write_nanos, 0u);
    Destroy();
  }
}

TEST_F(IOStatsTest, FlushesCountTheBytesOfTheTable) {
  Open();
  PutMany(100);
  const uint64_t log = SizeOf(CurrentLog());
  const IOStatsContext counts = CountsOf(kEnableCount, [this] { Flush(); });
  // Also the new log, MANIFEST and LOG.
  EXPECT_GT(counts.bytes_written, LiveFiles()[0].size);
  EXPECT_LT(counts.bytes_written, LiveFiles()[0].size + log);
}

TEST_F(IOStatsTest, ReadsCountTheBytesOfBlocks) {
  for (const bool async : {false, true}) {
    SCOPED_TRACE(async);
    BlockBasedTableOptions table;
    table.no_block_cache = true;
    SetTable(table);
    Open();
    PutMany(1000);
    Flush();
    Get(Key(0));
    get_perf_context()->Reset();
    const IOStatsContext counts = CountsOf(kEnableCount, [&] {
      if (!async) {
        for (int i = 0; i < 1000; i += 100) EXPECT_NE(Get(Key(i)), "NOT_FOUND");
        return;
      }
      std::vector<std::string> keys;
      for (int i = 0; i < 1000; i += 100) keys.push_back(Key(i));
      const std::vector<Slice> slices(keys.begin(), keys.end());
      std::vector<PinnableSlice> values(keys.size());
      std::vector<Status> statuses(keys.size());
      db_->MultiGet(ReadOptions(), db_->DefaultColumnFamily(), keys.size(),
                    slices.data(), values.data(), statuses.data());
      for (const Status& status : statuses) EXPECT_TRUE(status.ok()) << status;
    });
    EXPECT_GE(get_perf_context()->block_read_count, 9u);
    EXPECT_EQ(counts.bytes_read, get_perf_context()->block_read_byte);
    EXPECT_EQ(counts.bytes_written, 0u);
    Destroy();
  }
}

TEST_F(IOStatsTest, EachTimeBeginsAtItsLevel) {
  const struct {
    const char* name;
    uint64_t IOStatsContext::*value;
    PerfLevel from;
  } members[] = {
      {"bytes_written", &IOStatsContext::bytes_written, kEnableCount},
      {"bytes_read", &IOStatsContext::bytes_read, kEnableCount},
      {"open_nanos", &IOStatsContext::open_nanos, kEnableTimeExceptForMutex},
      {"write_nanos", &IOStatsContext::write_nanos, kEnableTimeExceptForMutex},
      {"read_nanos", &IOStatsContext::read_nanos, kEnableTimeExceptForMutex},
      {"range_sync_nanos", &IOStatsContext::range_sync_nanos,
       kEnableTimeExceptForMutex},
      {"fsync_nanos", &IOStatsContext::fsync_nanos, kEnableTimeExceptForMutex},
      {"prepare_write_nanos", &IOStatsContext::prepare_write_nanos,
       kEnableTimeExceptForMutex},
      {"logger_nanos", &IOStatsContext::logger_nanos,
       kEnableTimeExceptForMutex},
      {"cpu_write_nanos", &IOStatsContext::cpu_write_nanos,
       kEnableTimeAndCPUTimeExceptForMutex},
      {"cpu_read_nanos", &IOStatsContext::cpu_read_nanos,
       kEnableTimeAndCPUTimeExceptForMutex},
  };
  for (const PerfLevel level :
       {kDisable, kEnableCount, kEnableWait, kEnableTimeExceptForMutex,
        kEnableTimeAndCPUTimeExceptForMutex, kEnableTime}) {
    SCOPED_TRACE(int{level});
    options_.bytes_per_sync = 1;
    fs_->SetStoresInPlace(true);
    const IOStatsContext counts = CountsOf(level, [this] {
      Open();
      WriteOptions sync;
      sync.sync = true;
      EXPECT_TRUE(db_->Put(sync, "a", "1").ok());
      Flush();
      Reopen();
      EXPECT_EQ(Get("a"), "1");
    });
    for (const auto& member : members) {
      EXPECT_EQ(counts.*member.value > 0, level >= member.from) << member.name;
    }
    Destroy();
  }
}

TEST_F(IOStatsTest, NothingIsCountedWhileDisabled) {
  Open();
  const IOStatsContext counts = CountsOf(kEnableTime, [this] {
    get_iostats_context()->disable_iostats = true;
    PutMany(10);
    Flush();
    Reopen();
    EXPECT_NE(Get(Key(0)), "NOT_FOUND");
    get_iostats_context()->disable_iostats = false;
  });
  EXPECT_EQ(counts.bytes_written, 0u);
  EXPECT_EQ(counts.bytes_read, 0u);
  EXPECT_EQ(counts.write_nanos + counts.read_nanos + counts.open_nanos +
                counts.fsync_nanos + counts.logger_nanos +
                counts.cpu_write_nanos + counts.cpu_read_nanos,
            0u);
}

// RocksDB's numbers of Env::Priority.
TEST_F(IOStatsTest, JobsTellTheirPool) {
  class PoolOfTables final : public WrappedFileSystem {
   public:
    using WrappedFileSystem::WrappedFileSystem;
    Status NewWritableFile(const std::string& path,
                           std::unique_ptr<WritableFile>* file) override {
      if (path.ends_with(".sst")) pool = get_iostats_context()->thread_pool_id;
      return WrappedFileSystem::NewWritableFile(path, file);
    }
    uint64_t pool = 0;
  };
  class Listener final : public EventListener {
   public:
    void OnFlushBegin(DB*, const FlushJobInfo&) override {
      pool = get_iostats_context()->thread_pool_id;
    }
    uint64_t pool = 0;
  };
  const auto fs = std::make_shared<PoolOfTables>(options_.file_system);
  const auto listener = std::make_shared<Listener>();
  options_.file_system = fs;
  options_.listeners = {listener};
  Open();
  get_iostats_context()->Reset();
  EXPECT_EQ(get_iostats_context()->thread_pool_id, 4u);
  Put("a", "1");
  Flush();
  EXPECT_EQ(fs->pool, 2u);
  Compact(/*force=*/true);
  EXPECT_EQ(fs->pool, 1u);
  // Events are delivered by jobs, too.
  Put("a", "2");
  FlushOptions no_wait;
  no_wait.wait = false;
  ASSERT_TRUE(db_->Flush(no_wait).ok());
  RunJobs();
  EXPECT_EQ(listener->pool, 2u);
  // Here, all of them ran in this thread.
  EXPECT_EQ(get_iostats_context()->thread_pool_id, 4u);
}

// Waits for a while in each request, and knows how long.
class SlowLimiter final : public RateLimiter {
 public:
  SlowLimiter() : RateLimiter(Mode::kAllIo) {}
  void SetBytesPerSecond(int64_t) override {}
  int64_t GetBytesPerSecond() const override { return 1; }
  int64_t GetSingleBurstBytes() const override { return 1; }
  using RateLimiter::Request;
  void Request(int64_t, IOPriority, Statistics*) override {
    constexpr uint64_t kNanos = 2'000'000;
    const NanosTimer timer(&waited);
    for (const uint64_t begin = NanosTimer::Now();
         NanosTimer::Now() - begin < kNanos;) {
    }
  }
  int64_t GetTotalBytesThrough(IOPriority) const override { return 0; }
  int64_t GetTotalRequests(IOPriority) const override { return 0; }
  Status GetTotalPendingRequests(int64_t*, IOPriority) const override {
    return Status::OK();
  }

  uint64_t waited = 0;
};

TEST_F(IOStatsTest, WaitsForARateLimiterAreNotIO) {
  const auto limiter = std::make_shared<SlowLimiter>();
  options_.rate_limiter = limiter;
  Open();
  PutMany(10);
  Flush();
  PutMany(10);
  Flush();
  limiter->waited = 0;
  const uint64_t begin = NanosTimer::Now();
  const IOStatsContext counts = CountsOf(kEnableTime, [this] { Compact(); });
  const uint64_t all = NanosTimer::Now() - begin;
  EXPECT_GT(limiter->waited, 0u);
  EXPECT_LE(counts.write_nanos + counts.fsync_nanos + counts.read_nanos,
            all - limiter->waited);
}

TEST_F(IOStatsTest, AllocationOfTheNextBytesIsTimed) {
  const TemporaryDirectory temporary;
  const auto fs = NewPosixFileSystem();
  std::unique_ptr<WritableFile> file;
  ASSERT_TRUE(
      file_io::Create(fs.get(), temporary.Path("file"), {}, &file).ok());
  bool allocates = true;
  const IOStatsContext counts = CountsOf(kEnableTime, [&] {
    // The first ones are written.
    for (int i = 0; allocates && i < 20; ++i) {
      allocates = file_io::Reserve(file.get(), 100) != nullptr;
      if (allocates) file_io::Commit(file.get(), 100);
    }
  });
  if (!allocates) GTEST_SKIP() << "the file system allocates nothing";
  EXPECT_GT(counts.write_nanos, 0u);
  EXPECT_GT(counts.allocate_nanos, 0u);
  EXPECT_GE(counts.prepare_write_nanos, counts.allocate_nanos);
}

}  // namespace
}  // namespace tamis
