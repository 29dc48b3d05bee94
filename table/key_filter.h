// SPDX-License-Identifier: Apache-2.0
//
// A KeyFilter probes the filter of a table for one point read, and counts the
// answers, those for prefixes and for whole keys separately.
//
// One thread; on the stack. REQUIRES: within a Guard of the table's epochs.
#pragma once

#include <cstdint>
#include <optional>

#include "filter/filter_batch.h"
#include "filter/filter_placement.h"
#include "table/filter_counts.h"
#include "util/io/read_context.h"
#include "util/stats/perf_counters.h"

namespace tamis {

// The kind of entry that a filter is probed for.
enum class FilterEntryKind : uint8_t { kWholeKey, kPrefix };

inline void CountFilterUseful(const ReadContext& context) {
  TAMIS_PERF_COUNT(bloom_sst_miss_count, 1);
  if (PerfContextByLevel* const level = PerfByLevel(context.level)) {
    ++level->bloom_filter_useful;
  }
  RecordTick(context.statistics, BLOOM_FILTER_USEFUL);
}

inline void CountFilterPositive(const ReadContext& context) {
  TAMIS_PERF_COUNT(bloom_sst_hit_count, 1);
  if (PerfContextByLevel* const level = PerfByLevel(context.level)) {
    ++level->bloom_filter_full_positive;
  }
  RecordTick(context.statistics, BLOOM_FILTER_FULL_POSITIVE);
}

inline void CountFilterTruePositive(const ReadContext& context) {
  if (PerfContextByLevel* const level = PerfByLevel(context.level)) {
    ++level->bloom_filter_full_true_positive;
  }
  RecordTick(context.statistics, BLOOM_FILTER_FULL_TRUE_POSITIVE);
}

// Counts the answer, and returns may_match.
inline bool CountFilterAnswer(FilterEntryKind kind, bool may_match,
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
    CountFilterPositive(context);
  } else {
    CountFilterUseful(context);
  }
  return may_match;
}

// Probes for the whole key or, if the filter has only prefixes, for the key's
// prefix. A filter that can answer for neither always matches.
class KeyFilter {
 public:
  // The filter of a table, if it has one, and what it may be probed for.
  struct Of {
    const FilterBlockReader* filter;  // may be nullptr
    bool whole_keys;
    const SliceTransform* prefixes;  // nullptr: not for prefixes
  };
  // All that the arguments refer to must outlive *this.
  KeyFilter(const Of& table, const FilterKey& key, const ReadContext& context)
      : filter_(table.filter), key_(key), context_(context) {
    if (filter_ == nullptr) return;
    if (table.whole_keys) {
      entry_ = &key;
    } else if (table.prefixes != nullptr &&
               table.prefixes->InDomain(key.user_key())) {
      prefix_.emplace(table.prefixes->Transform(key.user_key()));
      entry_ = &*prefix_;
      kind_ = FilterEntryKind::kPrefix;
    }
  }
  KeyFilter(const KeyFilter&) = delete;
  KeyFilter& operator=(const KeyFilter&) = delete;

  // The first steps of a batch, which may be left out: finds the filter, and
  // prefetches what the next step reads. The batch must outlive *this.
  void Find(FilterBatch* batch) {
    if (entry_ == nullptr || is_by_block()) return;
    if (const FilterView* const kept = filter_->kept()) {
      kept->PrefetchFor(*entry_);
    } else {
      found_ = batch->Find(*filter_, key_.user_key(), context_);
    }
  }
  void Prefetch() {
    if (found_ != nullptr) found_->view().PrefetchFor(*entry_);
  }
  bool TableMayMatch() {
    if (entry_ == nullptr || is_by_block()) return true;
    return Answer(found_ != nullptr ? found_->view().MayMatch(*entry_)
                                    : filter_->KeyMayMatch(
                                          *entry_, key_.user_key(), context_));
  }
  // Returns whether each data block has its own answer.
  bool is_by_block() const {
    return entry_ != nullptr &&
           filter_->placement() == FilterPlacement::kBlockBased;
  }
  // REQUIRES: is_by_block()
  bool BlockMayMatch(uint64_t data_block_offset) {
    return Answer(filter_->BlockMayMatch(*entry_, data_block_offset, context_));
  }
  // Counts that the key was found, if the filter was probed.
  void CountFound() {
    if (!probed_) return;
    outcome_ = FilterOutcome::kFound;
    if (kind_ == FilterEntryKind::kPrefix) {
      RecordTick(context_.statistics, BLOOM_FILTER_PREFIX_TRUE_POSITIVE);
    } else {
      CountFilterTruePositive(context_);
    }
  }

  // Returns how the last answer turned out, if it was for a whole key.
  FilterOutcome outcome() const {
    return kind_ == FilterEntryKind::kWholeKey ? outcome_
                                               : FilterOutcome::kNotProbed;
  }

 private:
  bool Answer(bool may_match) {
    probed_ = true;
    outcome_ = may_match ? FilterOutcome::kInVain : FilterOutcome::kExcluded;
    return CountFilterAnswer(kind_, may_match, context_);
  }

  const FilterBlockReader* const filter_;
  const FilterKey& key_;
  const ReadContext& context_;
  const FilterKey* entry_ = nullptr;      // nullptr if the filter is not probed
  FilterBatch::Filter* found_ = nullptr;  // nullptr if none, or it is kept
  std::optional<FilterKey> prefix_;
  FilterEntryKind kind_ = FilterEntryKind::kWholeKey;
  bool probed_ = false;
  FilterOutcome outcome_ = FilterOutcome::kNotProbed;
};

}  // namespace tamis
