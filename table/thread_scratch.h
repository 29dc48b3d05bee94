// SPDX-License-Identifier: Apache-2.0
//
// A ThreadScratch is the BlockScratch of a point read. It borrows the memory of
// the thread, which the thread's next read borrows again, so that reads of
// blocks that do not become resident allocate nothing.
//
// On the stack; one thread. Reads may nest, as when a user's file system reads
// from another database: the inner read then has memory of its own.
#pragma once

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

  // Borrows the memory at the first call.
  BlockScratch* get() {
    if (scratch_ == nullptr) scratch_ = Borrow();
    return scratch_;
  }

 private:
  static BlockScratch* Borrow();
  // Frees large buffers; a thread keeps only small ones.
  void Return() noexcept;

  BlockScratch* scratch_ = nullptr;
};

}  // namespace tamis
