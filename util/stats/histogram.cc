// SPDX-License-Identifier: Apache-2.0
#include "util/stats/histogram.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace tamis {

namespace {

// 100 to 109 stay as they are, as in RocksDB.
constexpr uint64_t RoundedToTwoDigits(uint64_t value) {
  uint64_t unit = 1;
  while (value / unit >= 110) unit *= 10;
  return value / unit * unit;
}

constexpr auto kLimits = [] {
  std::array<uint64_t, kHistogramBuckets> limits{1, 2};
  double limit = 2;
  for (size_t i = 2; i < kHistogramBuckets; ++i) {
    limit *= 1.5;
    limits[i] = RoundedToTwoDigits(static_cast<uint64_t>(limit));
  }
  return limits;
}();

size_t BucketOf(uint64_t value) {
  const auto found = std::lower_bound(kLimits.begin(), kLimits.end(), value);
  return std::min(static_cast<size_t>(found - kLimits.begin()),
                  kHistogramBuckets - 1);
}

uint64_t LowerLimit(size_t bucket) {
  return bucket == 0 ? 0 : kLimits[bucket - 1];
}

template <typename... Values>
void Append(std::string* out, const char* format, Values... values) {
  char line[256];
  std::snprintf(line, sizeof(line), format, values...);
  *out += line;
}

}  // namespace

void HistogramTotals::Add(uint64_t value, uint64_t times) {
  const auto real = static_cast<double>(value);
  buckets[BucketOf(value)] += times;
  count += times;
  sum += value * times;
  sum_of_squares += real * real * static_cast<double>(times);
  min = std::min(min, value);
  max = std::max(max, value);
}

double HistogramTotals::Percentile(double percent) const {
  if (count == 0) return 0;
  const double wanted = static_cast<double>(count) * (percent / 100);
  double before = 0;
  for (size_t i = 0; i < kHistogramBuckets; ++i) {
    const auto here = static_cast<double>(buckets[i]);
    if (before + here < wanted || here == 0) {
      before += here;
      continue;
    }
    const auto low = static_cast<double>(LowerLimit(i));
    const auto high = static_cast<double>(kLimits[i]);
    return std::clamp(low + (high - low) * ((wanted - before) / here),
                      static_cast<double>(min), static_cast<double>(max));
  }
  return static_cast<double>(max);
}

HistogramData HistogramTotals::Summary() const {
  HistogramData data;
  if (count == 0) return data;
  const auto n = static_cast<double>(count);
  const auto total = static_cast<double>(sum);
  data.median = Percentile(50);
  data.percentile95 = Percentile(95);
  data.percentile99 = Percentile(99);
  data.average = total / n;
  data.standard_deviation =
      std::sqrt(std::max(0.0, (sum_of_squares * n - total * total) / (n * n)));
  data.max = static_cast<double>(max);
  data.count = count;
  data.sum = sum;
  data.min = static_cast<double>(min);
  return data;
}

std::string HistogramTotals::ToString() const {
  const HistogramData data = Summary();
  std::string out;
  Append(&out, "Count: %llu Average: %.4f  StdDev: %.2f\n",
         static_cast<unsigned long long>(count), data.average,
         data.standard_deviation);
  Append(&out, "Min: %llu  Median: %.4f  Max: %llu\n",
         static_cast<unsigned long long>(count == 0 ? 0 : min), data.median,
         static_cast<unsigned long long>(max));
  Append(&out,
         "Percentiles: P50: %.2f P75: %.2f P99: %.2f P99.9: %.2f P99.99: "
         "%.2f\n",
         data.median, Percentile(75), data.percentile99, Percentile(99.9),
         Percentile(99.99));
  return out + Buckets();
}

std::string HistogramTotals::Buckets() const {
  std::string out = std::string(54, '-') + "\n";
  uint64_t so_far = 0;
  for (size_t i = 0; i < kHistogramBuckets; ++i) {
    if (buckets[i] == 0) continue;
    so_far += buckets[i];
    const double one = 100.0 / static_cast<double>(count);
    const double share = one * static_cast<double>(buckets[i]);
    Append(&out, "%c %7llu, %7llu ] %8llu %7.3f%% %7.3f%% ", i == 0 ? '[' : '(',
           static_cast<unsigned long long>(LowerLimit(i)),
           static_cast<unsigned long long>(kLimits[i]),
           static_cast<unsigned long long>(buckets[i]), share,
           one * static_cast<double>(so_far));
    // A mark for each 5 %.
    out += std::string(static_cast<size_t>(share / 5 + 0.5), '#') + "\n";
  }
  return out;
}

void Histogram::Add(uint64_t value) noexcept {
  constexpr auto kRelaxed = std::memory_order_relaxed;
  buckets_[BucketOf(value)].fetch_add(1, kRelaxed);
  sum_.fetch_add(value, kRelaxed);
  const auto real = static_cast<double>(value);
  sum_of_squares_.fetch_add(real * real, kRelaxed);
  uint64_t seen = min_.load(kRelaxed);
  while (value < seen && !min_.compare_exchange_weak(seen, value, kRelaxed)) {
  }
  seen = max_.load(kRelaxed);
  while (value > seen && !max_.compare_exchange_weak(seen, value, kRelaxed)) {
  }
}

void Histogram::AddTo(HistogramTotals* totals) const noexcept {
  constexpr auto kRelaxed = std::memory_order_relaxed;
  for (size_t i = 0; i < kHistogramBuckets; ++i) {
    const uint64_t n = buckets_[i].load(kRelaxed);
    totals->buckets[i] += n;
    totals->count += n;
  }
  totals->sum += sum_.load(kRelaxed);
  totals->sum_of_squares += sum_of_squares_.load(kRelaxed);
  totals->min = std::min(totals->min, min_.load(kRelaxed));
  totals->max = std::max(totals->max, max_.load(kRelaxed));
}

void Histogram::Clear() noexcept {
  constexpr auto kRelaxed = std::memory_order_relaxed;
  for (auto& bucket : buckets_) bucket.store(0, kRelaxed);
  sum_.store(0, kRelaxed);
  sum_of_squares_.store(0, kRelaxed);
  min_.store(UINT64_MAX, kRelaxed);
  max_.store(0, kRelaxed);
}

}  // namespace tamis
