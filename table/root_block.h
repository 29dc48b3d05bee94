// SPDX-License-Identifier: Apache-2.0
//
// The root block of a table's index or filter. It is either kept in memory
// while the table is open, or left to the block cache, which may evict it:
//
//   kept      RootBlock ──▶ node
//   cached    RootBlock [ slot ] ──▶ node, while it is resident
//
// Const after Open; any thread.
#pragma once

#include <cstddef>
#include <string>

#include "table/block_fetcher.h"
#include "table/format.h"
#include "util/base/result.h"
#include "util/cache/block_buffer.h"
#include "util/cache/block_cache.h"
#include "util/io/read_context.h"

namespace tamis {

class RootBlock {
 public:
  // `form`: see BlockFetcher::Fetch. All pointers must outlive *this.
  RootBlock(const BlockHandle& handle, BlockKind kind, const BlockForm* form,
            const BlockFetcher* fetcher)
      : handle_(handle), kind_(kind), form_(form), fetcher_(*fetcher) {}
  // REQUIRES: blocks resident through the node's slots were dropped.
  ~RootBlock();
  RootBlock(const RootBlock&) = delete;
  RootBlock& operator=(const RootBlock&) = delete;

  // Call once. `payload`: the block, read when the table was opened. It is left
  // to the cache only if there is one and the block's charge is at most half of
  // LargestCharge().
  Status Open(ByteBuffer payload, bool leave_to_cache);

  // nullptr: left to the cache.
  const BlockBuffer* kept() const { return kept_.buffer(); }
  // Returns the node, lent; reads the file if necessary. REQUIRES: Open
  // returned OK; called within a Guard of the fetcher's epochs().
  Result<PinnedBytes> Load(const ReadContext& context) const;
  // The node with a reference, if it is in memory.
  PinnedBytes InMemory() const;

  // Does not include what the cache counts.
  size_t memory_usage() const { return kept() ? kept()->charge() : 0; }

 private:
  const BlockHandle handle_;
  const BlockKind kind_;
  const BlockForm* const form_;
  const BlockFetcher& fetcher_;
  PinnedBytes kept_;
  mutable BlockSlot slot_;
};

}  // namespace tamis
