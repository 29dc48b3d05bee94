// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <cerrno>
#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>

#if defined(__linux__)
#include <sys/syscall.h>
#endif

#include "util/io/zero_mapping.h"

namespace tamis {

namespace {

// Of the size of a page; nullptr if there is none.
constinit std::atomic<void*> spare_mapping{nullptr};

size_t SpareBytes() { return static_cast<size_t>(::sysconf(_SC_PAGESIZE)); }

}  // namespace

bool ReserveSpareMapping() {
  if (spare_mapping.load(std::memory_order_relaxed) != nullptr) return true;
  // A shared mapping never merges with its neighbour, so it is one that counts.
  void* const spare = ::mmap(nullptr, SpareBytes(), PROT_NONE,
                             MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (spare == MAP_FAILED) return false;
  void* none = nullptr;
  if (!spare_mapping.compare_exchange_strong(none, spare)) {
    ::munmap(spare, SpareBytes());
  }
  return true;
}

// By a system call of its own where possible: ThreadSanitizer takes the C
// library's mmap for a write to the pages, which would race with copies of
// other threads. Those notice MappedFile::failed().
bool MapZeros(void* data, size_t bytes, bool writable) {
  const int protection = writable ? PROT_READ | PROT_WRITE : PROT_READ;
  constexpr int kFlags = MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS;
#if defined(__linux__) && defined(__LP64__)
  return ::syscall(SYS_mmap, data, bytes, long{protection}, long{kFlags}, -1L,
                   0L) != -1;
#else
  return ::mmap(data, bytes, protection, kFlags, -1, 0) != MAP_FAILED;
#endif
}

bool MapZerosAtTheLimit(void* data, size_t bytes, bool writable) {
  // Repeats for the time in which another thread's handler has taken the spare
  // mapping and not yet unmapped it.
  constexpr int kAttemptsMax = 1000;
  for (int i = 0; i < kAttemptsMax; ++i) {
    if (MapZeros(data, bytes, writable)) return true;
    if (errno != ENOMEM) return false;
    void* const spare = spare_mapping.exchange(nullptr);
    if (spare != nullptr) {
      ::munmap(spare, SpareBytes());
    } else {
      ::sched_yield();
    }
  }
  return false;
}

}  // namespace tamis
