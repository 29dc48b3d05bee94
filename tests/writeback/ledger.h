// SPDX-License-Identifier: Apache-2.0
//
// Records which operations a process has begun, and which of them the database
// acknowledged or promised to be durable, in memory that the test shares with
// it. For each thread:
//
//   operations   1 ............. durable ....... acknowledged, begun
//                |--- must be there ---|-- a prefix may be --|
//
// For each write, the ledger also has what the other threads had acknowledged
// when it began. The write cannot be present without that (D2).
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "tests/kill/operations.h"

namespace tamis::writeback {

using kill::kThreads;

using Counts = std::array<uint32_t, kThreads>;

constexpr uint32_t kOperationsMax = 8192;  // of a thread
constexpr uint32_t kCopiesMax = 64;

class Ledger {
 public:
  struct Copy {
    std::atomic<bool> made;
    Counts least;
    Counts most;
  };
  struct Thread {
    std::atomic<uint32_t> begun;
    std::atomic<uint32_t> acknowledged;
    std::atomic<uint32_t> durable;
    // The last operation, counted from 1, that wrote to the family.
    std::array<std::atomic<uint32_t>, kill::kFamilies> wrote;
    std::array<Counts, kOperationsMax> seen;
  };

  // Returns a ledger that later forked processes share; nullptr: out of memory.
  static Ledger* New();
  void Reset();

  Counts Acknowledged() const;
  // The last acknowledged operation that wrote to the family.
  Counts Wrote(size_t family) const;
  // These operations are durable, even if others are not.
  void Promise(const Counts& counts);

  std::array<Thread, kThreads> threads;
  std::array<Copy, kCopiesMax> copies;
  std::atomic<uint32_t> copies_begun;
  // Whether the open, or the close, returned OK.
  std::atomic<bool> opened;
  std::atomic<bool> closed;
};

}  // namespace tamis::writeback
