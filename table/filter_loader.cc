// SPDX-License-Identifier: Apache-2.0
#include "table/filter_loader.h"

namespace tamis {

Result<PinnedBytes> FilterLoader::Load(const Slice& user_key,
                                       const ReadContext& context) const {
  if (placement_ != FilterPlacement::kPartitioned)
    return PinnedBytes::Borrow(block_.bytes());
  const Result<BlockHandle> partition = PartitionFor(user_key);
  if (!partition.ok()) return partition.status();
  return fetcher_->Fetch(*partition, BlockKind::kFilter, context);
}

void FilterLoader::OpenIndex(BlockIterator* it) const {
  it->Open(PinnedBytes::Borrow(block_.bytes()), format_->top_level(),
           {fetcher_->file_name(), offset_});
}

Result<BlockHandle> FilterLoader::PartitionFor(const Slice& user_key) const {
  BlockIterator it;
  OpenIndex(&it);
  // The newest version that there could be: the first partition that holds
  // any version of the key is the one whose filter has it.
  const LookupKey target(user_key, kMaxSequenceNumber);
  it.Seek(format_->Target(target.internal_key()));
  if (!it.Valid() && it.status().ok()) it.SeekToLast();
  if (!it.status().ok()) return it.status();
  BlockHandle handle;
  if (!it.Valid()) return it.origin().Corruption("no filter partition in it");
  if (!HandleOf(it, format_->top_level(), &handle)) {
    return it.origin().Corruption("malformed handle of a filter partition");
  }
  return handle;
}

Result<std::vector<BlockHandle>> FilterLoader::Partitions() const {
  std::vector<BlockHandle> handles;
  if (placement_ != FilterPlacement::kPartitioned) return handles;
  BlockIterator it;
  OpenIndex(&it);
  for (it.SeekToFirst(); it.Valid(); it.Next()) {
    BlockHandle handle;
    if (!HandleOf(it, format_->top_level(), &handle)) {
      return it.origin().Corruption("malformed handle of a filter partition");
    }
    handles.push_back(handle);
  }
  if (!it.status().ok()) return it.status();
  return handles;
}

}  // namespace tamis
