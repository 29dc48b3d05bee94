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
// A file begins cold. If the system does not support the query, all reads use
// the mapping.
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
  PageCacheSampler();

  // Returns whether a read of the n bytes at `offset` should use the mapping.
  // REQUIRES: n > 0; the same file every time.
  bool ShouldMap(int fd, uint64_t offset, size_t n) const;

 private:
  enum class State : uint8_t { kCold, kWarm, kUnknown };

  const uint64_t page_bytes_;
  mutable std::atomic<State> state_{State::kCold};
};

}  // namespace tamis
