// SPDX-License-Identifier: Apache-2.0
#include "util/io/random_access_posix.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>
#include <cstring>
#include <sys/uio.h>
#include <utility>

#include "util/base/result.h"
#include "util/io/aligned_buffer.h"
#include "util/io/async_reads.h"
#include "util/io/mapped_file.h"
#include "util/io/page_cache_sampler.h"
#include "util/io/posix_io.h"

namespace tamis {

namespace {

std::string Place(uint64_t offset, size_t n) {
  return "read of " + std::to_string(n) + " bytes at offset " +
         std::to_string(offset);
}

bool IsDeviceError(int error) {
  return error == EIO || error == ENXIO || error == ENODEV ||
         error == ETIMEDOUT;
}

// Returns the status of a read that set `error`; a failure names the place,
// too.
Status At(uint64_t offset, size_t n, int error, const Status& status) {
  if (status.ok()) return status;
  std::string where = Place(offset, n);
  if (IsDeviceError(error)) where += "; check the device, then try again";
  return Status::IOError(status.message(), where);
}

Status ReadByCalls(const std::string& path, int fd, uint64_t offset, size_t n,
                   Slice* result, char* scratch) {
  int error = 0;
  const Status status =
      ReadFully(path, n, result, scratch,
                [fd, offset, &error](char* p, size_t bytes, size_t done) {
                  const ssize_t got =
                      ::pread(fd, p, bytes, static_cast<off_t>(offset + done));
                  if (got < 0) error = errno;
                  return got;
                });
  return At(offset, n, error, status);
}

// Reads a file as far as it is in the page cache. Any thread.
class PageCacheReads {
 public:
  // The descriptor stays open.
  explicit PageCacheReads(int fd) : fd_(fd) {}

  // Returns true if all bytes were in the page cache and have been read. Once
  // the file's system said that it cannot tell, it is not asked again.
  bool Read([[maybe_unused]] FSReadRequest* request) const {
#if defined(RWF_NOWAIT)
    if (refused_.load(std::memory_order_relaxed)) return false;
    struct iovec memory = {request->scratch, request->len};
    const ssize_t got = Uninterrupted([&] {
      return ::preadv2(fd_, &memory, 1, static_cast<off_t>(request->offset),
                       RWF_NOWAIT);
    });
    if (got >= 0 && static_cast<size_t>(got) == request->len) {
      request->result = Slice(request->scratch, request->len);
      request->status = Status::OK();
      return true;
    }
    if (got < 0 &&
        (errno == EOPNOTSUPP || errno == ENOSYS || errno == EINVAL)) {
      refused_.store(true, std::memory_order_relaxed);
    }
#endif
    return false;
  }

  // Has the kernel fetch the bytes into the page cache. A hint.
  void Fetch([[maybe_unused]] const FSReadRequest& request) const {
#if defined(POSIX_FADV_WILLNEED)
    ::posix_fadvise(fd_, static_cast<off_t>(request.offset),
                    static_cast<off_t>(request.len), POSIX_FADV_WILLNEED);
#endif
  }

  // Has `reads` finish the request by file.Read, or reads at once if it is
  // full. Returns whether the read is done.
  bool FetchAndDefer(const RandomAccessFile& file, FSReadRequest* request,
                     AsyncReads* reads) const {
    if (!reads->Defer(&file, request)) {
      return file.RandomAccessFile::ReadAsync(request, reads);
    }
    Fetch(*request);
    return false;
  }

 private:
  const int fd_;
  mutable std::atomic<bool> refused_{false};
};

class PosixRandomAccessFile final : public RandomAccessFile {
 public:
  PosixRandomAccessFile(std::string path, Descriptor fd)
      : path_(std::move(path)), fd_(std::move(fd)) {}

  Status Read(uint64_t offset, size_t n, Slice* result,
              char* scratch) const override {
    return ReadByCalls(path_, fd_.get(), offset, n, result, scratch);
  }

