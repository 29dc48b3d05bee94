// SPDX-License-Identifier: Apache-2.0
//
// An Arena hands out memory that is freed all at once, with the arena.
//
// Allocations come from one thread at a time; MemoryUsage from any.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <vector>

namespace tamis {

class Arena {
 public:
  Arena() = default;
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  // REQUIRES: bytes > 0
  char* Allocate(size_t bytes);
  // Aligned for any pointer or 64-bit integer.
  char* AllocateAligned(size_t bytes);

  // Bytes taken from the system, whether handed out or not.
  size_t MemoryUsage() const { return usage_.load(std::memory_order_relaxed); }

 private:
  // Blocks double in size, so that a small user stays small.
  static constexpr size_t kFirstBlockBytes = 4 * 1024;
  static constexpr size_t kLargestBlockBytes = 256 * 1024;
  char* AllocateSlow(size_t bytes);

  char* next_ = nullptr;
  size_t left_ = 0;
  size_t block_bytes_ = kFirstBlockBytes;  // of the next block
  std::vector<std::unique_ptr<char[]>> blocks_;
  std::atomic<size_t> usage_{0};
};

}  // namespace tamis
