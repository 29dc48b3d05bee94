// SPDX-License-Identifier: Apache-2.0
//
// Counts latencies in buckets no wider than 1/64 of their values,
// from one nanosecond to centuries.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tamis {

// One thread adds; another may take snapshots meanwhile.
class LatencyHistogram {
 public:
  void Add(uint64_t nanos) {
    // Only this thread writes it.
    const std::atomic_ref<uint64_t> bucket(buckets_[BucketOf(nanos)]);
    bucket.store(bucket.load(std::memory_order_relaxed) + 1,
                 std::memory_order_relaxed);
    ++count_;
    sum_ += nanos;
    if (nanos > most_) most_ = nanos;
  }
  void Merge(const LatencyHistogram& other);
  // Adds what is in the buckets of `other`, to which its thread may be adding,
  // and has not been in those of `before`. The largest value counts as the end
  // of its bucket.
  void AddSince(const LatencyHistogram& before, const LatencyHistogram& other);

  uint64_t count() const { return count_; }
  uint64_t most() const { return most_; }
  double Mean() const;
  // Returns the latency that a `share` (0 to 1) of all does not exceed, up to
  // 1/64 too high; 0 if there are none.
  uint64_t Quantile(double share) const;
  // The same in microseconds.
  double QuantileMicros(double share) const {
    return static_cast<double>(Quantile(share)) / 1e3;
  }
  // Calls visit(nanos, times) for each latency, rounded up as in Quantile.
  template <typename Visit>
  void ForEach(Visit&& visit) const {
    for (size_t i = 0; i < buckets_.size(); ++i) {
      if (buckets_[i] != 0) visit(std::min(LastOf(i), most_), buckets_[i]);
    }
  }

 private:
  static constexpr int kExactBits =
      7;  // values below 128 have their own bucket
  static constexpr size_t kExact = size_t{1} << kExactBits;
  static constexpr size_t kHalf = kExact / 2;

  // From 128 on, 64 buckets for each power of two.
  static size_t BucketOf(uint64_t nanos) {
    if (nanos < kExact) return nanos;
    const int shift = static_cast<int>(std::bit_width(nanos)) - kExactBits;
    return static_cast<size_t>(shift) * kHalf + (nanos >> shift);
  }
  static uint64_t LastOf(size_t bucket);

  // Mutable for std::atomic_ref, which C++20 has no const one of.
  mutable std::vector<uint64_t> buckets_ =
      std::vector<uint64_t>(size_t{64 - kExactBits} * kHalf + kExact);
  uint64_t count_ = 0;
  uint64_t sum_ = 0;
  uint64_t most_ = 0;
};

}  // namespace tamis
