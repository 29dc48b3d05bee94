// SPDX-License-Identifier: Apache-2.0
//
// A process that writes to a database with several threads, and forks children
// meanwhile, until it is killed. What a child does follows from a seed: it
// ends at once (exit, _exit, exec), destroys the database it inherited, calls
// into it, or opens one of its own; and it ends then, or stays until it is told
// to end or killed. There are up to four children at a time, each in a place of
// a table that all processes share. The child of the first place stays: the
// kill finds it alive.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <sys/types.h>

#include "tests/kill/expected_state.h"
#include "tests/kill/victim.h"

namespace tamis::process {

constexpr size_t kPlaces = 4;

struct ChildPlace {
  enum class State : uint32_t {
    kNone,
    kStarting,
    // It stays, and the lock that it inherited ...
    kExecutes,  // goes as soon as it executes its program
    kMayHold,   // was perhaps not taken yet
    kHolds,     // stays with it
  };

  std::atomic<State> state;
  std::atomic<pid_t> pid;
  // Or it was killed.
  std::atomic<bool> told_to_end;
  // Of the database of its own: puts of OwnKey(0), ... that were acknowledged.
  std::atomic<uint64_t> own_puts;

  bool stays() const { return state >= State::kExecutes && !told_to_end; }
};

struct Children {
  std::array<ChildPlace, kPlaces> places;
  std::atomic<uint64_t> forked;
  std::atomic<uint64_t> refused_calls;
};

std::string OwnDirectory(const std::string& parent, size_t place);
std::string OwnKey(uint64_t i);

// What the process does; it is killed in it, or ends by _exit when something
// went wrong. `during_open`: the first child is forked while the database is
// being opened.
struct ForkingVictim {
  const kill::Round& round;
  const kill::Models& models;
  kill::ExpectedState* state;
  Children* children;
  std::string own_parent;  // of the children's own databases
  bool during_open;

  [[noreturn]] void Run();

 private:
  void ForkInto(size_t place, uint64_t seed, bool stays, bool opened);
  void Visit(size_t place, uint64_t seed);
};

}  // namespace tamis::process
