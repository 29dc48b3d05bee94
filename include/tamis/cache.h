// SPDX-License-Identifier: Apache-2.0
//
// A Cache bounds the memory spent on resident blocks: data blocks, index blocks
// and filters of every database that shares it. It evicts blocks that have not
// been used recently. When it is nearly full, it does not add a data block that
// is read only once (ReadOptions::fill_cache). A block that a reader holds is
// freed only after the reader releases it.
//
// The memory of open tables counts, too: that of their readers, with the
// indexes and filters that the readers keep outside of the cache. So does the
// memory of filters of tables that are being written: the keys or hashes of
// their builders, and partitions that wait for the end of the table. Blocks
// give way to both, but keep half of the capacity.
//
// Databases accept only caches made by NewLRUCache.
//
// Threads: any. Lifetime: shared; each database holds a reference. A cache
// belongs to the process that created it: a forked process must not call it,
// and DB::Open rejects it there.
#pragma once

#include <cstddef>
#include <memory>

#include "tamis/export.h"

namespace tamis {

class TAMIS_EXPORT Cache {
 public:
  virtual ~Cache();

  // Returns the kind of cache, for LOG.
  virtual const char* Name() const = 0;
  // Sets the capacity in bytes. If it is lowered, immediately evicts blocks
  // that no reader holds, until the rest fits.
  virtual void SetCapacity(size_t capacity_bytes) = 0;
  // Returns the capacity in bytes.
  virtual size_t GetCapacity() const = 0;
  // Returns the bytes resident now, including evicted blocks that a reader
  // still holds, the memory of open tables, and that of filters being built.
  // The result may exceed the capacity while readers hold that much, and after
  // that until other blocks are added or SetCapacity is called. It may also
  // exceed the capacity while open tables and filters being built use more than
  // half of it.
  virtual size_t GetUsage() const = 0;
  // Returns the bytes of resident blocks that readers hold now. Scans the whole
  // cache; meant for tools.
  virtual size_t GetPinnedUsage() const = 0;
  // Evicts every block that no reader holds.
  virtual void EraseUnRefEntries() = 0;
};

// Creates a cache with this capacity in bytes. The eviction policy is CLOCK, an
// approximation of LRU that marks an entry as used without a lock. Unless
// high_pri_pool_ratio is 0, blocks of indexes and filters that have high
// priority (BlockBasedTableOptions::
// cache_index_and_filter_blocks_with_high_priority) stay for three rounds of
// the clock after their last use, other blocks for one. Names and arguments are
// RocksDB's, so that programs compile. The other two have no effect: the number
// of shards follows from the capacity, and readers may hold more than the
// capacity (GetUsage). Throws std::bad_alloc.
TAMIS_EXPORT std::shared_ptr<Cache> NewLRUCache(
    size_t capacity_bytes, int num_shard_bits = -1,
    bool strict_capacity_limit = false, double high_pri_pool_ratio = 0.5);

// Arguments of NewLRUCache as members.
struct ShardedCacheOptions {
  size_t capacity = 0;  // bytes
  // 2 to its power is the number of shards; -1: chosen by the capacity.
  // No effect.
  int num_shard_bits = -1;
  // No effect.
  bool strict_capacity_limit = false;
};

// RocksDB's options of an LRU cache.
struct TAMIS_EXPORT LRUCacheOptions : ShardedCacheOptions {
  LRUCacheOptions() = default;
  // Sets the members of these names.
  explicit LRUCacheOptions(size_t capacity_bytes, int shard_bits = -1,
                           bool strict_limit = false,
                           double high_pri_ratio = 0.5);

  // 0: all blocks have one priority. See NewLRUCache.
  double high_pri_pool_ratio = 0.5;
  // No effect.
  double low_pri_pool_ratio = 0.0;
  bool use_adaptive_mutex = false;

  // Creates a cache; other changes to *this do not reach it.
  std::shared_ptr<Cache> MakeSharedCache() const;
};

// Returns options.MakeSharedCache().
TAMIS_EXPORT std::shared_ptr<Cache> NewLRUCache(const LRUCacheOptions& options);

// Creates the same cache as LRUCacheOptions.
struct TAMIS_EXPORT HyperClockCacheOptions : ShardedCacheOptions {
  // Sets the members of these names.
  explicit HyperClockCacheOptions(size_t capacity_bytes,
                                  size_t entry_charge = 0, int shard_bits = -1,
                                  bool strict_limit = false);

  // No effect.
  size_t estimated_entry_charge = 0;

  // Creates a cache; other changes to *this do not reach it.
  std::shared_ptr<Cache> MakeSharedCache() const;
};

}  // namespace tamis
