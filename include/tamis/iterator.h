// SPDX-License-Identifier: Apache-2.0
//
// An Iterator moves over the keys of a database in the comparator's order, in
// both directions. It shows the state as of its creation (or
// ReadOptions::snapshot) and pins that state: later writes, flushes and
// compactions do not change what it shows. Refresh() moves it to the current
// state.
//
// Threads: one at a time.
// Lifetime: must be deleted before the DB.
#pragma once

#include <string>

#include "tamis/export.h"
#include "tamis/slice.h"
#include "tamis/status.h"

namespace tamis {

class TAMIS_EXPORT Iterator {
 public:
  Iterator() = default;
  virtual ~Iterator();
  Iterator(const Iterator&) = delete;
  Iterator& operator=(const Iterator&) = delete;

  // Returns false past either end, after an error, and before the first seek.
  virtual bool Valid() const = 0;

  // Moves to the first or the last key within the bounds, if there is one.
  virtual void SeekToFirst() = 0;
  virtual void SeekToLast() = 0;
  // Moves to the first key >= target.
  virtual void Seek(const Slice& target) = 0;
  // Moves to the last key <= target.
  virtual void SeekForPrev(const Slice& target) = 0;

  // REQUIRES: Valid()
  virtual void Next() = 0;
  virtual void Prev() = 0;

  // REQUIRES: Valid(). The bytes stay valid until the iterator moves.
  virtual Slice key() const = 0;
  virtual Slice value() const = 0;

  // Returns the error that stopped the iteration, or OK. Check it whenever
  // Valid() becomes false; otherwise an unreadable block looks like the end.
  virtual Status status() const = 0;

  // Makes the iterator show the state as of this call, and releases what it
  // pinned. It is then not positioned: Valid() is false until the next seek.
  // Costs as much as a new iterator; the column family may be dropped. Returns
  // NotSupported, and changes nothing, for an iterator with
  // ReadOptions::snapshot and for one that is not of a database. Any other
  // error changes nothing either.
  virtual Status Refresh();

  // Sets *value to a property of the iterator:
  //   "rocksdb.iterator.is-key-pinned"  "1" if the bytes of key() stay valid
  //       until the iterator is deleted or refreshed (ReadOptions::pin_data),
  //       else "0"; "Iterator is not valid." if it is not Valid()
  // Returns InvalidArgument for any other name.
  virtual Status GetProperty(std::string name, std::string* value);
};

}  // namespace tamis
