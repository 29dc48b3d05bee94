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

#include "db/recovery.h"

namespace tamis {

// Corruption when a table that no edit lists holds sequence numbers behind the
// MANIFEST's last and before those of the logs. REQUIRES: the MANIFEST was
// replayed, the logs were not.
Status CheckForLostEdits(const DBContext& context,
                         const DirectoryListing& listing,
                         const VersionSet& versions,
                         const std::string& manifest);

}  // namespace tamis
