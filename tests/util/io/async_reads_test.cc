// SPDX-License-Identifier: Apache-2.0
//
// Reads that are under way at the same time: through the page cache, through
// mappings, and direct, by a ring and by threads.
#include "util/io/async_reads.h"

#include <algorithm>
#include <fcntl.h>
#include <filesystem>
#include <functional>
#include <memory>
#include <ostream>
#include <pthread.h>
#include <string>
#include <sys/uio.h>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/directories.h"
#include "tests/support/effort.h"
#include "tests/support/without_rings.h"
#include "util/base/random.h"
#include "util/io/aligned_buffer.h"
#include "util/io/file_io.h"
#include "util/io/readahead_window.h"

namespace tamis {
namespace {

constexpr size_t kFileBytes = 300'001;

struct Mode {
  const char* name;
  FileOptions options;
  Denied denied = Denied::kNothing;
};
void PrintTo(const Mode& mode, std::ostream* out) { *out << mode.name; }

constexpr Mode kCalls{"Calls", {}};
constexpr Mode kMapped{"Mapped", {.use_mmap_reads = true}};
constexpr Mode kDirect{"Direct", {.use_direct_reads = true}};
constexpr Mode kThreads{
    "DirectByThreads", {.use_direct_reads = true}, Denied::kRings};
// A filter that knows the first of io_uring's calls only.
constexpr Mode kUseless{"DirectByRingsThatReadNothing",
                        {.use_direct_reads = true},
                        Denied::kReadsOfRings};

// The requests of one batch, with their memory.
class Batch {
 public:
  explicit Batch(size_t n) : requests_(n), memory_(n) {}
  FSReadRequest& Add(size_t i, uint64_t offset, size_t n) {
    // So that a direct read of whole blocks is into place.
    memory_[i] = AlignedBuffer(n + 1, 4096);
    requests_[i] = {.offset = offset,
                    .len = n,
                    .scratch = memory_[i].data(),
                    .result = {},
                    .status = Status::Aborted("not read")};
    return requests_[i];
  }
  FSReadRequest& operator[](size_t i) { return requests_[i]; }
  size_t size() const { return requests_.size(); }

