// SPDX-License-Identifier: Apache-2.0
//
// One turn at a directory that changes hands: the steps of a Script from one
// close to the next, with the contents compared to the model when it is opened
// and before it is closed (or the process dies with it open).
#pragma once

#include <cstdint>
#include <string>

#include "tests/interop/differential/script.h"

namespace tamis::differential {

// What the process is to exit with.
enum TurnEnd : int {
  kTurnEnded = 0,
  kTurnWentWrong = 1,  // the last line says how
  kNoSuchTurn = 3,
};

// Writes a line for each step. Does not return where the script lets the
// process die: it then exits with kTurnEnded.
TurnEnd TakeTurn(const Script& script, uint64_t turn,
                 const std::string& directory, bool verbose);

// "seed:i description => ", in which a process that dies shows where it was.
void Announce(const Script& script, size_t i);

}  // namespace tamis::differential
