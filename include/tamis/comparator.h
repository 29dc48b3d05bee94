// SPDX-License-Identifier: Apache-2.0
//
// A Comparator defines a total order over keys. Every table and the MANIFEST
// store its name; a database opens only with a comparator of the name it was
// created with.
//
// Threads: all members must be callable from any thread at once.
// Lifetime: must outlive every database that uses it.
#pragma once

#include <string>

#include "tamis/export.h"
#include "tamis/slice.h"

namespace tamis {

class TAMIS_EXPORT Comparator {
 public:
  virtual ~Comparator();

  // Returns a name, which must change whenever the order changes. Names that
  // begin with "leveldb." or "rocksdb." are reserved.
  virtual const char* Name() const = 0;

  // Returns < 0 if a orders before b, 0 if they are equal, > 0 if a orders
  // after b.
  virtual int Compare(const Slice& a, const Slice& b) const = 0;

  // Returns whether Compare would return 0.
  virtual bool Equal(const Slice& a, const Slice& b) const {
    return Compare(a, b) == 0;
  }

  // If *start < limit, may replace *start with a shorter string in [*start,
  // limit). Leaving it unchanged is correct.
  virtual void FindShortestSeparator(std::string* start,
                                     const Slice& limit) const = 0;

  // May replace *key with a shorter string >= *key. Leaving it unchanged is
  // correct.
  virtual void FindShortSuccessor(std::string* key) const = 0;

  // Returns whether keys that compare equal may differ in bytes, as in a
  // case-insensitive order. Filters and hash indexes see only bytes: for the
  // answer true, Tamis neither makes nor uses them.
  //
  // Override it. Of a comparator that does not, Tamis knows nothing. It then
  // makes and uses no hash indexes, but the filters that options choose, as
  // RocksDB does: those of a BlockBasedTableOptions::filter_policy that was set
  // (not of the default) and of memtable_whole_key_filtering. They hide keys
  // that are equal to the key sought but differ in bytes.
  virtual bool CanKeysWithDifferentByteContentsBeEqual() const;
};

// Returns the default order: unsigned bytewise, "leveldb.BytewiseComparator".
// Never destroyed.
TAMIS_EXPORT const Comparator* BytewiseComparator();

// Returns the reverse of the bytewise order,
// "rocksdb.ReverseBytewiseComparator". Never destroyed.
TAMIS_EXPORT const Comparator* ReverseBytewiseComparator();

}  // namespace tamis
