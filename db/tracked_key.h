// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tamis/slice.h"
#include "tamis/types.h"

namespace tamis {

class ColumnFamily;

// A key on which a write depends: no change of it may have a sequence number
// above `since`. Borrows family and bytes.
struct TrackedKey {
  const ColumnFamily* family;
  Slice key;
  SequenceNumber since;
};

}  // namespace tamis
