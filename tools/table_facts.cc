// SPDX-License-Identifier: Apache-2.0
#include "tools/table_facts.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "util/coding/coding.h"

namespace tamis {
namespace {

// The filters of one metaindex entry.
using Filters = std::vector<std::string>;

// Splits a block-based filter (filter/FORMAT.md) into chunks. It ends with the
// array of their offsets, the start of that array, and a byte.
Status SplitChunks(const Slice& block, const BlockOrigin& origin,
                   Filters* chunks) {
  constexpr size_t kTail = sizeof(uint32_t) + 1;
  if (block.size() < kTail) return origin.Corruption("filter without a tail");
  const uint32_t array = DecodeFixed32(block.end() - kTail);
  if (array > block.size() - kTail ||
      (block.size() - kTail - array) % sizeof(uint32_t) != 0) {
    return origin.Corruption("filter offsets at " + std::to_string(array) +
                             " of " + std::to_string(block.size()) + " bytes");
  }
  // The last offset is followed by `array`, the end of the last chunk.
  Decoder offsets(Slice(block.data() + array, block.size() - 1 - array));
  uint32_t begin = offsets.Fixed32();
  while (!offsets.empty()) {
    const uint32_t end = offsets.Fixed32();
    if (begin > end || end > array) {
      return origin.Corruption("filter chunk from " + std::to_string(begin) +
                               " to " + std::to_string(end));
    }
    if (end > begin) chunks->emplace_back(block.data() + begin, end - begin);
    begin = end;
  }
  return Status::OK();
}

Status ReadPartitions(const RawTable& table, const BlockHandle& index,
                      Filters* partitions) {
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
        return Status::OK();
      });
}

Status ReadFilters(const RawTable& table, const FilterLocator& where,
                   const BlockHandle& handle, Filters* filters) {
  if (where.placement == FilterPlacement::kPartitioned) {
    return ReadPartitions(table, handle, filters);
  }
  Result<PinnedBytes> bytes = table.ReadBlock(handle, BlockKind::kFilter);
  if (!bytes.ok()) return bytes.status();
  if (where.placement == FilterPlacement::kBlockBased) {
    return SplitChunks(bytes->bytes(),
                       BlockOrigin{&table.path(), handle.offset}, filters);
  }
  filters->push_back(bytes->bytes().ToString());
  return Status::OK();
}

// The mean over the filters, weighted by size. Each filter is assumed to
// contain a share of the keys proportional to its size.
double PredictRate(const FilterLocator& where, const Filters& filters,
                   uint64_t keys) {
  uint64_t total = 0;
  for (const std::string& filter : filters) total += filter.size();
  double rate = 0;
  for (const std::string& filter : filters) {
    const FilterCodec* codec = FindCodec(where, filter);
    if (codec == nullptr) return 1;
    const double share =
        static_cast<double>(filter.size()) / static_cast<double>(total);
    const auto its_keys =
        static_cast<size_t>(share * static_cast<double>(keys) + 0.5);
    rate += share * codec->PredictedFalsePositiveRate(filter, its_keys);
  }
  return filters.empty() ? 1 : rate;
}

}  // namespace

Result<FilterFacts> ReadFilterFacts(const RawTable& table) {
  FilterFacts facts;
  for (const RawTable::MetaBlock& block : table.metaindex()) {
    const std::optional<FilterLocator> where = ParseMetaindexKey(block.name);
    if (!where.has_value()) continue;
    if (const RangeFilterCodec* const codec =
            FindRangeFilterCodec(where->family)) {
      Result<PinnedBytes> bytes =
          table.ReadBlock(block.handle, BlockKind::kFilter);
      if (!bytes.ok()) return bytes.status();
      facts.range = {.name = block.name,
                     .codec = std::string(codec->name()),
                     .parameters = codec->Parameters(bytes->bytes()),
                     .bytes = bytes->bytes().size()};
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
    facts.predicted_fpr = PredictRate(*where, filters, facts.keys);
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
