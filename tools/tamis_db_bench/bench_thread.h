// SPDX-License-Identifier: Apache-2.0
//
// Helpers of the threads of benchmarks: they make keys and seeds, report
// errors, and tell when to end.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>

#include "tools/tamis_db_bench/benchmarks.h"

namespace tamis::bench {

// Makes RocksDB's keys: the number in big-endian, padded with '0'. One thread.
class NumberedKey {
 public:
  explicit NumberedKey(int size) : key_(static_cast<size_t>(size), '0') {}
  // Returns the key, valid until the next call.
  Slice Make(uint64_t number) {
    const size_t digits = std::min<size_t>(8, key_.size());
    for (size_t i = 0; i < digits; ++i) {
      key_[i] = static_cast<char>(number >> (8 * (digits - 1 - i)));
    }
    return key_;
  }

 private:
  std::string key_;
};

inline uint64_t SeedOf(const ThreadContext& t) {
  return t.settings->seed + 1000 * static_cast<uint64_t>(t.index) +
         1'000'000 * t.salt;
}

// Returns whether the status is OK; an error ends the thread's work.
inline bool Ok(const ThreadContext& t, const Status& status) {
  if (status.ok()) return true;
  t.stats->Fail(status.ToString());
  return false;
}

// Ends a thread's work after a number of operations or, with --duration, after
// a time. The time starts at construction. One thread.
class Quota {
 public:
  Quota(const Settings& settings, uint64_t operations)
      : operations_(operations),
        end_(Clock::now() +
             std::chrono::duration_cast<Clock::duration>(
                 std::chrono::duration<double>(settings.duration_seconds))),
        timed_(settings.duration_seconds > 0) {}

  // Returns how many of the next `wanted` operations to do; 0 ends the work.
  // Reads the clock once in about 1000 operations.
  uint64_t Take(uint64_t wanted) {
    if (!timed_) {
      const uint64_t n = std::min(wanted, operations_ - taken_);
      taken_ += n;
      return n;
    }
    const uint64_t before = taken_;
    taken_ += wanted;
    if (before / kOperationsPerLook != taken_ / kOperationsPerLook &&
        Clock::now() >= end_) {
      return 0;
    }
    return wanted;
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr uint64_t kOperationsPerLook = 1000;
  const uint64_t operations_;
  const Clock::time_point end_;
  const bool timed_;
  uint64_t taken_ = 0;
};

}  // namespace tamis::bench
