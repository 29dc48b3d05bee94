// SPDX-License-Identifier: Apache-2.0
//
// The end of a file that grows, as memory: a process that stores there has
// written, without a call of the system.
//
//   |---- appended ----|---- reserved: allocated, zeros ----|
//              |------------ mapped: a window --------------|
//
// Every block is allocated before its page is touched, or a store would end
// the process where the disk is full; so only on file systems that keep such a
// promise. Until Finish the file is longer than what was appended.
//
// Do not sync what is mapped: that is several times slower than a sync of the
// same bytes written by call.
#pragma once

#include <cstddef>
#include <cstdint>

#include "util/io/mapped_window.h"

namespace tamis {

class MappedTail {
 public:
  MappedTail() = default;
  MappedTail(const MappedTail&) = delete;
  MappedTail& operator=(const MappedTail&) = delete;
  // The mapping goes; what was reserved stays in the file.
  ~MappedTail() = default;

  // Where the file's bytes from `end` on, n of them, may be stored; nullptr:
  // not here, or no space is left. They are zeros where nothing was stored.
  // REQUIRES: `fd` can be read and written, is not longer than `end` but by
  // what was reserved here, and `end` never falls.
  char* Reserve(int fd, uint64_t end, size_t n) {
    if (end + n <= window_end_) return window_.data() + (end - window_begin_);
    return MoveWindow(fd, end, n);
  }
  // False: something that was stored went nowhere, since the file was cut or
  // its device failed. Cheap; WasCut asks the file, too.
  bool intact() const { return !window_.failed(); }
  bool WasCut(int fd) const;
  // Ends the mapping and cuts the file at `end`. 0, or errno.
  int Finish(int fd, uint64_t end);

 private:
  char* MoveWindow(int fd, uint64_t end, size_t n);
  void Unmap();

  MappedWindow window_;
  uint64_t window_begin_ = 0;  // in the file
  uint64_t window_end_ = 0;    // 0: there is none
  // The file may be longer than what was appended.
  bool reserved_ = false;
  uint64_t reserved_end_ = 0;  // what was allocated up to
};

}  // namespace tamis
