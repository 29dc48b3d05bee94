// SPDX-License-Identifier: Apache-2.0
//
// The handlers use no memory but their stack and the Recorder, which is never
// read-only.
#include "tools/store_counter.h"

#include <algorithm>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <mutex>
#include <new>
#include <string>
#include <thread>
#include <unordered_set>

#if defined(__x86_64__) && defined(__linux__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define TAMIS_CAN_COUNT_STORES 1
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#undef TAMIS_CAN_COUNT_STORES
#endif
#endif
#endif

#ifdef TAMIS_CAN_COUNT_STORES
#include <csignal>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>
#endif

namespace tamis {

#ifndef TAMIS_CAN_COUNT_STORES

bool CanCountStores() { return false; }

std::vector<CountedStore> CountStores(
    const std::function<void()>& /*operation*/) {
  std::abort();
}

#else

namespace {

constexpr size_t kCacheLine = 64;
constexpr size_t kPage = 4096;
constexpr size_t kMostStores = size_t{4} << 20;
constexpr size_t kMostMappings = 4096;
constexpr size_t kMostOpenPages = 4;  // of one instruction
constexpr greg_t kTrapFlag = 0x100;

struct Memory {
  uintptr_t begin;
  uintptr_t end;
};

struct Recorder {
  pid_t thread;
  size_t mappings;
  size_t open_pages;
  size_t stores;
  Memory mapping[kMostMappings];  // read-only
  uintptr_t open_page[kMostOpenPages];
  CountedStore store[kMostStores];
  alignas(16) char signal_stack[size_t{64} << 10];
};

// In a mapping of its own, which is in no Memory.
constinit Recorder* recorder = nullptr;

// The thread that runs main() has its thread-local variables, which the kernel
// may write at any time, in a mapping that is not its stack. They are where the
// C library's handle of the thread points.
const auto main_thread = static_cast<uintptr_t>(::pthread_self());

// Stores nothing, unless it fails.
void Protect(uintptr_t begin, uintptr_t end, int protection) {
  static_cast<void>(
      ::mprotect(reinterpret_cast<void*>(begin), end - begin, protection));
}

void DieInHandler(const char* message) {
  static_cast<void>(
      !::write(STDERR_FILENO, message, __builtin_strlen(message)));
  ::_exit(1);
}

bool IsReadOnly(uintptr_t address) {
  for (size_t i = 0; i < recorder->mappings; ++i) {
    const Memory& range = recorder->mapping[i];
    if (address >= range.begin && address < range.end) return true;
  }
  return false;
}

void OnStore(int /*signal*/, siginfo_t* info, void* context) {
  const auto address = reinterpret_cast<uintptr_t>(info->si_addr);
  if (!IsReadOnly(address)) DieInHandler("a store counter met a real fault\n");
  const uintptr_t page = address & ~(kPage - 1);
  Protect(page, page + kPage, PROT_READ | PROT_WRITE);
  if (::syscall(SYS_gettid) != recorder->thread) return;
  if (recorder->stores == kMostStores ||
      recorder->open_pages == kMostOpenPages) {
    DieInHandler("too many stores to count\n");
  }
  greg_t* const registers =
      static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
  recorder->open_page[recorder->open_pages++] = page;
  recorder->store[recorder->stores++] = {
      .line = address / kCacheLine,
      .code = static_cast<uintptr_t>(registers[REG_RIP])};
  registers[REG_EFL] |= kTrapFlag;
}

void AfterStore(int /*signal*/, siginfo_t* /*info*/, void* context) {
  while (recorder->open_pages > 0) {
    const uintptr_t page = recorder->open_page[--recorder->open_pages];
    Protect(page, page + kPage, PROT_READ);
  }
  static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_EFL] &= ~kTrapFlag;
}

size_t DefaultStackBytes() {
  pthread_attr_t attributes;
  size_t bytes = 0;
  ::pthread_getattr_default_np(&attributes);
  ::pthread_attr_getstacksize(&attributes, &bytes);
  ::pthread_attr_destroy(&attributes);
  return bytes;
}

// Returns the writable mappings, without stacks and the Recorder. A stack is
// above a guard page, and has the thread's variables at its top; the kernel may
// have made one mapping of it and what is above.
std::vector<Memory> WritableMemory() {
  const size_t stack_bytes = DefaultStackBytes();
  std::vector<Memory> writable;
  std::ifstream maps("/proc/self/maps");
  std::string line;
  Memory before = {.begin = 0, .end = 0};
  bool before_is_guard = false;
  const auto own = reinterpret_cast<uintptr_t>(recorder);
  while (std::getline(maps, line)) {
    Memory range = {.begin = 0, .end = 0};
    char access[5] = {};
    if (std::sscanf(line.c_str(), "%lx-%lx %4s", &range.begin, &range.end,
                    access) != 3) {
      continue;
    }
    const bool is_above_guard = before_is_guard && before.end == range.begin;
    before_is_guard = access[0] == '-' && range.end - range.begin == kPage;
    before = range;
    if (access[1] != 'w' || line.find("[stack]") != std::string::npos ||
        (main_thread >= range.begin && main_thread < range.end)) {
      continue;
    }
    if (is_above_guard) {
      range.begin += std::min(stack_bytes, range.end - range.begin);
    }
    if (own >= range.begin && own < range.end) {
      // The kernel may have put other mappings beside it.
      if (own > range.begin)
        writable.push_back({.begin = range.begin, .end = own});
      range.begin = own + sizeof(Recorder) + kPage - 1;
      range.begin &= ~(kPage - 1);
    }
    if (range.begin < range.end) writable.push_back(range);
  }
  return writable;
}

class HandlersInstalled {
 public:
  HandlersInstalled() {
    stack_t stack = {};
    stack.ss_sp = recorder->signal_stack;
    stack.ss_size = sizeof(recorder->signal_stack);
    ::sigaltstack(&stack, &stack_before_);
    struct sigaction action = {};
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    ::sigfillset(&action.sa_mask);
    action.sa_sigaction = OnStore;
    ::sigaction(SIGSEGV, &action, &store_before_);
    action.sa_sigaction = AfterStore;
    ::sigaction(SIGTRAP, &action, &trap_before_);
  }
  ~HandlersInstalled() {
    ::sigaction(SIGTRAP, &trap_before_, nullptr);
    ::sigaction(SIGSEGV, &store_before_, nullptr);
    ::sigaltstack(&stack_before_, nullptr);
  }
  HandlersInstalled(const HandlersInstalled&) = delete;
  HandlersInstalled& operator=(const HandlersInstalled&) = delete;

