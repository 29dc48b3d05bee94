// SPDX-License-Identifier: Apache-2.0
#include "table/root_block.h"

#include <utility>

namespace tamis {

RootBlock::~RootBlock() {
  if (kept() == nullptr && fetcher_.cache() != nullptr) {
    fetcher_.cache()->Drop(&slot_);
  }
}

Status RootBlock::Open(ByteBuffer payload, bool leave_to_cache) {
  BlockCache* const cache = leave_to_cache ? fetcher_.cache() : nullptr;
  if (cache == nullptr && form_ == nullptr) {  // a filter
    kept_ = PinnedBytes::Adopt(BlockBuffer::NewAligned(payload.bytes()));
    return Status::OK();
  }
  Result<PinnedBytes> block =
      BlockFetcher::MakeBlock(std::move(payload), handle_, form_,
                              cache != nullptr ? cache->pool() : nullptr);
  if (!block.ok()) return block.status();
  if (cache == nullptr || block->buffer()->charge() > cache->LargestCharge()) {
    kept_ = *std::move(block);
  } else {
    fetcher_.Insert({handle_, &slot_, /*parent=*/nullptr}, kind_,
                    *std::move(block));
  }
  return Status::OK();
}

Result<PinnedBytes> RootBlock::Load(const ReadContext& context) const {
  if (kept() != nullptr) return PinnedBytes::Lend(kept());
  return fetcher_.Fetch({handle_, &slot_, /*parent=*/nullptr}, kind_, form_,
                        context);
}

PinnedBytes RootBlock::InMemory() const {
  if (kept() == nullptr) {
    return fetcher_.cache() != nullptr ? fetcher_.cache()->Pin(slot_)
                                       : PinnedBytes();
  }
  PinnedBytes block = PinnedBytes::Lend(kept());
  block.Keep();
  return block;
}

}  // namespace tamis
