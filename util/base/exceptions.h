// SPDX-License-Identifier: Apache-2.0
//
// The exception boundary. User code and allocations may throw inside Tamis;
// destructors then release locks, queue positions and reference counts. Public
// functions, and the outermost function of each background job, convert the
// exception to a Status.
#pragma once

#include <cxxabi.h>

#include "tamis/status.h"

namespace tamis {

// Converts the current exception. std::bad_alloc: MemoryLimit. Others: Aborted,
// with what().
// REQUIRES: called within a catch block.
Status StatusOfException() noexcept;

// Returns call()'s Status, or the Status of the exception it threw. Forced
// unwinding (pthread_cancel, pthread_exit) passes through.
template <typename Call>
Status CatchExceptions(Call&& call) {
  try {
    return call();
  } catch (abi::__forced_unwind&) {
    throw;
  } catch (...) {
    return StatusOfException();
  }
}

// Runs call() and ignores its exceptions. Forced unwinding out of call()
// terminates the process.
template <typename Call>
void IgnoreExceptions(Call&& call) noexcept {
  try {
    call();
  } catch (...) {
  }
}

}  // namespace tamis
