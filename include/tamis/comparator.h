// SPDX-License-Identifier: Apache-2.0
//
// A Comparator is a total order over keys. Its name is stored in every table
// and in the MANIFEST; a database opens only under the name it was made with.
//
// Threads: all members must be callable from any thread at once.
// Lifetime: outlives every database that uses it.
#pragma once

#include <string>

#include "tamis/slice.h"

namespace tamis {

class Comparator {
 public:
  virtual ~Comparator();

  // Changes whenever the order it stands for changes. Names that begin with
  // "leveldb." or "rocksdb." are taken.
  virtual const char* Name() const = 0;

  // < 0, 0 or > 0 as a is before, equal to or behind b.
  virtual int Compare(const Slice& a, const Slice& b) const = 0;

  virtual bool Equal(const Slice& a, const Slice& b) const {
    return Compare(a, b) == 0;
  }

  // If *start < limit, may change *start to a shorter string in
  // [*start, limit). Doing nothing is right.
  virtual void FindShortestSeparator(std::string* start,
                                     const Slice& limit) const = 0;

  // May change *key to a shorter string >= *key. Doing nothing is right.
  virtual void FindShortSuccessor(std::string* key) const = 0;

  // True when keys that compare equal may still differ in bytes (upper and
  // lower case, say). Filters and other hash-based structures, which know
  // bytes alone, are then left out.
  virtual bool CanKeysWithDifferentByteContentsBeEqual() const { return true; }
};

// Unsigned bytewise order, "leveldb.BytewiseComparator": the default. Lives as
// long as the process.
const Comparator* BytewiseComparator();

// Its reverse, "rocksdb.ReverseBytewiseComparator".
const Comparator* ReverseBytewiseComparator();

}  // namespace tamis
