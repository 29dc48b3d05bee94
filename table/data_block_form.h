// SPDX-License-Identifier: Apache-2.0
//
// What a data block becomes in memory: itself, with tags beside it
// (block_tags.h) where it stays and equal keys have equal bytes.
#pragma once

#include <string>

#include "table/block_fetcher.h"
#include "table/internal_key.h"

namespace tamis {

// Const and any thread.
class DataBlockForm final : public BlockForm {
 public:
  // `order` outlives *this.
  explicit DataBlockForm(const KeyOrder* order) : order_(*order) {}
  Result<PinnedBytes> Transform(ByteBuffer payload, const BlockHandle& handle,
                                bool stays, BlockPool* pool) const override;

 private:
  const KeyOrder& order_;
};

}  // namespace tamis
