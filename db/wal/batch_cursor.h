// SPDX-License-Identifier: Apache-2.0
//
// Reads the records of a write batch, in order.
#pragma once

#include <cstdint>

#include "tamis/slice.h"
#include "tamis/status.h"

#include "db/base/numbers.h"
#include "table/internal_key.h"
#include "util/coding/coding.h"

namespace tamis {

// One record of a batch. Borrows the batch's bytes.
struct BatchRecord {
  enum Kind : uint8_t {
    kChange,  // takes a sequence number, outside a prepared section
    kLogData,
    // Marks of two-phase commit.
    kBeginPrepare,
    kEndPrepare,
    kCommit,
    kRollback,
  };
  bool is_change() const { return kind == kChange; }

  Kind kind = kChange;
  ValueType type = kTypeValue;
  FamilyId family;
  Slice key;    // or the beginning of a range
  Slice value;  // or the end of a range, an operand, the log data, an id
};

// Iterates over the bytes of a batch, which must outlive it. One thread.
class BatchCursor {
 public:
  // Users' batches have no prepared sections: kPass returns NotSupported for
  // one, and passes over the marks that end one. kShow returns all marks.
  enum class Marks : uint8_t { kPass, kShow };

  explicit BatchCursor(const Slice& contents, Marks marks = Marks::kPass);

  // Reads the next record. Returns false at the end, or on an error, which is
  // in status(): Corruption, or NotSupported, which names the kind of record.
  bool Next(BatchRecord* record);
  const Status& status() const { return status_; }
  // Returns the offset in the contents after the record.
  size_t offset() const { return in_.offset(); }

 private:
  // Returns false if `tag` does not denote a mark that *this shows.
  bool ReadMark(uint8_t tag, BatchRecord* record);
  bool ReadChange(uint8_t tag, BatchRecord* record);
  bool Stop(Status status);
  bool StopAtTag(size_t offset, uint8_t tag);

  Decoder in_;
  const Marks marks_;
  uint32_t left_ = 0;  // changes left, by the count in the header
  Status status_;
};

}  // namespace tamis
