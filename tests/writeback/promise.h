// SPDX-License-Identifier: Apache-2.0
//
// Checks what a database shows after a power failure, by the ledger and by the
// sequences of operations.
#pragma once

#include "tests/kill/survivor.h"
#include "tests/writeback/ledger.h"
#include "tests/writeback/victim.h"

namespace tamis::writeback {

// The least and the greatest number of operations of each thread that may be
// present.
struct Bounds {
  Counts least;
  Counts most;
};
Bounds BoundsOf(const Ledger& ledger);

// Expects that for each thread a prefix of its operations within the bounds is
// present, each operation completely and together with all operations that were
// acknowledged before it began. Sets *models to the contents found. REQUIRES:
// *models has the contents at the start of the round.
void ExpectPrefix(const Round& round, const Ledger& ledger,
                  const Bounds& bounds, const kill::Survivor& survivor,
                  Models* models);

// For modes that continue after lost records. Expects that keys that no
// operation since the last durable one touched are unchanged, and that every
// value was written.
void ExpectNothingInvented(const Round& round, const Bounds& bounds,
                           const kill::Survivor& survivor,
                           const Models& models);

}  // namespace tamis::writeback
