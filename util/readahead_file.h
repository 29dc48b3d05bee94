// SPDX-License-Identifier: Apache-2.0
//
// A file that is read from front to back in small pieces, fetched in large
// ones:
//
//   reads      |a|b|c|d|                       each where the last one ended
//   fetched    |a|b c d . . . . . . . .|. . .  from the second one on
//
// A read elsewhere (a footer, a partition of an index) goes past the window
// and leaves it as it is.
//
// One thread, unlike other RandomAccessFiles.
#pragma once

#include <cstdint>
#include <memory>

#include "tamis/file_system.h"

namespace tamis {

class ReadaheadFile final : public RandomAccessFile {
 public:
  ReadaheadFile(std::unique_ptr<RandomAccessFile> file, size_t window_bytes)
      : file_(std::move(file)), window_bytes_(window_bytes) {}

  // What it gives stands in scratch.
  Status Read(uint64_t offset, size_t n, Slice* result,
              char* scratch) const override;

 private:
  bool IsInWindow(uint64_t offset, size_t n) const {
    return offset >= window_begin_ &&
           offset + n <= window_begin_ + window_.size();
  }

  const std::unique_ptr<RandomAccessFile> file_;
  const size_t window_bytes_;
  mutable std::unique_ptr<char[]> buffer_;
  mutable Slice window_;
  mutable uint64_t window_begin_ = 0;
  mutable uint64_t last_end_ = 0;  // of the last read that went past it
};

}  // namespace tamis
