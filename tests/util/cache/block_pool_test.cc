// SPDX-License-Identifier: Apache-2.0
#include "util/cache/block_pool.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "util/base/random.h"
#include "util/cache/block_buffer.h"

namespace tamis {
namespace {

constexpr size_t kChunk = BlockPool::kChunkBytes;

bool IsFilledWith(const char* memory, size_t bytes, char fill) {
  return std::all_of(memory, memory + bytes,
                     [fill](char c) { return c == fill; });
}

TEST(BlockPoolTest, ClassesAreASixteenthApartAndEndAt64KiB) {
  for (const size_t bytes : {size_t{0}, size_t{1023}, size_t{65537}}) {
    EXPECT_EQ(BlockPool::ClassBytes(bytes), 0u) << bytes;
    BlockPool pool;
    EXPECT_EQ(pool.Allocate(bytes), nullptr) << bytes;
  }
  size_t previous = 0;
  for (size_t bytes = 1024; bytes <= 65536; ++bytes) {
    const size_t taken = BlockPool::ClassBytes(bytes);
    ASSERT_GE(taken, bytes);
    ASSERT_LT(taken - bytes, std::max(bytes / 16, size_t{128})) << bytes;
    ASSERT_EQ(taken % 64, 0u);
    ASSERT_GE(taken, previous);
    ASSERT_EQ(BlockPool::ClassBytes(taken), taken);
    previous = taken;
  }
}

TEST(BlockPoolTest, AllocationsAreAlignedApartAndCounted) {
  BlockPool pool;
  std::vector<std::pair<char*, size_t>> all;
  size_t sum = 0;
  for (size_t bytes = 1024; bytes <= 65536; bytes += 509) {
    char* const memory = static_cast<char*>(pool.Allocate(bytes));
    ASSERT_NE(memory, nullptr);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(memory) % 64, 0u);
    std::memset(memory, static_cast<char>(all.size()), bytes);
    all.emplace_back(memory, bytes);
    sum += BlockPool::ClassBytes(bytes);
  }
  EXPECT_EQ(pool.allocated_bytes(), sum);
  EXPECT_GE(pool.reserved_bytes(), sum);
  EXPECT_LE(pool.reserved_bytes(), sum + sum / 16 + kChunk);
  for (size_t i = 0; i < all.size(); ++i) {
    EXPECT_TRUE(
        IsFilledWith(all[i].first, all[i].second, static_cast<char>(i)));
    BlockPool::Free(all[i].first);
  }
  EXPECT_EQ(pool.allocated_bytes(), 0u);
  EXPECT_EQ(pool.reserved_bytes(), kChunk);  // the one it keeps
}

TEST(BlockPoolTest, FreedMemoryServesOtherSizes) {
  BlockPool pool;
  pool.SetLimit(4 * kChunk);
  for (const size_t bytes : {1500u, 4500u, 65536u, 1024u, 33000u}) {
    std::vector<void*> all;
    while (void* const memory = pool.Allocate(bytes)) all.push_back(memory);
    EXPECT_EQ(pool.reserved_bytes(), 4 * kChunk);
    EXPECT_GE(pool.allocated_bytes(), 4 * kChunk * 15 / 16) << bytes;
    // In another order than they came.
    Random random(bytes);
    for (size_t left = all.size(); left > 0; --left) {
      std::swap(all[random.Uniform(left)], all[left - 1]);
      BlockPool::Free(all[left - 1]);
    }
    EXPECT_EQ(pool.reserved_bytes(), kChunk);
  }
}

TEST(BlockPoolTest, TheLimitHoldsForNewChunksOnly) {
  BlockPool pool;
  void* const first = pool.Allocate(5000);
  pool.SetLimit(0);
  void* const second = pool.Allocate(5000);
  EXPECT_NE(second, nullptr);
  BlockPool::Free(first);
  BlockPool::Free(second);
  EXPECT_EQ(pool.reserved_bytes(), kChunk);
  pool.Drain(kChunk);
  EXPECT_EQ(pool.reserved_bytes(), 0u);
  EXPECT_EQ(pool.Allocate(5000), nullptr);
}

TEST(BlockPoolTest, ADrainedChunkIsNotReusedAndIsUnmapped) {
  BlockPool pool;
  std::vector<void*> all;
  while (pool.reserved_bytes() <= kChunk) all.push_back(pool.Allocate(5000));
  // The last one is alone in its chunk: the emptiest.
  void* const alone = all.back();
  pool.Drain(1);
  EXPECT_TRUE(BlockPool::IsDraining(alone));
  EXPECT_FALSE(BlockPool::IsDraining(all[0]));
  EXPECT_EQ(pool.draining_bytes(), kChunk);
  pool.SetLimit(0);
  EXPECT_EQ(pool.Allocate(5000), nullptr);
  BlockPool::Free(alone);
  EXPECT_EQ(pool.draining_bytes(), 0u);
  EXPECT_EQ(pool.reserved_bytes(), kChunk);
  all.pop_back();
  for (void* memory : all) BlockPool::Free(memory);
}

TEST(BlockPoolTest, AllocationsOutliveThePool) {
  auto pool = std::make_unique<BlockPool>();
  char* const kept = static_cast<char*>(pool->Allocate(3000));
  std::memset(kept, 'k', 3000);
  const PinnedBytes block = PinnedBytes::Adopt(
      BlockBuffer::New(ByteBuffer(std::string(5000, 'b')), 100, pool.get()));
  EXPECT_TRUE(block.buffer()->in_pool());
  pool.reset();
  EXPECT_TRUE(IsFilledWith(kept, 3000, 'k'));
  EXPECT_EQ(block.bytes(), Slice(std::string(5000, 'b')));
  BlockPool::Free(kept);
}

TEST(BlockPoolTest, ABlockIsInOneRangeOrOnTheHeap) {
  BlockPool pool;
  for (const size_t side : {0u, 1u, 400u}) {
    for (const size_t bytes : {size_t{10}, size_t{5000}, size_t{70000}}) {
      ByteBuffer payload(std::string(bytes, 'p'));
      BlockBuffer* const block =
          BlockBuffer::New(std::move(payload), side, &pool);
      const PinnedBytes pin = PinnedBytes::Adopt(block);
      EXPECT_EQ(block->in_pool(), bytes == 5000);
      EXPECT_FALSE(block->refused_by_pool());
      EXPECT_EQ(block->bytes(), Slice(std::string(bytes, 'p')));
      EXPECT_EQ(reinterpret_cast<uintptr_t>(block->side()) % 64, 0u);
      EXPECT_EQ(Slice(block->side(), side), Slice(std::string(side, '\0')));
      EXPECT_GE(block->charge(), sizeof(BlockBuffer) + side + bytes);
      if (block->in_pool()) {
        EXPECT_EQ(block->charge(), pool.allocated_bytes());
      }
    }
  }
  pool.Drain(kChunk);
  pool.SetLimit(0);
  const PinnedBytes refused = PinnedBytes::Adopt(
      BlockBuffer::New(ByteBuffer(std::string(5000, 'p')), 0, &pool));
  EXPECT_TRUE(refused.buffer()->refused_by_pool());
  EXPECT_EQ(refused.bytes().size(), 5000u);
}

TEST(BlockPoolTest, ThreadsNeverGetTheSameMemory) {
  auto pool = std::make_unique<BlockPool>();
  pool->SetLimit(16 * kChunk);
  std::vector<std::vector<void*>> kept(8);
  std::vector<std::thread> threads;
  for (size_t t = 0; t < kept.size(); ++t) {
    threads.emplace_back([&pool, &kept, t] {
      struct Held {
        char* memory;
        size_t bytes;
      };
      std::vector<Held> held;
      Random random(t);
      const char fill = static_cast<char>('a' + t);
      for (int i = 0; i < 5000; ++i) {
        if (held.size() < 100 && !random.OneIn(3)) {
          const size_t bytes = 1024 + random.Uniform(1u << random.Uniform(16));
          char* const memory = static_cast<char*>(pool->Allocate(bytes));
          if (memory == nullptr) continue;
          std::memset(memory, fill, bytes);
          held.push_back({memory, bytes});
        } else if (!held.empty()) {
          std::swap(held[random.Uniform(held.size())], held.back());
          ASSERT_TRUE(
              IsFilledWith(held.back().memory, held.back().bytes, fill));
          BlockPool::Free(held.back().memory);
          held.pop_back();
        }
        if (random.OneIn(1000)) pool->Drain(kChunk);
      }
      for (const Held& one : held) kept[t].push_back(one.memory);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_LE(pool->allocated_bytes(), pool->reserved_bytes());
  // The last of them free what is left, and the pool with it.
  threads.clear();
  pool.reset();
  for (const auto& some : kept) {
    threads.emplace_back([&some] {
      for (void* memory : some) BlockPool::Free(memory);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace tamis
