// SPDX-License-Identifier: Apache-2.0
#include "table/table_file_writer.h"

#include <algorithm>
#include <utility>

#include "filter/filter_placement.h"
#include "table/block_builder.h"
#include "table/filter_choice.h"
#include "table/properties.h"
#include "util/base/check.h"
#include "util/compression/compression.h"

namespace tamis {

namespace {

// The largest alignment of block_align.
constexpr uint64_t kAlignBytesMax = 4096;

// Version and checksum type of the file; handles come later.
Footer InitialFooter(const TableBuildOptions& options) {
  Footer footer;
  footer.checksum = options.table.checksum;
  std::string seed = options.db_session_id;
  PutFixed64(&seed, options.file_number);
  PutFixed64(&seed, options.creation_time);
  footer.SetVersion(options.table.format_version, seed);
  return footer;
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
      .encoding = {
          .user_keys = table.format_version >= 3,
          // Padding between blocks rules out delta encoding.
          .delta_handles = table.format_version >= 4 && !table.block_align,
          .restart_interval = table.index_block_restart_interval}};
}

}  // namespace

TableFileWriter::TableFileWriter(const TableBuildOptions& options,
                                 WritableFile* file)
    : options_(options),
      footer_(InitialFooter(options)),
      writer_(file, options.compression, footer_, options.statistics,
              options.compression_opts.level, options.table.verify_compression,
              options.bytes_per_sync),
      status_(CheckTableOptions(options)),
      index_(options.order, IndexOptions(options)),
      filters_(&index_, options.helpers),
      filter_memory_(options.block_cache) {
  if (status_.ok()) PrepareFilters();
  if (DictionaryBuffer::IsNeeded(options)) {
    buffer_ = std::make_unique<DictionaryBuffer>(options);
  }
}

void TableFileWriter::PrepareFilters() {
  if (options_.order.kind() == KeyOrder::Kind::kBytewise) {
    range_filter_ = RangeFilterWriter::New(options_.table);
  }
  Result<FilterChoice> choice = ChooseFilter(options_);
  if (!choice.ok()) {
    status_ = choice.status();
    return;
  }
  filter_reason_ = std::move(choice->reason);
  FilterPlan* const plan = &choice->plan;
  if (plan->empty()) return;
  filter_ = NewFilterBlockWriter(*plan);
  filter_policy_name_ = std::move(plan->policy_name);
  filter_family_ = std::move(plan->family);
  planned_codec_ = plan->codec;
}

uint64_t TableFileWriter::BytesAtMost(size_t raw_bytes) const {
  return raw_bytes + kBlockTrailerBytes +
         (options_.table.block_align ? kAlignBytesMax : 0);
}

BlockHandle TableFileWriter::Take(Result<BlockHandle> written) {
  if (written.ok()) return *written;
  status_ = written.status();
  return {};
}

void TableFileWriter::AddDataBlock(const RawDataBlock& block) {
  if (!status_.ok()) return;
  if (buffer_ == nullptr) return WriteDataBlock(block);
  buffer_->Add(block);
  if (buffer_->IsFull()) EndBuffering();
}

void TableFileWriter::EndBuffering() {
  const std::unique_ptr<DictionaryBuffer> buffer = std::move(buffer_);
  dictionary_ = buffer->MakeDictionary();
  RawDataBlock block;
  while (status_.ok() && buffer->Take(&block)) WriteDataBlock(block);
}

void TableFileWriter::WriteDataBlock(const RawDataBlock& block) {
  const uint64_t begin = writer_.offset();
  TakeKeys(block);
  const BlockHandle handle =
      Take(writer_.WriteCompressed(block.bytes.bytes(), dictionary_.get()));
  if (status_.ok() && options_.table.block_align) PadDataBlock();
  if (status_.ok()) IndexDataBlock(block, handle);
  if (!status_.ok()) {
    DropFilters();
    failed_.store(true, std::memory_order_release);
    return;
  }
  ChargeFilterMemory();
  const uint64_t taken = writer_.offset() - begin;
  const uint64_t at_most = BytesAtMost(block.bytes.size());
  TAMIS_CHECK(taken <= at_most);
  bytes_spared_.fetch_add(at_most - taken, std::memory_order_relaxed);
}

