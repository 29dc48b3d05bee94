// SPDX-License-Identifier: Apache-2.0
//
// A Cache is a byte budget for the blocks that stay in memory: data blocks,
// index blocks and filters, of all the databases that share it. It evicts
// blocks that were not used recently. A block that a reader holds stays until
// the reader releases it.
//
// Databases accept only caches that NewLRUCache made.
//
// Threads: any thread. Lifetime: shared; databases hold their own reference. A
// cache belongs to the process that made it: a forked process must not call it,
// and DB::Open refuses it there.
#pragma once

#include <cstddef>
#include <memory>

namespace tamis {

class Cache {
 public:
  virtual ~Cache();

  virtual const char* Name() const = 0;
  // Bytes that may stay resident. Lowering it evicts blocks that no reader
  // holds, at once, until the rest fits.
  virtual void SetCapacity(size_t capacity_bytes) = 0;
  virtual size_t GetCapacity() const = 0;
  // Bytes resident now, evicted blocks that a reader still uses included. Above
  // the capacity only while readers hold that much.
  virtual size_t GetUsage() const = 0;
  // Resident bytes that a reader holds now. Walks the cache: for tools.
  virtual size_t GetPinnedUsage() const = 0;
  // Evicts every block that no reader holds.
  virtual void EraseUnRefEntries() = 0;
};

// The name is RocksDB's; the policy is a clock, an approximation of least
// recently used that costs a reader no list and no lock to touch an entry.
std::shared_ptr<Cache> NewLRUCache(size_t capacity_bytes);

}  // namespace tamis
