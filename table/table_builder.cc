// SPDX-License-Identifier: Apache-2.0
#include "table/table_builder.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "tamis/version.h"

#include "table/block_builder.h"
#include "table/properties.h"
#include "table/table_file_writer.h"
#include "util/base/check.h"
#include "util/coding/checksum.h"
#include "util/coding/shared_prefix.h"
#include "util/compression/compression.h"

namespace tamis {

namespace {

// In RocksDB's words; informational only.
std::string CompressionOptionsText(const CompressionOptions& options) {
  const auto text = [](const char* name, uint64_t value) {
    return std::string(name) + "=" + std::to_string(value) + "; ";
  };
  return "window_bits=-14; level=" + std::to_string(options.level) +
         "; strategy=0; " + text("max_dict_bytes", options.max_dict_bytes) +
         text("zstd_max_train_bytes", options.zstd_max_train_bytes) +
         text("enabled", options.enabled ? 1 : 0) +
         text("max_dict_buffer_bytes", options.max_dict_buffer_bytes) +
         text("use_zstd_dict_trainer", options.use_zstd_dict_trainer ? 1 : 0);
}

// Keeps offsets in a block below 2^32, whatever is added.
constexpr uint64_t kEntryBytesMax = uint64_t{3} << 30;

// Maximum bytes of full data blocks waiting to be written. Enough to keep a
// woken thread busy; little enough to stay in a core's cache.
constexpr uint64_t kFullBlockBytesMax = 128 << 10;

// Maximum number of full blocks, including the one being written; 1 without
// helpers.
size_t FullBlocksMax(const TableBuildOptions& options) {
  if (!options.helpers.schedule || options.table.block_size == 0) return 1;
  return static_cast<size_t>(std::clamp<uint64_t>(
      kFullBlockBytesMax / options.table.block_size, 2, 32));
}

// Larger blocks are written immediately, to limit memory.
uint64_t LargeBlockBytes(const TableBuildOptions& options) {
  return std::max(kFullBlockBytesMax, 2 * options.table.block_size);
}

// Hash indexes need keys that are equal only if their bytes are.
bool HasHashIndex(const TableBuildOptions& options) {
  return options.table.data_block_index_type ==
             BlockBasedTableOptions::kDataBlockBinaryAndHash &&
         options.order.equal_keys_have_equal_bytes();
}

TableProperties InitialProperties(const TableBuildOptions& options) {
  TableProperties p;
  p.format_version = options.table.format_version;
  p.index_type = options.table.index_type;
  p.column_family_id = options.column_family_id;
  p.column_family_name = options.column_family_name;
  p.creation_time = options.creation_time;
  p.oldest_key_time = options.oldest_key_time;
  p.file_creation_time = options.file_creation_time;
  p.orig_file_number = options.file_number;
  p.db_id = options.db_id;
  p.db_session_id = options.db_session_id;
  p.db_host_id = options.db_host_id;
  p.comparator_name = options.order.user_comparator()->Name();
  p.merge_operator_name = options.merge_operator_name;
  p.prefix_extractor_name = options.prefix_extractor != nullptr
                                ? options.prefix_extractor->GetId()
                                : "nullptr";
  p.property_collectors_names = CollectorNames(options.collector_factories);
  p.compression_options = CompressionOptionsText(options.compression_opts);
  p.user_collected_properties[kCreatorProperty] = GetVersion();
  RecordDecoupledFilters(options.table.decouple_partitioned_filters, &p);
  if (options.is_external_file) {
    PutFixed32(&p.user_collected_properties[kExternalVersionProperty],
               kExternalVersion);
    PutFixed64(&p.user_collected_properties[kGlobalSequenceProperty], 0);
  }
  return p;
}

BlockBuilder::Options DataBlockOptions(const TableBuildOptions& options) {
  return {
      .restart_interval = options.table.block_restart_interval,
      .share_prefixes = options.table.use_delta_encoding,
      .hash_util_ratio = HasHashIndex(options)
                             ? options.table.data_block_hash_table_util_ratio
                             : 0};
}

}  // namespace

Status CheckTableOptions(const TableBuildOptions& options) {
  const BlockBasedTableOptions& table = options.table;
  const auto bad = [&](const std::string& what) {
    return Status::InvalidArgument(options.file_name, what);
  };
  if (table.block_restart_interval < 1) {
    return bad("block_restart_interval is below 1");
  }
  if (table.block_size == 0 || table.block_size > kEntryBytesMax / 3) {
    return bad("block_size is 0 or above 1 GiB");
  }
  if (table.index_block_restart_interval < 1) {
    return bad("index_block_restart_interval is below 1");
  }
  if (table.block_align && (table.block_size & (table.block_size - 1)) != 0) {
    return bad("block_align, but block_size " +
               std::to_string(table.block_size) + " is no power of two");
  }
  if (table.block_align && options.compression != kNoCompression) {
    return bad("block_align together with compression");
  }
  if (HasHashIndex(options) && !(table.data_block_hash_table_util_ratio > 0)) {
    return bad("data_block_hash_table_util_ratio is not above 0");
  }
  if (table.range_filter > BlockBasedTableOptions::kSurf) {
    return bad("unknown range_filter " +
               std::to_string(static_cast<int>(table.range_filter)));
  }
  if (!(table.range_filter_bits_per_key >= 4 &&
        table.range_filter_bits_per_key <= 32)) {
    return bad("range_filter_bits_per_key is " +
               std::to_string(table.range_filter_bits_per_key) +
               ", expected 4 to 32");
  }
  if (table.index_type != BlockBasedTableOptions::kBinarySearch &&
      table.index_type != BlockBasedTableOptions::kTwoLevelIndexSearch &&
      table.index_type != BlockBasedTableOptions::kBinarySearchWithFirstKey) {
    return bad("unknown index_type " +
               std::to_string(static_cast<uint32_t>(table.index_type)));
  }
  if (!IsKnownChecksumType(table.checksum)) {
    return bad("unknown checksum type " +
               std::to_string(static_cast<int>(table.checksum)));
  }
  if (table.format_version > kFormatVersionMax) {
    return bad("format_version " + std::to_string(table.format_version) +
               " is above " + std::to_string(kFormatVersionMax));
  }
  if (table.format_version == 0 && table.checksum != kCRC32c) {
    return bad(
        std::string("format_version 0 has no checksum but CRC32c, not ") +
        ChecksumTypeName(table.checksum));
  }
  if (!CompressionSupported(options.compression)) {
    return bad(std::string("this build cannot compress with ") +
               CompressionTypeName(options.compression));
  }
  return Status::OK();
}

struct TableBuilder::Rep {
  Rep(const TableBuildOptions& build_options, WritableFile* file)
      : options(build_options),
        cut_rule{options.table.block_size, options.table.block_size_deviation,
                 options.table.block_align},
        never_cut_below(cut_rule.NeverCutBelow()),
        large_block_bytes(LargeBlockBytes(options)),
        writer(options, file),
        status(writer.status()),
        data_block(status.ok() ? DataBlockOptions(options)
                               : BlockBuilder::Options()),
        properties(InitialProperties(options)),
        collectors(options.collector_factories,
                   {options.column_family_id, options.level}, options.logger,
                   options.file_name),
        full_blocks(FullBlocksMax(options)),
        pipeline(
            options.helpers, full_blocks.size(),
            [this](size_t slot) { PassOn(&full_blocks[slot]); },
            [this] { return writer.BuildOneFilter(); }) {}