  // While the page cache has what is read, only sampled reads are limited to
  // it, since preadv2 takes 60 ns longer than pread.
  bool ReadAsync(FSReadRequest* request, AsyncReads* reads) const override {
    const bool is_sampled = IsSampledRead();
    const uint32_t hits = hits_.load(std::memory_order_relaxed);
    if (hits == kHitsOfWarmFile && !is_sampled) {
      return RandomAccessFile::ReadAsync(request, reads);
    }
    const bool is_done =
        cached_.Read(request) || cached_.FetchAndDefer(*this, request, reads);
    if (!is_done) {
      if (hits != 0) hits_.store(0, std::memory_order_relaxed);
    } else if (is_sampled && hits < kHitsOfWarmFile) {
      hits_.store(hits + 1, std::memory_order_relaxed);
    }
    return is_done;
  }

 private:
  // About a thousand reads without a miss. If one of a hundred misses, the time
  // that it waits alone is worth more than what pread saves.
  static constexpr uint32_t kHitsOfWarmFile = 64;

  const std::string path_;
  const Descriptor fd_;
  const PageCacheReads cached_{fd_.get()};
  // Sampled reads since the last miss that was seen.
  mutable std::atomic<uint32_t> hits_{0};
};

// Small reads copy bytes out of the mapping if they are in the page cache. All
// other reads use pread. For large reads, the call is a small part of the time,
// and it reads all pages that are not in memory at once instead of one at each
// fault.
//
// After a failure of the mapping, all reads use pread, which reports the error.
class MappedRandomAccessFile final : public RandomAccessFile {
 public:
  MappedRandomAccessFile(std::string path, Descriptor fd,
                         std::unique_ptr<MappedFile> mapped)
      : path_(std::move(path)),
        fd_(std::move(fd)),
        mapped_(std::move(mapped)),
        sampler_(fd_.get()) {
    AdviseIfBlind();
  }

  Status Read(uint64_t offset, size_t n, Slice* result,
              char* scratch) const override {
    bool is_cold = false;
    if (Copy(offset, n, scratch, &is_cold)) {
      *result = Slice(scratch, n);
      return Status::OK();
    }
    return ReadUnmapped(offset, n, result, scratch, is_cold);
  }

  bool ReadAsync(FSReadRequest* request, AsyncReads* reads) const override {
    bool is_cold = false;
    if (Copy(request->offset, request->len, request->scratch, &is_cold)) {
      request->result = Slice(request->scratch, request->len);
      request->status = Status::OK();
      return true;
    }
    if (!cached_.Read(request)) {
      return cached_.FetchAndDefer(unmapped_, request, reads);
    }
    if (is_cold) NoteColdRead(request->offset, request->len);
    return true;
  }

 private:
  static constexpr size_t kMappedReadBytesMax = 16 << 10;

  // Reads what ReadAsync had the kernel fetch. Read would look at the page
  // cache, and take that for a sign that the file is warm.
  class Unmapped final : public RandomAccessFile {
   public:
    explicit Unmapped(const MappedRandomAccessFile* file) : file_(*file) {}
    Status Read(uint64_t offset, size_t n, Slice* result,
                char* scratch) const override {
      return file_.ReadUnmapped(offset, n, result, scratch, /*is_cold=*/true);
    }

   private:
    const MappedRandomAccessFile& file_;
  };

  bool IsInside(uint64_t offset, size_t n) const {
    const uint64_t size = mapped_->size();
    return offset <= size && n <= size - offset;
  }

  // Copies out of the mapping. Returns false if that is not to be done, or
  // failed; *is_cold then says whether pages are missing from memory.
  bool Copy(uint64_t offset, size_t n, char* scratch, bool* is_cold) const {
    if (n == 0 || n > kMappedReadBytesMax || !IsInside(offset, n)) return false;
    const bool is_sampled = IsSampledRead();
    if (!mapped_->CanCopy(is_sampled)) return false;
    *is_cold = !sampler_.ShouldMap(offset, n, is_sampled);
    return !*is_cold && mapped_->Copy(static_cast<size_t>(offset), n, scratch);
  }

