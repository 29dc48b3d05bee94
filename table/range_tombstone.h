// SPDX-License-Identifier: Apache-2.0
//
// A range deletion as a table stores it, in a block for range deletions. It may
// overlap others.
//
//   entry := begin | (sequence << 8 | 0x0f) fixed64  ->  end
#pragma once

#include <string>

#include "tamis/types.h"

namespace tamis {

struct RangeTombstone {
  std::string begin;
  std::string end;  // exclusive
  // Entries with a smaller sequence number are deleted.
  SequenceNumber sequence = 0;

  friend bool operator==(const RangeTombstone&,
                         const RangeTombstone&) = default;
};

}  // namespace tamis
