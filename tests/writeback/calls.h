// SPDX-License-Identifier: Apache-2.0
//
// Interposes open, rename, unlink, fsync and other calls of the C library. In a
// process that watches a disk, the interposed calls maintain the disk's safe/
// and trace, and write pages back at random; so does a separate thread. A sync
// copies what it makes durable. No process of the program syncs through the
// kernel, unless it called SyncForReal. A call that changes names or syncs and
// is not interposed here aborts the process.
#pragma once

#include <cstdint>
#include <string>

#include "tests/writeback/disk.h"

namespace tamis::writeback {

// `forgotten` selects syncs that the process omits and reports as done: those
// of files whose path contains it; "directory": those of directories; "": none.
struct Watch {
  uint64_t seed = 0;
  std::string forgotten;
};

// Watches the calls of this process from now on. REQUIRES: the process has one
// thread.
void WatchCalls(const Disk& disk, const Watch& watch);

// Passes syncs to the kernel, except those that `forgotten` omits, see Watch.
void SyncForReal(bool for_real, const std::string& forgotten = "");

}  // namespace tamis::writeback
