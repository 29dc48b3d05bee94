// SPDX-License-Identifier: Apache-2.0
//
// Where exceptions end. Inside Tamis, user code and allocations may throw, and
// destructors release every lock, place in a queue and count. Public functions,
// and the top of each background job, turn the exception into a Status.
#pragma once

#include <cxxabi.h>

#include "tamis/status.h"

namespace tamis {

// std::bad_alloc: MemoryLimit. Anything else: Aborted, with what().
// REQUIRES: within a catch block.
Status StatusOfException() noexcept;

// Runs call() and returns its Status, or the Status of the exception that it
// threw. Forced unwinding (pthread_cancel, pthread_exit) passes through.
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

// For work whose failure may be ignored. Forced unwinding out of call() ends
// the process.
template <typename Call>
void IgnoreExceptions(Call&& call) noexcept {
  try {
    call();
  } catch (...) {
  }
}

}  // namespace tamis
