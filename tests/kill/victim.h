// SPDX-License-Identifier: Apache-2.0
//
// The process that is killed. It opens the database, and every thread does its
// operations until the kill.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <string>

#include "tests/kill/client.h"
#include "tests/kill/expected_state.h"
#include "tests/kill/operations.h"

namespace tamis::kill {

using Models = std::array<Model, kThreads>;

struct Round {
  std::string directory;
  Setting setting;
  uint64_t seed;
  int number;
};

// Used in the process that is killed. Errors end that process by _exit, which
// the test detects.
class Victim {
 public:
  // All must outlive the victim.
  Victim(const Round& round, const Models& models, ExpectedState* state);
  Victim(const Victim&) = delete;
  Victim& operator=(const Victim&) = delete;

  // Opens the database and starts the threads, which never end.
  void Start();
  // REQUIRES: Start was called.
  DB* db() const { return client_.db(); }

 private:
  [[noreturn]] void Work(uint32_t thread);

  const Round& round_;
  Client client_;
  const Models& models_;
  ExpectedState& state_;
};

// When the kill comes: a delay after a number of acknowledged operations.
struct Moment {
  uint64_t operations;
  std::chrono::microseconds later;
};
// Runs the process and kills it; *state has the progress of its threads.
// `models`: the contents of the database before.
void RunAndKill(const Round& round, const Models& models, Moment moment,
                ExpectedState* state);

}  // namespace tamis::kill
