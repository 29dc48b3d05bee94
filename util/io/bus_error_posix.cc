// SPDX-License-Identifier: Apache-2.0
//
// The handler may interrupt any thread at any point, so it takes no lock,
// allocates nothing and calls only what signal handlers may call, and mmap,
// munmap and sched_yield.
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <memory>
#include <pthread.h>

#include "util/io/bus_error.h"
#include "util/io/mapped_file.h"
#include "util/io/mapped_window.h"

namespace tamis {

namespace {

// The action that this handler replaced; nullptr until it is installed.
constinit std::atomic<const struct sigaction*> previous_action{nullptr};
constinit std::atomic<bool> handler_installed{false};
// All zeros: SIG_DFL.
constinit const struct sigaction default_action = {};

// Returns whether the interrupted instruction caused the signal, and causes it
// again if the handler returns. Other signals were sent by a process, or report
// a damaged page that no instruction has accessed.
bool IsRepeatable(const siginfo_t& info) {
#if defined(BUS_MCEERR_AR)
  if (info.si_code == BUS_MCEERR_AR) return true;
#endif
  return info.si_code == BUS_ADRALN || info.si_code == BUS_ADRERR ||
         info.si_code == BUS_OBJERR;
}

bool HasFunction(const struct sigaction& action) {
  return (action.sa_flags & SA_SIGINFO) != 0 ||
         (action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN);
}

// Does what the kernel would do under `action`.
void PassOn(const struct sigaction& action, int signal, siginfo_t* info,
            void* context) {
  if (HasFunction(action)) {
    if ((action.sa_flags & static_cast<int>(SA_RESETHAND)) != 0) {
      previous_action.store(&default_action);
    }
    // The interrupted mask is restored when the handler returns.
    sigset_t blocked = action.sa_mask;
    if ((action.sa_flags & SA_NODEFER) == 0) ::sigaddset(&blocked, signal);
    ::pthread_sigmask(SIG_BLOCK, &blocked, nullptr);
    if ((action.sa_flags & SA_SIGINFO) != 0) {
      action.sa_sigaction(signal, info, context);
    } else {
      action.sa_handler(signal);
    }
    return;
  }
  const bool repeats = IsRepeatable(*info);
  if (!repeats && action.sa_handler == SIG_IGN) return;
  ::signal(signal, SIG_DFL);
  // If the fault does not repeat, because another thread mended the page
  // meanwhile, the next mapping installs the handler again.
  handler_installed.store(false, std::memory_order_release);
  if (!repeats) ::raise(signal);
}

void OnBusError(int signal, siginfo_t* info, void* context) {
  const int saved_errno = errno;
  const auto address = reinterpret_cast<uintptr_t>(info->si_addr);
  const bool handled =
      IsRepeatable(*info) && (MappedFile::HandleBusError(address) ||
                              MappedWindow::HandleBusError(address));
  if (!handled) PassOn(*previous_action.load(), signal, info, context);
  errno = saved_errno;
}

}  // namespace

// Threads that race here may each install the same handler, which is harmless.
// None waits for another, because a child forked in between would wait forever
// (see util/base/immortal.h).
bool InstallBusErrorHandler() {
  if (handler_installed.load(std::memory_order_acquire)) return true;
  auto previous = std::make_unique<struct sigaction>();
  if (::sigaction(SIGBUS, nullptr, previous.get()) != 0) return false;
  const bool is_ours = (previous->sa_flags & SA_SIGINFO) != 0 &&
                       previous->sa_sigaction == OnBusError;
  const struct sigaction* none = nullptr;
  if (!is_ours &&
      previous_action.compare_exchange_strong(none, previous.get())) {
    static_cast<void>(previous.release());  // the handler may run at any time
  }
  struct sigaction action = {};
  action.sa_sigaction = OnBusError;
  // With SA_NODEFER, a second fault while the first is handled is not fatal.
  // With SA_RESTART, a signal that is ignored interrupts no system call.
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER | SA_RESTART;
  ::sigemptyset(&action.sa_mask);
  if (::sigaction(SIGBUS, &action, nullptr) != 0) return false;
  handler_installed.store(true, std::memory_order_release);
  return true;
}

}  // namespace tamis
