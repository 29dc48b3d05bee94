// SPDX-License-Identifier: Apache-2.0
//
// A PageCacheSampler tells whether the next read of a file should use its
// mapping. A page that the operating system does not have in memory is read at
// the fault, one by one, so that a block across two pages waits for the device
// twice; a call reads both at once. To look at the page cache (cachestat) costs
// a fifth of a call, so only some reads do:
//
//            each sixteenth read looks              each read looks
//              ┌──────────┐  a page is missing   ┌────────────┐
//              │  warm:   │ ───────────────────▶ │  cold: map │
//              │  map     │ ◀─────────────────── │  if cached │
//              └──────────┘  a sixteenth of      └────────────┘
//                            those that find all
//
// A file begins cold. If the system cannot tell, all reads use the mapping.
//
// Const and any thread. Reads write nothing that threads share, except when the
// state changes.
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
