// SPDX-License-Identifier: Apache-2.0
//
// What a process that is about to be cut off had begun, was told and was
// promised: memory that it shares with the test. Of each thread:
//
//   operations   1 ............. durable ....... acknowledged, begun
//                |-- have to be there --|-- a prefix may be --|
//
// and for each write what the others had acknowledged when it began: it cannot
// be there without that (D2).
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

  // Shared with processes forked later; nullptr: there is no memory.
  static Ledger* New();
  void Reset();

  Counts Acknowledged() const;
  // Of the operations that wrote to the family, the last acknowledged.
  Counts Wrote(size_t family) const;
  // These are durable, whatever others are.
  void Promise(const Counts& counts);

  std::array<Thread, kThreads> threads;
  std::array<Copy, kCopiesMax> copies;
  std::atomic<uint32_t> copies_begun;
  // The open, or the close, returned OK.
  std::atomic<bool> opened;
  std::atomic<bool> closed;
};

}  // namespace tamis::writeback
