// SPDX-License-Identifier: Apache-2.0
//
// The process that is killed: it opens the database, and every thread does its
// row of operations until the kill comes.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
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
  bool every_write_synced = false;  // otherwise one in 60
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

// Lives in the process that is killed. Whatever goes wrong ends that process by
// _exit, which is not how it is to end.
class Victim {
 public:
  // All outlive it.
  Victim(const Round& round, const Models& models, ExpectedState* state);
  ~Victim();
  Victim(const Victim&) = delete;
  Victim& operator=(const Victim&) = delete;

  // Opens the database and starts the threads, which never end.
  void Start();
  // REQUIRES: Start was called
  DB* db() const { return db_.get(); }

 private:
  void Open();
  [[noreturn]] void Work(uint32_t thread);
  Status Do(const Operation& operation);
  Status Write(const Operation& operation);

  const Round& round_;
  const Options options_;
  const Models& models_;
  ExpectedState& state_;
  std::unique_ptr<DB> db_;
  // Of the fourth, nullptr while it does not exist: thread 0's alone.
  std::array<ColumnFamilyHandle*, kFamilies> families_{};
};

// When the kill comes: so long after so many operations were acknowledged.
struct Moment {
  uint64_t operations;
  std::chrono::microseconds later;
};
// Runs the process and kills it; *state tells how far its threads were.
// `models`: what the database holds.
void RunAndKill(const Round& round, const Models& models, Moment moment,
                ExpectedState* state);

}  // namespace tamis::kill
