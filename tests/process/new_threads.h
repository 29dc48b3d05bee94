// SPDX-License-Identifier: Apache-2.0
//
// The program's pthread_create, which may find that the system gives no more
// threads: in a ThreadLimit, or as tests/failures/failures.h says.
#pragma once

namespace tamis::process {

// In its scope so many threads can be created.
class ThreadLimit {
 public:
  explicit ThreadLimit(int n);
  ~ThreadLimit();
  ThreadLimit(const ThreadLimit&) = delete;
  ThreadLimit& operator=(const ThreadLimit&) = delete;
};

}  // namespace tamis::process
