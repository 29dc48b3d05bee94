// SPDX-License-Identifier: Apache-2.0
#include "util/io/direct_writable_posix.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>
#include <utility>

#include "util/base/result.h"
#include "util/io/aligned_buffer.h"
#include "util/io/posix_io.h"
#include "util/io/random_access_posix.h"

namespace tamis {

namespace {

constexpr size_t kBufferBytes = 1 << 20;

#if defined(O_DIRECT)

Status NoDirectWrites(const std::string& path) {
  return Status::NotSupported(
      path, "its file system has no direct writes (O_DIRECT)");
}

bool RefusesDirectWrites(int error) {
  return error == EINVAL || error == EOPNOTSUPP;
}

// The buffer begins at a block of the device. Its whole blocks are written when
// it is full; a flush also writes the tail, which stays in the buffer, because
// only whole blocks can be written later. After a failure, what the file has is
// unknown: every later call repeats the first failure.
class DirectWritableFile final : public WritableFile {
 public:
  DirectWritableFile(std::string path, Descriptor fd, size_t alignment)
      : path_(std::move(path)),
        fd_(std::move(fd)),
        alignment_(alignment),
        capacity_(static_cast<size_t>(AlignUp(kBufferBytes, alignment))),
        buffer_(capacity_, alignment) {}

  Status Append(const Slice& data) override {
    TAMIS_RETURN_IF_ERROR(failure_);
    const char* from = data.data();
    size_t left = data.size();
    while (left > 0) {
      const size_t n = std::min(left, capacity_ - buffered_);
      std::memcpy(buffer_.data() + buffered_, from, n);
      from += n;
      left -= n;
      buffered_ += n;
      is_flushed_ = false;
      if (buffered_ == capacity_) TAMIS_RETURN_IF_ERROR(WriteWholeBlocks());
    }
    return Status::OK();
  }

  Status Flush() override {
    TAMIS_RETURN_IF_ERROR(failure_);
    if (is_flushed_) return Status::OK();
    TAMIS_RETURN_IF_ERROR(WriteWholeBlocks());
    if (buffered_ > 0) {
      std::memset(buffer_.data() + buffered_, 0, alignment_ - buffered_);
      TAMIS_RETURN_IF_ERROR(Write(alignment_));
      // Without the padding.
      if (::ftruncate(fd_.get(), static_cast<off_t>(GetFileSize())) != 0) {
        return Fail("truncate");
      }
    }
    is_flushed_ = true;
    return Status::OK();
  }

  Status Sync() override {
    TAMIS_RETURN_IF_ERROR(Flush());
    return SyncDescriptor(fd_.get()) == 0 ? Status::OK() : Fail("sync");
  }

  Status Close() override {
    Status status = Flush();
    const int fd = fd_.Release();
    // After EINTR the descriptor is closed, too.
    if (fd >= 0 && ::close(fd) != 0 && errno != EINTR && status.ok()) {
      status = ErrorFromErrno(path_, "close");
    }
    return status;
  }

  uint64_t GetFileSize() const override { return written_ + buffered_; }

 private:
  // Writes the whole blocks of the buffer, and moves the tail to its beginning.
  Status WriteWholeBlocks() {
    const auto bytes = static_cast<size_t>(AlignDown(buffered_, alignment_));
    if (bytes == 0) return Status::OK();
    TAMIS_RETURN_IF_ERROR(Write(bytes));
    std::memmove(buffer_.data(), buffer_.data() + bytes, buffered_ - bytes);
    buffered_ -= bytes;
    written_ += bytes;
    return Status::OK();
  }

  // Writes the first n bytes of the buffer. REQUIRES: n is aligned.
  Status Write(size_t n) {
    for (size_t done = 0; done < n;) {
      const ssize_t got = Uninterrupted([&] {
        return ::pwrite(fd_.get(), buffer_.data() + done, n - done,
                        static_cast<off_t>(written_ + done));
      });
      if (got < 0 && written_ + done == 0 && RefusesDirectWrites(errno)) {
        // Some file systems refuse the first write, not the open.
        failure_ = NoDirectWrites(path_);
        return failure_;
      }
      if (got < 0) return Fail("write");
      // What is left of a block is written with the block.
      const auto blocks =
          static_cast<size_t>(AlignDown(static_cast<size_t>(got), alignment_));
      if (blocks == 0) {
        errno = ENOSPC;
        return Fail("write");
      }
      done += blocks;
    }
    return Status::OK();
  }

  Status Fail(const char* operation) {
    failure_ = ErrorFromErrno(path_, operation);
    return failure_;
  }

  const std::string path_;
  Descriptor fd_;
  const size_t alignment_;
  const size_t capacity_;  // of the buffer
  const AlignedBuffer buffer_;
  size_t buffered_ = 0;
  uint64_t written_ = 0;    // bytes before the buffer; aligned
  bool is_flushed_ = true;  // the file has the bytes of the buffer
  Status failure_;
};

#endif

}  // namespace

Status OpenDirectWritableFile(const std::string& path,
                              std::unique_ptr<WritableFile>* file) {
  file->reset();
#if defined(O_DIRECT)
  const bool existed = ::access(path.c_str(), F_OK) == 0;
  Descriptor fd = OpenDescriptor(path, O_RDWR | O_CREAT | O_TRUNC | O_DIRECT);
  if (!fd.ok()) {
    const int error = errno;
    if (!RefusesDirectWrites(error)) return ErrorFromErrno(path, "open");
    // Some systems create the file and then refuse the flag.
    if (!existed) ::unlink(path.c_str());
    return NoDirectWrites(path);
  }
  const size_t alignment = DirectAlignment(fd.get());
  *file = std::make_unique<DirectWritableFile>(path, std::move(fd), alignment);
  return Status::OK();
#else
  return Status::NotSupported(
      path, "this operating system has no direct writes (O_DIRECT)");
#endif
}

}  // namespace tamis
