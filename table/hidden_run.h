// SPDX-License-Identifier: Apache-2.0
//
// A HiddenRun answers how far range tombstones cover the keys around one key
// without a gap, in one direction. A source of entries asks it with the
// sequence number of its newest entry, and passes those entries.
#pragma once

#include <string>

#include "tamis/types.h"

namespace tamis {

class HiddenRun {
 public:
  // Returns whether a tombstone newer than `newest` covers the key. If so, sets
  // *end to where the run of keys that such tombstones cover ends: forward to
  // the first key that is not in it, backward to its first key.
  virtual bool Find(SequenceNumber newest, std::string* end) const = 0;

 protected:
  HiddenRun() = default;
  ~HiddenRun() = default;
};

}  // namespace tamis
