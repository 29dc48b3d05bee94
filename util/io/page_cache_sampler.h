// SPDX-License-Identifier: Apache-2.0
//
// A PageCacheSampler decides whether the next read of a file should use its
// mapping or pread. Pages that are not in the page cache are read by faults,
// one page at a time: a block that lies across two pages waits for the device
// twice. pread reads both pages at once. A query of the page cache (cachestat)
// costs a fifth of a pread, so a warm file is queried only by some reads:
//
//           one read in sixteen queries         each read queries
//              ┌──────────┐  a page is missing   ┌────────────┐
//              │  warm:   │ ───────────────────▶ │  cold: map │
//              │  map     │ ◀─────────────────── │  if cached │
//              └──────────┘  one in sixteen of   └────────────┘
//                            those that find all pages
//
// A file begins cold. Some systems cannot tell: old kernels, and file systems
// whose files are read past the page cache that cachestat sees (overlayfs, DAX,
// FUSE passthrough). All reads then use the mapping.
//
// Const and any thread. Reads write to no memory that threads share, except
// when the state changes.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace tamis {

class PageCacheSampler {
 public:
  // REQUIRES: the descriptor stays open.
  explicit PageCacheSampler(int fd);

  // Returns whether a read of the n bytes at `offset` should use the mapping.
  // REQUIRES: n > 0.
  bool ShouldMap(uint64_t offset, size_t n) const;
  // Notes that the n bytes at `offset` were just read by a call, because
  // ShouldMap returned false. If this is the first such read of the file, and
  // its pages are missing still, the system cannot tell. Returns whether that
  // was just found.
  // REQUIRES: n > 0; all n bytes were read.
  bool NoteRead(uint64_t offset, size_t n) const {
    return !was_right_.load(std::memory_order_relaxed) && !LookAgain(offset, n);
  }
  // Returns whether the system tells what is in memory, as far as is known.
  bool can_tell() const {
    return state_.load(std::memory_order_relaxed) != State::kUnknown;
  }

 private:
  enum class State : uint8_t { kCold, kWarm, kUnknown };

  // Returns whether the pages are in memory; else the system cannot tell.
  bool LookAgain(uint64_t offset, size_t n) const;

  const int fd_;
  const uint64_t page_bytes_;
  mutable std::atomic<State> state_{State::kCold};
  // Pages of the file were seen in memory.
  mutable std::atomic<bool> was_right_{false};
};

}  // namespace tamis