  bool AcceptEntry(const Slice& internal_key, const Slice& value);
  // Returns whether the key is greater than the last one, otherwise sets
  // status. Sets *shared to the length of their common prefix.
  bool FollowsLast(const Slice& internal_key, size_t* shared);
  bool CheckSize(size_t entry_bytes);
  void CountEntry(const Slice& internal_key, const Slice& value);
  bool IsTimeToCut(const Slice& internal_key, const Slice& value) const {
    return data_block.CurrentSize() >= never_cut_below && !data_block.empty() &&
           cut_rule.ShouldCut(data_block, internal_key.size(), value.size());
  }
  // next_key is the next entry's key, empty at the end of the table.
  void EndDataBlock(const Slice& next_key);
  // Called by the pipeline, from one thread at a time.
  void PassOn(RawDataBlock* block);
  // Waits until all full blocks are written, and takes over their error.
  void DrainBlocks();
  void NoteFailure() {
    if (status.ok() && writer.failed()) status = writer.status();
  }
  uint64_t OpenBlockBytes() const {
    return data_block.empty() ? 0 : data_block.CurrentSize();
  }
  // Returns the block of range tombstones, empty if there are none.
  std::string EncodeTombstones();

  const TableBuildOptions options;
  const BlockCutRule cut_rule;
  const uint64_t never_cut_below;
  const uint64_t large_block_bytes;
  TableFileWriter writer;
  Status status;
  BlockBuilder data_block;
  TableProperties properties;
  PropertiesCollectors collectors;
  // Internal key of the begin, and the end, in the order added.
  std::vector<std::pair<std::string, std::string>> tombstones;
  size_t tombstone_bytes = 0;
  bool closed = false;
  // Upper bound on the file bytes of the full data blocks.
  uint64_t full_block_bytes = 0;
  std::vector<RawDataBlock> full_blocks;
  OrderedPipeline pipeline;  // of full_blocks; must be destroyed first
};

bool TableBuilder::Rep::AcceptEntry(const Slice& internal_key,
                                    const Slice& value) {
  TAMIS_CHECK(!closed);
  TAMIS_CHECK(internal_key.size() >= kInternalKeyTailBytes);
  const auto type = static_cast<uint8_t>(ExtractTail(internal_key) & 0xff);
  TAMIS_CHECK(type == kTypeValue ||
              (IsStoredValueType(type) && type != kTypeRangeDeletion));
  return CheckSize(internal_key.size() + value.size());
}

bool TableBuilder::Rep::FollowsLast(const Slice& internal_key, size_t* shared) {
  const Slice last = data_block.last_key();
  if (last.empty()) return true;
  *shared = SharedPrefixLength(last, internal_key);
  const size_t user_bytes =
      std::min(last.size(), internal_key.size()) - kInternalKeyTailBytes;
  // In bytewise order, the first differing byte decides.
  const bool ascending =
      options.order.kind() == KeyOrder::Kind::kBytewise && *shared < user_bytes
          ? static_cast<uint8_t>(last[*shared]) <
                static_cast<uint8_t>(internal_key[*shared])
          : options.order.Compare(last, internal_key) < 0;
  if (ascending) [[likely]]
    return true;
  // Errors of earlier blocks come first.
  DrainBlocks();
  if (!status.ok()) return false;
  status = Status::Corruption(
      options.file_name, "expected a key above " + InternalKeyToString(last) +
                             ", got " + InternalKeyToString(internal_key) +
                             ": its input is out of order");
  return false;
}

bool TableBuilder::Rep::CheckSize(size_t entry_bytes) {
  if (entry_bytes <= kEntryBytesMax) [[likely]]
    return true;
  // Errors of earlier blocks come first.
  DrainBlocks();
  if (!status.ok()) return false;
  status = Status::InvalidArgument(
      options.file_name, "an entry of " + std::to_string(entry_bytes) +
                             " bytes is too large for a block");
  return false;
}

void TableBuilder::Rep::CountEntry(const Slice& internal_key,
                                   const Slice& value) {
  const auto type = static_cast<uint8_t>(ExtractTail(internal_key) & 0xff);
  ++properties.num_entries;
  properties.raw_key_size += internal_key.size();
  properties.raw_value_size += value.size();
  if (!collectors.empty()) [[unlikely]] {
    collectors.Add(internal_key, value, full_block_bytes + OpenBlockBytes());
  }
  if (type == kTypeValue) [[likely]]
    return;
  if (type == kTypeDeletion || type == kTypeSingleDeletion ||
      type == kTypeDeletionWithTimestamp || type == kTypeRangeDeletion) {
    ++properties.num_deletions;
  } else if (type == kTypeMerge) {
    ++properties.num_merge_operands;
  }
}

void TableBuilder::Rep::EndDataBlock(const Slice& next_key) {
  TAMIS_CHECK(!data_block.empty());
  RawDataBlock& block = full_blocks[pipeline.slot()];
  block.last_key.Clear();
  block.last_key.Append(data_block.last_key());
  block.next_key.Clear();
  block.next_key.Append(next_key);
  data_block.FinishInto(&block.bytes);
  if (!collectors.empty()) [[unlikely]]
    collectors.AddBlock(block.bytes.size());
  TAMIS_DCHECK(data_block.empty());
  const size_t bytes = block.bytes.size();
  full_block_bytes += writer.BytesAtMost(bytes);
  pipeline.Push();
  if (bytes > large_block_bytes) pipeline.Drain();
  NoteFailure();
}

void TableBuilder::Rep::PassOn(RawDataBlock* block) {
  writer.AddDataBlock(*block);
  if (block->bytes.size() > large_block_bytes) block->bytes = ByteBuffer();
}

void TableBuilder::Rep::DrainBlocks() {
  pipeline.Drain();
  NoteFailure();
}

std::string TableBuilder::Rep::EncodeTombstones() {
  if (tombstones.empty()) return {};
  // Stable, since keys may be equal: all sequences of external files are 0.
  std::stable_sort(tombstones.begin(), tombstones.end(),
                   [this](const auto& a, const auto& b) {
                     return options.order.Compare(a.first, b.first) < 0;
                   });
  BlockBuilder block(1);
  for (const auto& [begin, end] : tombstones) block.Add(begin, end);
  return block.Finish().ToString();
}

TableBuilder::TableBuilder(const TableBuildOptions& options, WritableFile* file)
    : rep_(std::make_unique<Rep>(options, file)) {}

TableBuilder::~TableBuilder() = default;

void TableBuilder::Add(const Slice& internal_key, const Slice& value) {
  Rep& r = *rep_;
  if (!r.status.ok() || !r.AcceptEntry(internal_key, value)) return;
  size_t shared = 0;
  if (!r.FollowsLast(internal_key, &shared)) return;
  if (r.IsTimeToCut(internal_key, value)) {
    r.EndDataBlock(internal_key);
    if (!r.status.ok()) return;
  }
  r.data_block.AddSharing(shared, internal_key, value);
  r.CountEntry(internal_key, value);
}

void TableBuilder::AddRangeDeletion(const Slice& begin, const Slice& end,
                                    SequenceNumber sequence) {
  Rep& r = *rep_;
  TAMIS_CHECK(!r.closed);
  if (!r.status.ok() ||
      !r.CheckSize(r.tombstone_bytes + begin.size() + end.size())) {
    return;
  }
  std::string key;
  AppendInternalKey(&key, begin, sequence, kTypeRangeDeletion);
  r.tombstone_bytes += key.size() + end.size();
  r.CountEntry(key, end);
  ++r.properties.num_range_deletions;
  r.tombstones.emplace_back(std::move(key), end.ToString());
}

Status TableBuilder::status() const { return rep_->status; }

bool TableBuilder::ok() const { return rep_->status.ok(); }

Slice TableBuilder::last_key() const { return rep_->data_block.last_key(); }

Status TableBuilder::Finish() {
  Rep& r = *rep_;
  TAMIS_CHECK(!r.closed);
  r.closed = true;
  if (r.status.ok() && !r.data_block.empty()) r.EndDataBlock(Slice());
  r.DrainBlocks();
  if (!r.status.ok()) {
    r.writer.DropFilters();
    return r.status;
  }
  r.collectors.Finish(&r.properties);
  r.writer.Finish(r.EncodeTombstones(), &r.properties);
  r.status = r.writer.status();
  return r.status;
}

void TableBuilder::Abandon() {
  TAMIS_CHECK(!rep_->closed);
  rep_->closed = true;
  rep_->pipeline.Drop();
  rep_->writer.DropFilters();
}

bool TableBuilder::need_compaction() const {
  TAMIS_CHECK(rep_->closed);
  return rep_->collectors.need_compaction();
}

uint64_t TableBuilder::NumEntries() const {
  return rep_->properties.num_entries;
}

bool TableBuilder::HasReached(uint64_t file_size) {
  Rep& r = *rep_;
  const uint64_t open = r.OpenBlockBytes();
  TAMIS_DCHECK(r.writer.bytes_spared() <= r.full_block_bytes);
  const uint64_t at_most = r.full_block_bytes - r.writer.bytes_spared() + open;
  if (at_most < file_size) [[likely]]
    return false;
  r.DrainBlocks();
  return !r.writer.is_buffering() && r.writer.offset() + open >= file_size;
}

uint64_t TableBuilder::EstimatedFileSize() {
  rep_->DrainBlocks();
  return rep_->writer.offset() + rep_->writer.buffered_bytes() +
         rep_->OpenBlockBytes();
}

uint64_t TableBuilder::FileSize() const { return rep_->writer.offset(); }

const TableProperties& TableBuilder::properties() const {
  return rep_->properties;
}

std::string TableBuilder::DescribeFilters() const {
  return rep_->writer.DescribeFilters();
}

const std::string& TableBuilder::filter_reason() const {
  return rep_->writer.filter_reason();
}

}  // namespace tamis
