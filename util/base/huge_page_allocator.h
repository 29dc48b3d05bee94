// SPDX-License-Identifier: Apache-2.0
//
// An allocator for std::vector that asks for huge pages where an array is large
// enough to hold one. The first access to a page interrupts the program, which
// costs a builder of large arrays as much as its work on them; a huge page does
// it once for 2 MiB.
#pragma once

#include <cstddef>
#include <vector>

namespace tamis {

// Return and take back memory that is aligned for any type, and to a huge page
// if it is as large. AllocateHugePages throws std::bad_alloc. Any thread.
void* AllocateHugePages(size_t bytes);
void FreeHugePages(void* memory, size_t bytes) noexcept;

template <typename T>
struct HugePageAllocator {
  using value_type = T;

  HugePageAllocator() = default;
  template <typename Other>
  // NOLINTNEXTLINE(google-explicit-constructor): an allocator of any type
  HugePageAllocator(const HugePageAllocator<Other>& /*other*/) {}

  T* allocate(size_t n) {
    return static_cast<T*>(AllocateHugePages(n * sizeof(T)));
  }
  void deallocate(T* memory, size_t n) noexcept {
    FreeHugePages(memory, n * sizeof(T));
  }
  bool operator==(const HugePageAllocator& /*other*/) const { return true; }
};

template <typename T>
using HugePageVector = std::vector<T, HugePageAllocator<T>>;

}  // namespace tamis