 private:
  std::vector<FSReadRequest> requests_;
  std::vector<AlignedBuffer> memory_;
};

class AsyncReadsTest : public ::testing::TestWithParam<Mode> {
 protected:
  AsyncReadsTest() {
    Random random(301);
    while (bytes_.size() < kFileBytes) {
      bytes_.push_back(static_cast<char>(random.Uniform(256)));
    }
  }
  void SetUp() override {
    ASSERT_TRUE(WriteStringToFile(fs_.get(), bytes_, path_, true).ok());
    Open(GetParam().options);
  }
  void Open(const FileOptions& options) {
    const Status status = fs_->OpenRandomAccessFile(path_, options, &file_);
    if (status.IsNotSupported()) GTEST_SKIP() << status;
    ASSERT_TRUE(status.ok()) << status;
  }
  // Runs the body, without what the mode denies.
  void InMode(const std::function<void()>& body) {
    if (GetParam().denied == Denied::kNothing) {
      body();
    } else if (!RunDenied(GetParam().denied, body)) {
      GTEST_SKIP() << "the system cannot deny rings to a thread";
    }
  }
  std::string Expected(uint64_t offset, size_t n) const {
    return offset < bytes_.size() ? bytes_.substr(offset, n) : "";
  }
  // Makes one batch of random reads, and finishes them in random order.
  void ReadBatch(size_t reads_max, Random* random) {
    Batch batch(1 + random->Uniform(static_cast<uint32_t>(reads_max)));
    AsyncReads reads;
    std::vector<size_t> under_way;
    for (size_t i = 0; i < batch.size(); ++i) {
      const bool is_aligned = random->Uniform(4) == 0;
      size_t n = random->Uniform(random->Uniform(8) == 0 ? 60'000 : 5000);
      uint64_t offset = random->Uniform(kFileBytes + 5000);
      if (is_aligned) {
        n = n / 4096 * 4096;
        offset = offset / 4096 * 4096;
      }
      if (!file_->ReadAsync(&batch.Add(i, offset, n), &reads)) {
        under_way.push_back(i);
      }
    }
    while (!under_way.empty()) {
      const size_t one =
          random->Uniform(static_cast<uint32_t>(under_way.size()));
      std::swap(under_way[one], under_way.back());
      reads.Finish(&batch[under_way.back()]);
      under_way.pop_back();
    }
    for (size_t i = 0; i < batch.size(); ++i) {
      const FSReadRequest& request = batch[i];
      ASSERT_TRUE(request.status.ok()) << request.status;
      ASSERT_EQ(request.result.ToString(),
                Expected(request.offset, request.len));
    }
  }

  const TemporaryDirectory temporary_;
  const std::string path_ = temporary_.Path("file");
  const std::shared_ptr<FileSystem> fs_ = NewPosixFileSystem();
  std::string bytes_;
  std::unique_ptr<RandomAccessFile> file_;
};

size_t OpenRings() {
  size_t rings = 0;
  std::error_code none;  // of systems without /proc
  for (const auto& entry :
       std::filesystem::directory_iterator("/proc/self/fd", none)) {
    std::error_code error;
    const auto target = std::filesystem::read_symlink(entry.path(), error);
    rings += target.string().find("io_uring") != std::string::npos;
  }
  return rings;
}

// More reads than can be under way are read at once.
TEST_P(AsyncReadsTest, EveryReadGetsItsBytes) {
  InMode([&] {
    Random random(302);
    for (int i = 0; i < Rounds(200); ++i) {
      ReadBatch(i % 2 == 0 ? 8 : 2 * AsyncReads::kReadsMax, &random);
      if (HasFatalFailure()) return;
    }
  });
}

TEST_P(AsyncReadsTest, AreCountedOnceByTheThreadThatFinishesThem) {
  InMode([this] {
    Batch batch(8);
    AsyncReads reads;
    get_iostats_context()->Reset();
    SetPerfLevel(kEnableTime);
    std::vector<size_t> under_way;
    for (size_t i = 0; i < batch.size(); ++i) {
      if (!file_io::ReadAsync(*file_, &batch.Add(i, i * 10'000, 1000),
                              &reads)) {
        under_way.push_back(i);
      }
    }
    for (const size_t i : under_way) reads.Finish(&batch[i]);
    SetPerfLevel(kEnableCount);
    EXPECT_EQ(get_iostats_context()->bytes_read, 8u * 1000u);
    EXPECT_GT(get_iostats_context()->read_nanos, 0u);
  });
}

TEST_P(AsyncReadsTest, ThreadsReadOneFile) {
  InMode([&] {
    std::vector<std::thread> threads;
    for (uint32_t t = 0; t < 6; ++t) {
      threads.emplace_back([&, t] {
        Random random(303 + t);
        for (int i = 0; i < Rounds(60); ++i) ReadBatch(40, &random);
      });
    }
    for (std::thread& thread : threads) thread.join();
  });
}

// AddressSanitizer sees a read that ends after its memory was freed; a ring
// whose reads were not all taken fails a check.
TEST_P(AsyncReadsTest, ReadsThatNobodyFinishesEndBeforeTheirMemory) {
  InMode([&] {
    for (int i = 0; i < 50; ++i) {
      Batch batch(20);
      AsyncReads reads;
      for (size_t k = 0; k < batch.size(); ++k) {
        file_->ReadAsync(&batch.Add(k, 4000 * k, 4000), &reads);
      }
    }
    Random random(304);
    ReadBatch(20, &random);
    EXPECT_LE(OpenRings(), GetParam().denied == Denied::kNothing ? 1u : 0u);
  });
}

TEST_P(AsyncReadsTest, ReadsThatAreDroppedMakeRoomForOthers) {
  InMode([&] {
    Batch batch(4 * AsyncReads::kReadsMax);
    AsyncReads reads;
    bool is_under_way = false;
    for (size_t i = 0; i < batch.size(); i += 2) {
      FSReadRequest& dropped = batch.Add(i, 2000 * i, 4000);
      if (!file_->ReadAsync(&dropped, &reads)) reads.Drop(&dropped);
      FSReadRequest& read = batch.Add(i + 1, 2000 * i, 4000);
      is_under_way = !file_->ReadAsync(&read, &reads);
      if (is_under_way) reads.Finish(&read);
      EXPECT_EQ(read.result.ToString(), Expected(2000 * i, 4000));
    }
    EXPECT_TRUE(is_under_way || !GetParam().options.use_direct_reads);
  });
}

// A read that waits, or reads, is no place to end a thread at.
TEST_P(AsyncReadsTest, ACancelledThreadFinishesItsReads) {
  if (!GetParam().options.use_direct_reads) return;
  InMode([&] {
    struct Reader {
      const RandomAccessFile* file;
      bool is_done = false;
    } reader{file_.get()};
    const auto read = [](void* argument) -> void* {
      auto* const self = static_cast<Reader*>(argument);
      {
        Batch batch(20);
        AsyncReads reads;
        for (size_t k = 0; k < batch.size(); ++k) {
          self->file->ReadAsync(&batch.Add(k, 4000 * k, 4000), &reads);
        }
        ::pthread_cancel(::pthread_self());
        for (size_t k = 0; k < 10; ++k) reads.Finish(&batch[k]);
      }
      ::pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, nullptr);
      self->is_done = true;
      return nullptr;
    };
    pthread_t thread;
    ASSERT_EQ(::pthread_create(&thread, nullptr, read, &reader), 0);
    ASSERT_EQ(::pthread_join(thread, nullptr), 0);
    EXPECT_TRUE(reader.is_done);
  });
}

// The kernel would tell of their end in the midst of the application's calls.
TEST_P(AsyncReadsTest, ReadsAheadOfAnIteratorUseNoRing) {
  InMode([&] {
    ReadaheadWindow window(10'000, /*is_async=*/true);
    for (uint64_t offset = 0; offset + 3000 < kFileBytes; offset += 3000) {
      const char* const found =
          window.Find(*file_, kFileBytes, offset, /*n=*/3000);
      ASSERT_NE(found, nullptr);
      EXPECT_TRUE(Slice(found, 3000) == Slice(bytes_.data() + offset, 3000));
      EXPECT_EQ(OpenRings(), 0u);
    }
  });
}

// As those of an iterator that moves to another thread.
TEST_P(AsyncReadsTest, ReadsOutliveTheThreadThatBeganThem) {
  InMode([&] {
    for (int i = 0; i < Rounds(20); ++i) {
      Batch batch(20);
      AsyncReads reads;
      std::vector<size_t> under_way;
      std::thread([&] {
        for (size_t k = 0; k < batch.size(); ++k) {
          if (!file_->ReadAsync(&batch.Add(k, 4000 * k, 4000), &reads)) {
            under_way.push_back(k);
          }
        }
      }).join();
      for (const size_t k : under_way) reads.Finish(&batch[k]);
      for (size_t k = 0; k < batch.size(); ++k) {
        EXPECT_EQ(batch[k].result.ToString(), Expected(4000 * k, 4000));
      }
    }
  });
}

// A truncated file: those that are still there are read.
TEST_P(AsyncReadsTest, AReadThatFailsSaysSoAndOthersSucceed) {
  InMode([&] {
    constexpr size_t kLeft = 100'000;
    ASSERT_EQ(::truncate(path_.c_str(), kLeft), 0);
    Batch batch(30);
    AsyncReads reads;
    std::vector<size_t> under_way;
    for (size_t i = 0; i < batch.size(); ++i) {
      if (!file_->ReadAsync(&batch.Add(i, i * 10'000, 3000), &reads)) {
        under_way.push_back(i);
      }
    }
    for (const size_t i : under_way) reads.Finish(&batch[i]);
    for (size_t i = 0; i < batch.size(); ++i) {
      const FSReadRequest& request = batch[i];
      if (request.offset < kLeft) {
        EXPECT_TRUE(request.status.ok()) << request.status;
        EXPECT_EQ(request.result.ToString(), Expected(request.offset, 3000));
      } else if (GetParam().options.use_mmap_reads) {
        EXPECT_TRUE(request.status.IsIOError()) << request.status;
        EXPECT_NE(request.status.message().find("was truncated since"),
                  std::string::npos);
      } else {
        EXPECT_TRUE(request.status.ok()) << request.status;
        EXPECT_TRUE(request.result.empty());
      }
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Modes, AsyncReadsTest,
                         ::testing::Values(kCalls, kMapped, kDirect, kThreads,
                                           kUseless),
                         [](const auto& mode) { return mode.param.name; });

#if defined(RWF_NOWAIT)
bool IsInPageCache(int fd, uint64_t offset) {
  char byte;
  iovec memory = {&byte, 1};
  return ::preadv2(fd, &memory, 1, static_cast<off_t>(offset), RWF_NOWAIT) == 1;
}

// A file whose pages are in memory is read by calls that would wait.
TEST(AsyncReadsOfWarmFileTest, NoticeWhenItsPagesAreGone) {
  constexpr size_t kReads = 100;
  constexpr size_t kDistance = 80'000;
  const TemporaryDirectory temporary;
  const std::string path = temporary.Path("file");
  const std::shared_ptr<FileSystem> fs = NewPosixFileSystem();
  const std::string bytes(kReads * kDistance, 'b');
  ASSERT_TRUE(WriteStringToFile(fs.get(), bytes, path, true).ok());
  std::unique_ptr<RandomAccessFile> file;
  ASSERT_TRUE(fs->NewRandomAccessFile(path, &file).ok());
  AsyncReads reads;
  Batch batch(kReads);
  for (size_t i = 0; i < 30 * kReads; ++i) {
    const size_t k = i % kReads;
    if (!file->ReadAsync(&batch.Add(k, k * kDistance, 3000), &reads)) {
      GTEST_SKIP() << "the pages of the file do not stay in memory";
    }
  }
  // A disk may answer before the kernel looks whether a read would wait.
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  size_t under_way = 0;
  bool is_cold = true;
  for (int round = 0; round < 20 && under_way == 0 && is_cold; ++round) {
    ::posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
    is_cold = !IsInPageCache(fd, 50 * kDistance);
    for (size_t k = 0; k < kReads; ++k) {
      if (file->ReadAsync(&batch.Add(k, k * kDistance, 3000), &reads)) continue;
      ++under_way;
      reads.Finish(&batch[k]);
      EXPECT_EQ(batch[k].result, Slice(bytes.data(), 3000));
    }
  }
  ::close(fd);
  if (!is_cold) GTEST_SKIP() << "the pages of the file stay in memory";
  EXPECT_GT(under_way, 0u);
}

// As those of overlayfs: the kernel fetches the bytes, and a call reads them.
TEST(AsyncReadsOfWarmFileTest, AFileThatCannotTellIsNotAskedAgain) {
  const TemporaryDirectory temporary;
  const std::string path = temporary.Path("file");
  const std::shared_ptr<FileSystem> fs = NewPosixFileSystem();
  const std::string bytes(10'000, 'b');
  ASSERT_TRUE(WriteStringToFile(fs.get(), bytes, path, true).ok());
  std::unique_ptr<RandomAccessFile> file;
  ASSERT_TRUE(fs->NewRandomAccessFile(path, &file).ok());
  Batch batch(1);
  const auto is_done_at_once = [&] {
    AsyncReads reads;
    const bool is_done = file->ReadAsync(&batch.Add(0, 1000, 3000), &reads);
    if (!is_done) reads.Finish(&batch[0]);
    EXPECT_EQ(batch[0].result, Slice(bytes.data(), 3000));
    return is_done;
  };
  if (!is_done_at_once()) GTEST_SKIP() << "the page is not in memory";
  if (!RunDenied(Denied::kPreadv2, [&] { EXPECT_FALSE(is_done_at_once()); })) {
    GTEST_SKIP() << "the system cannot deny calls to a thread";
  }
  // This thread would be told.
  EXPECT_FALSE(is_done_at_once());
}
#endif

// A file whose descriptor is bad, and that says in Read what is the matter.
class BrokenFile final : public RandomAccessFile {
 public:
  explicit BrokenFile(std::shared_ptr<AsyncReadPool> pool)
      : pool_(std::move(pool)) {}
  Status Read(uint64_t offset, size_t, Slice*, char*) const override {
    return Status::IOError("broken at " + std::to_string(offset));
  }
  bool ReadAsync(FSReadRequest* request, AsyncReads* reads) const override {
    const AlignedRead how{.fd = -1, .alignment = 512};
    return !reads->Start(pool_, how, this, request) &&
           RandomAccessFile::ReadAsync(request, reads);
  }

 private:
  const std::shared_ptr<AsyncReadPool> pool_;
};

TEST(AsyncReadPoolTest, AFailedReadIsRepeatedByTheFileWhichHasTheError) {
  const auto check = [] {
    const BrokenFile file(std::make_shared<AsyncReadPool>());
    Batch batch(3);
    AsyncReads reads;
    for (size_t i = 0; i < batch.size(); ++i) {
      EXPECT_FALSE(file.ReadAsync(&batch.Add(i, i * 1000, 700), &reads));
    }
    for (size_t i = 0; i < batch.size(); ++i) {
      reads.Finish(&batch[i]);
      EXPECT_TRUE(batch[i].status.IsIOError()) << batch[i].status;
      EXPECT_NE(batch[i].status.message().find(std::to_string(i * 1000)),
                std::string::npos);
    }
  };
  check();
  RunWithoutRings(check);
}

TEST(AsyncReadPoolTest, ASystemThatRefusedRingsIsNotAskedAgain) {
  AsyncReadPool pool;
  bool refused = false;
  if (IoRing::New(&refused) == nullptr) GTEST_SKIP() << "there are no rings";
  if (!RunWithoutRings([&] { EXPECT_EQ(pool.TakeRing(), nullptr); })) {
    GTEST_SKIP() << "the system cannot deny rings to a thread";
  }
  // This thread would get one.
  EXPECT_EQ(pool.TakeRing(), nullptr);
}

TEST(AsyncReadPoolTest, RingsThatReadNothingAreNotUsedAgain) {
  const auto pool = std::make_shared<AsyncReadPool>();
  {
    std::unique_ptr<IoRing> first = pool->TakeRing();
    std::unique_ptr<IoRing> second = pool->TakeRing();
    if (second == nullptr) GTEST_SKIP() << "there are no rings";
    pool->ReturnRing(std::move(first));
    pool->ReturnRing(std::move(second));
  }
  const BrokenFile file(pool);
  const bool denied = RunDenied(Denied::kReadsOfRings, [&] {
    Batch batch(1);
    AsyncReads reads;
    EXPECT_FALSE(file.ReadAsync(&batch.Add(0, 0, 700), &reads));
    EXPECT_EQ(OpenRings(), 0u);
    reads.Finish(&batch[0]);
  });
  if (!denied) GTEST_SKIP() << "the system cannot deny calls to a thread";
  EXPECT_EQ(pool->TakeRing(), nullptr);
}

TEST(AsyncReadPoolTest, RingsAreUsedAgainAndLimited) {
  AsyncReadPool pool;
  std::vector<std::unique_ptr<IoRing>> rings;
  for (;;) {
    std::unique_ptr<IoRing> ring = pool.TakeRing();
    if (ring == nullptr) break;
    rings.push_back(std::move(ring));
    ASSERT_LE(rings.size(), 64u);
  }
  const size_t taken = rings.size();
  EXPECT_EQ(OpenRings(), taken);
  if (taken == 0) GTEST_SKIP() << "there are no rings";
  for (auto& ring : rings) pool.ReturnRing(std::move(ring));
  EXPECT_EQ(OpenRings(), std::min<size_t>(taken, 8));
  EXPECT_NE(pool.TakeRing(), nullptr);
}

// A file that begins its reads itself, and counts them.
class FarFile final : public RandomAccessFile {
 public:
  struct Counts {
    size_t started = 0;
    size_t finished = 0;
    size_t ended = 0;
  };

  Status Read(uint64_t offset, size_t n, Slice* result,
              char* scratch) const override {
    std::fill_n(scratch, n, static_cast<char>(offset));
    *result = Slice(scratch, n);
    return Status::OK();
  }
  std::unique_ptr<PendingRead> StartRead(
      FSReadRequest* request) const override {
    // Not of everything.
    if (request->offset == 100) return nullptr;
    ++counts.started;
    return std::make_unique<Pending>(this, request);
  }

  mutable Counts counts;

 private:
  class Pending final : public PendingRead {
   public:
    Pending(const FarFile* file, FSReadRequest* request)
        : file_(file), request_(request) {}
    ~Pending() override { ++file_->counts.ended; }
    Pending(const Pending&) = delete;
    Pending& operator=(const Pending&) = delete;
    void Finish() override {
      ++file_->counts.finished;
      request_->status = file_->Read(request_->offset, request_->len,
                                     &request_->result, request_->scratch);
    }

   private:
    const FarFile* const file_;
    FSReadRequest* const request_;
  };
};

TEST(FarFileTest, ReadsThatAFileBeginsAreFinishedOrDropped) {
  const FarFile file;
  constexpr size_t kReads = AsyncReads::kReadsMax;
  Batch batch(kReads + 2);
  {
    AsyncReads reads;
    for (size_t i = 0; i < kReads; ++i) {
      EXPECT_FALSE(file_io::ReadAsync(file, &batch.Add(i, i, 10), &reads));
    }
    // No more are kept.
    EXPECT_TRUE(file_io::ReadAsync(file, &batch.Add(kReads, 50, 10), &reads));
    EXPECT_EQ(batch[kReads].result.ToString(), std::string(10, 50));
    EXPECT_TRUE(
        file_io::ReadAsync(file, &batch.Add(kReads + 1, 100, 10), &reads));
    EXPECT_EQ(batch[kReads + 1].result.ToString(), std::string(10, 100));
    EXPECT_EQ(file.counts.started, kReads + 1);
    EXPECT_EQ(file.counts.finished, 1u);
    reads.Finish(&batch[7]);
    EXPECT_EQ(batch[7].status, Status::OK());
    EXPECT_EQ(batch[7].result.ToString(), std::string(10, 7));
    EXPECT_EQ(file.counts.ended, 2u);
    reads.Drop(&batch[8]);
    EXPECT_EQ(file.counts.ended, 3u);
    // Their places are free.
    EXPECT_FALSE(file_io::ReadAsync(file, &batch.Add(8, 8, 10), &reads));
    EXPECT_EQ(file.counts.finished, 2u);
  }
  EXPECT_EQ(file.counts.ended, file.counts.started);
}

}  // namespace
}  // namespace tamis
