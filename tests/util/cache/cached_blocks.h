// SPDX-License-Identifier: Apache-2.0
//
// Blocks for a cache that contain their own number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "util/cache/block_cache.h"
#include "util/coding/coding.h"

namespace tamis {

inline constexpr size_t kBlockBytes = 4096;

// A block that says which one it is.
inline PinnedBytes BlockOf(uint64_t name, size_t bytes = kBlockBytes) {
  std::string contents;
  PutFixed64(&contents, name);
  contents.resize(bytes, 'b');
  return PinnedBytes::Own(std::move(contents));
}

inline bool IsBlockOf(const Slice& bytes, uint64_t name) {
  return bytes.size() >= 8 && DecodeFixed64(bytes.data()) == name;
}

// A partition: a block with `slots` slots in its side.
inline PinnedBytes PartitionOf(uint64_t name, size_t slots) {
  std::string contents;
  PutFixed64(&contents, name);
  BlockBuffer* const node =
      BlockBuffer::New(ByteBuffer(contents), slots * sizeof(BlockSlot));
  for (size_t i = 0; i < slots; ++i) {
    new (node->mutable_side() + i * sizeof(BlockSlot)) BlockSlot();
  }
  return PinnedBytes::Adopt(node);
}

// All threads that share it write to its atomics.
inline BlockSlot* SlotOf(const BlockBuffer* partition, size_t i) {
  return std::launder(reinterpret_cast<BlockSlot*>(
             const_cast<BlockBuffer*>(partition)->mutable_side())) +
         i;
}

// Blocks [0, count) of a table, whose slots it has.
class Blocks {
 public:
  Blocks(BlockCache* cache, size_t count)
      : cache_(cache),
        slots_(std::make_unique<BlockSlot[]>(count)),
        count_(count) {}
  ~Blocks() { Drop(); }
  Blocks(const Blocks&) = delete;
  Blocks& operator=(const Blocks&) = delete;

  BlockSlot* slot(size_t i) { return &slots_[i]; }
  PinnedBytes Insert(size_t i, size_t bytes = kBlockBytes) {
    return cache_->Insert(slot(i), nullptr, BlockOf(i, bytes));
  }
  void Fill() {
    for (size_t i = 0; i < count_; ++i) Insert(i);
  }
  void Drop() {
    for (size_t i = 0; i < count_; ++i) cache_->Drop(slot(i));
  }
  // As a reader that does not keep it.
  bool Finds(size_t i) {
    const EpochDomain::Guard guard(cache_->epochs());
    const BlockBuffer* const block = BlockCache::Lookup(slots_[i]);
    EXPECT_TRUE(block == nullptr || IsBlockOf(block->bytes(), i));
    return block != nullptr;
  }

 private:
  BlockCache* const cache_;
  const std::unique_ptr<BlockSlot[]> slots_;
  const size_t count_;
};

}  // namespace tamis
