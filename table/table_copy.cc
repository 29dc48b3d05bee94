// SPDX-License-Identifier: Apache-2.0
#include "table/table_copy.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "table/filter_choice.h"
#include "table/properties.h"
#include "table/table_file_writer.h"
#include "table/table_reader_rep.h"
#include "util/coding/printable.h"
#include "util/io/readahead_window.h"

namespace tamis {

namespace {

constexpr size_t kReadaheadBytes = 256 << 10;
// Between data blocks that were aligned to pages.
constexpr uint64_t kPaddingMax = 4095;

// Of the index type kHashSearch, which the copy does not have.
bool IsOfHashIndex(const std::string& metaindex_key) {
  return metaindex_key.starts_with("rocksdb.hashindex.");
}

// Returns the bytes between the end of the last data block before handle i and
// the block. They are below 0, as unsigned, if the blocks overlap.
uint64_t GapBefore(const std::vector<TableLayout::Entry>& blocks, size_t i) {
  return blocks[i].second.offset - (i == 0 ? 0 : blocks[i - 1].second.end());
}

}  // namespace

// A data block of the source.
struct StoredBlock {
  RawDataBlock raw;     // next_key is set later
  std::string payload;  // as stored
  CompressionType codec = kNoCompression;
  BlockHandle handle;
  std::string first_key;
};

// Reads the data blocks of a table in order, and checks their entries.
class TableCopy::Blocks {
 public:
  Blocks(const TableReader::Rep& table,
         const std::vector<TableLayout::Entry>* handles)
      : table_(table), handles_(*handles), window_(kReadaheadBytes) {}

  // Reads the next block. Returns false at the end.
  Result<bool> Next(StoredBlock* block) {
    if (next_ == handles_.size()) {
      TAMIS_RETURN_IF_ERROR(CheckCount());
      return false;
    }
    block->handle = handles_[next_++].second;
    TAMIS_RETURN_IF_ERROR(Read(block));
    TAMIS_RETURN_IF_ERROR(CheckEntries(block));
    return true;
  }

 private:
  Status Read(StoredBlock* block) {
    const BlockFetcher& fetcher = table_.fetcher;
    const Result<Slice> stored =
        fetcher.ReadStored(block->handle, BlockKind::kData, &window_, &stored_);
    if (!stored.ok()) return stored.status();
    TAMIS_RETURN_IF_ERROR(fetcher.CompareChecksum(block->handle, *stored));
    const StoredPayload payload = BlockFetcher::PayloadOf(*stored);
    block->payload = payload.bytes.ToString();
    block->codec = payload.codec;
    return fetcher.UnpackOwned(block->handle, BlockKind::kData, payload,
                               ReadContext(), &block->raw.bytes);
  }

  // An index that misses blocks would lose their entries. Some writers count
  // range tombstones as entries.
  Status CheckCount() const {
    const TableProperties& p = *table_.properties;
    if (num_entries_ == p.num_entries ||
        num_entries_ + p.num_range_deletions == p.num_entries) {
      return Status::OK();
    }
    return Status::Corruption(
        table_.context.file_name,
        "its data blocks have " + std::to_string(num_entries_) +
            " entries, its properties say " + std::to_string(p.num_entries));
  }

  // Sets the block's first and last key. The checksums may be right and the
  // entries wrong.
  Status CheckEntries(StoredBlock* block) {
    const KeyOrder& order = table_.context.order;
    BlockIterator it;
    it.Open(PinnedBytes::Borrow(block->raw.bytes.bytes()), table_.data_format(),
            {&table_.context.file_name, block->handle.offset});
    it.SeekToFirst();
    if (it.Valid()) block->first_key = it.key().ToString();
    for (; it.Valid(); it.Next(), ++num_entries_) {
      ParsedInternalKey parsed;
      if (!ParseInternalKey(it.key(), &parsed)) {
        return it.origin().Corruption("key " + PrintableInternalKey(it.key()) +
                                      " has a type that tables do not store");
      }
      if (!last_key_.empty() && order.Compare(last_key_, it.key()) >= 0) {
        return it.origin().Corruption("key " + PrintableInternalKey(it.key()) +
                                      " does not sort after the one before it");
      }
      last_key_.assign(it.key().data(), it.key().size());
    }
    TAMIS_RETURN_IF_ERROR(it.status());
    if (block->first_key.empty()) {
      return it.origin().Corruption("a data block without entries");
    }
    block->raw.last_key.Clear();
    block->raw.last_key.Append(last_key_);
    return Status::OK();
  }

