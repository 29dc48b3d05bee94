// SPDX-License-Identifier: Apache-2.0
#include "table/thread_scratch.h"

#include <cstddef>

namespace tamis {

namespace {

// The most memory that a thread keeps between reads, per buffer.
constexpr size_t kKeptBytesMax = 128 * 1024;

// Whether tls_memory is borrowed or was destroyed. The destructor of another
// thread_local object may read from a database after that.
constinit thread_local bool tls_unavailable = false;

struct ThreadMemory {
  ~ThreadMemory() { tls_unavailable = true; }
  BlockScratch scratch;
};

thread_local ThreadMemory tls_memory;

void FreeIfLarge(ByteBuffer* buffer) {
  if (buffer->capacity() > kKeptBytesMax) *buffer = ByteBuffer();
}

}  // namespace

BlockScratch* ThreadScratch::Borrow() {
  if (tls_unavailable) return new BlockScratch;
  tls_unavailable = true;
  return &tls_memory.scratch;
}

void ThreadScratch::Return() noexcept {
  BlockScratch* const of_thread = &tls_memory.scratch;
  if (scratch_ != of_thread) {
    delete scratch_;
    return;
  }
  FreeIfLarge(&scratch_->stored);
  FreeIfLarge(&scratch_->uncompressed);
  tls_unavailable = false;
}

}  // namespace tamis
