// SPDX-License-Identifier: Apache-2.0
#include "table/range_filter_writer.h"

#include <algorithm>

#include "table/internal_key.h"
#include "util/base/check.h"

namespace tamis {

namespace {

// Returns the number of keys whose filter has about metadata_block_size bytes.
uint64_t KeysPerPartition(const BlockBasedTableOptions& options) {
  if (!options.partition_filters) return 0;
  const double keys = static_cast<double>(options.metadata_block_size) * 8 /
                      options.range_filter_bits_per_key;
  constexpr double kKeysMax = 1e9;
  return std::max<uint64_t>(static_cast<uint64_t>(std::min(keys, kKeysMax)), 1);
}

}  // namespace

std::unique_ptr<RangeFilterWriter> RangeFilterWriter::New(
    const BlockBasedTableOptions& options) {
  auto builder = NewRangeFilterBuilder(options);
  if (builder == nullptr) return nullptr;
  return std::unique_ptr<RangeFilterWriter>(
      new RangeFilterWriter(options, std::move(builder)));
}

RangeFilterWriter::RangeFilterWriter(
    const BlockBasedTableOptions& options,
    std::unique_ptr<RangeFilterBuilder> builder)
    : options_(options),
      builder_(std::move(builder)),
      keys_per_partition_(KeysPerPartition(options)) {}

void RangeFilterWriter::Add(const Slice& user_key) {
  if (is_partitioned()) {
    // All versions of a key are in one partition.
    if (keys_in_partition_ == 0 || Slice(last_key_) != user_key) {
      if (keys_in_partition_ == keys_per_partition_) EndPartition();
      ++keys_in_partition_;
      last_key_.assign(user_key.data(), user_key.size());
    }
  }
  builder_->Add(user_key);
}

void RangeFilterWriter::EndPartition() {
  finished_.push_back({last_key_, builder_->Finish()});
  finished_bytes_ += last_key_.size() + finished_.back().filter.size();
  builder_ = NewRangeFilterBuilder(options_);
  keys_in_partition_ = 0;
}

void RangeFilterWriter::Finish() {
  if (!is_partitioned() || keys_in_partition_ != 0) EndPartition();
  const auto excluding = std::count_if(
      finished_.begin(), finished_.end(),
      [](const Partition& partition) { return !partition.filter.empty(); });
  if (2 * static_cast<size_t>(excluding) < finished_.size()) finished_.clear();
}

Result<BlockHandle> RangeFilterWriter::WriteTo(BlockWriter* writer,
                                               const IndexEncoding& encoding,
                                               uint64_t* payload_bytes) {
  TAMIS_CHECK(!empty());
  if (!is_partitioned()) {
    *payload_bytes = finished_.front().filter.size();
    return writer->Write(finished_.front().filter);
  }
  *payload_bytes = 0;
  IndexEntries partitions;
  for (const Partition& partition : finished_) {
    const Result<BlockHandle> handle = writer->Write(partition.filter);
    if (!handle.ok()) return handle;
    *payload_bytes += partition.filter.size();
    std::string separator;
    AppendInternalKey(&separator, partition.last_key, /*sequence=*/0,
                      kTypeDeletion);
    partitions.Add(separator, *handle);
  }
  const std::string index =
      partitions.EncodeBlock(0, partitions.size(), encoding);
  *payload_bytes += index.size();
  return writer->Write(index);
}

}  // namespace tamis
