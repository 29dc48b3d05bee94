// SPDX-License-Identifier: Apache-2.0
//
// The PerfLevel determines the events that a thread records in its PerfContext.
// Each thread has its own; the default is kEnableCount.
#pragma once

namespace tamis {

enum PerfLevel : unsigned char {
  kDisable = 1,      // counts nothing
  kEnableCount = 2,  // counts, reads no clock
  kEnableTime = 3,   // counts and times
};

void SetPerfLevel(PerfLevel level);
PerfLevel GetPerfLevel();

}  // namespace tamis
