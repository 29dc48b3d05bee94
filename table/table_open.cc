// SPDX-License-Identifier: Apache-2.0
//
// Opens a table: footer, metaindex, properties, index, filter, each found
// through those before it. table_check.cc handles the properties. A table in
// another format is translated first.
#include <algorithm>
#include <utility>

#include "table/filter_choice.h"
#include "table/properties.h"
#include "table/table_reader_rep.h"
#include "table/table_tail.h"
#include "table/translated_table.h"
#include "util/coding/printable.h"
#include "util/extensions/builtin_prefixes.h"
#include "util/io/file_io.h"
#include "util/stats/perf_counters.h"

namespace tamis {

namespace {

// If a table has several filters, the one with the lowest rank is used:
// RocksDB's own before other built-in ones before the user's; full before
// partitioned before block-based.
std::pair<int, int> Rank(const FilterLocator& where,
                         const FilterPolicy* policy) {
  const int family =
      where.family == kBuiltinBloomFamily                                ? 0
      : IsBuiltinFamily(where.family)                                    ? 1
      : policy != nullptr && where.family == policy->CompatibilityName() ? 2
                                                                         : 3;
  const int placement = where.placement == FilterPlacement::kFull          ? 0
                        : where.placement == FilterPlacement::kPartitioned ? 1
                                                                           : 2;
  return {family, placement};
}

}  // namespace

Result<Footer> TableReader::Rep::ReadFooter(const RandomAccessFile& file,
                                            uint64_t file_size,
                                            const std::string& file_name) {
  const auto n =
      static_cast<size_t>(std::min<uint64_t>(file_size, kFooterBytes));
  char space[kFooterBytes];
  Slice tail;
  TAMIS_RETURN_IF_ERROR(file_io::Read(file, file_size - n, n, &tail, space));
  if (tail.size() != n) {
    return Status::Corruption(
        file_name, "footer at offset " + std::to_string(file_size - n) +
                       ": short read, expected " + std::to_string(n) +
                       " bytes, got " + std::to_string(tail.size()));
  }
  return Footer::Decode(tail, file_size, file_name);
}

Result<TableFormat> TableReader::Rep::ReadFormat(const RandomAccessFile& file,
                                                 uint64_t file_size) {
  constexpr size_t kMagicBytes = sizeof(uint64_t);
  if (file_size < kMagicBytes) return TableFormat::kBlockBased;
  char space[kMagicBytes];
  Slice magic;
  TAMIS_RETURN_IF_ERROR(
      file_io::Read(file, file_size - kMagicBytes, kMagicBytes, &magic, space));
  return TableFormatOf(magic);
}

Result<std::unique_ptr<TableReader>> TableReader::OpenTranslated(
    std::unique_ptr<RandomAccessFile> file, uint64_t file_size,
    TableFormat format, const TableContext& context) {
  auto translated = TranslateTable(std::move(file), file_size, context);
  if (!translated.ok()) return translated.status();
  auto reader = Open(std::move(translated->file), translated->size, context);
  if (!reader.ok()) return reader.status();
  Rep& rep = *(*reader)->rep_;
  rep.format = format;
  rep.translation_bytes = translated->memory_usage;
  rep.reservation = BlockCache::Reservation(context.block_cache.get(),
                                            (*reader)->ApproximateMemoryUsage(),
                                            CacheRole::kBlockBasedTableReader);
  return reader;
}

Result<std::unique_ptr<TableReader>> TableReader::Open(
    std::unique_ptr<RandomAccessFile> file, uint64_t file_size,
    const TableContext& context) {
  const TableTail tail(*file, file_size);
  const Result<TableFormat> format = Rep::ReadFormat(tail, file_size);
  if (!format.ok()) return format.status();
  if (*format != TableFormat::kBlockBased) {
    return OpenTranslated(std::move(file), file_size, *format, context);
  }
  const Result<Footer> footer =
      Rep::ReadFooter(tail, file_size, context.file_name);
  if (!footer.ok()) return footer.status();
  auto rep =
      std::make_unique<Rep>(std::move(file), file_size, context, *footer);
  rep->fetcher.ReadFrom(&tail);
  TAMIS_RETURN_IF_ERROR(rep->ReadMetaindex());
  TAMIS_RETURN_IF_ERROR(rep->ReadProperties());
  TAMIS_RETURN_IF_ERROR(rep->FindGlobalSequence());
  TAMIS_RETURN_IF_ERROR(rep->CheckReadable());
  TAMIS_RETURN_IF_ERROR(rep->OpenIndex());
  if (!context.skip_filters) {
    TAMIS_RETURN_IF_ERROR(rep->OpenFilter());
    TAMIS_RETURN_IF_ERROR(rep->OpenRangeFilter());
  }
  rep->fetcher.ReadFrom(rep->file.get());
  std::unique_ptr<TableReader> reader(new TableReader(std::move(rep)));
  reader->rep_->reservation = BlockCache::Reservation(
      context.block_cache.get(), reader->ApproximateMemoryUsage(),
      CacheRole::kBlockBasedTableReader);
  return reader;
}

Status TableReader::Rep::ReadMetaindex() {
  Result<ByteBuffer> block =
      fetcher.Read(footer.metaindex, BlockKind::kMeta, open_context());
  if (!block.ok()) return block.status();
  BlockIterator it;
  it.Open(PinnedBytes::Own(*std::move(block)), BlockFormat(),
          {&context.file_name, footer.metaindex.offset});
  for (it.SeekToFirst(); it.Valid(); it.Next()) {
    Decoder in(it.value());
    const BlockHandle handle = BlockHandle::DecodeFrom(&in);
    if (!in.ok() || !handle.FitsIn(file_size)) {
      return it.origin().Corruption("metaindex entry '" + Printable(it.key()) +
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
  return Status::OK();
}

Status TableReader::Rep::ReadDictionary() {
  const auto found = metaindex.find(kCompressionDictionaryBlockName);
  if (found == metaindex.end()) return Status::OK();
  Result<ByteBuffer> raw =
      fetcher.Read(found->second, BlockKind::kMeta, open_context());
  if (!raw.ok()) return raw.status();
  TAMIS_PERF_COUNT(compression_dict_block_read_count, 1);
  fetcher.UseDictionary(
      std::make_unique<UncompressionDictionary>(raw->bytes().ToString()));
  return Status::OK();
}

Status TableReader::Rep::OpenIndex() {
  may_search_stored =
      context.order.kind() == KeyOrder::Kind::kBytewise &&
      global_sequence == 0 &&
      properties->user_collected_properties.count(kSeparateValuesProperty) == 0;
  index_format = std::make_unique<IndexFormat>(*properties, &context.order);
  if (context.block_cache != nullptr) {
    fetcher.UseCache(context.block_cache, context.cache_data_blocks,
                     context.metadata_pins.priority);
  }
  Result<ByteBuffer> block =
      fetcher.Read(footer.index, BlockKind::kIndex, open_context());
  if (!block.ok()) return block.status();
  auto opened =
      IndexReader::Open(index_format.get(), *std::move(block), footer.index,
                        &fetcher, context.metadata_pins, open_context());
  if (!opened.ok()) return opened.status();
  index = *std::move(opened);
  return Status::OK();
}

Status TableReader::Rep::OpenFilter() {
  const FilterPolicy* const policy = context.filter_policy.get();
  std::optional<FilterLocator> best;
  BlockHandle handle;
  for (const auto& [name, candidate] : metaindex) {
    const std::optional<FilterLocator> where = ParseMetaindexKey(name);
    if (where && FindRangeFilterCodec(where->family) == nullptr &&
        (!best || Rank(*where, policy) < Rank(*best, policy))) {
      best = where;
      handle = candidate;
    }
  }
  if (!best) return Status::OK();
  Result<ByteBuffer> block =
      fetcher.Read(handle, BlockKind::kFilter, open_context());
  if (!block.ok()) return block.status();
  filter_where = best;
  filter_handle = handle;
  MetadataPins pins = context.metadata_pins;
  // A user's filter reader points to its bytes: they must not be evicted.
  if (!IsBuiltinFamily(best->family)) pins.whole = pins.top_level = true;
  filter_loader = std::make_unique<FilterLoader>(
      best->placement, *std::move(block), handle, index_format.get(), &fetcher,
      pins, open_context());
  // A filter hashes bytes. It would answer "absent" for present keys if equal
  // keys had different bytes, or if probed for what it does not hold.
  if (!FiltersApply(context.order, policy)) return Status::OK();
  filter_has_whole_keys = properties->whole_key_filtering;
  if (properties->prefix_filtering) {
    const std::string& name = properties->prefix_extractor_name;
    filter_prefixes = context.prefix_extractor;
    // The family had another one when it wrote the table.
    if (filter_prefixes == nullptr || filter_prefixes->GetId() != name) {
      filter_prefixes = BuiltinPrefixExtractor(name);
    }
  }
  if (filter_has_whole_keys || filter_prefixes != nullptr) {
    filter = NewFilterBlockReader(*best, filter_loader.get(), policy);
  }
  return Status::OK();
}

Status TableReader::Rep::OpenRangeFilter() {
  if (context.order.kind() != KeyOrder::Kind::kBytewise) return Status::OK();
  for (const auto& [name, handle] : metaindex) {
    const std::optional<FilterLocator> where = ParseMetaindexKey(name);
    if (!where || where->placement == FilterPlacement::kBlockBased) continue;
    const RangeFilterCodec* const codec = FindRangeFilterCodec(where->family);
    if (codec == nullptr) continue;
    Result<ByteBuffer> block =
        fetcher.Read(handle, BlockKind::kFilter, open_context());
    if (!block.ok()) return block.status();
    range_filter = std::make_unique<RangeFilterReader>(
        codec, where->placement, *std::move(block), handle, index_format.get(),
        &fetcher, context.metadata_pins, open_context());
    break;
  }
  return Status::OK();
}

}  // namespace tamis
