// SPDX-License-Identifier: Apache-2.0
//
// Parts of a DBIterator (db_iterator.cc) that know nothing of its position.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "tamis/slice.h"
#include "tamis/status.h"

#include "db/version/lookup_sampler.h"
#include "db/version/range_del_aggregator.h"
#include "table/internal_iterator.h"
#include "table/internal_key.h"
#include "table/merge_operands.h"
#include "util/base/arena.h"
#include "util/coding/coding.h"
#include "util/io/read_context.h"
#include "util/stats/histogram_timer.h"
#include "util/stats/perf_counters.h"

namespace tamis {

// Times a seek of a DBIterator.
class SeekTimer {
 public:
  explicit SeekTimer(Statistics* statistics)
      : timer_(statistics, DB_SEEK),
        cpu_timer_(&tls_perf_context.iter_seek_cpu_nanos) {}

 private:
  const HistogramTimer timer_;
  const PerfCpuTimer cpu_timer_;
};

// Times a Next or Prev of a DBIterator.
class StepTimer {
 public:
  explicit StepTimer(uint64_t* cpu_time)
      : timer_(&tls_perf_context.find_next_user_entry_time),
        cpu_timer_(cpu_time) {}

 private:
  const PerfTimer timer_;
  const PerfCpuTimer cpu_timer_;
};

// Counts a skipped entry: one that is too new for the snapshot, or an older
// version of a key.
inline void CountSkipped(bool too_new) {
  if (too_new) {
    TAMIS_PERF_COUNT(internal_recent_skipped_count, 1);
  } else {
    TAMIS_PERF_COUNT(internal_key_skipped_count, 1);
  }
}

// Sets what a seek's limits are before it knows more.
inline void BeginSeek(ScanScope* scope) {
  scope->one_prefix_of = nullptr;
  scope->sample_weight = LookupSampler::NextWeight();
}

// Parses the key of an entry that an iterator can show. Returns false after an
// error, and sets *error to it.
bool ParseUncommonEntry(const Slice& key, ParsedInternalKey* parsed,
                        Status* error);
inline bool ParseStoredEntry(const Slice& key, ParsedInternalKey* parsed,
                             Status* error) {
  if (key.size() >= kInternalKeyTailBytes) [[likely]] {
    const uint64_t tail = ExtractTail(key);
    if ((tail & 0xff) == kTypeValue) [[likely]] {
      parsed->user_key = ExtractUserKey(key);
      parsed->sequence = tail >> 8;
      parsed->type = kTypeValue;
      return true;
    }
  }
  return ParseUncommonEntry(key, parsed, error);
}

// Returns whether both are the same key. The last bytes of different keys
// usually differ, so they are compared first.
inline bool AreSameKey(const KeyOrder& order, const Slice& a, const Slice& b) {
  if (a.size() >= sizeof(uint64_t) && a.size() == b.size() &&
      order.equal_keys_have_equal_bytes() &&
      DecodeFixed64(a.end() - sizeof(uint64_t)) !=
          DecodeFixed64(b.end() - sizeof(uint64_t))) [[likely]] {
    return false;
  }
  return order.CompareUserKeys(a, b) == 0;
}

// Moves to the newest version of the key that is visible at `sequence`, or the
// first entry after the key.
void SeekToKey(const Slice& user_key, SequenceNumber sequence,
               InternalIterator* entries);
// Moves to the last entry of the keys before this one.
void SeekBeforeKey(const Slice& user_key, InternalIterator* entries);
// Moves to the oldest version of this key, or the last entry before the key.
void SeekToOldestOrBefore(const Slice& user_key, InternalIterator* entries);

// Moves past entries that are gone, deleted or hidden by a range tombstone.
// Moves by one entry until many in a row are gone, because a seek costs as much
// as several moves. Then, if a range tombstone hides the entry, moves past
// others that range tombstones hide. One thread.
class PastGone {
 public:
  explicit PastGone(const KeyOrder& order) : order_(order) {}
  // Begins a row.
  void Begin() { gone_ = 0; }
  // Move `entries` forward and backward. REQUIRES: `entries` is at `gone`.
  void Next(const ParsedInternalKey& gone, const RangeDelAggregator& tombstones,
            InternalIterator* entries) {
    if (!IsTimeToSeek(tombstones)) [[likely]]
      return entries->Next();
    Seek(gone, tombstones, /*forward=*/true, entries);
  }
  void Prev(const ParsedInternalKey& gone, const RangeDelAggregator& tombstones,
            InternalIterator* entries) {
    if (!IsTimeToSeek(tombstones)) [[likely]]
      return entries->Prev();
    Seek(gone, tombstones, /*forward=*/false, entries);
  }

 private:
  static constexpr uint32_t kGoneBeforeSeek = 16;

  bool IsTimeToSeek(const RangeDelAggregator& tombstones) {
    return !tombstones.empty() && ++gone_ >= kGoneBeforeSeek;
  }
  void Seek(const ParsedInternalKey& gone, const RangeDelAggregator& tombstones,
            bool forward, InternalIterator* entries);

  const KeyOrder order_;
  uint32_t gone_ = 0;  // in a row, since the last seek
};

// The merge operands of a key. Reuses the memory of earlier keys. One thread.
class OperandList {
 public:
  void Clear() { size_ = 0; }
  bool empty() const { return size_ == 0; }
  void Add(const Slice& operand) {
    if (size_ == all_.size()) all_.emplace_back();
    all_[size_++].assign(operand.data(), operand.size());
  }
  // Sets *result to the operands applied to the base, or to no value if it is
  // nullptr. `newest_first` is the order of the calls of Add.
  Status Merge(const MergeWith& merge_with, const Slice& user_key,
               const Slice* base, bool newest_first, std::string* result);

 private:
  std::vector<std::string> all_;  // the first size_ are the key's
  size_t size_ = 0;
  std::vector<Slice> oldest_first_;  // scratch
};

// The keys that an iterator with ReadOptions::pin_data has shown. One thread.
class PinnedKeys {
 public:
  // Returns a copy of the key that lives as long as *this.
  Slice Keep(const Slice& key) {
    if (key.empty()) return Slice();
    if (key != last_) {
      char* const copy = memory_.Allocate(key.size());
      std::memcpy(copy, key.data(), key.size());
      last_ = Slice(copy, key.size());
    }
    return last_;
  }

 private:
  Arena memory_;
  Slice last_;
};

}  // namespace tamis