  Status ReadUnmapped(uint64_t offset, size_t n, Slice* result, char* scratch,
                      bool is_cold) const {
    const Status status =
        ReadByCalls(path_, fd_.get(), offset, n, result, scratch);
    if (!status.ok() || n == 0 || !IsInside(offset, n)) return status;
    if (result->size() < n) return Truncated(offset, n, result);
    if (is_cold) NoteColdRead(offset, n);
    return status;
  }

  void NoteColdRead(uint64_t offset, size_t n) const {
    if (sampler_.NoteRead(offset, n)) AdviseIfBlind();
  }

  // Where the system does not tell what is in memory, reads of cold pages
  // fault, and each fault would read 128 KiB for one block. Elsewhere the
  // advice would only have the system evict pages that are in use
  // (docs/decisions).
  void AdviseIfBlind() const {
    if (!sampler_.can_tell()) mapped_->AdviseRandom();
  }

  Status Truncated(uint64_t offset, size_t n, Slice* result) const {
    const size_t got = result->size();
    *result = Slice();
    return Status::IOError(
        path_, Place(offset, n) + ": got " + std::to_string(got) +
                   ": the file had " + std::to_string(mapped_->size()) +
                   " bytes when it was opened and was truncated since; restore "
                   "it, then open again");
  }

  const std::string path_;
  const Descriptor fd_;
  const std::unique_ptr<MappedFile> mapped_;
  const PageCacheSampler sampler_;
  const PageCacheReads cached_{fd_.get()};
  const Unmapped unmapped_{this};
};

#if defined(O_DIRECT)

bool RefusesDirectReads(int error) {
  return error == EINVAL || error == EOPNOTSUPP;
}

Status NoDirectReads(const std::string& path) {
  return Status::NotSupported(
      path,
      "use_direct_reads: its file system has no direct reads (O_DIRECT); set "
      "the option to false");
}

// Direct reads are of whole logical blocks of the device, into aligned memory.
// Other reads are extended to whole blocks, in a buffer.
class DirectRandomAccessFile final : public RandomAccessFile {
 public:
  DirectRandomAccessFile(std::string path, Descriptor fd, size_t alignment,
                         std::shared_ptr<AsyncReadPool> pool)
      : path_(std::move(path)),
        fd_(std::move(fd)),
        alignment_(alignment),
        pool_(std::move(pool)) {}

  Status Read(uint64_t offset, size_t n, Slice* result,
              char* scratch) const override {
    const uint64_t begin = AlignDown(offset, alignment_);
    const auto bytes =
        static_cast<size_t>(AlignUp(offset + n, alignment_) - begin);
    if (bytes == n &&
        AlignDown(reinterpret_cast<uintptr_t>(scratch), alignment_) ==
            reinterpret_cast<uintptr_t>(scratch)) {
      return ReadBlocks(offset, n, result, scratch);
    }
    const AlignedBuffer buffer(bytes, alignment_);
    Slice blocks;
    *result = Slice();
    TAMIS_RETURN_IF_ERROR(ReadBlocks(begin, bytes, &blocks, buffer.data()));
    const auto skipped = static_cast<size_t>(offset - begin);
    if (blocks.size() <= skipped) return Status::OK();
    const size_t got = std::min(n, blocks.size() - skipped);
    std::memcpy(scratch, blocks.data() + skipped, got);
    *result = Slice(scratch, got);
    return Status::OK();
  }

  bool ReadAsync(FSReadRequest* request, AsyncReads* reads) const override {
    const AlignedRead how{.fd = fd_.get(), .alignment = alignment_};
    return !reads->Start(pool_, how, this, request) &&
           RandomAccessFile::ReadAsync(request, reads);
  }

  size_t GetRequiredBufferAlignment() const override { return alignment_; }

