// SPDX-License-Identifier: Apache-2.0
//
// Denies io_uring, as containers do, for tests of what reads do without it.
#pragma once

#include <functional>
#include <thread>

#if defined(__linux__)
#include <cerrno>
#include <cstddef>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#endif

namespace tamis {

#if defined(__linux__)
// Makes io_uring_setup fail with EPERM in the calling thread, and in those that
// it starts. Returns false if the system cannot.
inline bool DenyRings() {
  sock_filter program[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_io_uring_setup, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog filter = {sizeof(program) / sizeof(program[0]), program};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}
#else
inline bool DenyRings() { return true; }  // there are none
#endif

// Runs the body in a thread to which rings are denied. Returns false if the
// system cannot deny them.
inline bool RunWithoutRings(const std::function<void()>& body) {
  bool denied = false;
  std::thread([&] {
    denied = DenyRings();
    if (denied) body();
  }).join();
  return denied;
}

}  // namespace tamis
