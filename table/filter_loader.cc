// SPDX-License-Identifier: Apache-2.0
#include "table/filter_loader.h"

#include <algorithm>

namespace tamis {

FilterLoader::FilterLoader(FilterPlacement placement, std::string block,
                           uint64_t offset, const IndexFormat* format,
                           const BlockFetcher* fetcher)
    : placement_(placement), format_(format), fetcher_(fetcher) {
  if (placement != FilterPlacement::kPartitioned) {
    block_ = PinnedBytes::Own(std::move(block));
    return;
  }
  const BlockOrigin origin{fetcher->file_name(), offset};
  Result<PinnedBytes> node =
      ResidentIndex::Make(block, format->top_level(), origin);
  if (!node.ok()) {
    status_ = node.status();
    return;
  }
  block_ = *std::move(node);
  partitions_ = ResidentIndex(block_.buffer(), format_->top_level());
  if (partitions_.count() == 0) {
    status_ = origin.Corruption("no filter partition in it");
  }
}

FilterLoader::~FilterLoader() {
  BlockCache* const cache = fetcher_->cache();
  if (cache == nullptr || partitions_.node() == nullptr) return;
  for (uint32_t i = 0; i < partitions_.count(); ++i) {
    cache->Drop(partitions_.slot(i));
  }
}

Result<PinnedBytes> FilterLoader::Load(const Slice& user_key,
                                       const ReadContext& context) const {
  if (placement_ != FilterPlacement::kPartitioned) {
    return PinnedBytes::Borrow(block_.bytes());
  }
  if (!status_.ok()) return status_;
  // The newest version that there could be: the first partition that holds
  // any version of the key is the one whose filter has it.
  const LookupKey target(user_key, kMaxSequenceNumber);
  const uint32_t i =
      std::min(partitions_.LowerBound(format_->Target(target.internal_key())),
               partitions_.count() - 1);
  return fetcher_->Fetch(
      {partitions_.handle(i), partitions_.slot(i), partitions_.node()},
      BlockKind::kFilter, /*form=*/nullptr, context);
}

Result<std::vector<BlockHandle>> FilterLoader::Partitions() const {
  std::vector<BlockHandle> handles;
  if (placement_ != FilterPlacement::kPartitioned) return handles;
  if (!status_.ok()) return status_;
  for (uint32_t i = 0; i < partitions_.count(); ++i) {
    handles.push_back(partitions_.handle(i));
  }
  return handles;
}

}  // namespace tamis