void TableFileWriter::TakeKeys(const RawDataBlock& block) {
  if (filter_ == nullptr && range_filter_ == nullptr && !keeps_first_keys()) {
    return;
  }
  const BlockOrigin origin{&options_.file_name, writer_.offset()};
  keys_.Open(PinnedBytes::Borrow(block.bytes.bytes()),
             {.keys = BlockFormat::Keys::kInternal, .order = &options_.order},
             origin);
  keys_.SeekToFirst();
  TAMIS_CHECK(keys_.Valid());
  if (keeps_first_keys()) {
    first_key_.assign(keys_.key().data(), keys_.key().size());
  }
  if (filter_ != nullptr) filter_->StartDataBlock(writer_.offset());
  if (filter_ != nullptr || range_filter_ != nullptr) {
    for (; keys_.Valid(); keys_.Next()) {
      const Slice user_key = ExtractUserKey(keys_.key());
      if (filter_ != nullptr) filter_->Add(FilterKey(user_key));
      if (range_filter_ != nullptr) range_filter_->Add(user_key);
    }
  }
  TAMIS_CHECK(keys_.status().ok());
  keys_.Close();
}

void TableFileWriter::AddStoredDataBlock(const RawDataBlock& block,
                                         const Slice& payload,
                                         CompressionType codec,
                                         uint64_t offset) {
  if (!status_.ok()) return;
  TAMIS_CHECK(offset >= writer_.offset());
  PadTo(offset);
  if (!status_.ok()) return;
  TakeKeys(block);
  const BlockHandle handle = Take(writer_.WriteStored(payload, codec));
  if (status_.ok()) IndexDataBlock(block, handle);
  if (status_.ok()) ChargeFilterMemory();
}

void TableFileWriter::IndexDataBlock(const RawDataBlock& block,
                                     const BlockHandle& handle) {
  ++num_data_blocks_;
  if (filter_ != nullptr) {
    if (filter_->ApproximateMemoryUsage() > filter_memory_.partition_max()) {
      filter_->EndPartitionEarly();
    }
    if (filter_->WantsCut()) index_.RequestCut();
  }
  const Slice next_key = block.next_key.bytes();
  const bool has_next = !next_key.empty();
  const bool cut = index_.AddBlock(first_key_, block.last_key.bytes(),
                                   has_next ? &next_key : nullptr, handle);
  if (filter_ == nullptr) return;
  const Slice next = has_next ? ExtractUserKey(next_key) : Slice();
  status_ = filter_->EndDataBlock(has_next ? &next : nullptr, cut, filters_);
}

void TableFileWriter::ChargeFilterMemory() {
  size_t bytes = filters_.ApproximateMemoryUsage();
  if (filter_ != nullptr) bytes += filter_->ApproximateMemoryUsage();
  if (range_filter_ != nullptr)
    bytes += range_filter_->ApproximateMemoryUsage();
  filter_memory_.Charge(bytes);
}

void TableFileWriter::DropFilters() {
  filter_.reset();
  range_filter_.reset();
  filters_.Clear();
  filter_memory_.Charge(0);
  buffer_.reset();
}

void TableFileWriter::PadDataBlock() {
  const uint64_t page = std::min(options_.table.block_size, kAlignBytesMax);
  const uint64_t over = writer_.offset() % page;
  if (over == 0) return;
  PadTo(writer_.offset() + page - over);
  TAMIS_CHECK(!status_.ok() || writer_.offset() % page == 0);
}

void TableFileWriter::PadTo(uint64_t offset) {
  if (offset == writer_.offset()) return;
  status_ = writer_.WriteBytes(
      std::string(static_cast<size_t>(offset - writer_.offset()), '\0'));
}

void TableFileWriter::Finish(const Slice& tombstones,
                             TableProperties* properties) {
  if (buffer_ != nullptr) EndBuffering();
  TAMIS_CHECK(num_data_blocks_ == index_.entries().size());
  properties->num_data_blocks = num_data_blocks_;
  properties->data_size = writer_.offset();
  properties->tail_start_offset = writer_.offset();
  EndFilters();
  WriteFilters(properties);
  WriteRangeFilter(properties);
  DropFilters();
  WriteIndex(properties);
  WriteDictionary();
  WriteRangeTombstones(tombstones);
  WriteProperties(properties);
  WriteMetaindexAndFooter();
}

void TableFileWriter::EndFilters() {
  if (!status_.ok()) return;
  if (filter_ != nullptr && !index_.entries().empty()) {
    filter_->StartDataBlock(writer_.offset());
    status_ = filter_->Finish(filters_);
  }
  if (!status_.ok() || range_filter_ == nullptr) return;
  range_filter_->Finish();
  if (range_filter_->empty() && num_data_blocks_ > 0) {
    omitted_range_filter_ = &range_filter_->codec();
  }
}

void TableFileWriter::WriteFilters(TableProperties* properties) {
  properties->whole_key_filtering = options_.table.whole_key_filtering;
  properties->prefix_filtering = options_.prefix_extractor != nullptr;
  properties->filter_policy_name = filter_policy_name_;
  if (!status_.ok() || filters_.empty()) return;
  properties->num_filter_entries = filter_->num_keys();
  const BlockHandle handle =
      Take(filters_.WriteTo(&writer_, filter_->placement(), index_.encoding(),
                            &properties->filter_size));
  if (!status_.ok()) return;
  NoteFormat();
  metaindex_[MetaindexKey(filter_->placement(), filter_family_)] = handle;
}

