// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "tamis/slice.h"

#include "table/index_reader.h"
#include "table/thread_scratch.h"
#include "util/cache/block_buffer.h"

namespace tamis {

// The memory that the lookups of a batch use for blocks that do not become
// resident. Also refers to the last such block if all of it is decoded, because
// the next lookup may need it, too. One thread.
struct ColdBlocks {
  ThreadScratch scratch;
  const IndexReader* index = nullptr;  // of its table; nullptr if unset
  uint64_t offset = 0;
  Slice bytes;
  PinnedBytes refused;  // holds `bytes` if the cache had no place for them

  bool Has(const IndexReader* of_table, uint64_t at) const {
    return index == of_table && offset == at;
  }
  void Set(const IndexReader* of_table, uint64_t at, const Slice& block) {
    index = of_table;
    offset = at;
    bytes = block;
  }
};

}  // namespace tamis
