// SPDX-License-Identifier: Apache-2.0
#include "table/index_reader.h"

#include <utility>

namespace tamis {

IndexReader::IndexReader(const IndexFormat* format, const BlockHandle& handle,
                         const BlockFetcher* fetcher)
    : format_(*format),
      fetcher_(*fetcher),
      root_form_(&root_format(), fetcher->file_name()),
      partition_form_(&format_.leaf(), fetcher->file_name()),
      root_(handle, BlockKind::kIndex, &root_form_, fetcher) {}

Result<std::unique_ptr<const IndexReader>> IndexReader::Open(
    const IndexFormat* format, ByteBuffer block, const BlockHandle& handle,
    const BlockFetcher* fetcher, const MetadataPins& pins,
    const ReadContext& context) {
  std::unique_ptr<IndexReader> reader(new IndexReader(format, handle, fetcher));
  TAMIS_RETURN_IF_ERROR(
      reader->root_.Open(std::move(block), !pins.root(format->two_level())));
  if (format->two_level() && pins.partitions) {
    reader->pinned_ =
        PinPartitions(reader->root_, reader->root_format(), BlockKind::kIndex,
                      &reader->partition_form_, *fetcher, context);
  }
  return std::unique_ptr<const IndexReader>(std::move(reader));
}

IndexReader::~IndexReader() {
  pinned_.clear();
  BlockCache* const cache = fetcher_.cache();
  const PinnedBytes root = root_.InMemory();
  if (cache == nullptr || root.buffer() == nullptr) return;
  const ResidentIndex top(root.buffer(), root_format());
  for (uint32_t i = 0; format_.two_level() && i < top.count(); ++i) {
    const PinnedBytes partition = cache->Pin(*top.slot(i));
    if (partition.buffer() == nullptr) continue;
    ResidentIndex(partition.buffer(), format_.leaf()).DropResident(cache);
  }
  top.DropResident(cache);
}

IndexIterator::IndexIterator(const IndexReader* index,
                             const ReadContext* context, Hold hold)
    : index_(index), context_(context), hold_(hold) {
  const BlockBuffer* const kept = index->root_.kept();
  if (kept == nullptr) return;
  (two_level() ? top_ : leaf_) = ResidentIndex(kept, index->root_format());
}

bool IndexIterator::OpenRoot() {
  status_ = Status::OK();
  ResidentIndex& root = two_level() ? top_ : leaf_;
  if (root.node() != nullptr) return true;
  Close();
  const EpochDomain::Guard guard(epochs());
  Result<PinnedBytes> node = index_->root_.Load(*context_);
  if (!node.ok()) {
    status_ = node.status();
    return false;
  }
  root_ = *std::move(node);
  if (hold_ == Hold::kByCount) root_.Keep();
  root = ResidentIndex(root_.buffer(), index_->root_format());
  return true;
}

bool IndexIterator::OpenLeaf(uint32_t i) {
  Close();
  if (!two_level()) {
    leaf_count_ = leaf_.count();
    return leaf_count_ > 0;
  }
  if (i >= top_.count()) return false;
  if (i == top_at_ && partition_.buffer() != nullptr) {
    leaf_count_ = leaf_.count();
    return true;
  }
  partition_.Reset();
  const EpochDomain::Guard guard(epochs());
  Result<PinnedBytes> node = index_->fetcher_.Fetch(
      top_.place(i), BlockKind::kIndex, &index_->partition_form_, *context_);
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
  if (!OpenRoot()) return;
  for (uint32_t i = 0; OpenLeaf(i) && !Valid(); ++i) {
  }
}

void IndexIterator::SeekToLast() {
  if (!OpenRoot()) return;
  for (uint32_t i = two_level() ? top_.count() : 1; i-- > 0;) {
    if (!OpenLeaf(i)) return;
    if (leaf_count_ > 0) {
      at_ = leaf_count_ - 1;
      return;
    }
  }
  Close();
}

void IndexIterator::Seek(const Slice& internal_key) {
  if (!OpenRoot()) return;
  const Slice target = index_->format().Target(internal_key);
  uint32_t i = two_level() ? top_.LowerBound(target) : 0;
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
