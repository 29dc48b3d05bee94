// SPDX-License-Identifier: Apache-2.0
#include "tests/process/new_threads.h"

#include <atomic>
#include <cerrno>
#include <dlfcn.h>
#include <pthread.h>

#include "tests/failures/failures.h"

namespace {

// How many threads may still be created; negative: any number.
std::atomic<int> threads_left{-1};
std::atomic<int> threads_created{0};

}  // namespace

// Stands before the library's.
extern "C" int pthread_create(pthread_t* thread,
                              const pthread_attr_t* attributes,
                              void* (*start)(void*), void* argument) noexcept {
  using Create =
      int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
  static const auto create =
      reinterpret_cast<Create>(::dlsym(RTLD_NEXT, "pthread_create"));
  if (tamis::Failures::ThreadFails()) return EAGAIN;
  if (threads_left >= 0 && threads_left.fetch_sub(1) <= 0) {
    threads_left = 0;
    return EAGAIN;
  }
  const int error = create(thread, attributes, start, argument);
  if (error == 0) ++threads_created;
  return error;
}

namespace tamis::process {

int ThreadsCreated() { return threads_created; }

ThreadLimit::ThreadLimit(int n) { threads_left = n; }
ThreadLimit::~ThreadLimit() { threads_left = -1; }

}  // namespace tamis::process
