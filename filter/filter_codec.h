// SPDX-License-Identifier: Apache-2.0
//
// The codec side of filters: how bits answer for a set of keys. Which keys
// share a filter and where it lies is the placement's business
// (filter_placement.h); any codec goes with any placement.
//
//   keys ──▶ FilterBuilder ──▶ bytes ──▶ FilterCodec::Open ──▶ FilterView ──▶
//   may match / surely not
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "filter/filter_key.h"
#include "util/base/result.h"

namespace tamis {

// A probe over somebody else's bytes. A small value; no allocation; any
// thread. The bytes outlive it.
class FilterView {
 public:
  // Reads the bytes in [data, data + size), never beyond, whatever they hold.
  using Probe = bool (*)(const FilterView& view, const FilterKey& key);

  // Reserved or malformed structure: a filter may lose speed, never data.
  static FilterView AlwaysMatch() {
    return FilterView([](const FilterView&, const FilterKey&) { return true; },
                      Slice(), 0, 0);
  }
  // The filter of no keys at all (RocksDB: 5 bytes or fewer).
  static FilterView NeverMatch() {
    return FilterView([](const FilterView&, const FilterKey&) { return false; },
                      Slice(), 0, 0);
  }
  // Begins to fetch what the probe will read.
  using Prefetch = void (*)(const FilterView& view, const FilterKey& key);

  // For codecs. `probes` and `extra` mean what the codec wants. prefetch:
  // nullptr where the probe reads here and there.
  FilterView(Probe probe, const Slice& bytes, uint32_t probes, uint32_t extra,
             Prefetch prefetch = nullptr)
      : probe_(probe),
        prefetch_(prefetch),
        bytes_(bytes),
        probes_(probes),
        extra_(extra) {}

  // Never false for a key that was added.
  bool MayMatch(const FilterKey& key) const { return probe_(*this, key); }
  // Before MayMatch, when there is something else to do meanwhile.
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

// Collects keys, emits one filter, trailer included. One thread.
// Calls: (Add* Finish)*
class FilterBuilder {
 public:
  virtual ~FilterBuilder() = default;
  virtual void Add(const FilterKey& key) = 0;  // adjacent duplicates are free
  // Keys added, adjacent duplicates counted once.
  virtual size_t num_keys() const = 0;
  // Of what Finish would give now.
  virtual size_t EstimateSizeBytes() const = 0;
  // On OK the builder is empty and may be used again.
  virtual Result<std::string> Finish() = 0;
};

// One way to turn keys into bits. Stateless, one static instance each, any
// thread.
class FilterCodec {
 public:
  virtual ~FilterCodec() = default;
  // For tools and benchmarks: "FastLocalBloom".
  virtual std::string_view name() const = 0;
  virtual std::unique_ptr<FilterBuilder> NewBuilder(
      double bits_per_key) const = 0;
  // The largest number of keys whose filter fits in so many bytes. Where the
  // smallest filter does not: 0, or as many keys as that one holds.
  virtual size_t KeysThatFit(double bits_per_key, size_t bytes) const = 0;
  // Malformed bytes give FilterView::AlwaysMatch().
  virtual FilterView Open(const Slice& filter) const = 0;
  // By the formula, for num_keys keys in a filter of so many bytes; 1 when it
  // cannot say.
  virtual double PredictedFalsePositiveRate(const Slice& filter,
                                            size_t num_keys) const = 0;
};

}  // namespace tamis
