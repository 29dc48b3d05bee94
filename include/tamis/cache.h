// SPDX-License-Identifier: Apache-2.0
//
// A Cache bounds the memory spent on resident blocks: data blocks, index blocks
// and filters of every database that shares it. It evicts blocks that have not
// been used recently. A block that a reader holds is freed only after the
// reader releases it.
//
// The memory of open tables counts, too: their readers, with the indexes and
// filters that these keep outside of the cache. So does the memory of the
// filters of tables that are being written: the keys or hashes of their
// builders, and partitions that wait for the end of the table. Blocks give way
// to both, but keep half of the capacity.
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
  // Sets the maximum bytes resident. Lowering it immediately evicts blocks that
  // no reader holds, until the rest fits.
  virtual void SetCapacity(size_t capacity_bytes) = 0;
  virtual size_t GetCapacity() const = 0;
  // Returns the bytes resident now, including evicted blocks that a reader
  // still holds, the memory of open tables, and that of filters being built.
  // They exceed the capacity only while readers hold that much, until the next
  // block is read after such a reader or SetCapacity, or while open tables and
  // filters being built use more than half of the capacity.
  virtual size_t GetUsage() const = 0;
  // Returns the bytes of resident blocks that readers hold now. Scans the whole
  // cache; meant for tools.
  virtual size_t GetPinnedUsage() const = 0;
  // Evicts every block that no reader holds.
  virtual void EraseUnRefEntries() = 0;
};

// Creates a cache. The name is RocksDB's. The eviction policy is CLOCK, an
// approximation of LRU that marks an entry as used without a lock.
std::shared_ptr<Cache> NewLRUCache(size_t capacity_bytes);

}  // namespace tamis
