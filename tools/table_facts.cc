// SPDX-License-Identifier: Apache-2.0
#include "tools/table_facts.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "filter/filter_rate.h"

namespace tamis {
namespace {

using Filters = std::vector<std::string>;

// Appends the last key of each partition to *last_keys, if it is not nullptr.
Status ReadPartitions(const RawTable& table, const BlockHandle& index,
                      Filters* partitions, Filters* last_keys) {
  const BlockFormat& format = table.index_format().top_level();
  return table.ForEachEntry(
      index, BlockKind::kFilter, format,
      [&](const BlockIterator& entry) -> Status {
        BlockHandle handle;
        if (!HandleOf(entry, format, &handle)) {
          return entry.origin().Corruption("filter index without a handle");
        }
        Result<PinnedBytes> bytes = table.ReadBlock(handle, BlockKind::kFilter);
        if (!bytes.ok()) return bytes.status();
        partitions->push_back(bytes->bytes().ToString());
        if (last_keys != nullptr) {
          const Slice key = entry.key();
          if (!table.index_format().user_keys() &&
              key.size() < kInternalKeyTailBytes) {
            return entry.origin().Corruption("filter index with a short key");
          }
          last_keys->push_back(
              (table.index_format().user_keys() ? key : ExtractUserKey(key))
                  .ToString());
        }
        return Status::OK();
      });
}

Status ReadFilters(const RawTable& table, const FilterLocator& where,
                   const BlockHandle& handle, Filters* filters,
                   Filters* last_keys = nullptr) {
  if (where.placement == FilterPlacement::kPartitioned) {
    return ReadPartitions(table, handle, filters, last_keys);
  }
  Result<PinnedBytes> bytes = table.ReadBlock(handle, BlockKind::kFilter);
  if (!bytes.ok()) return bytes.status();
  if (where.placement == FilterPlacement::kBlockBased) {
    const auto chunks = SplitFilterChunks(bytes->bytes());
    if (!chunks.ok()) {
      return BlockOrigin{&table.path(), handle.offset}.Corruption(
          chunks.status().message());
    }
    for (const Slice& chunk : *chunks) filters->push_back(chunk.ToString());
    return Status::OK();
  }
  filters->push_back(bytes->bytes().ToString());
  return Status::OK();
}

// Those of the only filter, or of the first partition that has any.
std::string ParametersOf(const RangeFilterCodec& codec, const Filters& parts) {
  for (const std::string& part : parts) {
    const std::string parameters = codec.Parameters(part);
    if (parameters.empty()) continue;
    if (parts.size() == 1) return parameters;
    return std::to_string(parts.size()) + " partitions, one of them " +
           parameters;
  }
  return "";
}

}  // namespace

Result<FilterFacts> ReadFilterFacts(const RawTable& table,
                                    FilterContents* contents) {
  FilterFacts facts;
  for (const RawTable::MetaBlock& block : table.metaindex()) {
    const std::optional<FilterLocator> where = ParseMetaindexKey(block.name);
    if (!where.has_value()) continue;
    if (const RangeFilterCodec* const codec =
            FindRangeFilterCodec(where->family)) {
      Filters parts;
      Filters last_keys;
      TAMIS_RETURN_IF_ERROR(
          ReadFilters(table, *where, block.handle, &parts, &last_keys));
      facts.range = {
          .name = block.name,
          .codec = std::string(codec->name()),
          .parameters = ParametersOf(*codec, parts),
          .bytes = where->placement == FilterPlacement::kPartitioned
                       ? block.handle.size
                       : 0,
          .predicted_fpr = PredictedRangeFilterRate(
              *codec, std::vector<Slice>(parts.begin(), parts.end()))};
      for (const std::string& part : parts) facts.range->bytes += part.size();
      if (contents != nullptr) {
        contents->range = std::move(parts);
        contents->range_last_keys = std::move(last_keys);
      }
      continue;
    }
    Filters filters;
    TAMIS_RETURN_IF_ERROR(ReadFilters(table, *where, block.handle, &filters));
    const TableProperties& properties = table.properties();
    facts.where = where;
    facts.filters = filters.size();
    // Older writers do not record the number of filter entries.
    facts.keys = properties.num_filter_entries != 0
                     ? properties.num_filter_entries
                     : properties.num_entries;
    const FilterCodec* codec =
        filters.empty() ? nullptr : FindCodec(*where, filters.front());
    facts.codec = codec == nullptr ? "unknown" : std::string(codec->name());
    if (!filters.empty()) {
      if (codec != nullptr) {
        facts.parameters = codec->Parameters(filters.front());
      }
      facts.smallest = std::numeric_limits<uint64_t>::max();
    }
    for (const std::string& filter : filters) {
      facts.smallest = std::min<uint64_t>(facts.smallest, filter.size());
      facts.largest = std::max<uint64_t>(facts.largest, filter.size());
    }
    facts.predicted_fpr = PredictedFilterRate(
        *where, std::vector<Slice>(filters.begin(), filters.end()), facts.keys);
    if (contents != nullptr) contents->filters = std::move(filters);
  }
  facts.bytes = table.properties().filter_size;
  if (facts.range) facts.bytes -= std::min(facts.bytes, facts.range->bytes);
  return facts;
}

Result<TableFacts> ReadTableFacts(const std::string& path) {
  Result<std::unique_ptr<RawTable>> table = RawTable::Open(path);
  if (!table.ok()) return table.status();
  Result<FilterFacts> filter = ReadFilterFacts(**table);
  if (!filter.ok()) return filter.status();
  TableFacts facts;
  facts.properties =
      std::make_shared<const TableProperties>((*table)->properties());
  facts.filter = *std::move(filter);
  return facts;
}

}  // namespace tamis
