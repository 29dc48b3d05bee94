// SPDX-License-Identifier: Apache-2.0
//
// A walk over internal keys in order: what blocks, tables, memtables and
// merges look like from above. One thread.
#pragma once

#include <memory>

#include "tamis/slice.h"
#include "tamis/status.h"

namespace tamis {

class InternalIterator {
 public:
  InternalIterator() = default;
  virtual ~InternalIterator() = default;
  InternalIterator(const InternalIterator&) = delete;
  InternalIterator& operator=(const InternalIterator&) = delete;

  // False at either end and after an error: status() tells which.
  virtual bool Valid() const = 0;
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
  virtual Slice key() const = 0;
  virtual Slice value() const = 0;

  virtual Status status() const = 0;
};

std::unique_ptr<InternalIterator> NewEmptyIterator(Status status = Status());

}  // namespace tamis
