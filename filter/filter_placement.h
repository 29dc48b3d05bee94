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

#include "filter/filter_codec.h"
#include "filter/filter_registry.h"
#include "util/block_buffer.h"
#include "util/read_context.h"
#include "util/result.h"

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
  // Partitioned: the partition is full, and the index is to cut with it when
  // the data block ends.
  virtual bool WantsCut() const = 0;
  // The data block has ended. `cut`: the index cut here, so that a partition
  // ends with this block. next_key: the first user key behind the seam, empty
  // at the end of the table (prefix filters need it at a cut).
  virtual Status EndDataBlock(const Slice& next_key, bool cut,
                              FilterSink& sink) = 0;
  virtual Status Finish(FilterSink& sink) = 0;

  // Keys that went into filters, adjacent duplicates counted once.
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
};

// One per open table, const and any thread. Every question defaults to "may
// match": a placement answers where it can, and the table reader asks without
// knowing which it has. An error inside counts as "may match".
class FilterBlockReader {
 public:
  virtual ~FilterBlockReader() = default;
  virtual FilterPlacement placement() const = 0;
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

// What a policy asks for, taken apart: the codec and the placement to write.
struct FilterPlan {
  const FilterCodec* codec = nullptr;  // nullptr: no filter
  double bits_per_key = 0;
  FilterPlacement placement = FilterPlacement::kFull;
  // Target size of a partition, deviation taken off.
  size_t partition_bytes = 0;
};

// InvalidArgument when the options contradict each other; NotSupported for a
// policy that is not one of ours.
Result<FilterPlan> PlanFilter(const BlockBasedTableOptions& options);

// REQUIRES: plan.codec != nullptr
std::unique_ptr<FilterBlockWriter> NewFilterBlockWriter(const FilterPlan& plan);

// `source` outlives the reader.
std::unique_ptr<FilterBlockReader> NewFilterBlockReader(
    const FilterLocator& where, const FilterSource* source);

}  // namespace tamis
