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
  bool is_change = false;  // takes a sequence number; otherwise log data
  ValueType type = kTypeValue;
  FamilyId family;
  Slice key;    // or the beginning of a range
  Slice value;  // or the end of a range, an operand, the log data
};

// Iterates over the bytes of a batch, which must outlive it. One thread.
class BatchCursor {
 public:
  explicit BatchCursor(const Slice& contents);

  // Reads the next record. Returns false at the end, or on an error, which is
  // in status(): Corruption, or NotSupported, which names the kind of record.
  bool Next(BatchRecord* record);
  const Status& status() const { return status_; }

 private:
  bool ReadChange(uint8_t tag, BatchRecord* record);
  bool Stop(Status status);
  bool StopAtTag(size_t offset, uint8_t tag);

  Decoder in_;
  uint32_t left_ = 0;  // changes left, by the count in the header
  Status status_;
};

}  // namespace tamis
