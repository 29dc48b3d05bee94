// SPDX-License-Identifier: Apache-2.0
//
// A FilterBatch loads the filters that the keys of a batch are looked up in,
// unless these are kept in memory. Keys of one filter share it, and keys of one
// table share the index of its partitions, in whatever order they come. Each
// step runs for all keys before the next one begins, so that the memory that a
// step prefetches arrives while the others run:
//
//   batch.Find(key)             loads the filter, prefetches its trailer
//   filter->view().PrefetchFor  opens it, prefetches the bytes of the probe
//   filter->view().MayMatch     probes them
//
// One thread; on the stack; within a Guard of the tables' epochs.
#pragma once

#include <cstddef>
#include <optional>
#include <utility>

#include "filter/filter_placement.h"
#include "util/base/fixed_vector.h"

namespace tamis {

class FilterBatch {
 public:
  // The maximum number of keys.
  static constexpr size_t kKeysMax = 32;

  // A filter of the batch. Valid as long as the batch.
  class Filter {
   public:
    // Of no reader: matches every key.
    Filter() { opened_.emplace(); }
    // `reader` must outlive *this.
    Filter(const FilterBlockReader* reader, FilterPosition at,
           PinnedBytes bytes)
        : reader_(reader), at_(std::move(at)), bytes_(std::move(bytes)) {}
    Filter(const Filter&) = delete;
    Filter& operator=(const Filter&) = delete;

    // Opens the filter at the first call.
    const FilterView& view() {
      if (!opened_) opened_.emplace(reader_->Open(bytes_.bytes()));
      return opened_->view;
    }

   private:
    friend class FilterBatch;
    const FilterBlockReader* const reader_ = nullptr;
    const FilterPosition at_;
    const PinnedBytes bytes_;
    std::optional<OpenedFilter> opened_;
  };

  FilterBatch() = default;
  FilterBatch(const FilterBatch&) = delete;
  FilterBatch& operator=(const FilterBatch&) = delete;

  // Returns the filter that covers the key, which it loads unless an earlier
  // call did. If that fails, returns a filter that matches every key.
  // REQUIRES: called at most kKeysMax times; the reader's filter is full or
  // partitioned, and not kept; `reader` outlives the batch.
  Filter* Find(const FilterBlockReader& reader, const Slice& user_key,
               const ReadContext& context);

 private:
  FixedVector<Filter, kKeysMax> filters_;
};

}  // namespace tamis
