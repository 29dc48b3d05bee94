// SPDX-License-Identifier: Apache-2.0
#include "table/thread_scratch.h"

#include <array>
#include <cstddef>
#include <utility>

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

void FreeIfLarge(ByteBuffer* buffer, size_t bytes_max = kKeptBytesMax) {
  if (buffer->capacity() > bytes_max) *buffer = ByteBuffer();
}

// What a thread keeps for iterators: enough for one over many levels, with
// blocks of the default size.
constexpr size_t kSparesMax = 16;
constexpr size_t kSpareBytesMax = 16 * 1024;  // of each buffer

constinit thread_local bool tls_spares_ended = false;

struct Spares {
  ~Spares() { tls_spares_ended = true; }
  std::array<std::unique_ptr<BlockScratch>, kSparesMax> scratches;
  size_t size = 0;
};

thread_local Spares tls_spares;

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

std::unique_ptr<BlockScratch> SpareScratch::Take() {
  if (tls_spares_ended || tls_spares.size == 0) {
    return std::make_unique<BlockScratch>();
  }
  return std::move(tls_spares.scratches[--tls_spares.size]);
}

void SpareScratch::Leave() noexcept {
  if (tls_spares_ended || tls_spares.size == kSparesMax) return;
  FreeIfLarge(&scratch_->stored, kSpareBytesMax);
  FreeIfLarge(&scratch_->uncompressed, kSpareBytesMax);
  tls_spares.scratches[tls_spares.size++] = std::move(scratch_);
}

size_t SpareScratch::bytes_of_this_thread() {
  size_t sum = 0;
  for (size_t i = 0; !tls_spares_ended && i < tls_spares.size; ++i) {
    const BlockScratch& scratch = *tls_spares.scratches[i];
    sum += sizeof(scratch) + scratch.stored.capacity() +
           scratch.uncompressed.capacity();
  }
  return sum;
}

}  // namespace tamis
