// SPDX-License-Identifier: Apache-2.0
//
// Detects a MANIFEST that lost its last records. It looks like an older
// MANIFEST; if it were trusted, tables that it does not list would be deleted
// as obsolete. The logs and tables give it away:
//
//   MANIFEST        logs and tables                     conclusion
//   log number 7    000007.log                          intact
//   log number 7    000009.log begins at sequence 31,   lost the flush
//   last seq. 20    000008.sst holds 21..30             of log 7
//
// A log is deleted only after a MANIFEST record of its flush is durable.
#pragma once

#include <cstdint>
#include <span>

#include "db/base/numbers.h"
#include "db/recovery/recovery.h"

namespace tamis {

// Sequence numbers that can only be in tables missing from the MANIFEST: after
// its last one and before those of the logs. Compaction zeroes sequence numbers
// at the deepest level, so a zero counts only if the logs prove that there is a
// gap.
struct SequenceGap {
  SequenceNumber begin = 0;
  SequenceNumber end = 0;  // exclusive; empty by default
  bool proven = false;

  bool Contains(SequenceNumber sequence) const {
    return sequence == 0 ? proven : sequence >= begin && sequence < end;
  }
};
// The gap between a MANIFEST and the logs still needed (ascending). If no log
// record is readable: unbounded and not proven.
SequenceGap GapBefore(const DBContext& context, SequenceNumber last_sequence,
                      std::span<const FileNumber> logs);

// Corruption: an unlisted table has sequence numbers after the MANIFEST's last
// and before those of the logs. REQUIRES: the MANIFEST was replayed, the logs
// were not.
Status CheckForLostEdits(const DBContext& context,
                         const DirectoryListing& listing,
                         const VersionSet& versions,
                         const std::string& manifest);

}  // namespace tamis
