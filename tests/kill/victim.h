// SPDX-License-Identifier: Apache-2.0
//
// The process that is killed: it opens the database, and every thread does its
// row of operations until the kill comes.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include "tamis/db.h"

#include "tests/kill/expected_state.h"
#include "tests/kill/operations.h"

namespace tamis::kill {

// One way to set the database up.
struct Setting {
  const char* name;
  void (*change)(Options* options, BlockBasedTableOptions* table);
};
inline void PrintTo(const Setting& setting, std::ostream* out) {
  *out << setting.name;
}

Options OptionsOf(const Setting& setting);
// Of the families that the directory holds; those that are missing but the
// fourth are made by the open.
std::vector<ColumnFamilyDescriptor> Descriptors(
    const Options& options, const std::vector<std::string>& names);
// Empty where there is no database yet.
Status ListFamilies(const std::string& directory,
                    std::vector<std::string>* names);

using Models = std::array<Model, kThreads>;

struct Round {
  std::string directory;
  Setting setting;
  uint64_t seed;
  int number;
};
// Runs the process for about so long and kills it; *state tells how far its
// threads were. `models`: what the database holds.
void RunAndKill(const Round& round, const Models& models,
                std::chrono::microseconds how_long, ExpectedState* state);

}  // namespace tamis::kill
