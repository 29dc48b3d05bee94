// SPDX-License-Identifier: Apache-2.0
//
// The memory of some databases and caches, in one call. Names and meanings are
// RocksDB's.
//
// Threads: any. Exceptions: none is thrown (status.h).
#pragma once

#include <cstdint>
#include <map>
#include <unordered_set>
#include <vector>

#include "tamis/cache.h"
#include "tamis/db.h"
#include "tamis/export.h"
#include "tamis/status.h"

namespace tamis {

class TAMIS_EXPORT MemoryUtil {
 public:
  // Whose memory it is.
  enum UsageType : int {
    // The memtables of all databases: also those that are flushed and that a
    // reader keeps.
    kMemTableTotal = 0,
    // Those of them that are not flushed.
    kMemTableUnFlushed = 1,
    // What open tables keep outside of their cache: indexes and filters.
    kTableReadersTotal = 2,
    // Cache::GetUsage of all caches. A cache of a database counts only if it is
    // in the set.
    kCacheTotal = 3,
    kNumUsageTypes = 4
  };

  // Replaces *usage_by_type by the bytes of each type, 0 included.
  static Status GetApproximateMemoryUsageByType(
      const std::vector<DB*>& dbs,
      const std::unordered_set<const Cache*>& cache_set,
      std::map<UsageType, uint64_t>* usage_by_type);
};

}  // namespace tamis
