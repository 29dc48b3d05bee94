// SPDX-License-Identifier: Apache-2.0
//
// The process that is cut off. Its threads do the rows of operations of
// tests/kill/operations.h on a database in live()/db, sync the log now and
// then, and make checkpoints live()/copyN. In some rounds it closes the
// database after so many operations.
#pragma once

#include <chrono>
#include <cstdint>
#include <ostream>
#include <string>

#include "tests/kill/client.h"
#include "tests/writeback/ledger.h"
#include "tests/writeback/storage.h"

namespace tamis::writeback {

struct Setting {
  kill::Setting database;
  bool log = true;  // false: WriteOptions::disableWAL
};
inline void PrintTo(const Setting& setting, std::ostream* out) {
  *out << setting.database.name;
}

using Models = std::array<kill::Model, kThreads>;

struct Round {
  Setting setting;
  uint64_t seed;
  int number;
  // When the power goes off: so long after so many operations were
  // acknowledged, or later if the process is not done with them.
  uint64_t operations;
  std::chrono::microseconds later;
  // 0: it works until the end.
  uint32_t operations_until_close = 0;
  // Of the syncs of the log, one in so many is made: it is mapped until its
  // first.
  uint64_t seldom = 1;
};

inline std::string DatabaseOf(const std::string& live) { return live + "/db"; }
inline std::string CopyOf(const std::string& live, uint32_t number) {
  return live + "/copy" + std::to_string(number);
}

// Runs the process until the power goes off; *ledger tells how far it was.
// `models`: what the database holds.
void RunAndCut(Storage* storage, const Watch& watch, const Round& round,
               const Models& models, Ledger* ledger);

}  // namespace tamis::writeback
