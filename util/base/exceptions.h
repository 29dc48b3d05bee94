// SPDX-License-Identifier: Apache-2.0
//
// The exception boundary. User code and allocations may throw inside Tamis;
// destructors then release locks, queue positions and reference counts. Public
// functions that return or store a Status, and the outermost function of each
// background job, convert the exception to a Status.
#pragma once

#include <cxxabi.h>
#include <string>
#include <utility>

#include "tamis/status.h"

namespace tamis {

// Returns MemoryLimit if the current exception is std::bad_alloc, TryAgain if a
// thread could not be started, otherwise Aborted with its what(). REQUIRES:
// called within a catch block.
Status StatusOfException() noexcept;

// Returns call()'s Status, or StatusOfException() if it throws. Forced
// unwinding (pthread_cancel, pthread_exit) continues to the caller.
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

// Does the same for user code: the Status of an exception says whose code threw
// it, except for transient ones, which may pass.
template <typename Call>
Status CatchExceptionsOf(const char* kind, const char* name, Call&& call) {
  const Status status = CatchExceptions(std::forward<Call>(call));
  if (status.ok() || status.IsMemoryLimit() || status.IsTryAgain()) {
    return status;
  }
  return Status::Aborted(std::string(kind) + " " + name, status.message());
}

// Runs call() and ignores its exceptions. Terminates the process if the thread
// is cancelled, or calls pthread_exit, within call(): unwinding cannot continue
// out of a noexcept function.
template <typename Call>
void IgnoreExceptions(Call&& call) noexcept {
  try {
    call();
  } catch (...) {
  }
}

}  // namespace tamis
