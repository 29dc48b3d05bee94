// SPDX-License-Identifier: Apache-2.0
//
// What a database may show after a power cut, judged by the ledger and by the
// rows of operations.
#pragma once

#include "tests/kill/survivor.h"
#include "tests/writeback/ledger.h"
#include "tests/writeback/victim.h"

namespace tamis::writeback {

// How many operations of each thread are there, where that lies between these.
struct Bounds {
  Counts least;
  Counts most;
};
Bounds BoundsOf(const Ledger& ledger);

// Of each thread's row a prefix within the bounds is there, whole, and with an
// operation all that were acknowledged before it began. Otherwise the test
// fails. *models becomes what was found. REQUIRES: *models is what the round
// began with
void ExpectPrefix(const Round& round, const Ledger& ledger,
                  const Bounds& bounds, const kill::Survivor& survivor,
                  Models* models);

// Where a mode goes on behind records that are lost: what no operation since
// the last durable one touched is as it was, and nothing is there that nobody
// wrote.
void ExpectNothingInvented(const Round& round, const Bounds& bounds,
                           const kill::Survivor& survivor,
                           const Models& models);

}  // namespace tamis::writeback
