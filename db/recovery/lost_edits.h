// SPDX-License-Identifier: Apache-2.0
//
// A MANIFEST that lost its last records looks like an older one. If it were
// believed, tables it no longer tells of would be taken for leavings and
// removed. What gives it away:
//
//   MANIFEST        logs and tables                     what happened
//   log number 7    000007.log                          nothing
//   log number 7    000009.log begins at sequence 31,   the flush of log 7
//   last seq. 20    000008.sst holds 21..30             is forgotten
//
// The log it names is deleted only after a later record has told of the flush.
#pragma once

#include <cstdint>
#include <span>

#include "db/recovery/recovery.h"

namespace tamis {

// Sequence numbers that only tables can hold which the MANIFEST has forgotten:
// behind its last, and before those of the logs. Compaction sets the numbers of
// the deepest level to 0: such an entry is taken for forgotten only when the
// logs show that there is something to forget.
struct SequenceGap {
  SequenceNumber begin = 0;
  SequenceNumber end = 0;  // exclusive; empty by default
  bool proven = false;

  bool Contains(SequenceNumber sequence) const {
    return sequence == 0 ? proven : sequence >= begin && sequence < end;
  }
};
// Between a MANIFEST and the logs that are still needed, ascending; where no
// record of them reads, without end and not proven.
SequenceGap GapBefore(const DBContext& context, SequenceNumber last_sequence,
                      std::span<const uint64_t> logs);

// Corruption when a table that no edit lists holds sequence numbers behind the
// MANIFEST's last and before those of the logs. REQUIRES: the MANIFEST was
// replayed, the logs were not.
Status CheckForLostEdits(const DBContext& context,
                         const DirectoryListing& listing,
                         const VersionSet& versions,
                         const std::string& manifest);

}  // namespace tamis
