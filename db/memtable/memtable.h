// SPDX-License-Identifier: Apache-2.0
//
// A MemTable holds the newest entries in the order of their internal keys,
// until they are flushed to a table. Entries are never removed. memtable_tree.h
// describes their layout. Range tombstones are in a tree of their own:
// tombstone_tree.h.
//
// Threads: Add from one thread at a time; everything else is const, and any
// thread may call it concurrently without locks. A reader sees an entry
// completely or not at all. It certainly sees an entry whose Add returned
// before the reader was given a sequence number that includes it.
// Lifetime: held by shared_ptr; iterators do not keep it alive.
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

#include "db/base/numbers.h"
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
  // All entries will be at or above `earliest`. `log_number`: the log that was
  // opened with the memtable. bloom_bytes: size of the filter; 0: none.
  MemTable(const KeyOrder& order, SequenceNumber earliest,
           FileNumber log_number, size_t bloom_bytes = 0);
  MemTable(const MemTable&) = delete;
  MemTable& operator=(const MemTable&) = delete;

  // REQUIRES: sequence and key were not added before; sizes are within
  // WriteBatch's limits. kTypeRangeDeletion: `value` is the end. An empty range
  // is ignored; others must be newer than the range deletions added before.
  void Add(SequenceNumber sequence, ValueType type, const Slice& key,
           const Slice& value);

  // Passes the covering range tombstone to `context`, then the versions visible
  // to `key`, newest first, until it needs no more. `context` copies values.
  void Get(const LookupKey& key, const FilterKey& filter_key,
           GetContext* context) const;

  // The memtable must outlive the iterator, which may show entries added later.
  // Does not show range tombstones.
  std::unique_ptr<InternalIterator> NewIterator() const;

  // Range tombstones visible at `visible_at`. The memtable must outlive them.
  TombstoneTree::View RangeTombstones(SequenceNumber visible_at) const {
    return tombstones_.At(visible_at);
  }
  // Appends all range tombstones, in no particular order.
  void AppendRangeTombstones(std::vector<RangeTombstone>* tombstones) const {
    tombstones_.AppendTo(tombstones);
  }

  // Invalidates entries with sequence numbers above `last`, which are from a
  // failed write: no reader has seen them, and no table may contain them. The
  // smallest `last` of all calls counts. REQUIRES: not empty; no further Add.
  void DiscardAbove(SequenceNumber last) {
    TAMIS_CHECK(!empty());
    last_valid_ = std::min(last_valid_, last);
  }
  SequenceNumber last_valid() const { return last_valid_; }

  size_t ApproximateMemoryUsage() const { return arena_.MemoryUsage(); }
  // Size of the filter, not included above; 0: none.
  size_t bloom_bytes() const { return bloom_ ? bloom_->bytes() : 0; }
  uint64_t num_entries() const { return Load(num_entries_); }
  uint64_t num_deletes() const { return Load(num_deletes_); }
  bool empty() const { return num_entries() == 0; }

  // For the debugger and test failures: a line for the memtable and one for
  // each of its first entries and range tombstones, `lines_max` of either.
  std::string DebugString(size_t lines_max = 100) const;

  // REQUIRES: the database's mutex is held.
  FileNumber log_number() const { return log_number_; }
  // Resets a new memtable's parameters. REQUIRES: empty; the database's mutex
  // is held.
  void Rebase(SequenceNumber earliest, FileNumber log_number) {
    TAMIS_CHECK(empty());
    TAMIS_CHECK(earliest >= earliest_);
    TAMIS_CHECK(log_number >= log_number_);
    earliest_ = earliest;
    log_number_ = log_number;
  }

 private:
  // Relaxed: counters have one writer, and order nothing.
  static uint64_t Load(const std::atomic<uint64_t>& counter) {
    return counter.load(std::memory_order_relaxed);
  }
  static void Bump(std::atomic<uint64_t>* counter, uint64_t by) {
    counter->store(Load(*counter) + by, std::memory_order_relaxed);
  }

  SequenceNumber earliest_;
  FileNumber log_number_;
  // Guarded by the database's mutex, too.
  SequenceNumber last_valid_ = kMaxSequenceNumber;
  Arena arena_;
  MemTableTree tree_;
  TombstoneTree tombstones_;
  const std::unique_ptr<DynamicBloom> bloom_;  // nullptr: none
  std::atomic<uint64_t> num_entries_{0};
  std::atomic<uint64_t> num_deletes_{0};
};

}  // namespace tamis
