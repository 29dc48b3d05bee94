// SPDX-License-Identifier: Apache-2.0
//
// The placement side of filters: which keys share a filter, and where it goes.
// A placement turns keys into filters and filters into answers; it never sees
// a block, a file or a cache. table/ moves the bytes through two small
// interfaces, FilterSink and FilterSource.
//
//   TableBuilder ──▶ FilterBlockWriter ──▶ FilterSink (TableBuilder)
//   TableReader  ──▶ FilterBlockReader ──▶ FilterSource (FilterLoader)
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "tamis/filter_policy.h"
#include "tamis/slice_transform.h"

#include "filter/filter_codec.h"
#include "filter/filter_entries.h"
#include "filter/filter_registry.h"
#include "util/base/result.h"
#include "util/cache/block_buffer.h"
#include "util/io/read_context.h"

namespace tamis {

// Implemented by the table builder. In key order; the builder pairs the
// ordinals (0, 1, ...) with the separators at which the filters were cut.
class FilterSink {
 public:
  virtual ~FilterSink() = default;
  virtual Status WriteFilter(size_t ordinal, const Slice& filter) = 0;
};

// One per table under construction, one thread.
// Calls: (StartDataBlock Add* EndDataBlock)* Finish
class FilterBlockWriter {
 public:
  virtual ~FilterBlockWriter() = default;

  virtual FilterPlacement placement() const = 0;

  // The next keys belong to the data block that begins at this offset.
  // Block-based cares, the others do not.
  virtual void StartDataBlock(uint64_t file_offset) = 0;
  // Ascending; versions of one key may follow each other.
  virtual void Add(const FilterKey& key) = 0;
  // Partitioned: the partition is full, and the index is asked to cut with it
  // at the end of the data block.
  virtual bool WantsCut() const = 0;
  // The data block has ended and stands in the index. `cut`: the index cut in
  // front of it, so that a filter partition ends with it. next_key: the first
  // user key behind it, nullptr at the end of the table.
  virtual Status EndDataBlock(const Slice* next_key, bool cut,
                              FilterSink& sink) = 0;
  virtual Status Finish(FilterSink& sink) = 0;

  // Entries that went into filters. Where adjacent duplicates take no room,
  // they count once.
  virtual uint64_t num_keys() const = 0;
};

// Implemented by table/filter_loader: const and any thread.
class FilterSource {
 public:
  virtual ~FilterSource() = default;
  // The filter that answers for the key: the whole of it, or, partitioned, the
  // partition that covers the key.
  virtual Result<PinnedBytes> Load(const Slice& user_key,
                                   const ReadContext& context) const = 0;
  // The one filter that answers for every key, where it stays in memory as long
  // as the source; nullopt: there is no such.
  virtual std::optional<Slice> Whole() const { return std::nullopt; }
};

// One per open table, const and any thread. Every question defaults to "may
// match": a placement answers where it can, and the table reader asks without
// knowing which it has. An error inside counts as "may match".
class FilterBlockReader {
 public:
  virtual ~FilterBlockReader() = default;
  virtual FilterPlacement placement() const = 0;
  // Begins to fetch what KeyMayMatch will look at.
  virtual void Prefetch(const FilterKey& /*entry*/) const {}
  // `entry`: a whole key, or the prefix of one; what the table's filter holds
  // is for the caller to know. user_key: the key that is looked for, which a
  // partition is found by.
  virtual bool KeyMayMatch(const FilterKey& /*entry*/,
                           const Slice& /*user_key*/,
                           const ReadContext& /*context*/) const {
    return true;
  }
  virtual bool BlockMayMatch(const FilterKey& /*entry*/,
                             uint64_t /*data_block_offset*/,
                             const ReadContext& /*context*/) const {
    return true;
  }
};

// What a policy asks for, taken apart. A value; one thread.
struct FilterPlan {
  // Makes a builder for one filter after the other (for block-based: one chunk
  // after the other). Empty: no filter.
  std::function<std::unique_ptr<FilterBuilder>()> new_builder;
  FilterPlacement placement = FilterPlacement::kFull;
  // Partitioned: how many keys a partition is to hold.
  size_t keys_per_partition = 0;
  // What stands in the metaindex and in the property rocksdb.filter.policy.
  std::string family;
  std::string policy_name;
  // Which entries keys are turned into.
  bool whole_keys = true;
  bool prefix_first = false;
  std::shared_ptr<const SliceTransform> prefix_extractor;

  bool empty() const { return new_builder == nullptr; }
  // Lives no longer than *this.
  FilterEntryRule entries() const {
    return {whole_keys, prefix_extractor.get(), prefix_first};
  }
};

// The filter that context.table_options ask for. InvalidArgument when they
// contradict each other, or when a user's policy has a name that is taken.
// context.table_options outlives the builders of the plan.
Result<FilterPlan> PlanFilter(
    const FilterBuildingContext& context,
    std::shared_ptr<const SliceTransform> prefix_extractor);

// REQUIRES: !plan.empty(). The plan need not outlive the writer, but its
// prefix extractor does.
std::unique_ptr<FilterBlockWriter> NewFilterBlockWriter(const FilterPlan& plan);

// `source` outlives the reader, and so does `policy`: the user's own, which
// reads what stands under its name. nullptr: there is none. nullptr comes back
// for a filter that nobody here can read.
std::unique_ptr<FilterBlockReader> NewFilterBlockReader(
    const FilterLocator& where, const FilterSource* source,
    const FilterPolicy* policy = nullptr);

}  // namespace tamis
