// SPDX-License-Identifier: Apache-2.0
#include "table/table_builder.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "tamis/version.h"

#include "filter/filter_placement.h"
#include "table/block_builder.h"
#include "table/block_writer.h"
#include "table/filter_collector.h"
#include "table/format.h"
#include "table/index_builder.h"
#include "table/properties.h"
#include "util/check.h"
#include "util/checksum.h"
#include "util/compression.h"
#include "util/shared_prefix.h"

namespace tamis {

namespace {

// What RocksDB writes where nothing was set: of interest to people only.
constexpr char kCompressionOptionsText[] =
    "window_bits=-14; level=32767; strategy=0; max_dict_bytes=0; "
    "zstd_max_train_bytes=0; enabled=0; max_dict_buffer_bytes=0; "
    "use_zstd_dict_trainer=1; ";

// So that offsets in a block fit into 32 bits, whatever is added.
constexpr uint64_t kEntryBytesMax = uint64_t{3} << 30;

// What block_align aligns to at the most.
constexpr uint64_t kAlignBytesMax = 4096;

// A bucket is found by the bytes of a key.
bool HasHashIndex(const TableBuildOptions& options) {
  return options.table.data_block_index_type ==
             BlockBasedTableOptions::kDataBlockBinaryAndHash &&
         options.order.equal_keys_have_equal_bytes();
}

// Version and checksums of the file; no handles yet.
Footer InitialFooter(const TableBuildOptions& options) {
  Footer footer;
  footer.checksum = options.table.checksum;
  std::string seed = options.db_session_id;
  PutFixed64(&seed, options.file_number);
  PutFixed64(&seed, options.creation_time);
  footer.SetVersion(options.table.format_version, seed);
  return footer;
}

// Not where padding stands between the blocks.
bool HasDeltaHandles(const TableBuildOptions& options) {
  return options.table.format_version >= 4 && !options.table.block_align;
}

TableProperties InitialProperties(const TableBuildOptions& options) {
  TableProperties p;
  p.format_version = options.table.format_version;
  p.index_value_is_delta_encoded = HasDeltaHandles(options);
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
  p.property_collectors_names = "[]";
  p.compression_options = kCompressionOptionsText;
  p.user_collected_properties[kCreatorProperty] = GetVersion();
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

IndexBuilder::Options IndexOptions(const TableBuildOptions& options) {
  const BlockBasedTableOptions& table = options.table;
  return {
      .two_level =
          table.index_type == BlockBasedTableOptions::kTwoLevelIndexSearch,
      .partition_rule = {table.metadata_block_size, table.block_size_deviation},
      .first_keys =
          table.index_type == BlockBasedTableOptions::kBinarySearchWithFirstKey,
      .shortening = table.index_shortening,
      .encoding = {.user_keys = table.format_version >= 3,
                   .delta_handles = HasDeltaHandles(options),
                   .restart_interval = table.index_block_restart_interval}};
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
        footer(InitialFooter(build_options)),
        writer(file, build_options.compression, footer,
               build_options.statistics),
        cut_rule{options.table.block_size, options.table.block_size_deviation,
                 options.table.block_align},
        never_cut_below(cut_rule.NeverCutBelow()),
        status(CheckTableOptions(options)),
        data_block(status.ok() ? DataBlockOptions(options)
                               : BlockBuilder::Options()),
        index(options.order, IndexOptions(options)),
        filters(&index),
        properties(InitialProperties(options)) {
    if (status.ok()) PrepareFilter();
  }

  void PrepareFilter();
  bool AcceptEntry(const Slice& internal_key, const Slice& value);
  // How much the key shares with the last one, which is checked to stand
  // before it.
  size_t SharedWithLast(const Slice& internal_key) const;
  bool CheckSize(size_t entry_bytes);
  void CountEntry(const Slice& internal_key, const Slice& value);
  bool IsTimeToCut(const Slice& internal_key, const Slice& value) const {
    return data_block.CurrentSize() >= never_cut_below && !data_block.empty() &&
           cut_rule.ShouldCut(data_block, internal_key.size(), value.size());
  }
  void EndDataBlock(const Slice* next_key);
  void PadDataBlock();
  // The parts of Finish, in the order of the file. Each does nothing once
  // status is not OK.
  void WriteFilters();
  void WriteIndex();
  void WriteRangeTombstones();
  void WriteProperties();
  void WriteMetaindexAndFooter();
  bool keeps_first_keys() const {
    return options.table.index_type ==
           BlockBasedTableOptions::kBinarySearchWithFirstKey;
  }
  // The handle, or the null handle with `status` set.
  BlockHandle Take(Result<BlockHandle> written);

  const TableBuildOptions options;
  Footer footer;
  BlockWriter writer;
  const BlockCutRule cut_rule;
  const uint64_t never_cut_below;
  Status status;
  BlockBuilder data_block;
  IndexBuilder index;
  FilterCollector filters;
  std::unique_ptr<FilterBlockWriter> filter;  // nullptr: none
  std::string filter_family;
  TableProperties properties;
  std::string first_key;  // of the open data block; kept for the index alone
  // Internal key of the begin, and the end, as they were added.
  std::vector<std::pair<std::string, std::string>> tombstones;
  size_t tombstone_bytes = 0;
  std::map<std::string, BlockHandle> metaindex;
  bool closed = false;
};

void TableBuilder::Rep::PrepareFilter() {
  properties.whole_key_filtering = options.table.whole_key_filtering;
  properties.prefix_filtering = options.prefix_extractor != nullptr;
  // A hash cannot tell that keys of different bytes are equal.
  if (options.skip_filters || !options.order.equal_keys_have_equal_bytes()) {
    return;
  }
  FilterBuildingContext context(options.table);
  context.level_at_creation = options.level;
  context.is_flush = options.is_flush;
  Result<FilterPlan> plan = PlanFilter(context, options.prefix_extractor);
  if (!plan.ok()) {
    status = plan.status();
    return;
  }
  if (plan->empty()) return;
  filter = NewFilterBlockWriter(*plan);
  properties.filter_policy_name = std::move(plan->policy_name);
  filter_family = std::move(plan->family);
}

bool TableBuilder::Rep::AcceptEntry(const Slice& internal_key,
                                    const Slice& value) {
  TAMIS_CHECK(!closed);
  TAMIS_CHECK(internal_key.size() >= kInternalKeyTailBytes);
  const auto type = static_cast<uint8_t>(ExtractTail(internal_key) & 0xff);
  TAMIS_CHECK(type == kTypeValue ||
              (IsStoredValueType(type) && type != kTypeRangeDeletion));
  return CheckSize(internal_key.size() + value.size());
}

size_t TableBuilder::Rep::SharedWithLast(const Slice& internal_key) const {
  const Slice last = data_block.last_key();
  if (last.empty()) return 0;
  const size_t shared = SharedPrefixLength(last, internal_key);
  const size_t user_bytes =
      std::min(last.size(), internal_key.size()) - kInternalKeyTailBytes;
  // Where bytes decide, the first that differs has been found already.
  const bool ascending =
      options.order.kind() == KeyOrder::Kind::kBytewise && shared < user_bytes
          ? static_cast<uint8_t>(last[shared]) <
                static_cast<uint8_t>(internal_key[shared])
          : options.order.Compare(last, internal_key) < 0;
  TAMIS_CHECK(ascending);
  return shared;
}

bool TableBuilder::Rep::CheckSize(size_t entry_bytes) {
  if (entry_bytes <= kEntryBytesMax) [[likely]]
    return true;
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
  if (type == kTypeValue) [[likely]]
    return;
  if (type == kTypeDeletion || type == kTypeSingleDeletion ||
      type == kTypeDeletionWithTimestamp || type == kTypeRangeDeletion) {
    ++properties.num_deletions;
  } else if (type == kTypeMerge) {
    ++properties.num_merge_operands;
  }
}

BlockHandle TableBuilder::Rep::Take(Result<BlockHandle> written) {
  if (written.ok()) return *written;
  status = written.status();
  return {};
}

void TableBuilder::Rep::EndDataBlock(const Slice* next_key) {
  const BlockHandle handle = Take(writer.WriteCompressed(data_block.Finish()));
  data_block.Reset();
  if (!status.ok()) return;
  ++properties.num_data_blocks;
  if (options.table.block_align) PadDataBlock();
  if (filter != nullptr && filter->WantsCut()) index.RequestCut();
  const bool cut =
      index.AddBlock(first_key, data_block.last_key(), next_key, handle);
  if (filter == nullptr) return;
  const Slice next = next_key != nullptr ? ExtractUserKey(*next_key) : Slice();
  status =
      filter->EndDataBlock(next_key != nullptr ? &next : nullptr, cut, filters);
}

void TableBuilder::Rep::PadDataBlock() {
  const uint64_t page = std::min(options.table.block_size, kAlignBytesMax);
  const uint64_t over = writer.offset() % page;
  if (over == 0 || !status.ok()) return;
  status =
      writer.WriteBytes(std::string(static_cast<size_t>(page - over), '\0'));
}

void TableBuilder::Rep::WriteFilters() {
  if (!status.ok() || filter == nullptr || index.entries().empty()) return;
  filter->StartDataBlock(writer.offset());
  status = filter->Finish(filters);
  if (!status.ok() || filters.empty()) return;
  properties.num_filter_entries = filter->num_keys();
  const BlockHandle handle = Take(filters.WriteTo(
      &writer, filter->placement(), index.encoding(), &properties.filter_size));
  metaindex[MetaindexKey(filter->placement(), filter_family)] = handle;
}

void TableBuilder::Rep::WriteIndex() {
  if (!status.ok()) return;
  properties.index_key_is_user_key = index.user_keys();
  const IndexEntries& entries = index.entries();
  const auto write = [this](const std::string& block) {
    properties.index_size += block.size();
    return Take(writer.WriteCompressed(block));
  };
  if (properties.index_type != BlockBasedTableOptions::kTwoLevelIndexSearch) {
    footer.index =
        write(entries.EncodeBlock(0, entries.size(), index.encoding()));
  } else {
    IndexEntries top;
    for (const auto& [begin, end] : index.Partitions()) {
      if (begin == end) continue;
      const BlockHandle handle =
          write(entries.EncodeBlock(begin, end, index.encoding()));
      if (!status.ok()) return;
      top.Add(entries.separator(end - 1), handle);
    }
    const std::string block = top.EncodeBlock(0, top.size(), index.encoding());
    properties.index_partitions = top.size();
    properties.top_level_index_size = block.size();
    footer.index = write(block);
  }
  properties.index_size += kBlockTrailerBytes;
}

void TableBuilder::Rep::WriteRangeTombstones() {
  if (!status.ok() || tombstones.empty()) return;
  // Two may have the same key: all sequences of a file to be ingested are 0.
  std::stable_sort(tombstones.begin(), tombstones.end(),
                   [this](const auto& a, const auto& b) {
                     return options.order.Compare(a.first, b.first) < 0;
                   });
  BlockBuilder block(1);
  for (const auto& [begin, end] : tombstones) block.Add(begin, end);
  metaindex[kRangeDeletionBlockName] = Take(writer.Write(block.Finish()));
}

void TableBuilder::Rep::WriteProperties() {
  if (!status.ok()) return;
  properties.compression_name =
      CompressionProperty(options.table.format_version, options.compression,
                          writer.any_compressed());
  metaindex[kPropertiesBlockName] =
      Take(writer.Write(EncodeProperties(properties)));
}

void TableBuilder::Rep::WriteMetaindexAndFooter() {
  if (!status.ok()) return;
  if (footer.index_is_in_metaindex()) metaindex[kIndexBlockName] = footer.index;
  BlockBuilder block(1);
  for (const auto& [name, handle] : metaindex) {
    std::string value;
    handle.EncodeTo(&value);
    block.Add(name, value);
  }
  footer.metaindex = Take(writer.Write(block.Finish()));
  if (!status.ok()) return;
  status = writer.WriteBytes(footer.Encode());
}

TableBuilder::TableBuilder(const TableBuildOptions& options, WritableFile* file)
    : rep_(std::make_unique<Rep>(options, file)) {}

TableBuilder::~TableBuilder() = default;

void TableBuilder::Add(const Slice& internal_key, const Slice& value) {
  Rep& r = *rep_;
  if (!r.status.ok() || !r.AcceptEntry(internal_key, value)) return;
  const size_t shared = r.SharedWithLast(internal_key);
  if (r.IsTimeToCut(internal_key, value)) {
    r.EndDataBlock(&internal_key);
    if (!r.status.ok()) return;
  }
  if (r.data_block.empty()) {
    if (r.filter != nullptr) r.filter->StartDataBlock(r.writer.offset());
    if (r.keeps_first_keys()) {
      r.first_key.assign(internal_key.data(), internal_key.size());
    }
  }
  if (r.filter != nullptr) {
    r.filter->Add(FilterKey(ExtractUserKey(internal_key)));
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
  if (r.status.ok() && !r.data_block.empty()) r.EndDataBlock(nullptr);
  r.properties.data_size = r.writer.offset();
  r.properties.tail_start_offset = r.writer.offset();
  r.WriteFilters();
  r.WriteIndex();
  r.WriteRangeTombstones();
  r.WriteProperties();
  r.WriteMetaindexAndFooter();
  return r.status;
}

void TableBuilder::Abandon() {
  TAMIS_CHECK(!rep_->closed);
  rep_->closed = true;
}

uint64_t TableBuilder::NumEntries() const {
  return rep_->properties.num_entries;
}

uint64_t TableBuilder::EstimatedFileSize() const {
  const Rep& r = *rep_;
  return r.writer.offset() +
         (r.data_block.empty() ? 0 : r.data_block.CurrentSize());
}

uint64_t TableBuilder::FileSize() const { return rep_->writer.offset(); }

const TableProperties& TableBuilder::properties() const {
  return rep_->properties;
}

}  // namespace tamis
