// SPDX-License-Identifier: Apache-2.0
//
// An Iterator walks the keys of a database, in the comparator's order and in
// both directions, as they stood when it was made (or at
// ReadOptions::snapshot). It holds on to what it reads: later writes, flushes
// and compactions do not change what it shows.
//
// Threads: one thread at a time. Lifetime: deleted before the DB is.
#pragma once

#include "tamis/slice.h"
#include "tamis/status.h"

namespace tamis {

class Iterator {
 public:
  Iterator() = default;
  virtual ~Iterator();
  Iterator(const Iterator&) = delete;
  Iterator& operator=(const Iterator&) = delete;

  // False at either end, after an error, and before the first positioning.
  virtual bool Valid() const = 0;

  virtual void SeekToFirst() = 0;
  virtual void SeekToLast() = 0;
  // The first key at or behind target.
  virtual void Seek(const Slice& target) = 0;
  // The last key at or before target.
  virtual void SeekForPrev(const Slice& target) = 0;

  // REQUIRES: Valid()
  virtual void Next() = 0;
  virtual void Prev() = 0;

  // REQUIRES: Valid(). The bytes live until the next move.
  virtual Slice key() const = 0;
  virtual Slice value() const = 0;

  // Not OK when the walk stopped because of an error: check it whenever
  // Valid() turns false, or an unreadable block looks like the end.
  virtual Status status() const = 0;
};

}  // namespace tamis
