// SPDX-License-Identifier: Apache-2.0
//
// A Cache is one byte budget for what stays resident: data blocks, index
// blocks and filters, of all the databases that share it. What was not used
// for longest goes first; what a reader holds stays until it lets go.
//
// Threads: any thread. Lifetime: shared; databases hold their own reference. A
// cache belongs to the process that made it: one forked from that calls nothing
// of it, and DB::Open refuses it there.
#pragma once

#include <cstddef>
#include <memory>

namespace tamis {

class Cache {
 public:
  virtual ~Cache();

  virtual const char* Name() const = 0;
  // Bytes that may stay resident. Lowering it evicts at once what nobody
  // holds.
  virtual void SetCapacity(size_t capacity_bytes) = 0;
  virtual size_t GetCapacity() const = 0;
  // Bytes resident now. Above the capacity only while readers hold so much.
  virtual size_t GetUsage() const = 0;
  // Bytes of those that a reader holds now. Walks the cache: for tools.
  virtual size_t GetPinnedUsage() const = 0;
  // Drops all that nobody holds.
  virtual void EraseUnRefEntries() = 0;
};

// The name is RocksDB's; the policy is a clock, an approximation of least
// recently used that costs a reader no list and no lock to touch an entry.
std::shared_ptr<Cache> NewLRUCache(size_t capacity_bytes);

}  // namespace tamis
