// SPDX-License-Identifier: Apache-2.0
#include "table/filter_loader.h"

#include <algorithm>

namespace tamis {

FilterLoader::FilterLoader(FilterPlacement placement, ByteBuffer block,
                           const BlockHandle& handle, const IndexFormat* format,
                           const BlockFetcher* fetcher,
                           const MetadataPins& pins, const ReadContext& context)
    : placement_(placement),
      format_(*format),
      fetcher_(*fetcher),
      origin_{fetcher->file_name(), handle.offset},
      index_form_(&format->top_level(), fetcher->file_name()),
      root_(handle, BlockKind::kFilter,
            is_partitioned() ? &index_form_ : nullptr, fetcher),
      status_(root_.Open(std::move(block), !pins.root(is_partitioned()))) {
  if (is_partitioned() && pins.partitions && status_.ok()) {
    pinned_ = PinPartitions(root_, format_.top_level(), BlockKind::kFilter,
                            /*form=*/nullptr, fetcher_, context);
  }
}

FilterLoader::~FilterLoader() {
  pinned_.clear();
  BlockCache* const cache = fetcher_.cache();
  if (cache == nullptr || !is_partitioned()) return;
  const PinnedBytes root = root_.InMemory();
  if (root.buffer() == nullptr) return;
  ResidentIndex(root.buffer(), format_.top_level()).DropResident(cache);
}

Result<ResidentIndex> FilterLoader::LoadIndex(const ReadContext& context,
                                              PinnedBytes* root) const {
  if (!status_.ok()) return status_;
  if (root->buffer() == nullptr) {
    Result<PinnedBytes> node = root_.Load(context);
    if (!node.ok()) return node.status();
    *root = *std::move(node);
  }
  const ResidentIndex index(root->buffer(), format_.top_level());
  if (index.count() == 0) {
    return origin_.Corruption("it lists no filter partition");
  }
  return index;
}

Status FilterLoader::Find(const Slice& user_key, const ReadContext& context,
                          FilterPosition* at) const {
  if (!is_partitioned()) return Status::OK();
  const Result<ResidentIndex> index = LoadIndex(context, &at->index);
  if (!index.ok()) return index.status();
  // Seeks the newest possible version: the filter that contains the key is that
  // of the first partition with any version of it.
  const LookupKey target(user_key, kMaxSequenceNumber);
  at->partition =
      std::min(index->LowerBound(format_.Target(target.internal_key())),
               index->count() - 1);
  return Status::OK();
}

Result<PinnedBytes> FilterLoader::Load(const FilterPosition& at,
                                       const ReadContext& context) const {
  if (!is_partitioned()) return root_.Load(context);
  const ResidentIndex index(at.index.buffer(), format_.top_level());
  return fetcher_.Fetch(index.place(at.partition), BlockKind::kFilter,
                        /*form=*/nullptr, context);
}

Slice FilterLoader::SeparatorOf(const FilterPosition& at,
                                KeyBuffer* buffer) const {
  const ResidentIndex index(at.index.buffer(), format_.top_level());
  const Slice separator = index.separator(at.partition, buffer);
  return format_.user_keys() ? separator : ExtractUserKey(separator);
}

Result<std::vector<BlockHandle>> FilterLoader::Partitions() const {
  std::vector<BlockHandle> handles;
  if (!is_partitioned()) return handles;
  const EpochDomain::Guard guard(fetcher_.epochs());
  PinnedBytes root;
  const Result<ResidentIndex> index = LoadIndex(ReadContext(), &root);
  if (!index.ok()) return index.status();
  for (uint32_t i = 0; i < index->count(); ++i) {
    handles.push_back(index->handle(i));
  }
  return handles;
}

}  // namespace tamis
