// SPDX-License-Identifier: Apache-2.0
//
// The boundary of exceptions. Inside Tamis, user code and allocations may
// throw; everything that holds a lock, a place in a queue or a count lets go of
// it by a destructor. At the public functions and at the top of each background
// job the exception becomes a Status.
#pragma once

#include <cxxabi.h>

#include "tamis/status.h"

namespace tamis {

// std::bad_alloc: MemoryLimit. Anything else: Aborted, with what().
// REQUIRES: within a catch block.
Status StatusOfException() noexcept;

// Runs call() and returns its Status, or that of what it threw. The unwinding
// of a thread that is cancelled, or calls pthread_exit, passes.
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

// For work whose failure may go unseen.
template <typename Call>
void IgnoreExceptions(Call&& call) noexcept {
  try {
    call();
  } catch (...) {
  }
}

}  // namespace tamis
