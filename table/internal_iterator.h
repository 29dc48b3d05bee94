// SPDX-License-Identifier: Apache-2.0
//
// A walk over internal keys in order: what blocks, tables, memtables and
// merges look like from above. One thread.
//
// What a walk stands at is read without a virtual call: an iterator points to
// an entry, its own or that of the walk below it, and keeps it up to date.
//
//   merge ──┐     level ──┐     table ──┐     block
//           └─────────────┴─────────────┴──▶  entry: valid, key, value
#pragma once

#include <memory>

#include "tamis/slice.h"
#include "tamis/status.h"

namespace tamis {

struct WalkEntry {
  bool valid = false;  // else nobody reads the others
  Slice key;
  Slice value;
};

// The entry of all walks that stand nowhere.
inline constexpr WalkEntry kNoEntry;

class InternalIterator {
 public:
  virtual ~InternalIterator() = default;
  InternalIterator(const InternalIterator&) = delete;
  InternalIterator& operator=(const InternalIterator&) = delete;

  // False at either end and after an error: status() tells which.
  bool Valid() const { return entry_->valid; }
  virtual void SeekToFirst() = 0;
  virtual void SeekToLast() = 0;
  // The first entry at or behind the internal key.
  virtual void Seek(const Slice& target) = 0;
  // The last entry at or before it.
  virtual void SeekForPrev(const Slice& target) = 0;

  // REQUIRES: Valid(), for the four below.
  virtual void Next() = 0;
  virtual void Prev() = 0;
  // An internal key (of at least 8 bytes: checked below). Both live until the
  // next move.
  Slice key() const { return entry_->key; }
  Slice value() const { return entry_->value; }

  virtual Status status() const = 0;

  // All three of the above; never nullptr. Another one may be pointed to after
  // the next move.
  const WalkEntry* entry() const { return entry_; }

 protected:
  explicit InternalIterator(const WalkEntry* entry = &kNoEntry)
      : entry_(entry) {}
  // It lives until another one is shown, or as long as *this.
  void ShowEntry(const WalkEntry* entry) { entry_ = entry; }

 private:
  const WalkEntry* entry_;
};

std::unique_ptr<InternalIterator> NewEmptyIterator(Status status = Status());

}  // namespace tamis
