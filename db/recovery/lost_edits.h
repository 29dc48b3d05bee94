// SPDX-License-Identifier: Apache-2.0
//
// CheckForLostEdits detects a MANIFEST that lost its last records. Such a
// MANIFEST looks like an older one. If an open trusted it, tables that it does
// not list would be deleted as obsolete. The logs and tables reveal the loss:
//
//   MANIFEST        logs and tables                     conclusion
//   log number 7    000007.log                          intact
//   log number 7    000009.log begins at sequence 31,   lost the flush
//   last seq. 20    000008.sst holds 21..30             of log 7
//
// The check relies on this: a log is deleted only after a MANIFEST record of
// its flush is durable.
#pragma once

#include <cstdint>
#include <span>

#include "db/base/numbers.h"
#include "db/recovery/recovery.h"

namespace tamis {

// The sequence numbers that only tables missing from the MANIFEST can have:
// those after the MANIFEST's last one and before those of the logs. Compaction
// zeroes sequence numbers at the deepest level, so zero counts, too, if the
// logs prove that there is a gap.
struct SequenceGap {
  SequenceNumber begin = 0;
  SequenceNumber end = 0;  // exclusive; empty by default
  bool proven = false;

  bool Contains(SequenceNumber sequence) const {
    return sequence == 0 ? proven : sequence >= begin && sequence < end;
  }
};
// Returns the gap between a MANIFEST and the logs still needed, which ascend.
// If the first record of none of them is readable, the gap has no end and is
// not proven.
SequenceGap GapBefore(const DBContext& context, SequenceNumber last_sequence,
                      std::span<const FileNumber> logs);

// Returns Corruption if the oldest log needed is missing and a table that the
// MANIFEST does not list has an entry in the gap. Such a table that is
// unreadable does not count. `manifest` is the path for messages. REQUIRES:
// `versions` has the state of the MANIFEST; no log was replayed.
Status CheckForLostEdits(const DBContext& context,
                         const DirectoryListing& listing,
                         const VersionSet& versions,
                         const std::string& manifest);

}  // namespace tamis
