// SPDX-License-Identifier: Apache-2.0
//
// Finds the cache lines that an operation stores to. Processors that store to
// the same line wait for each other, however little they otherwise share.
//
// All writable memory of the process is made read-only, except the stacks. A
// store then faults:
//
//   store ─▶ SIGSEGV: record the address, make the page writable, single-step
//         ─▶ the instruction stores
//         ─▶ SIGTRAP: make the page read-only again
//
// x86-64 Linux, without sanitizers.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace tamis {

struct CountedStore {
  uintptr_t line;  // address / 64
  uintptr_t code;  // address of the instruction
};

// Whether this build can count.
bool CanCountStores();

// Runs operation() and returns its stores outside of stacks, in order. An
// instruction with a repeat prefix is a store for each repetition. Ends the
// program if there are more than 4 million.
// REQUIRES: CanCountStores(); one call at a time; operation() makes no system
// call that writes to memory outside of its stack; other threads do nothing.
std::vector<CountedStore> CountStores(const std::function<void()>& operation);

// Two threads, one after the other, call prepare() and run what it returns,
// `warmups` times and once more. Counts the stores of the last run.
// REQUIRES: as CountStores, for what prepare() returns. The process has had few
// other threads: memory of one that ended may become that of both.
struct SharedStores {
  uint64_t all = 0;  // stores of the second thread
  // Those of them to lines that the first thread's run stored to as well. Two
  // processors would wait for each other at these.
  std::vector<CountedStore> shared;
};
SharedStores CountSharedStores(
    const std::function<std::function<void()>()>& prepare, int warmups);

}  // namespace tamis
