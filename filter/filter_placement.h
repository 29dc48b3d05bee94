// SPDX-License-Identifier: Apache-2.0
//
// A placement decides which keys share a filter, and where it is stored. It
// sees keys and filters, but no block, file or cache: table/ transfers the
// bytes through FilterSink and FilterSource.
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
#include "filter/pending_filter.h"
#include "util/base/result.h"
#include "util/cache/block_buffer.h"
#include "util/io/read_context.h"

namespace tamis {

// Receives the filters of a table in key order, numbered 0, 1, ...
// table/filter_collector.h implements it, pairs each filter with the separator
// at which it was cut, and builds it at once or later.
class FilterSink {
 public:
  virtual ~FilterSink() = default;
  // Takes a filter of the keys up to last_key, a user key; if that is nullptr,
  // up to the separator that the index got last. Returns the error of this
  // filter or of an earlier one; others come at the end of the table.
  virtual Status WriteFilter(size_t ordinal, PendingFilter filter,
                             const Slice* last_key) = 0;
};

// Builds the filters of one table. One thread.
// Calls: (StartDataBlock Add* EndDataBlock)* Finish
// After an error, only the destructor.
class FilterBlockWriter {
 public:
  virtual ~FilterBlockWriter() = default;

  virtual FilterPlacement placement() const = 0;

  // Starts the data block at this offset, to which later keys belong. Only the
  // block-based placement uses the offset.
  virtual void StartDataBlock(uint64_t file_offset) = 0;
  // Adds a key. Keys ascend; versions of one key may be adjacent.
  virtual void Add(const FilterKey& key) = 0;
  // Returns whether the partition is full, so that the index should be cut at
  // the end of the data block. Only the partitioned placement returns true, and
  // only if its partitions are not decoupled from those of the index.
  virtual bool WantsCut() const = 0;
  // Makes WantsCut return true although the partition is not full, because its
  // keys take too much memory. The other placements do nothing: their filter
  // needs all of the keys.
  virtual void EndPartitionEarly() {}
  // Ends the data block, which is in the index already. `cut` tells that an
  // index partition ended before this block; the filter partition then ends
  // after it. next_key is the first user key after the block, nullptr at the
  // end of the table.
  virtual Status EndDataBlock(const Slice* next_key, bool cut,
                              FilterSink& sink) = 0;
  virtual Status Finish(FilterSink& sink) = 0;

  // Returns the number of entries added to filters. Adjacent duplicates count
  // once where they take no space.
  virtual uint64_t num_keys() const = 0;
  // Returns the bytes of memory that hold keys and unfinished filters, without
  // those that the sink got.
  virtual size_t ApproximateMemoryUsage() const = 0;
};

// The position of a filter among those of its table.
struct FilterPosition {
  // Partitioned filters: the index of the partitions, and a number in it.
  PinnedBytes index;
  uint32_t partition = 0;
};

// Gives access to the filters of one open table. table/filter_loader.h
// implements it. Const; any thread.
class FilterSource {
 public:
  virtual ~FilterSource() = default;
  // Sets *at to the only filter of the table, or to the partition that covers
  // the key. Reuses at->index if it is not empty.
  virtual Status Find(const Slice& /*user_key*/, const ReadContext& /*context*/,
                      FilterPosition* /*at*/) const {
    return Status::OK();
  }
  // Loads the filter. REQUIRES: Find of this source set `at`.
  virtual Result<PinnedBytes> Load(const FilterPosition& at,
                                   const ReadContext& context) const = 0;
  // Does the same as Find and Load.
  Result<PinnedBytes> LoadFor(const Slice& user_key,
                              const ReadContext& context) const {
    FilterPosition at;
    TAMIS_RETURN_IF_ERROR(Find(user_key, context, &at));
    return Load(at, context);
  }
  // Returns the table's only filter if it stays in memory as long as the
  // source, otherwise nullopt.
  virtual std::optional<Slice> Whole() const { return std::nullopt; }
};

// A filter that was opened for its probes. Valid as long as its reader and the
// loaded bytes.
struct OpenedFilter {
  FilterView view = FilterView::AlwaysMatch();
  // A user's policy: what the view probes, unless the reader owns it.
  std::unique_ptr<FilterBitsReader> user_reader;
};

// Probes the filters of one open table. Full and partitioned filters answer for
// a key through KeyMayMatch, or in the steps of a batch (filter_batch.h): Find,
// Load, Open. Block-based filters answer for a data block; their KeyMayMatch
// returns true. An error counts as a match. Const; any thread.
class FilterBlockReader {
 public:
  virtual ~FilterBlockReader() = default;
  FilterBlockReader(const FilterBlockReader&) = delete;
  FilterBlockReader& operator=(const FilterBlockReader&) = delete;