// The builder of one format may build a Bloom filter instead.
void TableFileWriter::NoteFormat() {
  if (planned_codec_ == nullptr) return;
  // Bloom filters have the same trailer in every family.
  const FilterCodec* const built =
      FindCodec({FilterPlacement::kFull, std::string(kBuiltinBloomFamily)},
                filters_.first());
  if (built == nullptr || built == planned_codec_) return;
  filter_reason_ += "; " + std::string(built->name()) + " is smaller for " +
                    std::to_string(filter_->num_keys()) + " keys";
}

void TableFileWriter::WriteRangeFilter(TableProperties* properties) {
  if (!status_.ok() || range_filter_ == nullptr || range_filter_->empty()) {
    return;
  }
  uint64_t payload_bytes = 0;
  const BlockHandle handle =
      Take(range_filter_->WriteTo(&writer_, index_.encoding(), &payload_bytes));
  properties->filter_size += payload_bytes;
  metaindex_[MetaindexKey(range_filter_->placement(),
                          range_filter_->codec().family())] = handle;
}

std::string TableFileWriter::DescribeFilters() const {
  std::string text;
  for (const auto& [name, handle] : metaindex_) {
    if (!ParseMetaindexKey(name)) continue;
    if (!text.empty()) text += ", ";
    text += name;
  }
  if (text.empty()) text = "none";
  if (omitted_range_filter_ == nullptr) return text;
  return text + " (no " + std::string(omitted_range_filter_->name()) +
         ": it would exclude too little, or take too much)";
}

void TableFileWriter::WriteIndex(TableProperties* properties) {
  if (!status_.ok()) return;
  properties->index_value_is_delta_encoded = index_.encoding().delta_handles;
  properties->index_key_is_user_key = index_.user_keys();
  const IndexEntries& entries = index_.entries();
  const auto write = [this, properties](const std::string& block) {
    properties->index_size += block.size();
    return Take(options_.table.enable_index_compression
                    ? writer_.WriteCompressed(block)
                    : writer_.Write(block));
  };
  if (properties->index_type != BlockBasedTableOptions::kTwoLevelIndexSearch) {
    footer_.index =
        write(entries.EncodeBlock(0, entries.size(), index_.encoding()));
  } else {
    IndexEntries top;
    for (const auto& [begin, end] : index_.Partitions()) {
      if (begin == end) continue;
      const BlockHandle handle =
          write(entries.EncodeBlock(begin, end, index_.encoding()));
      if (!status_.ok()) return;
      top.Add(entries.separator(end - 1), handle);
    }
    const std::string block = top.EncodeBlock(0, top.size(), index_.encoding());
    properties->index_partitions = top.size();
    properties->top_level_index_size = block.size();
    footer_.index = write(block);
  }
  properties->index_size += kBlockTrailerBytes;
}

void TableFileWriter::WriteDictionary() {
  if (!status_.ok()) return;
  Slice raw = stored_dictionary_;
  if (dictionary_ != nullptr) raw = dictionary_->raw();
  if (raw.empty()) return;
  metaindex_[kCompressionDictionaryBlockName] = Take(writer_.Write(raw));
}

void TableFileWriter::WriteRangeTombstones(const Slice& tombstones) {
  if (!status_.ok() || tombstones.empty()) return;
  metaindex_[kRangeDeletionBlockName] = Take(writer_.Write(tombstones));
}

void TableFileWriter::WriteProperties(TableProperties* properties) {
  if (!status_.ok()) return;
  if (properties->compression_name.empty()) {
    properties->compression_name =
        CompressionProperty(options_.table.format_version, options_.compression,
                            writer_.any_compressed());
  }
  metaindex_[kPropertiesBlockName] =
      Take(writer_.Write(EncodeProperties(*properties)));
}

void TableFileWriter::WriteMetaindexAndFooter() {
  if (!status_.ok()) return;
  if (footer_.index_is_in_metaindex()) {
    metaindex_[kIndexBlockName] = footer_.index;
  }
  BlockBuilder block(1);
  for (const auto& [name, handle] : metaindex_) {
    std::string value;
    handle.EncodeTo(&value);
    block.Add(name, value);
  }
  footer_.metaindex = Take(writer_.Write(block.Finish()));
  if (!status_.ok()) return;
  TAMIS_CHECK(footer_.index.end() <= footer_.metaindex.offset);
  TAMIS_CHECK(footer_.metaindex.end() == writer_.offset());
  status_ = writer_.WriteBytes(footer_.Encode());
}

}  // namespace tamis
