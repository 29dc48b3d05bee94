// SPDX-License-Identifier: Apache-2.0
//
// An InternalIterator moves over internal keys in order. Tables, levels,
// memtables and merges implement it. One thread.
//
// The current entry is read without a virtual call: an iterator points to an
// entry, its own or that of the iterator it wraps, and keeps it up to date.
//
//   merge ──┐     level ──┐     table ──┐     block
//           └─────────────┴─────────────┴──▶  entry: valid, key, value
#pragma once

#include <memory>

#include "tamis/slice.h"
#include "tamis/status.h"

#include "table/hidden_run.h"

namespace tamis {

class PinnedBytes;

struct IteratorEntry {
  bool valid = false;  // false: key and value are undefined
  Slice key;
  Slice value;
};

// The entry of every invalid iterator.
inline constexpr IteratorEntry kNoEntry;

class InternalIterator {
 public:
  virtual ~InternalIterator() = default;
  InternalIterator(const InternalIterator&) = delete;
  InternalIterator& operator=(const InternalIterator&) = delete;

  // Returns false past either end and after an error; status() distinguishes
  // them.
  bool Valid() const { return entry_->valid; }
  virtual void SeekToFirst() = 0;
  virtual void SeekToLast() = 0;
  // Moves to the first entry >= the internal key.
  virtual void Seek(const Slice& target) = 0;
  // Moves to the last entry <= the internal key.
  virtual void SeekForPrev(const Slice& target) = 0;

  // REQUIRES: Valid(), for Next, Prev, key and value.
  virtual void Next() = 0;
  virtual void Prev() = 0;

  // Moves as Next (Prev), but may also pass entries that `hidden` hides. Never
  // passes another one. REQUIRES: Valid(); the current entry is not to be
  // shown; `hidden` is of its user key and of this direction.
  virtual void NextAfterHidden(const HiddenRun& /*hidden*/) { Next(); }
  virtual void PrevBeforeHidden(const HiddenRun& /*hidden*/) { Prev(); }
  // key() is an internal key of at least 8 bytes. Both are valid until the next
  // move.
  Slice key() const { return entry_->key; }
  Slice value() const { return entry_->value; }

  // Has *pin keep value() valid after further moves, until *pin is reset or
  // changed. The tables and memtables read must outlive *pin. Returns false if
  // the value can only be copied. REQUIRES: Valid().
  virtual bool PinValue(PinnedBytes* /*pin*/) { return false; }

  virtual Status status() const = 0;

  // Returns Valid(), key() and value() as a struct, never nullptr. The pointer
  // may change with every move.
  const IteratorEntry* entry() const { return entry_; }

 protected:
  explicit InternalIterator(const IteratorEntry* entry = &kNoEntry)
      : entry_(entry) {}
  // Makes entry() return `entry`, which must live until replaced, or as long as
  // *this.
  void ShowEntry(const IteratorEntry* entry) { entry_ = entry; }

 private:
  const IteratorEntry* entry_;
};

std::unique_ptr<InternalIterator> NewEmptyIterator(Status status = Status());

}  // namespace tamis