  FilterPlacement placement() const { return placement_; }
  const FilterSource& source() const { return source_; }

  // Returns the table's only filter if it stays in memory as long as *this,
  // otherwise nullptr.
  const FilterView* kept() const { return kept_ ? &*kept_ : nullptr; }
  // Opens a full filter or a partition that the source loaded.
  virtual OpenedFilter Open(const Slice& /*filter*/) const { return {}; }

  // Returns whether the filter may hold `entry`, a whole key or a prefix; the
  // caller knows which of them the filter holds. user_key is the key looked up,
  // which determines the partition.
  bool KeyMayMatch(const FilterKey& entry, const Slice& user_key,
                   const ReadContext& context) const {
    if (kept_) return kept_->MayMatch(entry);
    return LoadedMayMatch(entry, user_key, context);
  }
  virtual bool BlockMayMatch(const FilterKey& /*entry*/,
                             uint64_t /*data_block_offset*/,
                             const ReadContext& /*context*/) const {
    return true;
  }

 protected:
  // `source` must outlive *this.
  FilterBlockReader(FilterPlacement placement, const FilterSource* source)
      : placement_(placement), source_(*source) {}
  void Keep(const FilterView& view) { kept_.emplace(view); }

 private:
  bool LoadedMayMatch(const FilterKey& entry, const Slice& user_key,
                      const ReadContext& context) const;

  const FilterPlacement placement_;
  const FilterSource& source_;
  std::optional<FilterView> kept_;
};

// The filter that a table's writer builds, derived from the policy. A value
// type; one thread.
struct FilterPlan {
  // Creates a builder, which builds one filter (or chunk) after another. Empty
  // if the table gets no filter.
  std::function<std::unique_ptr<FilterBuilder>()> new_builder;
  FilterPlacement placement = FilterPlacement::kFull;
  // The target number of keys per partition.
  size_t keys_per_partition = 0;
  // Whether partitions are cut regardless of the index.
  bool decoupled = false;
  // The name in the metaindex, and the property rocksdb.filter.policy.
  std::string family;
  std::string policy_name;
  // Why the policy chose the filter; may be empty.
  std::string reason;
  // The codec, and the bits per key that determine its rate. nullptr for a
  // user's format and for block-based filters.
  const FilterCodec* codec = nullptr;
  double bits_per_key = 0;
  // The members of entries().
  bool whole_keys = true;
  bool prefix_first = false;
  std::shared_ptr<const SliceTransform> prefix_extractor;

  bool empty() const { return new_builder == nullptr; }
  // Returns the rule, which must not outlive *this.
  FilterEntryRule entries() const {
    return {whole_keys, prefix_extractor.get(), prefix_first};
  }
};

// Derives a table's filter from context.table_options. Returns InvalidArgument
// if the options conflict or a user's policy has a reserved name.
// REQUIRES: context.table_options outlives the plan's builders.
Result<FilterPlan> PlanFilter(
    const FilterBuildingContext& context,
    std::shared_ptr<const SliceTransform> prefix_extractor);

// Creates the writer of the plan's placement.
// REQUIRES: !plan.empty(); the plan's prefix extractor outlives the writer (the
// plan itself need not).
std::unique_ptr<FilterBlockWriter> NewFilterBlockWriter(const FilterPlan& plan);

// Creates the reader of the filter that `where` names. `policy`, which may be
// nullptr, reads filters under its own name. `source` and `policy` must outlive
// the reader. Returns nullptr if the filter cannot be read.
std::unique_ptr<FilterBlockReader> NewFilterBlockReader(
    const FilterLocator& where, const FilterSource* source,
    const FilterPolicy* policy = nullptr);

}  // namespace tamis
