// SPDX-License-Identifier: Apache-2.0
//
// A MappedTail maps the end of a growing file, so that a process appends by
// storing to memory, without a system call.
//
//   |---- appended ----|---- reserved: allocated, zeros ----|
//              |------------ mapped: a window --------------|
//
// Blocks are allocated before their pages are touched; otherwise a store would
// crash the process if the disk is full. Reserve therefore fails on file
// systems that do not write allocated blocks in place. Until Finish, the file
// is longer than what was appended.
//
// Do not sync a mapped file: that takes several times as long as syncing the
// same bytes written by system calls. One thread at a time. Calls: Reserve*
// Finish
#pragma once

#include <cstddef>
#include <cstdint>

#include "util/base/check.h"
#include "util/io/mapped_window.h"

namespace tamis {

class MappedTail {
 public:
  MappedTail() = default;
  MappedTail(const MappedTail&) = delete;
  MappedTail& operator=(const MappedTail&) = delete;
  // Unmaps. Without Finish, reserved space remains in the file.
  ~MappedTail() = default;

  // Returns memory for n bytes of the file from offset `end` on, which are zero
  // unless stored to before. Returns nullptr if the file cannot be mapped, was
  // truncated, or has no space left.
  // REQUIRES: `fd` is open for reading and writing; the file is no longer than
  // `end`, except for space reserved here; `end` never decreases.
  char* Reserve(int fd, uint64_t end, size_t n) {
    TAMIS_DCHECK(end >= window_begin_);
    if (end + n <= window_end_) return window_.data() + (end - window_begin_);
    return MoveWindow(fd, end, n);
  }
  // Returns false if some stores did not reach the file, because it was
  // truncated or its device failed. WasCut returns the opposite, after it has
  // checked the length of the file too, of which `end` bytes were appended.
  bool intact() const { return !window_.failed(); }
  bool WasCut(int fd, uint64_t end) const;
  // Unmaps, and truncates the file to `end`. Returns 0 or errno.
  int Finish(int fd, uint64_t end);

 private:
  char* MoveWindow(int fd, uint64_t end, size_t n);
  void Unmap();

  MappedWindow window_;
  uint64_t window_begin_ = 0;  // file offsets
  uint64_t window_end_ = 0;    // 0: no window
  // The file may extend beyond the appended bytes.
  bool reserved_ = false;
  uint64_t reserved_end_ = 0;  // end of the allocated space
};

}  // namespace tamis
