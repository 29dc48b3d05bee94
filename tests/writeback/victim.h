// SPDX-License-Identifier: Apache-2.0
//
// The process under which the power fails. Its threads perform the operations
// of tests/kill/operations.h on a database in live()/db, sync the log at times,
// and create checkpoints live()/copyN. In some rounds it closes the database
// after a number of operations.
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
  // The power fails `later` after `operations` operations were acknowledged or
  // the database was closed.
  uint64_t operations;
  std::chrono::microseconds later;
  // 0: the process works until the power fails.
  uint32_t operations_until_close = 0;
  // Only one in `seldom` syncs of the log is made. A log is mapped until its
  // first sync.
  uint64_t seldom = 1;
};

inline std::string DatabaseOf(const std::string& live) { return live + "/db"; }
inline std::string CopyOf(const std::string& live, uint32_t number) {
  return live + "/copy" + std::to_string(number);
}

// Runs the process until the power fails. *ledger then has its progress.
// `models`: the contents of the database.
void RunAndCut(Storage* storage, const Watch& watch, const Round& round,
               const Models& models, Ledger* ledger);

}  // namespace tamis::writeback
