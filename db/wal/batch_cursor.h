// SPDX-License-Identifier: Apache-2.0
//
// Reads the records of a write batch, in order.
#pragma once

#include <cstdint>

#include "tamis/slice.h"
#include "tamis/status.h"

#include "table/internal_key.h"
#include "util/coding/coding.h"

namespace tamis {

// One record of a batch. Borrows the batch's bytes.
struct BatchRecord {
  bool is_change = false;  // takes a sequence number; otherwise log data
  ValueType type = kTypeValue;
  uint32_t family = 0;
  Slice key;    // or the begin of a range
  Slice value;  // or the end of a range, an operand, the log data
};

// Iterates over the bytes of a batch, which outlive the cursor. One thread.
class BatchCursor {
 public:
  explicit BatchCursor(const Slice& contents);

  // False at the end, or when status() is not OK: Corruption, or NotSupported
  // that names the kind of record.
  bool Next(BatchRecord* record);
  const Status& status() const { return status_; }

 private:
  bool ReadChange(uint8_t tag, BatchRecord* record);
  bool Stop(Status status);
  bool StopAtTag(size_t offset, uint8_t tag);

  Decoder in_;
  uint32_t left_ = 0;  // changes that the header still promises
  Status status_;
};

}  // namespace tamis
