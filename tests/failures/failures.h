// SPDX-License-Identifier: Apache-2.0
//
// Allocations, callbacks and threads that fail on purpose. A program that links
// this has an operator new that counts and may fail; a callback that calls
// Callback() is counted and may throw, and what starts a thread or takes a job
// asks ThreadFails(). Any thread.
#pragma once

#include <cstdint>

namespace tamis {

class Failures {
 public:
  enum class Kind : uint8_t {
    kAllocation,     // the n-th throws std::bad_alloc
    kAllocationsOn,  // the n-th and all after it
    kCallback,       // the n-th throws std::runtime_error
    kThread,         // the n-th is refused
  };

  // The n-th from now on fails. REQUIRES: n > 0
  static void Arm(Kind kind, uint64_t n);
  // From now on failures come at random, as the seed and the number of each
  // say; any number of them.
  struct Chances {
    // One call in this many fails; 0: none does.
    uint64_t allocations = 0;
    uint64_t callbacks = 0;
    uint64_t threads = 0;
    // The number of calls that then fail in a row, as when memory is short for
    // a while.
    uint64_t in_a_row = 1;
    // Only in threads within a Mark, and in none that the engine started.
    bool only_marked = false;
  };
  static void ArmAtRandom(uint64_t seed, const Chances& chances);
  // Whether one has failed since.
  static bool Disarm();
  static bool fired();

  // Where a callback may throw.
  static void Callback();
  // Where a thread or a job may be refused; counts it.
  static bool ThreadFails();

  // How many there were in the process, failed ones too, without those in a
  // Pause.
  struct Counts {
    uint64_t allocations = 0;
    uint64_t callbacks = 0;
    uint64_t threads = 0;
  };
  static Counts Seen();

  // What a thread does in the scope does not count.
  class Pause {
   public:
    Pause();
    ~Pause();
    Pause(const Pause&) = delete;
    Pause& operator=(const Pause&) = delete;
  };
  // Takes one Pause of the thread back in the scope: a test that is paused as a
  // whole calls the engine in it.
  class Unpause {
   public:
    Unpause();
    ~Unpause();
    Unpause(const Unpause&) = delete;
    Unpause& operator=(const Unpause&) = delete;
  };
  class Mark {
   public:
    Mark();
    ~Mark();
    Mark(const Mark&) = delete;
    Mark& operator=(const Mark&) = delete;
  };
};

}  // namespace tamis
