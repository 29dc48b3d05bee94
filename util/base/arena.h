// SPDX-License-Identifier: Apache-2.0
//
// An Arena allocates memory that is freed all at once, with the arena.
//
// Each block taken from the system has about an eighth of the bytes taken so
// far, 4 KiB to 2 MiB. A small arena stays small, and a large one gets blocks
// that fit a huge page.
//
// Threads: Allocate from one thread at a time; MemoryUsage from any.
#pragma once

#include <atomic>
#include <cstddef>
#include <vector>

namespace tamis {

class Arena {
 public:
  static constexpr size_t kFirstBlockBytes = 4 * 1024;
  static constexpr size_t kLargestBlockBytes = 2 * 1024 * 1024;

  Arena() = default;
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  // Returns memory that is valid as long as *this. REQUIRES: bytes > 0
  char* Allocate(size_t bytes) { return AllocateAligned(bytes, 1); }
  // The same, aligned. 8 suits any pointer or 64-bit integer. REQUIRES:
  // alignment is a power of two, at most 64.
  char* AllocateAligned(size_t bytes, size_t alignment = 8);

  // Returns the bytes taken from the system, allocated or not.
  size_t MemoryUsage() const { return usage_.load(std::memory_order_relaxed); }

 private:
  struct Block {
    char* begin;
    size_t bytes;
  };
  char* AllocateSlow(size_t bytes);
  char* NewBlock(size_t bytes);

  char* next_ = nullptr;
  size_t left_ = 0;
  std::vector<Block> blocks_;
  std::atomic<size_t> usage_{0};
};

}  // namespace tamis
