// SPDX-License-Identifier: Apache-2.0
#include "util/base/huge_page_allocator.h"

#include <new>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace tamis {

namespace {

constexpr size_t kHugePageBytes = size_t{2} << 20;

std::align_val_t PageAlignmentOf(size_t bytes) {
  return std::align_val_t{bytes >= kHugePageBytes ? kHugePageBytes
                                                  : alignof(std::max_align_t)};
}

}  // namespace

void* AllocateHugePages(size_t bytes) {
  void* const memory = ::operator new(bytes, PageAlignmentOf(bytes));
#if defined(__linux__)
  // A hint; without it, pages are small. Only whole huge pages, since what
  // follows the array is not its own.
  if (bytes >= kHugePageBytes) {
    static_cast<void>(::madvise(memory, bytes / kHugePageBytes * kHugePageBytes,
                                MADV_HUGEPAGE));
  }
#endif
  return memory;
}

void FreeHugePages(void* memory, size_t bytes) noexcept {
  ::operator delete(memory, PageAlignmentOf(bytes));
}

}  // namespace tamis
