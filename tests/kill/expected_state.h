// SPDX-License-Identifier: Apache-2.0
//
// Counts the operations of a process that will be killed, in a memory-mapped
// file that survives the kill. A thread counts an operation as begun before it
// calls the database, and as acknowledged after the call, so that the counts
// differ by at most one.
//
//   thread 0: begun u64 | acknowledged u64 | padding to 64 bytes
//   thread 1: ...
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <string>

#include "tests/kill/operations.h"

namespace tamis::kill {

class ExpectedState {
 public:
  struct alignas(64) Progress {
    std::atomic<uint64_t> begun;
    std::atomic<uint64_t> acknowledged;
  };

  // Creates the file. REQUIRES, for all other calls: mapped().
  explicit ExpectedState(const std::string& path);
  ~ExpectedState();
  ExpectedState(const ExpectedState&) = delete;
  ExpectedState& operator=(const ExpectedState&) = delete;

  bool mapped() const { return threads_ != nullptr; }
  void Reset();
  Progress& of(uint32_t thread) { return (*threads_)[thread]; }
  // The sum over all threads.
  uint64_t acknowledged() const {
    uint64_t sum = 0;
    for (const Progress& thread : *threads_) sum += thread.acknowledged;
    return sum;
  }

 private:
  using Threads = std::array<Progress, kThreads>;
  static_assert(std::atomic<uint64_t>::is_always_lock_free);

  Threads* threads_ = nullptr;  // the mapping
};

}  // namespace tamis::kill