  const TableReader::Rep& table_;
  const std::vector<TableLayout::Entry>& handles_;
  ReadaheadWindow window_;
  ByteBuffer stored_;  // memory for blocks that are not in the window
  size_t next_ = 0;
  std::string last_key_;
  uint64_t num_entries_ = 0;
};

TableCopy::TableCopy(const TableReader& source, TableBuildOptions options)
    : source_(source), options_(std::move(options)) {
  const TableReader::Rep& r = *source_.rep_;
  const TableProperties& p = *r.properties;
  options_.table.format_version = r.footer.format_version;
  options_.table.checksum = r.footer.checksum;
  options_.table.block_align = false;
  options_.expected_keys = p.num_entries;
  options_.helpers = {};
  options_.compression_opts.max_dict_bytes = 0;  // the source's is kept
  // RocksDB finds its decompressor by the property, which is kept.
  if (CompressionProperty(r.footer.format_version, options_.compression,
                          /*compressed=*/true) != p.compression_name) {
    options_.compression = kNoCompression;
  }
}

Status TableCopy::CheckSupported() const {
  const TableReader::Rep& r = *source_.rep_;
  const auto refuse = [&r](const std::string& what) {
    return Status::NotSupported(r.context.file_name,
                                "its filters cannot be rewritten: " + what);
  };
  if (r.format != TableFormat::kBlockBased) {
    return refuse(std::string("it is a ") + TableFormatName(r.format) +
                  " table");
  }
  if (!r.metaindex.contains(kPropertiesBlockName)) {
    return refuse("it has no properties");
  }
  if (r.properties->compression_name.empty()) {
    return refuse("it does not say how it is compressed");
  }
  if (r.properties->user_collected_properties.contains(
          kExternalVersionProperty)) {
    return refuse("it was made for ingestion");
  }
  for (const auto& [name, handle] : r.metaindex) {
    if (name == kPropertiesBlockName || name == kIndexBlockName ||
        name == kRangeDeletionBlockName ||
        name == kCompressionDictionaryBlockName || ParseMetaindexKey(name) ||
        IsOfHashIndex(name)) {
      continue;
    }
    return refuse("it has a block '" + Printable(name) + "'");
  }
  return Status::OK();
}

Result<bool> TableCopy::IsDue(double factor) const {
  if (factor <= 1) return true;
  const TableReader::Rep& r = *source_.rep_;
  Result<FilterChoice> choice = ChooseFilter(options_);
  if (!choice.ok()) return choice.status();
  PresentFilter present;
  present.bytes = r.properties->filter_size;
  present.keys = r.properties->num_filter_entries != 0
                     ? r.properties->num_filter_entries
                     : r.properties->num_entries;
  std::string range_family;
  BlockHandle range;
  BlockHandle point;
  for (const auto& [name, handle] : r.metaindex) {
    const auto where = ParseMetaindexKey(name);
    if (!where) continue;
    if (FindRangeFilterCodec(where->family) != nullptr) {
      range_family = where->family;
      range = handle;
    } else {
      present.metaindex_key = name;
      point = handle;
    }
  }
  // The range filter, with its partitions, is written after the point filter.
  if (!range_family.empty() && range.end() > point.end()) {
    present.bytes -= std::min(range.end() - point.end(), present.bytes);
  }
  const auto range_filter = options_.order.kind() == KeyOrder::Kind::kBytewise
                                ? NewRangeFilterBuilder(options_.table)
                                : nullptr;
  const std::string_view wanted =
      range_filter != nullptr ? range_filter->codec().family() : "";
  return wanted != range_family || IsOffByMoreThan(factor, *choice, present);
}

TableProperties TableCopy::InitialProperties() const {
  TableProperties p = *source_.properties();
  p.filter_size = 0;
  p.num_filter_entries = 0;
  p.index_size = 0;
  p.index_partitions = 0;
  p.top_level_index_size = 0;
  p.index_type = options_.table.index_type;
  p.prefix_extractor_name = options_.prefix_extractor != nullptr
                                ? options_.prefix_extractor->GetId()
                                : "nullptr";
  RecordDecoupledFilters(options_.table.decouple_partitioned_filters, &p);
  // A file of its own: its identity is not that of the source.
  p.db_id = options_.db_id;
  p.db_session_id = options_.db_session_id;
  p.orig_file_number = options_.file_number;
  return p;
}

Result<std::string> TableCopy::Tombstones() const {
  const TableReader::Rep& r = *source_.rep_;
  const auto found = r.metaindex.find(kRangeDeletionBlockName);
  if (found == r.metaindex.end()) return std::string();
  Result<ByteBuffer> block =
      r.fetcher.Read(found->second, BlockKind::kMeta, ReadContext());
  if (!block.ok()) return block.status();
  return block->bytes().ToString();
}

Result<TableCopy::Written> TableCopy::WriteTo(
    WritableFile* file, const std::function<bool()>& cancelled) const {
  const Result<TableLayout> layout = source_.ReadLayout();
  if (!layout.ok()) return layout.status();
  const std::string& name = source_.rep_->context.file_name;
  const std::vector<TableLayout::Entry>& handles = layout->data_blocks;
  TableBuildOptions options = options_;
  for (size_t i = 0; i < handles.size(); ++i) {
    const uint64_t gap = GapBefore(handles, i);
    if (gap > kPaddingMax) {
      return Status::NotSupported(
          name,
          "its filters cannot be rewritten: its data blocks are not one "
          "after another");
    }
    if (gap == 0) continue;
    // The handles cannot be deltas. There is no other effect.
    options.table.block_align = true;
    options.table.block_size = kPaddingMax + 1;
    options.compression = kNoCompression;
  }

  TableFileWriter writer(options, file);
  TAMIS_RETURN_IF_ERROR(writer.status());
  writer.SetStoredDictionary(source_.rep_->fetcher.dictionary());
  Blocks blocks(*source_.rep_, &handles);
  StoredBlock block;
  Result<bool> more = blocks.Next(&block);
  while (more.ok() && *more) {
    if (cancelled && cancelled()) {
      return Status::ShutdownInProgress(name, "a rewrite was cancelled");
    }
    StoredBlock next;
    more = blocks.Next(&next);
    block.raw.next_key.Clear();
    block.raw.next_key.Append(next.first_key);
    writer.AddStoredDataBlock(block.raw, block.payload, block.codec,
                              block.handle.offset);
    TAMIS_RETURN_IF_ERROR(writer.status());
    block = std::move(next);
  }
  if (!more.ok()) return more.status();
  // The last block of a table with aligned blocks has zeros after it, too.
  const uint64_t data_size = source_.properties()->data_size;
  if (data_size - writer.offset() <= kPaddingMax) writer.PadTo(data_size);
  const Result<std::string> tombstones = Tombstones();
  if (!tombstones.ok()) return tombstones.status();
  Written written;
  written.properties = InitialProperties();
  writer.Finish(*tombstones, &written.properties);
  TAMIS_RETURN_IF_ERROR(writer.status());
  written.size = writer.offset();
  written.filters = writer.DescribeFilters();
  written.filter_reason = writer.filter_reason();
  return written;
}

}  // namespace tamis
