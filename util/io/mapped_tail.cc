// SPDX-License-Identifier: Apache-2.0
#include "util/io/mapped_tail.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/io/file_io.h"

#if defined(__linux__)
#include <linux/magic.h>
#include <sys/vfs.h>
#endif

namespace tamis {

namespace {

// A window doubles the file, within these limits. Each move costs some hundred
// microseconds; the zeros left by a crash are read once.
constexpr uint64_t kWindowBytesMin = uint64_t{1} << 20;
constexpr uint64_t kWindowBytesMax = uint64_t{16} << 20;

#if defined(__linux__)

// True for file systems that write allocated blocks in place. Others may need
// new blocks at writeback, and find none.
bool KeepsAllocatedBlocks(int fd) {
  struct statfs info = {};
  if (::fstatfs(fd, &info) != 0) return false;
  constexpr long kXfsMagic = 0x58465342;
  return info.f_type == EXT4_SUPER_MAGIC || info.f_type == TMPFS_MAGIC ||
         info.f_type == kXfsMagic;
}

// Linux's fallocate: where the file system lacks it, posix_fallocate would
// write a byte to every block.
bool Allocate(int fd, uint64_t from, uint64_t to) {
  int result = 0;
  do {
    result = ::fallocate(fd, 0, static_cast<off_t>(from),
                         static_cast<off_t>(to - from));
  } while (result != 0 && errno == EINTR);
  return result == 0;
}

// Submits writes of the range to the device, and does not wait for their end.
// Waits while the device's request queue is full. Reports no error: the next
// sync does.
void StartWriteback(int fd, uint64_t from, uint64_t to) {
  static_cast<void>(::sync_file_range(fd, static_cast<off64_t>(from),
                                      static_cast<off64_t>(to - from),
                                      SYNC_FILE_RANGE_WRITE));
}

#else

bool KeepsAllocatedBlocks(int) { return false; }
void StartWriteback(int, uint64_t, uint64_t) {}
bool Allocate(int, uint64_t, uint64_t) { return false; }

#endif

}  // namespace

void MappedTail::Unmap() {
  window_.Unmap();
  window_begin_ = window_end_ = 0;
}

char* MappedTail::MoveWindow(int fd, uint64_t end, size_t n) {
  if (!reserved_ && !KeepsAllocatedBlocks(fd)) return nullptr;
  // Allocating would hide that the file was truncated.
  if (WasCut(fd, end)) return nullptr;
  const auto page = static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
  const uint64_t begin = end / page * page;
  const uint64_t wanted = std::max<uint64_t>(
      end - begin + n, std::clamp(end, kWindowBytesMin, kWindowBytesMax));
  const uint64_t bytes = (wanted + page - 1) / page * page;
  TAMIS_CHECK(begin >= window_begin_);
  TAMIS_CHECK(end - begin + n <= bytes);
  reserved_ = true;  // even if the allocation fails halfway
  {
    const IOTimer timer(&tls_iostats_context.allocate_nanos);
    if (!Allocate(fd, begin, begin + bytes)) return nullptr;
  }
  const uint64_t full_begin = window_end_ > 0 ? window_begin_ : begin;
  Unmap();
  // Otherwise the sync of a closed log, which writers wait for, would write all
  // of it.
  if (full_begin < begin) StartWriteback(fd, full_begin, begin);
  reserved_end_ = begin + bytes;
  if (!window_.Map(fd, begin, static_cast<size_t>(bytes))) return nullptr;
  window_begin_ = begin;
  window_end_ = begin + bytes;
  return window_.data() + (end - begin);
}

bool MappedTail::WasCut(int fd, uint64_t end) const {
  const uint64_t length = std::max(end, reserved_end_);
  struct stat info;
  return !intact() || (length > 0 && ::fstat(fd, &info) == 0 &&
                       static_cast<uint64_t>(info.st_size) < length);
}

int MappedTail::Finish(int fd, uint64_t end) {
  Unmap();
  if (!reserved_) return 0;
  int result = 0;
  do {
    result = ::ftruncate(fd, static_cast<off_t>(end));
  } while (result != 0 && errno == EINTR);
  if (result != 0) return errno;
  reserved_ = false;
  return 0;
}

}  // namespace tamis
