// SPDX-License-Identifier: Apache-2.0
//
// The block cache: one byte budget over the blocks of many tables, and a clock
// hand that evicts. A block is known by (file, offset), where `file` is a
// number that the cache gave out, so that databases may share it.
//
// Sharded by key; a shard is a hash table and a ring under one mutex. A hit
// sets a reference bit only when it is clear. The hand clears bits and evicts
// the first block that has none and that nobody holds; blocks in use stay and
// count.
//
// Any thread.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "tamis/cache.h"

#include "util/block_buffer.h"

namespace tamis {

struct BlockKey {
  uint64_t file;
  uint64_t offset;
};

class BlockCache : public Cache {
 public:
  explicit BlockCache(size_t capacity_bytes);
  ~BlockCache() override;

  // A number for one open table, never given out twice.
  uint64_t NewFileId();

  // Empty when it is not resident.
  PinnedBytes Lookup(const BlockKey& key);
  // Makes the block resident and returns a pin on it. When another thread was
  // first, its block is the one returned. A block for which its shard cannot
  // make room (too large, or readers hold all) is pinned without becoming
  // resident.
  PinnedBytes Insert(const BlockKey& key, PinnedBytes block);
  // Drops it from the cache; holders keep what they hold.
  void Erase(const BlockKey& key);

  const char* Name() const override { return "TamisBlockCache"; }
  void SetCapacity(size_t capacity_bytes) override;
  size_t GetCapacity() const override;
  size_t GetUsage() const override;
  size_t GetPinnedUsage() const override;
  void EraseUnRefEntries() override;

 private:
  class Shard;
  Shard& ShardOf(uint64_t hash);

  std::vector<std::unique_ptr<Shard>> shards_;  // a power of two of them
  std::atomic<size_t> capacity_;
  std::atomic<uint64_t> next_file_{1};
};

}  // namespace tamis
