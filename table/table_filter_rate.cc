// SPDX-License-Identifier: Apache-2.0
//
// The expected false-positive rates of a table's filters.
#include <vector>

#include "filter/filter_rate.h"
#include "table/table_reader_rep.h"

namespace tamis {

namespace {

// Bypasses the cache, which a whole filter would crowd.
ReadContext FromFile() {
  ReadContext context;
  context.fill_cache = false;
  return context;
}

}  // namespace

Result<double> TableReader::PredictedFpr() const {
  const Rep& r = *rep_;
  if (!r.filter_where) return 1.0;
  const FilterLocator& where = *r.filter_where;
  std::vector<BlockHandle> handles = {r.filter_handle};
  if (where.placement == FilterPlacement::kPartitioned) {
    Result<std::vector<BlockHandle>> partitions = r.filter_loader->Partitions();
    if (!partitions.ok()) return partitions.status();
    handles = *std::move(partitions);
  }
  std::vector<ByteBuffer> blocks;
  std::vector<Slice> filters;
  for (const BlockHandle& handle : handles) {
    Result<ByteBuffer> block =
        r.fetcher.Read(handle, BlockKind::kFilter, FromFile());
    if (!block.ok()) return block.status();
    blocks.push_back(*std::move(block));
    filters.push_back(blocks.back().bytes());
  }
  if (where.placement == FilterPlacement::kBlockBased) {
    Result<std::vector<Slice>> chunks = SplitFilterChunks(filters.front());
    if (!chunks.ok()) {
      return BlockOrigin{&r.context.file_name, r.filter_handle.offset}
          .Corruption(chunks.status().message());
    }
    filters = *std::move(chunks);
  }
  const TableProperties& p = *r.properties;
  // Older writers do not record the number of filter entries.
  return PredictedFilterRate(
      where, filters,
      p.num_filter_entries != 0 ? p.num_filter_entries : p.num_entries);
}

Result<double> TableReader::PredictedRangeFpr() const {
  for (const auto& [name, handle] : rep_->metaindex) {
    const std::optional<FilterLocator> where = ParseMetaindexKey(name);
    if (!where || where->placement != FilterPlacement::kFull) continue;
    const RangeFilterCodec* const codec = FindRangeFilterCodec(where->family);
    if (codec == nullptr) continue;
    Result<ByteBuffer> block =
        rep_->fetcher.Read(handle, BlockKind::kFilter, FromFile());
    if (!block.ok()) return block.status();
    return codec->PredictedFalsePositiveRate(block->bytes());
  }
  return 1.0;
}

}  // namespace tamis
