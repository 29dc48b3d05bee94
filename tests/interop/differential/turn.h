// SPDX-License-Identifier: Apache-2.0
//
// One turn in a directory that engines share alternately: the steps of a Script
// from one close to the next. The contents are compared with the model after
// the open and before the close (or before the process dies with the database
// open).
#pragma once

#include <cstdint>
#include <string>

#include "tests/interop/differential/script.h"

namespace tamis::differential {

// The exit code of the process.
enum TurnEnd : int {
  kTurnEnded = 0,
  kTurnWentWrong = 1,  // the last line says how
  kNoSuchTurn = 3,
};

// Writes a line for each step. If the script ends the process, exits with
// kTurnEnded and does not return.
TurnEnd TakeTurn(const Script& script, uint64_t turn,
                 const std::string& directory, bool verbose);

// Writes "seed:i description => ", so that the output of a process that dies
// shows its step.
void Announce(const Script& script, size_t i);

}  // namespace tamis::differential
