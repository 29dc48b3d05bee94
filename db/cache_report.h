// SPDX-License-Identifier: Apache-2.0
//
// What a block cache holds, as RocksDB prints it: the text and the map of
// rocksdb.block-cache-entry-stats. A cache of Tamis has no hash table: its
// table_size is the number of its blocks.
#pragma once

#include <string>

#include "db/stats_report.h"
#include "util/cache/block_cache.h"

namespace tamis {

// Scan the whole cache. Any thread.
std::string CacheText(const BlockCache& cache);
void CacheMap(const BlockCache& cache, StatsMap* values);

}  // namespace tamis
