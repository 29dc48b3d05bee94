// SPDX-License-Identifier: Apache-2.0
//
// Asks the filter of a table on behalf of one reader, and counts the answers. A
// filter that was asked for a prefix is counted apart from one that was asked
// for a key.
//
// One thread, on the stack; within a Guard of the table's epochs.
#pragma once

#include <cstdint>
#include <optional>

#include "filter/filter_placement.h"
#include "util/io/read_context.h"
#include "util/stats/perf_counters.h"

namespace tamis {

// What a filter is asked for.
enum class FilterEntryKind : uint8_t { kWholeKey, kPrefix };

inline void CountFilterNo(const ReadContext& context) {
  TAMIS_PERF_COUNT(bloom_sst_miss_count, 1);
  if (PerfContextByLevel* const level = PerfByLevel(context.level)) {
    ++level->bloom_filter_useful;
  }
  RecordTick(context.statistics, BLOOM_FILTER_USEFUL);
}

inline void CountFilterMaybe(const ReadContext& context) {
  TAMIS_PERF_COUNT(bloom_sst_hit_count, 1);
  if (PerfContextByLevel* const level = PerfByLevel(context.level)) {
    ++level->bloom_filter_full_positive;
  }
  RecordTick(context.statistics, BLOOM_FILTER_FULL_POSITIVE);
}

inline void CountFilterRight(const ReadContext& context) {
  if (PerfContextByLevel* const level = PerfByLevel(context.level)) {
    ++level->bloom_filter_full_true_positive;
  }
  RecordTick(context.statistics, BLOOM_FILTER_FULL_TRUE_POSITIVE);
}

// One answer of a filter, counted.
inline bool Asked(FilterEntryKind kind, bool may_match,
                  const ReadContext& context) {
  if (kind == FilterEntryKind::kPrefix) {
    RecordTick(context.statistics, BLOOM_FILTER_PREFIX_CHECKED);
    if (may_match) {
      TAMIS_PERF_COUNT(bloom_sst_hit_count, 1);
    } else {
      TAMIS_PERF_COUNT(bloom_sst_miss_count, 1);
      RecordTick(context.statistics, BLOOM_FILTER_PREFIX_USEFUL);
    }
  } else if (may_match) {
    CountFilterMaybe(context);
  } else {
    CountFilterNo(context);
  }
  return may_match;
}

// Asks the filter of a table on behalf of one Get: for the key, or, where the
// filter holds prefixes alone, for the prefix of it.
class KeyFilter {
 public:
  // All outlive *this.
  KeyFilter(const FilterBlockReader* filter, bool whole_keys,
            const SliceTransform* prefixes, const FilterKey& key,
            const ReadContext& context)
      : filter_(filter), key_(key), context_(context) {
    if (filter == nullptr) return;
    if (whole_keys) {
      entry_ = &key;
    } else if (prefixes != nullptr && prefixes->InDomain(key.user_key())) {
      prefix_.emplace(prefixes->Transform(key.user_key()));
      entry_ = &*prefix_;
      kind_ = FilterEntryKind::kPrefix;
    }
  }
  KeyFilter(const KeyFilter&) = delete;
  KeyFilter& operator=(const KeyFilter&) = delete;

  void Prefetch() const {
    if (entry_ != nullptr) filter_->Prefetch(*entry_);
  }
  bool TableMayMatch() {
    if (entry_ == nullptr || by_block()) return true;
    asked_ = true;
    return Asked(kind_,
                 filter_->KeyMayMatch(*entry_, key_.user_key(), context_),
                 context_);
  }
  // Whether each block is to be asked for.
  bool asks_blocks() const { return entry_ != nullptr && by_block(); }
  // REQUIRES: asks_blocks()
  bool BlockMayMatch(uint64_t data_block_offset) {
    asked_ = true;
    return Asked(kind_,
                 filter_->BlockMayMatch(*entry_, data_block_offset, context_),
                 context_);
  }
  // The key was there.
  void CountFound() const {
    if (!asked_) return;
    if (kind_ == FilterEntryKind::kPrefix) {
      RecordTick(context_.statistics, BLOOM_FILTER_PREFIX_TRUE_POSITIVE);
    } else {
      CountFilterRight(context_);
    }
  }

 private:
  bool by_block() const {
    return filter_->placement() == FilterPlacement::kBlockBased;
  }

  const FilterBlockReader* const filter_;
  const FilterKey& key_;
  const ReadContext& context_;
  const FilterKey* entry_ = nullptr;  // nullptr: the filter is not asked
  std::optional<FilterKey> prefix_;
  FilterEntryKind kind_ = FilterEntryKind::kWholeKey;
  bool asked_ = false;
};

}  // namespace tamis
