// SPDX-License-Identifier: Apache-2.0
//
// A WriteBufferManager bounds the memory of the memtables of all databases that
// share it (DBOptions::write_buffer_manager), and may charge it to a Cache, so
// that memtables and blocks have one budget. Names and meanings are RocksDB's.
//
// A database whose write finds too much memory in use flushes the family with
// its largest memtable. The limit may be exceeded: by memtables that are being
// flushed, by those that readers keep, by databases that nobody writes to, and
// by the bytes of one group of writers.
//
// Threads: any. Lifetime: shared; databases hold references.
#pragma once

#include <cstddef>
#include <memory>

#include "tamis/cache.h"
#include "tamis/export.h"

namespace tamis {

class TAMIS_EXPORT WriteBufferManager final {
 public:
  // `buffer_size`: the limit in bytes; 0 means none, and only charges the
  // cache.
  // `cache`: where memtables count as usage, in steps of 256 KiB. Blocks give
  // way to them, but keep half of the capacity. It must be made by NewLRUCache.
  // `allow_stall`: writes wait while the limit is exceeded and memtables of
  // their own database are being flushed. (In RocksDB, also while another
  // database that nobody writes to has the memory.)
  explicit WriteBufferManager(size_t buffer_size,
                              std::shared_ptr<Cache> cache = nullptr,
                              bool allow_stall = false);
  ~WriteBufferManager();
  WriteBufferManager(const WriteBufferManager&) = delete;
  WriteBufferManager& operator=(const WriteBufferManager&) = delete;

  // Returns whether there is a limit.
  bool enabled() const { return buffer_size() > 0; }
  bool cost_to_cache() const;
  // Returns whether there is no cache, or one that can be charged in this
  // process.
  bool HasUsableCache() const;
  // Returns the bytes of all memtables, and of those that take writes.
  size_t memory_usage() const;
  size_t mutable_memtable_memory_usage() const;
  // Returns the bytes charged to the cache.
  size_t dummy_entries_in_cache_usage() const;
  size_t buffer_size() const;
  // Changes the limit. Databases notice it with their next write.
  void SetBufferSize(size_t new_size);

  // Returns whether a write should first flush: memtables that take writes have
  // more than 7/8 of the limit, or half of it while all have the limit.
  bool ShouldFlush() const;
  // Returns whether a write should wait, with allow_stall.
  bool ShouldStall() const;

  // Databases call these for each memtable: when it grows, when it takes no
  // more writes, and when it is freed.
  void ReserveMem(size_t bytes);
  void ScheduleFreeMem(size_t bytes);
  void FreeMem(size_t bytes);

 private:
  struct Rep;
  const std::unique_ptr<Rep> rep_;
};

}  // namespace tamis
