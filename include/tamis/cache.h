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

namespace tamis {

class Cache {
 public:
  virtual ~Cache();

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

// Creates a cache with this capacity in bytes. The name is RocksDB's. The
// eviction policy is CLOCK, an approximation of LRU that marks an entry as used
// without a lock.
std::shared_ptr<Cache> NewLRUCache(size_t capacity_bytes);

}  // namespace tamis
