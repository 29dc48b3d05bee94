// SPDX-License-Identifier: Apache-2.0
//
// Opening a table: footer, metaindex, properties, index, filter, each found
// through the one before. What this release would read wrongly is refused
// here, by name.
#include <algorithm>
#include <utility>

#include "table/properties.h"
#include "table/table_reader_rep.h"
#include "table/unique_id.h"

namespace tamis {

namespace {

Result<Footer> ReadFooter(const RandomAccessFile& file, uint64_t file_size,
                          const std::string& file_name) {
  const auto n =
      static_cast<size_t>(std::min<uint64_t>(file_size, kFooterBytes));
  char space[kFooterBytes];
  Slice tail;
  TAMIS_RETURN_IF_ERROR(file.Read(file_size - n, n, &tail, space));
  if (tail.size() != n) {
    return Status::Corruption(
        file_name, "footer at offset " + std::to_string(file_size - n) +
                       ": short read, expected " + std::to_string(n) +
                       " bytes, got " + std::to_string(tail.size()));
  }
  return Footer::Decode(tail, file_size, file_name);
}

// Which filter of several is used: RocksDB's own first, a full one before a
// partitioned one before a block-based one.
std::pair<int, int> Rank(const FilterLocator& where) {
  const int placement = where.placement == FilterPlacement::kFull          ? 0
                        : where.placement == FilterPlacement::kPartitioned ? 1
                                                                           : 2;
  return {where.family == kBuiltinBloomFamily ? 0 : 1, placement};
}

std::string Hex(const std::string& bytes) {
  return Slice(bytes).ToString(true);
}

}  // namespace

Result<std::unique_ptr<TableReader>> TableReader::Open(
    std::unique_ptr<RandomAccessFile> file, uint64_t file_size,
    const TableContext& context) {
  const Result<Footer> footer = ReadFooter(*file, file_size, context.file_name);
  if (!footer.ok()) return footer.status();
  auto rep =
      std::make_unique<Rep>(std::move(file), file_size, context, *footer);
  TAMIS_RETURN_IF_ERROR(rep->ReadMetaindex());
  TAMIS_RETURN_IF_ERROR(rep->ReadProperties());
  TAMIS_RETURN_IF_ERROR(rep->CheckProperties());
  TAMIS_RETURN_IF_ERROR(rep->OpenIndex());
  TAMIS_RETURN_IF_ERROR(rep->OpenFilter());
  rep->fetcher.UseCache(context.block_cache, context.cache_data_blocks);
  return std::unique_ptr<TableReader>(new TableReader(std::move(rep)));
}

Status TableReader::Rep::ReadMetaindex() {
  Result<PinnedBytes> block =
      fetcher.Fetch(footer.metaindex, BlockKind::kMeta, open_context());
  if (!block.ok()) return block.status();
  BlockIterator it;
  it.Open(std::move(*block), BlockFormat(),
          {&context.file_name, footer.metaindex.offset});
  for (it.SeekToFirst(); it.Valid(); it.Next()) {
    Decoder in(it.value());
    const BlockHandle handle = BlockHandle::DecodeFrom(&in);
    if (!in.ok() || !handle.FitsIn(file_size)) {
      return it.origin().Corruption("metaindex entry '" + it.key().ToString() +
                                    "' has a malformed handle");
    }
    metaindex[it.key().ToString()] = handle;
  }
  TAMIS_RETURN_IF_ERROR(it.status());
  if (metaindex.count(kPropertiesBlockName) != 0 ||
      metaindex.count(kPropertiesBlockOldName) != 0) {
    fetcher.UseRocksDbPayloads();
  }
  if (footer.index_is_in_metaindex()) {
    const auto found = metaindex.find(kIndexBlockName);
    if (found == metaindex.end()) {
      return it.origin().Corruption(std::string("metaindex names no ") +
                                    kIndexBlockName);
    }
    footer.index = found->second;
  }
  TAMIS_RETURN_IF_ERROR(ReadDictionary());
  // A range tombstone that is not looked at shows keys that were deleted.
  const auto ranges = metaindex.find(kRangeDeletionBlockName);
  if (ranges != metaindex.end() && !context.show_hidden_entries) {
    BlockIterator tombstones;
    Result<PinnedBytes> contents =
        fetcher.Fetch(ranges->second, BlockKind::kMeta, open_context());
    if (!contents.ok()) return contents.status();
    tombstones.Open(std::move(*contents), BlockFormat(),
                    {&context.file_name, ranges->second.offset});
    tombstones.SeekToFirst();
    TAMIS_RETURN_IF_ERROR(tombstones.status());
    if (tombstones.Valid()) {
      return Status::NotSupported(context.file_name,
                                  "the table holds range deletions (block "
                                  "rocksdb.range_del at offset " +
                                      std::to_string(ranges->second.offset) +
                                      "), which this release cannot apply");
    }
  }
  return Status::OK();
}

Status TableReader::Rep::ReadDictionary() {
  const auto found = metaindex.find(kCompressionDictionaryBlockName);
  if (found == metaindex.end()) return Status::OK();
  Result<std::string> raw =
      fetcher.Read(found->second, BlockKind::kMeta, open_context());
  if (!raw.ok()) return raw.status();
  fetcher.UseDictionary(
      std::make_unique<UncompressionDictionary>(*std::move(raw)));
  return Status::OK();
}

Status TableReader::Rep::ReadProperties() {
  auto found = metaindex.find(kPropertiesBlockName);
  if (found == metaindex.end()) found = metaindex.find(kPropertiesBlockOldName);
  if (found == metaindex.end()) {
    // LevelDB's tables, and very old ones: the defaults say what they are.
    properties = std::make_shared<const TableProperties>();
    return Status::OK();
  }
  Result<PinnedBytes> block =
      fetcher.Fetch(found->second, BlockKind::kMeta, open_context());
  if (!block.ok()) return block.status();
  Result<TableProperties> decoded = DecodeProperties(
      std::move(*block), {&context.file_name, found->second.offset});
  if (!decoded.ok()) return decoded.status();
  properties = std::make_shared<const TableProperties>(std::move(*decoded));
  return Status::OK();
}

Status TableReader::Rep::CheckProperties() const {
  const TableProperties& p = *properties;
  const char* const comparator = context.order.user_comparator()->Name();
  if (!p.comparator_name.empty() && p.comparator_name != comparator) {
    return Status::InvalidArgument(
        context.file_name, "written with comparator '" + p.comparator_name +
                               "', opened with '" + comparator + "'");
  }
  const auto refuse = [this](const std::string& what) {
    return Status::NotSupported(context.file_name, what);
  };
  const auto value_of = [&p](const char* name) {
    const auto it = p.user_collected_properties.find(name);
    return it == p.user_collected_properties.end() ? std::string() : it->second;
  };
  const std::string global_sequence = value_of(kGlobalSequenceProperty);
  if (global_sequence.find_first_not_of('\0') != std::string::npos) {
    return refuse(std::string("property ") + kGlobalSequenceProperty + " is " +
                  Hex(global_sequence) + ", not zero");
  }
  if (value_of(kTimestampsPersistedProperty) == std::string(1, '\0') ||
      !value_of(kTimestampMinProperty).empty()) {
    return refuse("the keys carry user-defined timestamps");
  }
  if (p.user_collected_properties.count(kEmbeddedBlobProperty) != 0) {
    return refuse(std::string("the values stand in blobs (property ") +
                  kEmbeddedBlobProperty + ")");
  }
  if (!context.expected_unique_id.empty()) {
    const std::string got = TableUniqueId(p);
    if (got != context.expected_unique_id) {
      return Status::Corruption(
          context.file_name,
          "not the table that the MANIFEST means: unique id, expected " +
              Hex(context.expected_unique_id) + ", got " + Hex(got));
    }
  }
  return Status::OK();
}

Status TableReader::Rep::OpenIndex() {
  if (properties->index_type > kBinarySearchWithFirstKeyIndex) {
    return Status::NotSupported(
        context.file_name,
        "index type " + std::to_string(properties->index_type));
  }
  index_format = std::make_unique<IndexFormat>(*properties, &context.order);
  Result<PinnedBytes> block =
      fetcher.Fetch(footer.index, BlockKind::kIndex, open_context());
  if (!block.ok()) return block.status();
  BlockParts parts;
  TAMIS_RETURN_IF_ERROR(BlockParts::Parse(
      block->bytes(), {&context.file_name, footer.index.offset}, &parts));
  index = std::make_unique<IndexReader>(*index_format, std::move(*block),
                                        footer.index.offset, &fetcher);
  return Status::OK();
}

Status TableReader::Rep::OpenFilter() {
  std::optional<FilterLocator> best;
  BlockHandle handle;
  for (const auto& [name, candidate] : metaindex) {
    const std::optional<FilterLocator> where = ParseMetaindexKey(name);
    if (where && (!best || Rank(*where) < Rank(*best))) {
      best = where;
      handle = candidate;
    }
  }
  if (!best) return Status::OK();
  Result<PinnedBytes> block =
      fetcher.Fetch(handle, BlockKind::kFilter, open_context());
  if (!block.ok()) return block.status();
  filter_loader = std::make_unique<FilterLoader>(
      best->placement, std::move(*block), handle.offset, index_format.get(),
      &fetcher);
  // A filter that hashes what may be equal to other bytes would say "no" to
  // keys that are there, and so would one asked for what it does not hold.
  if (!context.order.equal_keys_have_equal_bytes()) return Status::OK();
  filter_has_whole_keys = properties->whole_key_filtering;
  const SliceTransform* const extractor = context.prefix_extractor.get();
  if (properties->prefix_filtering && extractor != nullptr &&
      properties->prefix_extractor_name == extractor->GetId()) {
    filter_prefixes = extractor;
  }
  if (filter_has_whole_keys || filter_prefixes != nullptr) {
    filter = NewFilterBlockReader(*best, filter_loader.get());
  }
  return Status::OK();
}

}  // namespace tamis
