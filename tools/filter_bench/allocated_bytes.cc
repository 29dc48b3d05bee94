// SPDX-License-Identifier: Apache-2.0
#include "tools/filter_bench/allocated_bytes.h"

#include <algorithm>
#include <cstdlib>
#include <malloc.h>
#include <new>

namespace tamis {

namespace {

// Of the only thread that measures; others allocate next to nothing.
thread_local size_t bytes_now = 0;
thread_local size_t most_bytes = 0;

void* Counted(void* p) {
  if (p == nullptr) throw std::bad_alloc();
  bytes_now += ::malloc_usable_size(p);
  most_bytes = std::max(most_bytes, bytes_now);
  return p;
}

void Release(void* p) {
  bytes_now -= ::malloc_usable_size(p);
  std::free(p);
}

}  // namespace

size_t BeginAllocationPeak() { return most_bytes = bytes_now; }
size_t AllocationPeak() { return most_bytes; }

}  // namespace tamis

void* operator new(size_t bytes) {
  return tamis::Counted(std::malloc(bytes == 0 ? 1 : bytes));
}
void* operator new(size_t bytes, std::align_val_t align) {
  void* p = nullptr;
  if (::posix_memalign(&p, static_cast<size_t>(align), bytes) != 0) p = nullptr;
  return tamis::Counted(p);
}
void operator delete(void* p) noexcept { tamis::Release(p); }
void operator delete(void* p, size_t /*bytes*/) noexcept { tamis::Release(p); }
void operator delete(void* p, std::align_val_t /*align*/) noexcept {
  tamis::Release(p);
}
void operator delete(void* p, size_t /*bytes*/,
                     std::align_val_t /*align*/) noexcept {
  tamis::Release(p);
}
