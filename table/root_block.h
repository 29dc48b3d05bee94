// SPDX-License-Identifier: Apache-2.0
//
// A RootBlock holds the root of a table's index or filter. It either keeps the
// block in memory while the table is open, or leaves it to the block cache,
// which may evict it. The block is in memory as a node (block_fetcher.h):
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
  // For `form` see BlockFetcher::Fetch. All pointers must outlive *this.
  RootBlock(const BlockHandle& handle, BlockKind kind, const BlockForm* form,
            const BlockFetcher* fetcher)
      : handle_(handle), kind_(kind), form_(form), fetcher_(*fetcher) {}
  // Evicts the node. REQUIRES: blocks resident through its slots were dropped;
  // no concurrent use.
  ~RootBlock();
  RootBlock(const RootBlock&) = delete;
  RootBlock& operator=(const RootBlock&) = delete;

  // Makes the node of `payload`, the block read when the table was opened.
  // Leaves it to the cache if leave_to_cache, the fetcher has a cache, and the
  // node's charge is at most the cache's LargestCharge(). Returns the form's
  // error. Call it once.
  Status Open(ByteBuffer payload, bool leave_to_cache);

  // Returns the node, or nullptr if it is left to the cache.
  const BlockBuffer* kept() const { return kept_.buffer(); }
  // Returns the node, reading the file if necessary. REQUIRES: Open returned
  // OK; called within a Guard of the fetcher's epochs().
  Result<PinnedBytes> Load(const ReadContext& context) const;
  // Returns the node with a reference if it is in memory, otherwise no node.
  PinnedBytes InMemory() const;

  // Returns the bytes of the node if it is kept, otherwise 0.
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
