// SPDX-License-Identifier: Apache-2.0
//
// Which index and filter blocks of an open table stay in memory, and which are
// left to the block cache, which may evict them:
//
//                            the cache may evict   otherwise
//   an index or filter in
//   one block, a top level   left to the cache     kept by the table
//   a partition              left to the cache     resident, and held there
//
// The same for point and range filters.
#pragma once

#include <vector>

#include "tamis/table.h"

#include "table/block.h"
#include "table/block_fetcher.h"
#include "table/root_block.h"
#include "util/cache/block_buffer.h"
#include "util/cache/block_cache.h"
#include "util/io/read_context.h"

namespace tamis {

// What stays in memory. The default is that of a table without
// BlockBasedTableOptions::cache_index_and_filter_blocks.
struct MetadataPins {
  bool whole = true;  // an index or filter in one block
  bool top_level = true;
  bool partitions = false;
  CachePriority priority = CachePriority::kLow;  // of what the cache may evict

  bool root(bool partitioned) const { return partitioned ? top_level : whole; }
};

// Returns what the options pin. `flushed`: the table is at level 0, and about
// as large as those of flushes.
MetadataPins PinsOf(const BlockBasedTableOptions& options, bool flushed);

// Returns counted references to the partitions that `top` locates, a block of
// `format`. Loads them into the cache of `fetcher`, as long as it has room for
// them and for `top`. Ends at the first partition that cannot be read: a read
// that needs it reports the error. For `kind` and `form` see
// BlockFetcher::Fetch.
std::vector<PinnedBytes> PinPartitions(const RootBlock& top,
                                       const BlockFormat& format,
                                       BlockKind kind, const BlockForm* form,
                                       const BlockFetcher& fetcher,
                                       const ReadContext& context);

}  // namespace tamis