 private:
  stack_t stack_before_ = {};
  struct sigaction store_before_ = {};
  struct sigaction trap_before_ = {};
};

}  // namespace

bool CanCountStores() { return true; }

std::vector<CountedStore> CountStores(const std::function<void()>& operation) {
  void* const memory =
      ::mmap(nullptr, sizeof(Recorder), PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  recorder = static_cast<Recorder*>(memory);
  recorder->thread = static_cast<pid_t>(::syscall(SYS_gettid));
  {
    const std::vector<Memory> writable = WritableMemory();
    if (writable.size() > kMostMappings) DieInHandler("too many mappings\n");
    for (const Memory& range : writable) {
      recorder->mapping[recorder->mappings++] = range;
    }
  }
  {
    const HandlersInstalled handlers;
    // From here to the end of the second loop, stores are to the stack alone,
    // or are counted.
    const Recorder* const to_protect = recorder;
    for (size_t i = 0; i < to_protect->mappings; ++i) {
      Protect(to_protect->mapping[i].begin, to_protect->mapping[i].end,
              PROT_READ);
    }
    operation();
    for (size_t i = 0; i < to_protect->mappings; ++i) {
      Protect(to_protect->mapping[i].begin, to_protect->mapping[i].end,
              PROT_READ | PROT_WRITE);
    }
  }
  std::vector<CountedStore> stores(recorder->store,
                                   recorder->store + recorder->stores);
  ::munmap(memory, sizeof(Recorder));
  return stores;
}

#endif

SharedStores CountSharedStores(
    const std::function<std::function<void()>()>& prepare, int warmups) {
  const auto count = [&] {
    const std::function<void()> operation = prepare();
    for (int i = 0; i < warmups; ++i) operation();
    return CountStores(operation);
  };
  // The first thread lives until the second has counted: a thread takes over
  // the memory of one that has ended, whose lines would then be common to both.
  std::mutex mutex;
  std::condition_variable changed;
  bool first_counted = false;
  bool second_counted = false;
  std::unordered_set<uintptr_t> lines;
  std::thread first([&] {
    for (const CountedStore& store : count()) lines.insert(store.line);
    std::unique_lock lock(mutex);
    first_counted = true;
    changed.notify_all();
    changed.wait(lock, [&] { return second_counted; });
  });
  SharedStores result;
  std::thread second([&] {
    {
      std::unique_lock lock(mutex);
      changed.wait(lock, [&] { return first_counted; });
    }
    for (const CountedStore& store : count()) {
      ++result.all;
      if (lines.count(store.line) > 0) result.shared.push_back(store);
    }
    const std::lock_guard lock(mutex);
    second_counted = true;
    changed.notify_all();
  });
  first.join();
  second.join();
  return result;
}

}  // namespace tamis
