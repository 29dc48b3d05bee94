// SPDX-License-Identifier: Apache-2.0
//
// The PerfLevel determines the events that a thread records in its PerfContext
// and its IOStatsContext. Each thread has its own; the default is kEnableCount.
// Each level records what the one before it does, and more. Names and order are
// RocksDB's.
#pragma once

#include "tamis/export.h"

namespace tamis {

// What the counters of a thread include.
enum PerfLevel : unsigned char {
  kUninitialized = 0,                       // below all levels; not to be set
  kDisable = 1,                             // nothing
  kEnableCount = 2,                         // counts; reads no clock
  kEnableWait = 3,                          // the time that writes wait
  kEnableTimeExceptForMutex = 4,            // all times but those below
  kEnableTimeAndCPUTimeExceptForMutex = 5,  // CPU time of the thread
  kEnableTime = 6,   // waits for the mutex of the database
  kOutOfBounds = 7,  // above all levels; not to be set
};

// Sets the level of the calling thread. Ignores kUninitialized and
// kOutOfBounds.
TAMIS_EXPORT void SetPerfLevel(PerfLevel level);
TAMIS_EXPORT PerfLevel GetPerfLevel();

}  // namespace tamis
