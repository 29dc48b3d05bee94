// SPDX-License-Identifier: Apache-2.0
//
// How a C function calls C++: no exception leaves it, a Status becomes a
// message, bytes become memory of malloc.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <cxxabi.h>
#include <exception>
#include <new>
#include <string>
#include <utility>

#include "tamis/slice.h"
#include "tamis/status.h"

namespace tamis::capi {

// Returns a copy of the bytes from malloc, followed by a 0. Ends the process if
// memory is out.
char* CopyOf(const Slice& bytes) noexcept;

// Returns an array of malloc with this many pointers, which are nullptr.
template <typename T>
T** PointerArray(size_t count) {
  auto* array = static_cast<T**>(std::calloc(count + 1, sizeof(T*)));
  if (array == nullptr) throw std::bad_alloc();
  return array;
}

// If the Status is an error, frees *errptr and puts the message there. Returns
// whether it is OK. Ends the process if memory is out: an error is never lost.
bool Report(char** errptr, const Status& status) noexcept;

// Returns the Status of the current exception. REQUIRES: in a catch block.
Status StatusOfCurrentException() noexcept;

// Runs call(), which returns a Status, and reports it and its exceptions.
// Returns whether it is OK. Forced unwinding (pthread_cancel) continues.
template <typename Call>
bool Try(char** errptr, Call&& call) {
  Status status;
  try {
    status = std::forward<Call>(call)();
  } catch (abi::__forced_unwind&) {
    throw;
  } catch (...) {
    status = StatusOfCurrentException();
  }
  return Report(errptr, status);
}

// Returns call()'s result. An exception, which can only be that memory is out,
// ends the process: the C function has no way to report it.
template <typename Call>
auto Must(Call&& call) noexcept {
  return std::forward<Call>(call)();
}

// Returns a new object, for a _create function.
template <typename T, typename... Arguments>
T* Create(Arguments&&... arguments) noexcept {
  return new T{std::forward<Arguments>(arguments)...};
}

// Returns the bytes as C sees them: pointer and length.
inline const char* Lend(const Slice& bytes, size_t* length) {
  *length = bytes.size();
  return bytes.data();
}

// Calls the function with the state when the object that was given both is
// destroyed: exactly once.
class StateOwner {
 public:
  StateOwner(void* state, void (*destructor)(void*))
      : state_(state), destructor_(destructor) {}
  ~StateOwner() {
    if (destructor_ != nullptr) destructor_(state_);
  }
  StateOwner(const StateOwner&) = delete;
  StateOwner& operator=(const StateOwner&) = delete;

  void* get() const { return state_; }

 private:
  void* const state_;
  void (*const destructor_)(void*);
};

}  // namespace tamis::capi
