// SPDX-License-Identifier: Apache-2.0
//
// The block that the index of a table begins with, or its filter. It stays in
// memory as long as the table is open; or it is left to the block cache, and
// comes and goes like any other block:
//
//   kept      RootBlock ──▶ node
//   left      RootBlock [ slot ] ──▶ node, while it is resident
//
// Const once opened; any thread.
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
  // `form` as BlockFetcher::Fetch has it. All outlive *this.
  RootBlock(const BlockHandle& handle, BlockKind kind, const BlockForm* form,
            const BlockFetcher* fetcher)
      : handle_(handle), kind_(kind), form_(form), fetcher_(*fetcher) {}
  // REQUIRES: what was resident through its own slots was dropped.
  ~RootBlock();
  RootBlock(const RootBlock&) = delete;
  RootBlock& operator=(const RootBlock&) = delete;

  // Once. `payload`: what was read when the table was opened. Left to the cache
  // if there is one and the block does not take half of what that could hold.
  Status Open(ByteBuffer payload, bool leave_to_cache);

  // nullptr: it was left to the cache.
  const BlockBuffer* kept() const { return kept_.buffer(); }
  // Lent; from the file if need be. REQUIRES: Open was right; within a Guard of
  // the fetcher's epochs().
  Result<PinnedBytes> Load(const ReadContext& context) const;
  // If it is in memory, with a reference of its own.
  PinnedBytes InMemory() const;

  // Without what the cache counts.
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
