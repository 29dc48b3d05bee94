// SPDX-License-Identifier: Apache-2.0
//
// A filter has two independent parts. The codec, defined here, represents a set
// of keys as bits. The placement (filter_placement.h) decides which keys share
// a filter and where it is stored.
//
//   keys ─▶ FilterBuilder ─▶ bytes ─▶ FilterCodec::Open ─▶ FilterView ─▶ match?
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "filter/filter_key.h"
#include "filter/view_state.h"
#include "util/base/result.h"
#include "util/jobs/helpers.h"

namespace tamis {

class FilterView;

// Probes a filter's bytes, which must outlive the view. A value type without
// allocations; any thread.
class FilterView : public ProbedBytes<bool (*)(const FilterView& view,
                                               const FilterKey& key)> {
 public:
  // Returns whether the key may be in the filter. Must not read outside
  // view.bytes(), whatever they contain.
  using Probe = bool (*)(const FilterView& view, const FilterKey& key);

  // Prefetches the bytes that the probe will read.
  using Prefetch = void (*)(const FilterView& view, const FilterKey& key);

  // Returns a view that matches every key. Codecs use it for reserved and
  // malformed bytes, so that such a filter costs speed but hides no data.
  static FilterView AlwaysMatch() {
    return FilterView([](const FilterView&, const FilterKey&) { return true; },
                      Slice(), ViewState());
  }
  // Returns a view that matches no key, for a filter without keys (by RocksDB's
  // rule, a full filter of 5 bytes or fewer).
  static FilterView NeverMatch() {
    return FilterView([](const FilterView&, const FilterKey&) { return false; },
                      Slice(), ViewState());
  }

  // Called by codecs, with a state of their own (view_state.h). `prefetch` is
  // nullptr if the probe reads scattered bytes.
  template <typename State>
  FilterView(Probe probe, const Slice& bytes, const State& state,
             Prefetch prefetch = nullptr)
      : ProbedBytes(probe, bytes, state), prefetch_(prefetch) {}

  // Returns true for every key that was added.
  bool MayMatch(const FilterKey& key) const {
    return probe_function()(*this, key);
  }
  // Prefetches for a later MayMatch.
  void PrefetchFor(const FilterKey& key) const {
    if (prefetch_ != nullptr) prefetch_(*this, key);
  }

 private:
  Prefetch prefetch_;
};

// Hashes the key, then probes. A probe that returns this for a key without a
// hash contains no call, and so saves no registers for the other keys, which
// are nearly all.
template <FilterView::Probe kProbe>
__attribute__((noinline)) bool HashThenProbe(const FilterView& view,
                                             const FilterKey& key) {
  static_cast<void>(key.Hash64());
  return kProbe(view, key);
}

// Builds a filter from keys, including its trailer. One thread at a time:
// Finish may run in another thread than Add, beside the Adds of another
// builder. Calls: (Add* Finish)*
class FilterBuilder {
 public:
  virtual ~FilterBuilder() = default;
  virtual void Add(const FilterKey& key) = 0;
  // Returns the number of keys added. Adjacent duplicates count once.
  virtual size_t num_keys() const = 0;
  // Estimates the size of the filter that Finish would return now. A codec
  // whose seeds all fail returns a filter of another size. Returns 0 for
  // filters of a user's policy.
  virtual size_t EstimateSizeBytes() const = 0;
  // Returns the bytes of memory that hold the keys added. Excludes what Finish
  // allocates while it runs, and what a user's FilterBitsBuilder holds.
  virtual size_t ApproximateMemoryUsage() const = 0;
  // Finish may run a part of its work as a job of these, until the builder is
  // destroyed. Without this call it does all of the work itself.
  virtual void UseHelpers(const Helpers& /*helpers*/) {}
  // Returns the filter and, if OK, resets the builder for the next one.
  // Built-in codecs never fail; for the errors of a user's policy see
  // user_filter.h.
  virtual Result<std::string> Finish() = 0;
};

// The family under which RocksDB and Tamis write every filter in a RocksDB
// format.
inline constexpr std::string_view kBuiltinBloomFamily =
    "rocksdb.BuiltinBloomFilter";
// LevelDB's, since 1.18.
inline constexpr std::string_view kLevelDBBloomFamily =
    "leveldb.BuiltinBloomFilter2";

// A filter format. Stateless; one static instance per format; any thread.
class FilterCodec {
 public:
  virtual ~FilterCodec() = default;
  // Returns a name for tools and benchmarks, such as "FastLocalBloom".
  virtual std::string_view name() const = 0;
  // Returns the name in the metaindex under which filters of this codec are
  // written, without the placement (filter_registry.h).
  virtual std::string_view family() const { return kBuiltinBloomFamily; }
  virtual std::unique_ptr<FilterBuilder> NewBuilder(
      double bits_per_key) const = 0;
  // Returns what a builder's EstimateSizeBytes returns after it added this
  // number of keys with different hashes. For Ribbon filters, the result may be
  // 16 bytes larger than that, depending on the first key.
  virtual size_t EstimateSizeBytes(double bits_per_key, size_t keys) const = 0;
  // Returns the largest number of keys whose filter fits in `bytes`, as
  // EstimateSizeBytes estimates it. If even the smallest filter does not fit,
  // Bloom codecs return the number of keys that it can hold, and other codecs
  // return 0.
  virtual size_t KeysThatFit(double bits_per_key, size_t bytes) const = 0;
  // Returns a view of the filter; FilterView::AlwaysMatch() if the bytes are
  // malformed. The bytes must outlive the view.
  virtual FilterView Open(const Slice& filter) const = 0;
  // Returns the theoretical false-positive rate of this filter with num_keys
  // keys; 1 if the bytes are malformed.
  virtual double PredictedFalsePositiveRate(const Slice& filter,
                                            size_t num_keys) const = 0;
  // Returns the parameters of this filter for people, such as "6 probes", or an
  // empty string if the bytes are malformed.
  virtual std::string Parameters(const Slice& filter) const = 0;
};

}  // namespace tamis
