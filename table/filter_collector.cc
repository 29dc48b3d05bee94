// SPDX-License-Identifier: Apache-2.0
#include "table/filter_collector.h"

#include "util/base/check.h"

namespace tamis {

Status FilterCollector::WriteFilter(size_t ordinal, const Slice& filter) {
  TAMIS_CHECK(ordinal == filters_.size());
  TAMIS_CHECK(!index_->entries().empty());
  filters_.push_back({index_->last_separator().ToString(), filter.ToString()});
  memory_ += filters_.back().separator.size() + filter.size();
  return Status::OK();
}

Result<BlockHandle> FilterCollector::WriteTo(BlockWriter* writer,
                                             FilterPlacement placement,
                                             const IndexEncoding& encoding,
                                             uint64_t* payload_bytes) const {
  const bool partitioned = placement == FilterPlacement::kPartitioned;
  TAMIS_CHECK(!filters_.empty());
  TAMIS_CHECK(partitioned || filters_.size() == 1);
  IndexEntries partitions;
  *payload_bytes = 0;
  for (const Filter& filter : filters_) {
    const Result<BlockHandle> handle = writer->Write(filter.bytes);
    if (!handle.ok()) return handle;
    *payload_bytes += filter.bytes.size();
    if (!partitioned) return handle;
    partitions.Add(filter.separator, *handle);
  }
  const std::string index =
      partitions.EncodeBlock(0, partitions.size(), encoding);
  *payload_bytes += index.size();
  return writer->Write(index);
}

}  // namespace tamis
