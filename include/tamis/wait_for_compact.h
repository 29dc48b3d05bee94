// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>

#include "tamis/export.h"

namespace tamis {

// How DB::WaitForCompact waits.
struct TAMIS_EXPORT WaitForCompactOptions {
  // Returns Aborted if background work is paused, or becomes so. Otherwise work
  // that is due, but paused, prolongs the wait.
  bool abort_on_pause = false;
  // First flushes the memtables of all families.
  bool flush = false;
  // Closes the database at the end, if the wait ended well.
  bool close_db = false;
  // Returns TimedOut after this time. Zero means no limit.
  std::chrono::microseconds timeout = std::chrono::microseconds::zero();
};

}  // namespace tamis
