// SPDX-License-Identifier: Apache-2.0
//
// Helpers of the threads of benchmarks: they make keys and seeds, report
// errors, and tell when to begin an operation and when to end.
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <string>
#include <thread>

#include "tools/tamis_db_bench/benchmarks.h"
#include "util/base/random.h"

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

// Chooses keys to read: uniformly or, with --read_random_exp_range, num * e^-x
// for a uniform x, spread over all keys as in RocksDB. One thread.
class KeyChooser {
 public:
  explicit KeyChooser(const ThreadContext& t)
      : num_(t.settings->num),
        range_(t.settings->read_random_exp_range),
        random_(SeedOf(t)) {}

  uint64_t Next() {
    if (range_ == 0) return random_.Uniform(num_);
    constexpr uint64_t kSteps = uint64_t{1} << 62;
    const double x = -static_cast<double>(random_.Uniform(kSteps)) /
                     static_cast<double>(kSteps) * range_;
    const auto number =
        static_cast<uint64_t>(std::exp(x) * static_cast<double>(num_));
    // A large prime, as in RocksDB: neighbours are not read together.
    return number * uint64_t{0x5bd1e995} % num_;
  }

 private:
  const uint64_t num_;
  const double range_;
  Random random_;
};

// Returns whether the status is OK; an error ends the thread's work.
inline bool Ok(const ThreadContext& t, const Status& status) {
  if (status.ok()) return true;
  t.stats->Fail(status.ToString());
  return false;
}

// Waits for the limiter, if there is one, in parts that it can grant.
inline void Limit(RateLimiter* limiter, uint64_t amount) {
  while (limiter != nullptr && amount > 0) {
    const auto part =
        std::min(amount, static_cast<uint64_t>(limiter->GetSingleBurstBytes()));
    limiter->Request(static_cast<int64_t>(part), IO_HIGH, nullptr,
                     RateLimiter::OpType::kWrite);
    amount -= part;
  }
}

// Ends a thread's work after a number of operations or, with --duration, after
// a time. With --open_loop_rate, operations begin at times that do not depend
// on how long the ones before took, and latencies count from these times. The
// time starts at construction. One thread.
class Quota {
 public:
  Quota(const ThreadContext& t, uint64_t operations)
      : stats_(t.stats),
        operations_(operations),
        start_(Clock::now()),
        end_(start_ + SecondsOf(t.settings->duration_seconds)),
        timed_(t.settings->duration_seconds > 0) {
    if (t.settings->open_loop_rate > 0) {
      const double threads = t.settings->threads;
      seconds_apart_ = threads / t.settings->open_loop_rate;
      seconds_before_ = t.index / t.settings->open_loop_rate;
    }
  }

  // When the operation that was taken last begins, or was to begin.
  std::chrono::steady_clock::time_point Begin() const {
    return seconds_apart_ > 0 ? intended_ : Clock::now();
  }

  // Returns how many of the next `wanted` operations to do; 0 ends the work.
  // Reads the clock once in about 1000 operations, or waits for the time of the
  // first of them.
  uint64_t Take(uint64_t wanted) {
    const uint64_t before = taken_;
    const uint64_t n = timed_ ? wanted : std::min(wanted, operations_ - taken_);
    taken_ += n;
    const bool look = seconds_apart_ > 0 || before / kOperationsPerLook !=
                                                taken_ / kOperationsPerLook;
    if (timed_ && look && Clock::now() >= end_) return 0;
    if (seconds_apart_ > 0 && n > 0) WaitFor(before);
    return n;
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr uint64_t kOperationsPerLook = 1000;

  static Clock::duration SecondsOf(double seconds) {
    return std::chrono::duration_cast<Clock::duration>(
        std::chrono::duration<double>(seconds));
  }
  void WaitFor(uint64_t operation) {
    const Clock::time_point begin =
        start_ + SecondsOf(seconds_before_ +
                           seconds_apart_ * static_cast<double>(operation));
    // Sleeping is exact to about 0.1 ms.
    std::this_thread::sleep_until(begin - std::chrono::microseconds(100));
    while (Clock::now() < begin) std::this_thread::yield();
    intended_ = begin;
    stats_->Intended(begin);
  }

  ThreadStats* const stats_;
  const uint64_t operations_;
  const Clock::time_point start_;
  const Clock::time_point end_;
  const bool timed_;
  double seconds_apart_ = 0;  // 0: no open loop
  double seconds_before_ = 0;
  Clock::time_point intended_;
  uint64_t taken_ = 0;
};

}  // namespace tamis::bench
