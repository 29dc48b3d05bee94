// SPDX-License-Identifier: Apache-2.0
//
// A ThreadScratch lends a point read the BlockScratch of its thread. The
// thread's next read uses the same memory, so reads of blocks that do not
// become resident need no allocation.
//
// A ThreadScratch is created on the stack, and used and destroyed by one
// thread. Reads may nest, for example if a user's file system reads from
// another database. The inner read then allocates memory of its own.
#pragma once

#include <cstddef>
#include <memory>

#include "table/block_fetcher.h"

namespace tamis {

class ThreadScratch {
 public:
  ThreadScratch() = default;
  ~ThreadScratch() {
    if (scratch_ != nullptr) Return();
  }
  ThreadScratch(const ThreadScratch&) = delete;
  ThreadScratch& operator=(const ThreadScratch&) = delete;

  // Returns the memory, valid while *this lives. The first call borrows it.
  BlockScratch* get() {
    if (scratch_ == nullptr) scratch_ = Borrow();
    return scratch_;
  }

 private:
  static BlockScratch* Borrow();
  // Returns the memory to the thread, or frees it if it is not the thread's.
  // Frees large buffers in any case.
  void Return() noexcept;

  BlockScratch* scratch_ = nullptr;
};

// Memory for the blocks of an iterator, which a thread may pass to another. The
// first get() takes memory that an iterator has left to the calling thread, or
// allocates it; the destructor leaves it to its thread, which keeps little.
// Without this, each new iterator would allocate two blocks for each table that
// it reads from files.
//
// One thread at a time.
class SpareScratch {
 public:
  SpareScratch() = default;
  ~SpareScratch() {
    if (scratch_ != nullptr) Leave();
  }
  SpareScratch(const SpareScratch&) = delete;
  SpareScratch& operator=(const SpareScratch&) = delete;

  BlockScratch* get() {
    if (scratch_ == nullptr) scratch_ = Take();
    return scratch_.get();
  }

  // Returns how much memory the calling thread keeps for iterators, in bytes.
  static size_t bytes_of_this_thread();

 private:
  static std::unique_ptr<BlockScratch> Take();
  void Leave() noexcept;

  std::unique_ptr<BlockScratch> scratch_;
};

}  // namespace tamis
