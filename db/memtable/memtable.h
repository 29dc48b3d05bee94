// SPDX-License-Identifier: Apache-2.0
//
// A MemTable holds the newest entries of a column family in the order of their
// internal keys, until they are flushed to a table. Entries are never removed.
// They are in a B+-tree (memtable_tree.h), and range tombstones in a tree of
// their own (tombstone_tree.h).
//
// An entry's mark in the B+-tree is the number of range tombstones at its Add,
// all of which are older. So an iterator passes what range tombstones hide: the
// entries with marks up to that of a leaf are older than the next tombstone.
//
// Threads: one thread at a time calls Add. Calls that require the database's
// mutex say so. Any thread may make the other calls, concurrently and without
// locks. A reader sees an entry completely or not at all. It sees every entry
// whose Add returned before the reader got a sequence number that includes it.
//
// Lifetime: readers and jobs share a memtable through shared_ptr. Iterators do
// not keep it alive.
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
#include "db/memtable/write_buffer_charge.h"
#include "filter/dynamic_bloom.h"
#include "table/get_context.h"
#include "table/internal_iterator.h"
#include "table/internal_key.h"
#include "table/range_tombstone.h"
#include "util/base/arena.h"

namespace tamis {

class MemTable {
 public:
  // `earliest` is the lowest sequence number that an entry will have,
  // `log_number` the oldest log that will have entries of the memtable. If
  // bloom_bytes is not 0, a Bloom filter of that size spares searches for
  // absent keys. There is no filter if keys with different bytes may be equal.
  // With a `manager`, Charge counts the memory of the memtable there.
  MemTable(const KeyOrder& order, SequenceNumber earliest,
           FileNumber log_number, size_t bloom_bytes = 0,
           std::shared_ptr<WriteBufferManager> manager = nullptr);
  MemTable(const MemTable&) = delete;
  MemTable& operator=(const MemTable&) = delete;

  // Adds an entry, and copies key and value. For kTypeRangeDeletion, `key` and
  // `value` are begin and end; ignores an empty range. If memory runs out,
  // throws std::bad_alloc and adds nothing. REQUIRES: sequence >= earliest; no
  // entry has the same key and sequence number; sizes are within WriteBatch's
  // limits; a range deletion is newer than all added before.
  void Add(SequenceNumber sequence, ValueType type, const Slice& key,
           const Slice& value);

  // Brings into the caller's cache what an Add of the key would load and store
  // to. A hint, for a thread that waits until it may call Add: does not wait
  // itself. Any thread.
  void PrefetchForAdd(const Slice& key) const {
    tree_.PrefetchForInsert(LookupKey(key, kMaxSequenceNumber));
  }

  // Passes to `context` the newest range tombstone that covers the key, then
  // the versions visible to `key`, newest first, until it needs no older one.
  // `context` copies values.
  void Get(const LookupKey& key, const FilterKey& filter_key,
           GetContext* context) const;

  // Returns an iterator over all entries except range tombstones. It may show
  // entries added later. The memtable must outlive it.
  std::unique_ptr<InternalIterator> NewIterator() const;

  // Returns an upper bound of the sequence numbers of the entries with marks up
  // to `mark` (memtable_tree.h), except those that are added meanwhile.
  SequenceNumber NewestUpTo(uint32_t mark) const;

  // Returns the range tombstones visible at `visible_at`. The memtable must
  // outlive the view.
  TombstoneTree::View RangeTombstones(SequenceNumber visible_at) const {
    return tombstones_.At(visible_at);
  }
  // Appends all range tombstones, in no particular order.
  void AppendRangeTombstones(std::vector<RangeTombstone>* tombstones) const {
    tombstones_.AppendTo(tombstones);
  }

  // Invalidates entries with sequence numbers above `last`, which are from a
  // failed write: no reader has seen them, and no table may contain them. The
  // memtable still has them; a flush skips them. The smallest `last` of all
  // calls counts. REQUIRES: !empty(); no Add follows; the database's mutex is
  // held, and the memtable is active.
  void DiscardAbove(SequenceNumber last) {
    TAMIS_CHECK(!empty());
    last_valid_ = std::min(last_valid_, last);
  }
  // Returns the sequence number up to which entries are valid. REQUIRES: the
  // memtable is immutable.
  SequenceNumber last_valid() const { return last_valid_; }

  // Returns the bytes of memory used, without those of the filter.
  size_t ApproximateMemoryUsage() const { return arena_.MemoryUsage(); }
  // Charges ApproximateMemoryUsage() to the manager. After EndWrites, no Add
  // and no Charge may follow. Threads as for Add.
  void Charge() { charge_.Raise(ApproximateMemoryUsage()); }
  void EndWrites() noexcept { charge_.EndWrites(); }
  // Returns the size of the filter, or 0 if there is none.
  size_t bloom_bytes() const { return bloom_ ? bloom_->bytes() : 0; }
  // Return the number of entries, and of those that are tombstones. Both count
  // range tombstones.
  uint64_t num_entries() const { return Load(num_entries_); }
  uint64_t num_deletes() const { return Load(num_deletes_); }
  bool empty() const { return num_entries() == 0; }

  // Returns a line for the memtable, and one for each of its first entries and
  // range tombstones, up to `lines_max` of either; for the debugger and test
  // failures.
  std::string DebugString(size_t lines_max = 100) const;

  // REQUIRES, for the next three: the database's mutex is held.
  SequenceNumber earliest() const { return earliest_; }
  FileNumber log_number() const { return log_number_; }
  // Replaces the parameters of the constructor. REQUIRES: empty()
  void Rebase(SequenceNumber earliest, FileNumber log_number) {
    TAMIS_CHECK(empty());
    TAMIS_CHECK(earliest >= earliest_);
    TAMIS_CHECK(log_number >= log_number_);
    earliest_ = earliest;
    log_number_ = log_number;
  }

 private:
  // The order is relaxed because counters have one writer, and order nothing.
  static uint64_t Load(const std::atomic<uint64_t>& counter) {
    return counter.load(std::memory_order_relaxed);
  }
  static void Bump(std::atomic<uint64_t>* counter, uint64_t by) {
    counter->store(Load(*counter) + by, std::memory_order_relaxed);
  }

  // Every Add stores to the cache lines before tree_. A Get loads only what
  // follows them.
  alignas(64) Arena arena_;
  std::atomic<uint64_t> num_entries_{0};
  std::atomic<uint64_t> num_deletes_{0};
  std::atomic<SequenceNumber> newest_{0};  // entry
  WriteBufferCharge charge_;
  alignas(64) MemTableTree tree_;
  TombstoneTree tombstones_;
  const std::unique_ptr<DynamicBloom> bloom_;  // nullptr if there is no filter
  std::atomic<bool> used_{false};              // !empty(), for Get
  SequenceNumber earliest_;
  FileNumber log_number_;
  // Set with the database's mutex held, before the memtable is immutable.
  SequenceNumber last_valid_ = kMaxSequenceNumber;
};

}  // namespace tamis
