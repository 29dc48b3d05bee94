// SPDX-License-Identifier: Apache-2.0
//
// Runs work in a child process, so that memory and threads are of that work
// alone.
#pragma once

#include <sys/resource.h>
#include <sys/wait.h>
#include <type_traits>
#include <unistd.h>

#include "tools/peers/engine.h"

namespace tamis::peers {

// Raises the limit of open files, because the tables may need more of them than
// the default limit.
inline void RaiseFileLimit() {
  constexpr rlim_t kFiles = 1 << 17;
  const rlimit more{.rlim_cur = kFiles, .rlim_max = kFiles};
  if (::setrlimit(RLIMIT_NOFILE, &more) == 0) return;
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

// Returns the result of work() in a child process.
template <typename Result, typename Work>
Result InChild(Work&& work) {
  static_assert(std::is_trivially_copyable_v<Result>);
  int ends[2];
  Require(::pipe(ends) == 0, "no pipe");
  const pid_t child = ::fork();
  Require(child >= 0, "no child process");
  if (child == 0) {
    RaiseFileLimit();
    const Result result = work();
    const bool told =
        ::write(ends[1], &result, sizeof(result)) == sizeof(result);
    ::_exit(told ? 0 : 1);
  }
  ::close(ends[1]);
  Result result;
  const bool told = ::read(ends[0], &result, sizeof(result)) == sizeof(result);
  ::close(ends[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  Require(told && status == 0, "a child process failed");
  return result;
}

}  // namespace tamis::peers
