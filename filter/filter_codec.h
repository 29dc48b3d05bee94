// SPDX-License-Identifier: Apache-2.0
//
// The codec half of filters: how bits represent a set of keys. The placement
// (filter_placement.h) decides which keys share a filter and where it is
// stored; any codec works with any placement.
//
//   keys ─▶ FilterBuilder ─▶ bytes ─▶ FilterCodec::Open ─▶ FilterView ─▶ match?
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "filter/filter_key.h"
#include "util/base/result.h"

namespace tamis {

// Probes a filter's bytes, which must outlive it. A value type without
// allocations; any thread.
class FilterView {
 public:
  // Must never read outside view.bytes(), whatever they contain.
  using Probe = bool (*)(const FilterView& view, const FilterKey& key);

  // For reserved or malformed bytes: a filter may cost speed, never data.
  static FilterView AlwaysMatch() {
    return FilterView([](const FilterView&, const FilterKey&) { return true; },
                      Slice(), 0, 0);
  }
  // For a filter without keys (RocksDB: 5 bytes or fewer).
  static FilterView NeverMatch() {
    return FilterView([](const FilterView&, const FilterKey&) { return false; },
                      Slice(), 0, 0);
  }
  // Prefetches what the probe will read.
  using Prefetch = void (*)(const FilterView& view, const FilterKey& key);

  // For codecs, which define the meaning of `probes` and `extra`. prefetch:
  // nullptr if the probe reads scattered bytes.
  FilterView(Probe probe, const Slice& bytes, uint32_t probes, uint32_t extra,
             Prefetch prefetch = nullptr)
      : probe_(probe),
        prefetch_(prefetch),
        bytes_(bytes),
        probes_(probes),
        extra_(extra) {}

  // Always true for a key that was added.
  bool MayMatch(const FilterKey& key) const { return probe_(*this, key); }
  // Prefetches for MayMatch; useful if there is other work in between.
  void PrefetchFor(const FilterKey& key) const {
    if (prefetch_ != nullptr) prefetch_(*this, key);
  }

  Slice bytes() const { return bytes_; }
  uint32_t probes() const { return probes_; }
  uint32_t extra() const { return extra_; }

 private:
  Probe probe_;
  Prefetch prefetch_;
  Slice bytes_;
  uint32_t probes_;
  uint32_t extra_;
};

// Builds a filter from keys, including its trailer. One thread.
// Calls: (Add* Finish)*
class FilterBuilder {
 public:
  virtual ~FilterBuilder() = default;
  virtual void Add(const FilterKey& key) = 0;  // adjacent duplicates are free
  // Keys added, adjacent duplicates counted once.
  virtual size_t num_keys() const = 0;
  // The size that Finish would return now.
  virtual size_t EstimateSizeBytes() const = 0;
  // On OK, resets the builder for the next filter.
  virtual Result<std::string> Finish() = 0;
};

// A filter format. Stateless; one static instance per format; any thread.
class FilterCodec {
 public:
  virtual ~FilterCodec() = default;
  // For tools and benchmarks: "FastLocalBloom".
  virtual std::string_view name() const = 0;
  virtual std::unique_ptr<FilterBuilder> NewBuilder(
      double bits_per_key) const = 0;
  // The largest number of keys whose filter fits in `bytes`. If the smallest
  // filter does not fit: 0, or the number of keys that one holds.
  virtual size_t KeysThatFit(double bits_per_key, size_t bytes) const = 0;
  // Malformed bytes yield FilterView::AlwaysMatch().
  virtual FilterView Open(const Slice& filter) const = 0;
  // The theoretical rate for num_keys keys in this filter; 1 if unknown.
  virtual double PredictedFalsePositiveRate(const Slice& filter,
                                            size_t num_keys) const = 0;
};

}  // namespace tamis
