// SPDX-License-Identifier: Apache-2.0
#include "table/filter_collector.h"

#include <utility>

#include "util/base/check.h"

namespace tamis {

Status FilterCollector::WriteFilter(size_t ordinal, PendingFilter filter,
                                    const Slice* last_key) {
  TAMIS_CHECK(ordinal == filters_.size());
  TAMIS_CHECK(!index_->entries().empty());
  std::string separator;
  if (last_key != nullptr) {
    // Orders after every version of the key.
    AppendInternalKey(&separator, *last_key, /*sequence=*/0, kTypeDeletion);
  } else {
    separator = index_->last_separator().ToString();
  }
  Filter* const added = &filters_.emplace_back(
      Filter{std::move(separator), std::move(filter), std::string()});
  memory_.fetch_add(
      added->separator.size() + added->pending.ApproximateMemoryUsage(),
      std::memory_order_relaxed);
  builds_.Add([this, added] { Build(added); });
  return Status::OK();
}

void FilterCollector::Build(Filter* filter) {
  const size_t before = filter->pending.ApproximateMemoryUsage();
  filter->bytes = filter->pending.Build(helpers_);
  const size_t after = filter->bytes.ok() ? filter->bytes->size() : 0;
  memory_.fetch_add(after - before, std::memory_order_relaxed);
}

void FilterCollector::Clear() {
  builds_.Drop();
  filters_.clear();
  memory_.store(0, std::memory_order_relaxed);
}

Result<BlockHandle> FilterCollector::WriteTo(BlockWriter* writer,
                                             FilterPlacement placement,
                                             const IndexEncoding& encoding,
                                             uint64_t* payload_bytes) {
  const bool partitioned = placement == FilterPlacement::kPartitioned;
  TAMIS_CHECK(!filters_.empty());
  TAMIS_CHECK(partitioned || filters_.size() == 1);
  builds_.WaitForAll();
  IndexEntries partitions;
  *payload_bytes = 0;
  for (const Filter& filter : filters_) {
    if (!filter.bytes.ok()) return filter.bytes.status();
    const Result<BlockHandle> handle = writer->Write(*filter.bytes);
    if (!handle.ok()) return handle;
    *payload_bytes += filter.bytes->size();
    if (!partitioned) return handle;
    partitions.Add(filter.separator, *handle);
  }
  const std::string index =
      partitions.EncodeBlock(0, partitions.size(), encoding);
  *payload_bytes += index.size();
  return writer->Write(index);
}

}  // namespace tamis
