// SPDX-License-Identifier: Apache-2.0
//
// Denies system calls, as containers do, for tests of what reads do without
// them: of io_uring, or of preadv2.
#pragma once

#include <cstdint>
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

enum class Denied : uint8_t { kNothing, kRings, kReadsOfRings, kPreadv2 };

#if defined(__linux__)
// Makes the call fail in the calling thread, and in those that it starts.
// Returns false if the system cannot.
inline bool Deny(Denied denied) {
  unsigned call = __NR_io_uring_setup;
  if (denied == Denied::kReadsOfRings) call = __NR_io_uring_enter;
  if (denied == Denied::kPreadv2) call = __NR_preadv2;
  const unsigned error = denied == Denied::kPreadv2 ? EOPNOTSUPP : EPERM;
  sock_filter program[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog filter = {sizeof(program) / sizeof(program[0]), program};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}
#else
inline bool Deny(Denied denied) { return denied != Denied::kPreadv2; }
#endif

// Runs the body in a thread to which the call is denied. Returns false if the
// system cannot deny it.
inline bool RunDenied(Denied denied, const std::function<void()>& body) {
  bool is_denied = false;
  std::thread([&] {
    is_denied = Deny(denied);
    if (is_denied) body();
  }).join();
  return is_denied;
}
inline bool RunWithoutRings(const std::function<void()>& body) {
  return RunDenied(Denied::kRings, body);
}

}  // namespace tamis
