// SPDX-License-Identifier: Apache-2.0
//
// A PageCacheSampler tells whether the next read of a file should use its
// mapping. A fault on a page that is not in memory reads that page alone, so
// that a block across two pages waits for the device twice, or else 128 KiB
// around it; a call reads the pages of the block at once. To look at the page
// cache (cachestat) costs a third of a call, so only sampled reads do, one of
// sixteen on average:
//
//              sampled reads look                   each read looks
//              ┌──────────┐  a page is missing   ┌────────────┐
//              │  warm:   │ ───────────────────▶ │  cold: map │
//              │  map     │ ◀─────────────────── │  if cached │
//              └──────────┘  a sampled read      └────────────┘
//                            finds all
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

// Returns true for the reads of the calling thread that are sampled. The
// distance from one to the next is random, 1 to 31, so that no regular pattern
// of reads hides a file from it.
bool IsSampledRead();

class PageCacheSampler {
 public:
  // REQUIRES: the descriptor stays open.
  explicit PageCacheSampler(int fd);

  // Returns whether a read of the n bytes at `offset` should use the mapping.
  // REQUIRES: n > 0.
  bool ShouldMap(uint64_t offset, size_t n, bool is_sampled) const;
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
