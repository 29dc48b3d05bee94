// SPDX-License-Identifier: Apache-2.0
#include "tools/latency_histogram.h"

#include <algorithm>
#include <cmath>

namespace tamis {

void LatencyHistogram::Merge(const LatencyHistogram& other) {
  for (size_t i = 0; i < buckets_.size(); ++i) buckets_[i] += other.buckets_[i];
  count_ += other.count_;
  sum_ += other.sum_;
  most_ = std::max(most_, other.most_);
}

void LatencyHistogram::AddSince(const LatencyHistogram& before,
                                const LatencyHistogram& other) {
  for (size_t i = 0; i < buckets_.size(); ++i) {
    const uint64_t now = std::atomic_ref<uint64_t>(other.buckets_[i])
                             .load(std::memory_order_relaxed);
    const uint64_t fresh = now - before.buckets_[i];
    if (fresh == 0) continue;
    buckets_[i] += fresh;
    count_ += fresh;
    sum_ += fresh * LastOf(i);
    most_ = std::max(most_, LastOf(i));
  }
}

double LatencyHistogram::Mean() const {
  if (count_ == 0) return 0;
  return static_cast<double>(sum_) / static_cast<double>(count_);
}

uint64_t LatencyHistogram::LastOf(size_t bucket) {
  if (bucket < kExact) return bucket;
  const size_t shift = bucket / kHalf - 1;
  return ((uint64_t{bucket} - shift * kHalf + 1) << shift) - 1;
}

uint64_t LatencyHistogram::Quantile(double share) const {
  const auto wanted = std::max<uint64_t>(
      1, static_cast<uint64_t>(std::ceil(share * static_cast<double>(count_))));
  uint64_t seen = 0;
  for (size_t i = 0; i < buckets_.size(); ++i) {
    seen += buckets_[i];
    if (seen >= wanted) return std::min(LastOf(i), most_);
  }
  return most_;
}

}  // namespace tamis
