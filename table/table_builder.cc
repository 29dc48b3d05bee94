// SPDX-License-Identifier: Apache-2.0
#include "table/table_builder.h"

#include <map>
#include <utility>

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

namespace tamis {

namespace {

// What RocksDB writes where nothing was set: of interest to people only.
constexpr char kCompressionOptionsText[] =
    "window_bits=-14; level=32767; strategy=0; max_dict_bytes=0; "
    "zstd_max_train_bytes=0; enabled=0; max_dict_buffer_bytes=0; "
    "use_zstd_dict_trainer=1; ";

// So that offsets in a block fit into 32 bits, whatever is added.
constexpr uint64_t kEntryBytesMax = uint64_t{3} << 30;

Status CheckOptions(const TableBuildOptions& options) {
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
  if (table.index_type != BlockBasedTableOptions::kBinarySearch &&
      table.index_type != BlockBasedTableOptions::kTwoLevelIndexSearch) {
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

TableProperties InitialProperties(const TableBuildOptions& options) {
  TableProperties p;
  p.index_value_is_delta_encoded = true;
  p.index_type = options.table.index_type;
  p.prefix_filtering = false;
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
  p.merge_operator_name = "nullptr";
  p.prefix_extractor_name = "nullptr";
  p.property_collectors_names = "[]";
  p.compression_options = kCompressionOptionsText;
  return p;
}

}  // namespace

struct TableBuilder::Rep {
  Rep(const TableBuildOptions& build_options, WritableFile* file)
      : options(build_options),
        footer(InitialFooter(build_options)),
        writer(file, build_options.compression, footer,
               build_options.statistics),
        cut_rule{options.table.block_size, options.table.block_size_deviation},
        status(CheckOptions(options)),
        data_block(status.ok() ? options.table.block_restart_interval : 1),
        index(options.order,
              {.two_level = options.table.index_type ==
                            BlockBasedTableOptions::kTwoLevelIndexSearch,
               .partition_rule = {options.table.metadata_block_size,
                                  options.table.block_size_deviation}}),
        filters(&index),
        properties(InitialProperties(options)) {
    if (status.ok()) PrepareFilter();
  }

  void PrepareFilter();
  bool AcceptEntry(const Slice& internal_key, const Slice& value);
  void CountEntry(const Slice& internal_key, const Slice& value);
  void EndDataBlock(const Slice* next_key);
  // The parts of Finish, in the order of the file. Each does nothing once
  // status is not OK.
  void WriteFilters();
  void WriteIndex();
  void WriteProperties();
  void WriteMetaindexAndFooter();
  // The handle, or the null handle with `status` set.
  BlockHandle Take(Result<BlockHandle> written);

  const TableBuildOptions options;
  Footer footer;
  BlockWriter writer;
  const BlockCutRule cut_rule;
  Status status;
  BlockBuilder data_block;
  IndexBuilder index;
  FilterCollector filters;
  std::unique_ptr<FilterBlockWriter> filter;  // nullptr: none
  TableProperties properties;
  std::string last_key;
  std::map<std::string, BlockHandle> metaindex;
  bool closed = false;
};

void TableBuilder::Rep::PrepareFilter() {
  const Result<FilterPlan> plan = PlanFilter(options.table);
  if (!plan.ok()) {
    status = plan.status();
    return;
  }
  if (plan->codec == nullptr || !options.order.equal_keys_have_equal_bytes()) {
    return;
  }
  filter = NewFilterBlockWriter(*plan);
  properties.filter_policy_name = options.table.filter_policy->Name();
}

bool TableBuilder::Rep::AcceptEntry(const Slice& internal_key,
                                    const Slice& value) {
  TAMIS_CHECK(!closed);
  TAMIS_CHECK(internal_key.size() >= kInternalKeyTailBytes);
  const auto type = static_cast<uint8_t>(ExtractTail(internal_key) & 0xff);
  TAMIS_CHECK(IsStoredValueType(type) && type != kTypeRangeDeletion);
  TAMIS_CHECK(properties.num_entries == 0 ||
              options.order.Compare(last_key, internal_key) < 0);
  if (internal_key.size() + value.size() > kEntryBytesMax) {
    status = Status::InvalidArgument(
        options.file_name,
        "an entry of " + std::to_string(internal_key.size() + value.size()) +
            " bytes is too large for a block");
    return false;
  }
  return true;
}

void TableBuilder::Rep::CountEntry(const Slice& internal_key,
                                   const Slice& value) {
  const auto type = static_cast<uint8_t>(ExtractTail(internal_key) & 0xff);
  ++properties.num_entries;
  properties.raw_key_size += internal_key.size();
  properties.raw_value_size += value.size();
  if (type == kTypeDeletion || type == kTypeSingleDeletion ||
      type == kTypeDeletionWithTimestamp) {
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
  index.AddBlock(last_key, next_key, handle);
  const bool cut =
      next_key != nullptr &&
      (index.PartitionIsFull() || (filter != nullptr && filter->WantsCut()));
  if (cut) index.CutPartition();
  if (filter != nullptr) {
    status = filter->EndDataBlock(
        next_key != nullptr ? ExtractUserKey(*next_key) : Slice(), cut,
        filters);
  }
}

void TableBuilder::Rep::WriteFilters() {
  if (!status.ok() || filter == nullptr || index.entries().empty()) return;
  status = filter->Finish(filters);
  if (!status.ok() || filters.empty()) return;
  properties.num_filter_entries = filter->num_keys();
  const BlockHandle handle =
      Take(filters.WriteTo(&writer, filter->placement(), index.user_keys(),
                           &properties.filter_size));
  metaindex[MetaindexKey(filter->placement(),
                         options.table.filter_policy->CompatibilityName())] =
      handle;
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
        write(entries.EncodeBlock(0, entries.size(), index.user_keys()));
  } else {
    IndexEntries top;
    for (const auto& [begin, end] : index.Partitions()) {
      if (begin == end) continue;
      const BlockHandle handle =
          write(entries.EncodeBlock(begin, end, index.user_keys()));
      if (!status.ok()) return;
      top.Add(entries.separator(end - 1), handle);
    }
    const std::string block = top.EncodeBlock(0, top.size(), index.user_keys());
    properties.index_partitions = top.size();
    properties.top_level_index_size = block.size();
    footer.index = write(block);
  }
  properties.index_size += kBlockTrailerBytes;
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
  if (!r.data_block.empty() &&
      r.cut_rule.ShouldCut(r.data_block.CurrentSize(), internal_key.size(),
                           value.size(), r.data_block.AtRestart())) {
    r.EndDataBlock(&internal_key);
    if (!r.status.ok()) return;
  }
  if (r.filter != nullptr) {
    if (r.data_block.empty()) r.filter->StartDataBlock(r.writer.offset());
    r.filter->Add(FilterKey(ExtractUserKey(internal_key)));
  }
  r.data_block.Add(internal_key, value);
  r.last_key.assign(internal_key.data(), internal_key.size());
  r.CountEntry(internal_key, value);
}

Status TableBuilder::status() const { return rep_->status; }

Status TableBuilder::Finish() {
  Rep& r = *rep_;
  TAMIS_CHECK(!r.closed);
  r.closed = true;
  if (r.status.ok() && !r.data_block.empty()) r.EndDataBlock(nullptr);
  r.properties.data_size = r.writer.offset();
  r.WriteFilters();
  r.WriteIndex();
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
