// SPDX-License-Identifier: Apache-2.0
//
// What an open table's filters are, and their expected false-positive rates.
#include <vector>

#include "filter/filter_rate.h"
#include "table/table_reader_rep.h"

namespace tamis {

namespace {

// The bytes of filters, and what keeps them.
struct LoadedFilters {
  std::vector<ByteBuffer> blocks;
  std::vector<Slice> filters;
};

// Reads a filter, or the partitions of `loader`.
Result<LoadedFilters> Load(const BlockFetcher& fetcher,
                           FilterPlacement placement, const BlockHandle& handle,
                           const FilterLoader& loader) {
  std::vector<BlockHandle> handles = {handle};
  if (placement == FilterPlacement::kPartitioned) {
    Result<std::vector<BlockHandle>> partitions = loader.Partitions();
    if (!partitions.ok()) return partitions.status();
    handles = *std::move(partitions);
  }
  LoadedFilters loaded;
  for (const BlockHandle& one : handles) {
    Result<ByteBuffer> block =
        fetcher.Read(one, BlockKind::kFilter, ReadContext::PastTheCache());
    if (!block.ok()) return block.status();
    loaded.blocks.push_back(*std::move(block));
    loaded.filters.push_back(loaded.blocks.back().bytes());
  }
  return loaded;
}

}  // namespace

Result<double> TableReader::PredictedFpr() const {
  const Result<FilterDescription> facts = DescribePointFilter();
  if (!facts.ok()) return facts.status();
  return facts->predicted_fpr;
}

Result<FilterDescription> TableReader::DescribePointFilter() const {
  const Rep& r = *rep_;
  FilterDescription facts;
  if (!r.filter_where) return facts;
  const FilterLocator& where = *r.filter_where;
  Result<LoadedFilters> loaded =
      Load(r.fetcher, where.placement, r.filter_handle, *r.filter_loader);
  if (!loaded.ok()) return loaded.status();
  std::vector<Slice> filters = std::move(loaded->filters);
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
  facts.entries =
      p.num_filter_entries != 0 ? p.num_filter_entries : p.num_entries;
  for (const Slice& filter : filters) facts.bytes += filter.size();
  const FilterCodec* const codec =
      filters.empty() ? nullptr : FindCodec(where, filters.front());
  facts.codec = codec == nullptr ? "unknown" : codec->name();
  facts.predicted_fpr = PredictedFilterRate(where, filters, facts.entries);
  return facts;
}

Result<double> TableReader::PredictedRangeFpr() const {
  const Result<FilterDescription> facts = DescribeRangeFilter();
  if (!facts.ok()) return facts.status();
  return facts->predicted_fpr;
}

Result<FilterDescription> TableReader::DescribeRangeFilter() const {
  FilterDescription facts;
  if (rep_->range_filter == nullptr) return facts;
  for (const auto& [name, handle] : rep_->metaindex) {
    const std::optional<FilterLocator> where = ParseMetaindexKey(name);
    if (!where || where->placement == FilterPlacement::kBlockBased) continue;
    const RangeFilterCodec* const codec = FindRangeFilterCodec(where->family);
    if (codec == nullptr) continue;
    const Result<LoadedFilters> loaded = Load(
        rep_->fetcher, where->placement, handle, rep_->range_filter->loader());
    if (!loaded.ok()) return loaded.status();
    facts.codec = codec->name();
    for (const Slice& filter : loaded->filters) facts.bytes += filter.size();
    facts.predicted_fpr = PredictedRangeFilterRate(*codec, loaded->filters);
    return facts;
  }
  return facts;
}

}  // namespace tamis
