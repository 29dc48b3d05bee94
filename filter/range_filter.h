// SPDX-License-Identifier: Apache-2.0
//
// A range filter tells whether a table may hold a key of a range. Bounded
// iterators, and Gets in tables without a point filter, skip the tables that it
// excludes, without reading their index or data.
//
//   keys ─▶ RangeFilterBuilder ─▶ bytes ─▶ RangeFilterCodec::Open ─▶ view
//   view.MayMatch(begin, end)    may a key with begin <= key < end be there?
//
// Keys are in bytewise order. A range filter lies beside the table's point
// filter, under a name of its own (filter_registry.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "tamis/slice.h"

#include "filter/view_state.h"

namespace tamis {

struct BlockBasedTableOptions;

// Tables with more keys get no range filter.
inline constexpr uint64_t kRangeFilterKeysMax = uint64_t{1} << 30;

class RangeFilterView;

// Returns whether a key of [begin, end) may be in the filter. Must not read
// outside view.bytes(), whatever they contain.
using RangeProbe = bool (*)(const RangeFilterView& view, const Slice& begin,
                            const Slice& end);

// The variants of a codec's probe, which have equal results. `popcount` uses
// the processor's instruction that counts bits; it is nullptr if the processor
// has none.
struct RangeProbes {
  RangeProbe portable;
  RangeProbe popcount;

  RangeProbe fastest() const {
    return popcount != nullptr ? popcount : portable;
  }
};

// Probes a range filter's bytes, which must outlive the view. A value type
// without allocations; any thread.
class RangeFilterView : public ProbedBytes<RangeProbe> {
 public:
  // Returns a view that matches every range, for malformed bytes.
  static RangeFilterView AlwaysMatch() {
    return RangeFilterView(
        [](const RangeFilterView&, const Slice&, const Slice&) { return true; },
        Slice(), ViewState());
  }

  // Called by codecs, with a state of their own.
  using ProbedBytes::ProbedBytes;

  // Returns false only if no key that was added is in [begin, end).
  // REQUIRES: begin < end.
  bool MayMatch(const Slice& begin, const Slice& end) const {
    return probe_function()(*this, begin, end);
  }
};

class RangeFilterCodec;

// Builds one range filter. One thread. Calls: Add* Finish
class RangeFilterBuilder {
 public:
  virtual ~RangeFilterBuilder() = default;
  virtual const RangeFilterCodec& codec() const = 0;
  // REQUIRES: keys ascend; equal ones may follow each other.
  virtual void Add(const Slice& user_key) = 0;
  // Returns the bytes of memory that hold the keys added. Excludes what Finish
  // allocates while it runs.
  virtual size_t ApproximateMemoryUsage() const = 0;
  // Returns the filter, or an empty string if the table should have none: no
  // keys were added, or it would not be worth its size. A missing range filter
  // matches every range.
  virtual std::string Finish() = 0;
};

// A range filter format. Stateless; one static instance per format; any thread.
class RangeFilterCodec {
 public:
  virtual ~RangeFilterCodec() = default;
  // Returns a name for tools and benchmarks, such as "Grafite".
  virtual std::string_view name() const = 0;
  // Returns the name in the metaindex, without the placement.
  virtual std::string_view family() const = 0;
  // Returns a builder of filters of about `bits_per_key` bits per key.
  virtual std::unique_ptr<RangeFilterBuilder> NewBuilder(
      double bits_per_key) const = 0;
  // Returns a view of the filter; RangeFilterView::AlwaysMatch() if the bytes
  // are malformed. The bytes must outlive the view.
  virtual RangeFilterView Open(const Slice& filter) const = 0;
  // Returns the expected share of empty ranges that match, of ranges of one
  // possible key that are drawn where keys are likely; 1 if the bytes are
  // malformed or if the format predicts nothing.
  virtual double PredictedFalsePositiveRate(const Slice& /*filter*/) const {
    return 1;
  }
  // Returns the parameters of this filter for people, or an empty string if the
  // bytes are malformed.
  virtual std::string Parameters(const Slice& filter) const = 0;
};

// Returns a builder of the range filter that new tables get, or nullptr if they
// get none.
std::unique_ptr<RangeFilterBuilder> NewRangeFilterBuilder(
    const BlockBasedTableOptions& options);

}  // namespace tamis
