// SPDX-License-Identifier: Apache-2.0
//
// The program's own open, rename, unlink, fsync and so on stand before those
// of the C library. In a process that watches a disk they keep its safe/ and
// its trace, and write pages back by luck, beside a thread that does nothing
// else. A sync copies what it makes durable; in no process of the program does
// it go to the kernel, unless SyncForReal says so.
// Calls that change names or sync, and are not known here, abort the process.
#pragma once

#include <cstdint>
#include <string>

#include "tests/writeback/disk.h"

namespace tamis::writeback {

// The process leaves such syncs out and says they were done: of files in whose
// path this stands; "directory": of directories; "": none.
struct Watch {
  uint64_t seed = 0;
  std::string forgotten;
};

// From here on, for as long as the process lives. REQUIRES: it has one thread
void WatchCalls(const Disk& disk, const Watch& watch);

// Syncs go to the kernel, but those that are left out as Watch::forgotten says.
void SyncForReal(bool for_real, const std::string& forgotten = "");

}  // namespace tamis::writeback
