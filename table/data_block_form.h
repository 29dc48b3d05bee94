// SPDX-License-Identifier: Apache-2.0
//
// Makes the in-memory form of a resident data block: its bytes and, if equal
// keys have equal bytes, its tags (block_tags.h). Never fails: a malformed
// block gets no tags.
#pragma once

#include <string>

#include "table/block_fetcher.h"
#include "table/internal_key.h"

namespace tamis {

// Const; any thread.
class DataBlockForm final : public BlockForm {
 public:
  // `order` must outlive *this.
  explicit DataBlockForm(const KeyOrder* order) : order_(*order) {}
  Result<PinnedBytes> Transform(const Slice& payload, ByteBuffer* memory,
                                const BlockHandle& handle,
                                BlockPool* pool) const override;

 private:
  const KeyOrder& order_;
};

}  // namespace tamis
