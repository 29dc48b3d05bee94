// SPDX-License-Identifier: Apache-2.0
//
// Replaces pthread_create, which then fails as if the system had no more
// threads: within a ThreadLimit, or as tests/failures/failures.h says.
#pragma once

namespace tamis::process {

// Returns the number of threads that the process has created.
int ThreadsCreated();

// During its lifetime, only this number of threads can be created.
class ThreadLimit {
 public:
  explicit ThreadLimit(int n);
  ~ThreadLimit();
  ThreadLimit(const ThreadLimit&) = delete;
  ThreadLimit& operator=(const ThreadLimit&) = delete;
};

}  // namespace tamis::process
