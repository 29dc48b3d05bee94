// SPDX-License-Identifier: Apache-2.0
//
// The placement half of filters: which keys share a filter, and where it is
// stored. A placement sees keys, filters and answers, but no block, file or
// cache: table/ transfers the bytes through FilterSink and FilterSource.
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

// Implemented by the table builder. Receives filters in key order, numbered 0,
// 1, ...; the builder pairs each with the separator at which it was cut.
class FilterSink {
 public:
  virtual ~FilterSink() = default;
  virtual Status WriteFilter(size_t ordinal, const Slice& filter) = 0;
};

// Builds the filters of one table. One thread.
// Calls: (StartDataBlock Add* EndDataBlock)* Finish
class FilterBlockWriter {
 public:
  virtual ~FilterBlockWriter() = default;

  virtual FilterPlacement placement() const = 0;

  // Later keys belong to the data block at this offset. Only the block-based
  // placement uses it.
  virtual void StartDataBlock(uint64_t file_offset) = 0;
  // Keys ascend; versions of one key may be adjacent.
  virtual void Add(const FilterKey& key) = 0;
  // Partitioned: the partition is full, and the index should cut with it at the
  // end of the data block.
  virtual bool WantsCut() const = 0;
  // The data block has ended and is in the index. `cut`: an index partition
  // ended before this block; the filter partition then ends after it. next_key:
  // the first user key after it, nullptr at the end of the table.
  virtual Status EndDataBlock(const Slice* next_key, bool cut,
                              FilterSink& sink) = 0;
  virtual Status Finish(FilterSink& sink) = 0;

  // Number of entries added to filters. Adjacent duplicates count once where
  // they take no space.
  virtual uint64_t num_keys() const = 0;
};

// Implemented by table/filter_loader. Const; any thread.
class FilterSource {
 public:
  virtual ~FilterSource() = default;
  // Returns the filter to probe for the key: the table's, or the partition that
  // covers the key.
  virtual Result<PinnedBytes> Load(const Slice& user_key,
                                   const ReadContext& context) const = 0;
  // The table's only filter, if it stays in memory as long as the source;
  // otherwise nullopt.
  virtual std::optional<Slice> Whole() const { return std::nullopt; }
};

// The filters of one open table. Const; any thread. Defaults return "may
// match", so the table reader need not know which placement it has. Errors
// count as "may match".
class FilterBlockReader {
 public:
  virtual ~FilterBlockReader() = default;
  virtual FilterPlacement placement() const = 0;
  // Prefetches what KeyMayMatch will read.
  virtual void Prefetch(const FilterKey& /*entry*/) const {}
  // `entry`: a whole key or a prefix; the caller knows which of them the filter
  // holds. user_key: the key looked up, which determines the partition.
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

// The parts of a policy that a table's writer needs. A value type; one thread.
struct FilterPlan {
  // Creates a builder, used for one filter after another (block-based: one
  // chunk after another). Empty: no filter.
  std::function<std::unique_ptr<FilterBuilder>()> new_builder;
  FilterPlacement placement = FilterPlacement::kFull;
  // Partitioned: target number of keys per partition.
  size_t keys_per_partition = 0;
  // The name in the metaindex, and the property rocksdb.filter.policy.
  std::string family;
  std::string policy_name;
  // What each key adds to the filter: see FilterEntryRule.
  bool whole_keys = true;
  bool prefix_first = false;
  std::shared_ptr<const SliceTransform> prefix_extractor;

  bool empty() const { return new_builder == nullptr; }
  // Must not outlive *this.
  FilterEntryRule entries() const {
    return {whole_keys, prefix_extractor.get(), prefix_first};
  }
};

// Returns the filter that context.table_options request. InvalidArgument: the
// options conflict, or a user's policy has a reserved name.
// REQUIRES: context.table_options outlives the plan's builders.
Result<FilterPlan> PlanFilter(
    const FilterBuildingContext& context,
    std::shared_ptr<const SliceTransform> prefix_extractor);

// REQUIRES: !plan.empty(); the plan's prefix extractor outlives the writer (the
// plan itself need not).
std::unique_ptr<FilterBlockWriter> NewFilterBlockWriter(const FilterPlan& plan);

// `source` must outlive the reader; so must `policy`, the user's policy for
// filters under its name (nullptr: none). Returns nullptr for a filter that
// cannot be read.
std::unique_ptr<FilterBlockReader> NewFilterBlockReader(
    const FilterLocator& where, const FilterSource* source,
    const FilterPolicy* policy = nullptr);

}  // namespace tamis
