// SPDX-License-Identifier: Apache-2.0
//
// A CompactionFilter decides, for each value that a compaction writes, whether
// to keep, change or remove it: to expire old entries, for example.
// ColumnFamilyOptions::compaction_filter gives every compaction the same one.
// A CompactionFilterFactory makes one for each job; it may filter flushes too.
//
//   Put(k, "old")  flush  CompactRange   Filter(level, k, "old", ...)
//                                        true: Get(k) returns NotFound
//
// When an entry meets a filter, and how often, depends on the compactions. A
// filter must therefore decide the same about its own results, and a program
// must work whether or not an entry has met it. Tables that a compaction moves
// without rewriting are not filtered. CompactRange rewrites all tables of the
// range if the family has a filter (options.h).
//
// A filter sees
//   - the newest version of a key in the compaction, if that is a value
//   - every merge operand that no snapshot sees, before operands are merged
// It does not see deletions, what they or newer versions hide, a value below
// operands that it keeps, or the result of a merge in the compaction that
// merges it. A later compaction shows it that.
//
// A value that it removes becomes a deletion, so that older versions in deeper
// levels stay hidden. Where there are none, nothing is written.
//
// Snapshots: a filter does not get to see what a snapshot sees. A snapshot that
// is taken while a filter runs keeps the memtables and tables of that time
// until it is released. In RocksDB, all filters ignore snapshots. A filter
// whose IgnoreSnapshots() returns true does so here, too.
//
// Errors: what a filter throws fails the flush or compaction, whose error then
// names the filter. Inputs remain, and writes fail until DB::Resume
// (std::bad_alloc: as any failed allocation). Open fails if the replay of a log
// does.
//
// Threads: compaction_filter is called by several threads at once. A filter
// from a factory is called by one; the factory by several. None may wait for
// the database. Lifetime: compaction_filter must outlive the database.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "tamis/export.h"
#include "tamis/slice.h"
#include "tamis/types.h"

namespace tamis {

class TAMIS_EXPORT CompactionFilter {
 public:
  // What the entry to decide about is.
  enum ValueType {
    kValue,         // of Put, or of operands that were merged
    kMergeOperand,  // of Merge
  };

  // What becomes of it.
  enum class Decision {
    kKeep,
    // Removes the value. An operand is removed as if it had not been written:
    // the other operands, and the value below, remain.
    kRemove,
    // Replaces the value or operand by *new_value, at most 1 GiB.
    kChangeValue,
    // Removes the key and, unseen, every key of the compaction in
    // [key, *skip_until). Merge operands are removed with the values below
    // them. Entries that a snapshot sees remain, as do keys that only other
    // tables hold. No effect if *skip_until <= key. (In RocksDB, older versions
    // in deeper levels may appear; here they do not.)
    kRemoveAndSkipUntil,
    // Removes the value by a single deletion. For keys that are deleted by
    // SingleDelete only, and under its conditions (write_batch.h). kRemove
    // would leave a deletion of the other kind. Operands: as kRemove.
    kPurge,
  };

  // Tells a factory what its filter is for.
  struct Context {
    // The compaction reads all tables of the family.
    bool is_full_compaction = false;
    // CompactRange asked for it.
    bool is_manual_compaction = false;
    uint32_t column_family_id = 0;
    TableFileCreationReason reason = TableFileCreationReason::kCompaction;
  };

  virtual ~CompactionFilter();

  // Returns the name, which errors and LOG show.
  virtual const char* Name() const = 0;

  // Decides about a value or an operand. `level` is the upper input level of
  // the compaction, 0 in flushes. *new_value and *skip_until are empty on
  // entry. The default calls one of the two functions below, so that only one
  // of both kinds needs to be overridden.
  virtual Decision FilterV2(int level, const Slice& key, ValueType value_type,
                            const Slice& existing_value, std::string* new_value,
                            std::string* skip_until) const;

  // Returns true to remove a value. To change it, returns false, with
  // *value_changed set to true and *new_value to the value.
  virtual bool Filter(int /*level*/, const Slice& /*key*/,
                      const Slice& /*existing_value*/,
                      std::string* /*new_value*/,
                      bool* /*value_changed*/) const {
    return false;
  }
  // Returns true to remove an operand.
  virtual bool FilterMergeOperand(int /*level*/, const Slice& /*key*/,
                                  const Slice& /*operand*/) const {
    return false;
  }

  // Returns whether values that a snapshot sees are filtered like others:
  // repeated reads from a snapshot may then differ. Operands that a snapshot
  // sees are never filtered, as in RocksDB. There the default is true, and
  // false fails the flush or compaction with NotSupported.
  virtual bool IgnoreSnapshots() const { return false; }
};

// Makes a filter for each job that writes tables, so that it needs no lock.
class TAMIS_EXPORT CompactionFilterFactory {
 public:
  virtual ~CompactionFilterFactory();

  // Returns the name, which errors and LOG show.
  virtual const char* Name() const = 0;

  // Returns whether tables that are made for this reason are filtered: by
  // default those of compactions. kRecovery are tables of a log that is
  // replayed in Open.
  virtual bool ShouldFilterTableFileCreation(
      TableFileCreationReason reason) const {
    return reason == TableFileCreationReason::kCompaction;
  }

  // Returns a filter for a flush, or for a compaction or each of its
  // subcompactions. It is destroyed when the job ends. nullptr means none.
  virtual std::unique_ptr<CompactionFilter> CreateCompactionFilter(
      const CompactionFilter::Context& context) = 0;
};

}  // namespace tamis
