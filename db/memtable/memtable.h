// SPDX-License-Identifier: Apache-2.0
//
// A MemTable holds the newest changes in order of their internal keys, until
// they are written to a table. Nothing is ever removed from it. How the entries
// lie in memory: memtable_tree.h. Range tombstones stand in a tree of their
// own: tombstone_tree.h.
//
// Threads: Add from one thread at a time; everything else is const and from
// any thread at the same time, without locks. A reader sees an entry whole or
// not at all, and surely when Add returned before the reader was told of its
// sequence number.
// Lifetime: held by shared_ptr; iterators do not keep it.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tamis/slice.h"
#include "tamis/types.h"

#include "db/memtable/memtable_tree.h"
#include "db/memtable/tombstone_tree.h"
#include "filter/dynamic_bloom.h"
#include "table/get_context.h"
#include "table/internal_iterator.h"
#include "table/internal_key.h"
#include "table/range_tombstone.h"
#include "util/base/arena.h"

namespace tamis {

class MemTable {
 public:
  // No entry is older than `earliest`. `log_number` is that of the log that
  // was opened with the memtable. bloom_bytes: of the filter; 0: none.
  MemTable(const KeyOrder& order, SequenceNumber earliest, uint64_t log_number,
           size_t bloom_bytes = 0);
  MemTable(const MemTable&) = delete;
  MemTable& operator=(const MemTable&) = delete;

  // REQUIRES: the same sequence and key were not added before, and the sizes
  // are what WriteBatch allows. kTypeRangeDeletion: `value` is the end; a range
  // that covers nothing is left out, and another is newer than those added
  // before.
  void Add(SequenceNumber sequence, ValueType type, const Slice& key,
           const Slice& value);

  // Tells `context` of the range tombstones over the key, then shows it the
  // versions that are visible to `key`, newest first, until it has enough.
  // Values are copied by it.
  void Get(const LookupKey& key, const FilterKey& filter_key,
           GetContext* context) const;

  // The memtable outlives it. Entries that are added meanwhile may show. Range
  // tombstones are not among them.
  std::unique_ptr<InternalIterator> NewIterator() const;

  // What a reader at `visible_at` sees of them. The memtable outlives it.
  TombstoneTree::View RangeTombstones(SequenceNumber visible_at) const {
    return tombstones_.At(visible_at);
  }
  // All of them, in no order.
  void AppendRangeTombstones(std::vector<RangeTombstone>* tombstones) const {
    tombstones_.AppendTo(tombstones);
  }

  // Entries with sequence numbers above this one are of a write that failed on
  // its way: no reader has seen them, no table shall hold them. The first call
  // counts. REQUIRES: not empty, and nothing is added any more.
  void DiscardAbove(SequenceNumber last) {
    last_valid_ = std::min(last_valid_, last);
  }
  SequenceNumber last_valid() const { return last_valid_; }

  size_t ApproximateMemoryUsage() const { return arena_.MemoryUsage(); }
  // Of the filter, which is not part of the above; 0: there is none.
  size_t bloom_bytes() const { return bloom_ ? bloom_->bytes() : 0; }
  uint64_t num_entries() const { return Load(num_entries_); }
  uint64_t num_deletes() const { return Load(num_deletes_); }
  bool empty() const { return num_entries() == 0; }

  // For the debugger and test failures: a line for the memtable and one for
  // each of its first entries and range tombstones, `lines_max` of either.
  std::string DebugString(size_t lines_max = 100) const;

  // Under the database's mutex.
  uint64_t log_number() const { return log_number_; }
  // As if made now. REQUIRES: empty, the database's mutex is held.
  void Rebase(SequenceNumber earliest, uint64_t log_number) {
    earliest_ = earliest;
    log_number_ = log_number;
  }

 private:
  // Counters have one writer and readers that want no order with entries.
  static uint64_t Load(const std::atomic<uint64_t>& counter) {
    return counter.load(std::memory_order_relaxed);
  }
  static void Bump(std::atomic<uint64_t>* counter, uint64_t by) {
    counter->store(Load(*counter) + by, std::memory_order_relaxed);
  }

  SequenceNumber earliest_;
  uint64_t log_number_;
  // Under the database's mutex, too.
  SequenceNumber last_valid_ = kMaxSequenceNumber;
  Arena arena_;
  MemTableTree tree_;
  TombstoneTree tombstones_;
  const std::unique_ptr<DynamicBloom> bloom_;  // nullptr: none
  std::atomic<uint64_t> num_entries_{0};
  std::atomic<uint64_t> num_deletes_{0};
};

}  // namespace tamis
