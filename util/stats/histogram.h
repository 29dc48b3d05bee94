// SPDX-License-Identifier: Apache-2.0
//
// A histogram counts values in buckets whose limits are RocksDB's: each is one
// and a half times the one before, rounded down to two digits. A value belongs
// to the first bucket whose limit is not below it.
//
//   bucket   0   1   2   3   4   5   6    ...
//   limit    1   2   3   4   6  10  15    ...
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>

#include "tamis/statistics.h"

namespace tamis {

// The number of limits below 2^64.
inline constexpr size_t kHistogramBuckets = 109;

// The sum of some histograms. A value type.
struct HistogramTotals {
  std::array<uint64_t, kHistogramBuckets> buckets{};
  uint64_t count = 0;
  uint64_t sum = 0;
  double sum_of_squares = 0;
  uint64_t min = UINT64_MAX;
  uint64_t max = 0;

  void Add(uint64_t value, uint64_t times);

  // Returns the value below which `percent` of all values are, as if those of a
  // bucket were spread evenly. 0 if there are no values.
  double Percentile(double percent) const;
  HistogramData Summary() const;
  // Returns the lines of Statistics::getHistogramString.
  std::string ToString() const;
  // Returns those of them that show the buckets.
  std::string Buckets() const;
};

// Any thread. All accesses are relaxed: a sum taken while values are added may
// lack parts of some.
class Histogram {
 public:
  void Add(uint64_t value) noexcept;
  void AddTo(HistogramTotals* totals) const noexcept;
  void Clear() noexcept;

 private:
  std::array<std::atomic<uint64_t>, kHistogramBuckets> buckets_{};
  std::atomic<uint64_t> sum_{0};
  std::atomic<double> sum_of_squares_{0};
  std::atomic<uint64_t> min_{UINT64_MAX};
  std::atomic<uint64_t> max_{0};
};

}  // namespace tamis
