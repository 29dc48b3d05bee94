// SPDX-License-Identifier: Apache-2.0
#include "util/arena.h"

#include <algorithm>
#include <utility>

#include "util/check.h"

namespace tamis {

namespace {

constexpr size_t kAlignment = 8;
static_assert(kAlignment >= alignof(void*) && kAlignment >= alignof(uint64_t));
// What operator new gives is aligned for us.
static_assert(__STDCPP_DEFAULT_NEW_ALIGNMENT__ >= kAlignment);

}  // namespace

char* Arena::Allocate(size_t bytes) {
  TAMIS_DCHECK(bytes > 0);
  if (bytes > left_) return AllocateSlow(bytes);
  left_ -= bytes;
  return std::exchange(next_, next_ + bytes);
}

char* Arena::AllocateAligned(size_t bytes) {
  TAMIS_DCHECK(bytes > 0);
  const size_t over = reinterpret_cast<uintptr_t>(next_) % kAlignment;
  const size_t padding = over == 0 ? 0 : kAlignment - over;
  if (left_ < padding || bytes > left_ - padding) {
    return AllocateSlow(bytes);
  }
  char* const result = next_ + padding;
  next_ = result + bytes;
  left_ -= padding + bytes;
  return result;
}

char* Arena::AllocateSlow(size_t bytes) {
  // A large piece gets a block of its own, so that the rest of the current
  // one stays in use.
  const bool own_block = bytes > block_bytes_ / 4;
  const size_t block_bytes = own_block ? bytes : block_bytes_;
  blocks_.push_back(std::make_unique_for_overwrite<char[]>(block_bytes));
  usage_.fetch_add(block_bytes + sizeof(blocks_[0]), std::memory_order_relaxed);
  char* const block = blocks_.back().get();
  if (!own_block) {
    block_bytes_ = std::min(2 * block_bytes_, kLargestBlockBytes);
    next_ = block + bytes;
    left_ = block_bytes - bytes;
  }
  return block;
}

}  // namespace tamis