 private:
  // REQUIRES: all arguments are aligned.
  Status ReadBlocks(uint64_t offset, size_t n, Slice* result,
                    char* scratch) const {
    bool ended = false;
    int error = 0;
    const Status status = ReadFully(
        path_, n, result, scratch,
        [&](char* p, size_t bytes, size_t done) -> ssize_t {
          // At the end of the file, and only there, `got` is not a multiple of
          // the alignment. A read after it would not be aligned.
          if (ended) return 0;
          const ssize_t got =
              ::pread(fd_.get(), p, bytes, static_cast<off_t>(offset + done));
          if (got < 0) error = errno;
          ended = got > 0 && static_cast<size_t>(got) % alignment_ != 0;
          return got;
        });
    if (!status.ok() && RefusesDirectReads(error)) return NoDirectReads(path_);
    return At(offset, n, error, status);
  }

  const std::string path_;
  const Descriptor fd_;
  const size_t alignment_;
  const std::shared_ptr<AsyncReadPool> pool_;
};

Status OpenDirect(const std::string& path, std::shared_ptr<AsyncReadPool> pool,
                  std::unique_ptr<RandomAccessFile>* file) {
  Descriptor fd = OpenDescriptor(path, O_RDONLY | O_DIRECT);
  if (!fd.ok()) {
    return RefusesDirectReads(errno) ? NoDirectReads(path)
                                     : ErrorFromErrno(path, "open");
  }
  const size_t alignment = DirectAlignment(fd.get());
  *file = std::make_unique<DirectRandomAccessFile>(path, std::move(fd),
                                                   alignment, std::move(pool));
  return Status::OK();
}

#else

Status OpenDirect(const std::string& path, std::shared_ptr<AsyncReadPool>,
                  std::unique_ptr<RandomAccessFile>*) {
  return Status::NotSupported(
      path,
      "use_direct_reads: this operating system has no direct reads (O_DIRECT); "
      "set the option to false");
}

#endif

// Returns nullptr if the file cannot be mapped.
std::unique_ptr<MappedFile> MapAll(int fd) {
  struct stat info;
  if (::fstat(fd, &info) != 0 || !S_ISREG(info.st_mode) || info.st_size <= 0 ||
      static_cast<uint64_t>(info.st_size) > SIZE_MAX) {
    return nullptr;
  }
  auto mapped = std::make_unique<MappedFile>();
  if (!mapped->Map(fd, static_cast<size_t>(info.st_size))) return nullptr;
  return mapped;
}

// Suits every device. Used if the system does not tell the alignment.
constexpr size_t kUsualAlignment = 4096;

}  // namespace

// Returns the alignment of direct reads of the file. Some systems tell 0 for a
// file that is in no block of its own (ext4's inline_data) although other files
// can be read directly; the read decides then.
size_t DirectAlignment([[maybe_unused]] int fd) {
#if defined(STATX_DIOALIGN)
  struct statx info = {};
  if (::statx(fd, "", AT_EMPTY_PATH, STATX_DIOALIGN, &info) == 0 &&
      (info.stx_mask & STATX_DIOALIGN) != 0 && info.stx_dio_offset_align != 0) {
    const size_t alignment =
        std::max<size_t>(info.stx_dio_mem_align, info.stx_dio_offset_align);
    if (std::has_single_bit(alignment)) return alignment;
  }
#endif
  return kUsualAlignment;
}

Status OpenPosixRandomAccessFile(const std::string& path,
                                 const FileOptions& options,
                                 std::shared_ptr<AsyncReadPool> pool,
                                 std::unique_ptr<RandomAccessFile>* file) {
  file->reset();
  if (options.use_direct_reads) return OpenDirect(path, std::move(pool), file);
  Descriptor fd = OpenDescriptor(path, O_RDONLY);
  if (!fd.ok()) return ErrorFromErrno(path, "open");
  std::unique_ptr<MappedFile> mapped;
  if (options.use_mmap_reads) mapped = MapAll(fd.get());
  if (mapped != nullptr) {
    *file = std::make_unique<MappedRandomAccessFile>(path, std::move(fd),
                                                     std::move(mapped));
  } else {
    *file = std::make_unique<PosixRandomAccessFile>(path, std::move(fd));
  }
  return Status::OK();
}

}  // namespace tamis
