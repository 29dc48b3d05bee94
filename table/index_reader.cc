// SPDX-License-Identifier: Apache-2.0
#include "table/index_reader.h"

#include <utility>

namespace tamis {

Result<std::unique_ptr<const IndexReader>> IndexReader::Open(
    const IndexFormat* format, const Slice& block, uint64_t offset,
    const BlockFetcher* fetcher) {
  Result<PinnedBytes> root = ResidentIndex::Make(
      block, format->two_level() ? format->top_level() : format->leaf(),
      {fetcher->file_name(), offset});
  if (!root.ok()) return root.status();
  return std::unique_ptr<const IndexReader>(
      new IndexReader(format, *std::move(root), fetcher));
}

IndexReader::~IndexReader() {
  BlockCache* const cache = fetcher_->cache();
  if (cache == nullptr) return;
  for (uint32_t i = 0; i < root_index_.count(); ++i) {
    BlockSlot* const slot = root_index_.slot(i);
    if (format_.two_level()) {
      const PinnedBytes partition = cache->Pin(*slot);
      if (partition.buffer() != nullptr) {
        const ResidentIndex leaf(partition.buffer(), format_.leaf());
        for (uint32_t j = 0; j < leaf.count(); ++j) cache->Drop(leaf.slot(j));
      }
    }
    cache->Drop(slot);
  }
}

IndexIterator::IndexIterator(const IndexReader* index,
                             const ReadContext* context, Hold hold)
    : index_(index), context_(context), hold_(hold) {
  if (!two_level()) leaf_ = index->root_index_;
}

bool IndexIterator::OpenLeaf(uint32_t i) {
  Close();
  if (!two_level()) {
    leaf_count_ = leaf_.count();
    return leaf_count_ > 0;
  }
  const ResidentIndex& top = index_->root_index_;
  if (i >= top.count()) return false;
  if (i == top_at_ && partition_.buffer() != nullptr) {
    leaf_count_ = leaf_.count();
    return true;
  }
  partition_.Reset();
  const BlockFetcher& fetcher = *index_->fetcher_;
  const EpochDomain::Guard guard(hold_ == Hold::kByCount ? fetcher.epochs()
                                                         : nullptr);
  Result<PinnedBytes> node =
      fetcher.Fetch({top.handle(i), top.slot(i), top.node()}, BlockKind::kIndex,
                    &index_->partition_form_, *context_);
  if (!node.ok()) {
    status_ = node.status();
    return false;
  }
  partition_ = *std::move(node);
  if (hold_ == Hold::kByCount) partition_.Keep();
  leaf_ = ResidentIndex(partition_.buffer(), index_->format().leaf());
  leaf_count_ = leaf_.count();
  top_at_ = i;
  return true;
}

void IndexIterator::SeekToFirst() {
  status_ = Status::OK();
  for (uint32_t i = 0; OpenLeaf(i) && !Valid(); ++i) {
  }
}

void IndexIterator::SeekToLast() {
  status_ = Status::OK();
  for (uint32_t i = two_level() ? index_->root_index_.count() : 1; i-- > 0;) {
    if (!OpenLeaf(i)) return;
    if (leaf_count_ > 0) {
      at_ = leaf_count_ - 1;
      return;
    }
  }
  Close();
}

void IndexIterator::Seek(const Slice& internal_key) {
  status_ = Status::OK();
  const Slice target = index_->format().Target(internal_key);
  uint32_t i = two_level() ? index_->root_index_.LowerBound(target) : 0;
  if (!OpenLeaf(i)) return;
  at_ = leaf_.LowerBound(target);
  while (two_level() && !Valid() && OpenLeaf(++i)) {
  }
}

void IndexIterator::Next() {
  ++at_;
  while (two_level() && !Valid() && OpenLeaf(top_at_ + 1)) {
  }
}

void IndexIterator::Prev() {
  if (at_ > 0) {
    --at_;
    return;
  }
  uint32_t i = two_level() ? top_at_ : 0;
  Close();
  while (i-- > 0) {
    if (!OpenLeaf(i)) return;
    if (leaf_count_ > 0) {
      at_ = leaf_count_ - 1;
      return;
    }
  }
}

}  // namespace tamis
