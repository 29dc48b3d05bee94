// SPDX-License-Identifier: Apache-2.0
//
// The handler may interrupt any thread at any point, so it takes no lock and
// reads a fixed-size table. A slot is filled in the order begin, failed, end,
// and cleared starting with end: a slot with end != 0 is complete.
#include <array>
#include <csignal>
#include <memory>
#include <sys/mman.h>
#include <unistd.h>

#include "util/io/mapped_window.h"

namespace tamis {

namespace {

struct Slot {
  std::atomic<bool> taken{false};
  std::atomic<uintptr_t> begin{0};
  std::atomic<uintptr_t> end{0};
  std::atomic<std::atomic<bool>*> failed{nullptr};
};

// Each open database maps one log at a time.
constexpr size_t kWindowsMax = 1024;

std::array<Slot, kWindowsMax> slots;
// Upper bound on the slots in use, for the handler's scan.
std::atomic<size_t> slots_used{0};

// The handler that ours replaced; nullptr until ours is installed.
std::atomic<const struct sigaction*> previous_action{nullptr};
std::atomic<bool> handler_installed{false};
std::atomic<uintptr_t> page_bytes{0};

// Replaces the page by private memory. Returns false if it is not part of a
// window, or on an error.
bool ReplacePage(uintptr_t address) {
  const size_t used = slots_used.load(std::memory_order_acquire);
  for (size_t i = 0; i < used; ++i) {
    Slot& slot = slots[i];
    const uintptr_t end = slot.end.load(std::memory_order_acquire);
    if (address >= end || address < slot.begin.load()) continue;
    const uintptr_t bytes = page_bytes.load();
    void* const page = reinterpret_cast<void*>(address / bytes * bytes);
    if (::mmap(page, bytes, PROT_READ | PROT_WRITE,
               MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED) {
      return false;
    }
    slot.failed.load()->store(true);
    return true;
  }
  return false;
}

void OnBusError(int signal, siginfo_t* info, void* context) {
  if (ReplacePage(reinterpret_cast<uintptr_t>(info->si_addr))) return;
  const struct sigaction& previous = *previous_action.load();
  if ((previous.sa_flags & SA_SIGINFO) != 0) {
    previous.sa_sigaction(signal, info, context);
  } else if (previous.sa_handler != SIG_DFL && previous.sa_handler != SIG_IGN) {
    previous.sa_handler(signal);
  } else {
    // Returning repeats the store, which then terminates the process.
    ::signal(SIGBUS, SIG_DFL);
  }
}

// Threads that race here may each install the same handler, which is harmless.
// None waits for another, because a child forked in between would wait forever
// (see util/base/immortal.h).
bool InstallHandler() {
  if (handler_installed.load(std::memory_order_acquire)) return true;
  page_bytes = static_cast<uintptr_t>(::sysconf(_SC_PAGESIZE));
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
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  ::sigemptyset(&action.sa_mask);
  if (::sigaction(SIGBUS, &action, nullptr) != 0) return false;
  handler_installed.store(true, std::memory_order_release);
  return true;
}

// Returns kWindowsMax if all slots are taken.
size_t TakeSlot() {
  for (size_t i = 0; i < kWindowsMax; ++i) {
    if (slots[i].taken.exchange(true)) continue;
    size_t used = slots_used.load();
    while (used <= i && !slots_used.compare_exchange_weak(used, i + 1)) {
    }
    return i;
  }
  return kWindowsMax;
}

}  // namespace

bool MappedWindow::Map(int fd, uint64_t offset, size_t bytes) {
  if (!InstallHandler()) return false;
  const size_t taken = TakeSlot();
  if (taken == kWindowsMax) return false;
  void* const memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                              MAP_SHARED, fd, static_cast<off_t>(offset));
  Slot& slot = slots[taken];
  if (memory == MAP_FAILED) {
    slot.taken.store(false);
    return false;
  }
  data_ = static_cast<char*>(memory);
  size_ = bytes;
  slot_ = taken;
  const auto begin = reinterpret_cast<uintptr_t>(memory);
  slot.begin.store(begin);
  slot.failed.store(&failed_);
  slot.end.store(begin + bytes, std::memory_order_release);
  return true;
}

void MappedWindow::Unmap() {
  if (data_ == nullptr) return;
  Slot& slot = slots[slot_];
  slot.end.store(0);
  ::munmap(data_, size_);
  slot.taken.store(false);
  data_ = nullptr;
  size_ = 0;
}

}  // namespace tamis
