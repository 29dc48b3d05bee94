// SPDX-License-Identifier: Apache-2.0
#include "filter/partitioned_placement.h"

#include <utility>

namespace tamis {

std::optional<PendingFilter> PartitionFilter::End() {
  entries_.NextPartition();
  if (builder_->num_keys() == 0) return std::nullopt;
  num_keys_ended_ += builder_->num_keys();
  return PendingFilter(std::exchange(builder_, new_builder_()));
}

Status PartitionedFilterWriter::EndDataBlock(const Slice* next_key, bool cut,
                                             FilterSink& sink) {
  // The first entry of an index partition cancels an earlier request.
  if (cut || first_block_) wants_cut_ = false;
  first_block_ = false;
  if (next_key == nullptr) return Status::OK();
  RequestCut();
  if (!cut) return Status::OK();
  filter_.AddPrefixAfter(*next_key);
  return WritePartition(sink);
}

Status PartitionedFilterWriter::Finish(FilterSink& sink) {
  return WritePartition(sink);
}

Status PartitionedFilterWriter::WritePartition(FilterSink& sink) {
  added_ = 0;
  std::optional<PendingFilter> filter = filter_.End();
  if (!filter) return Status::OK();
  return sink.WriteFilter(next_ordinal_++, *std::move(filter),
                          /*last_key=*/nullptr);
}

void DecoupledFilterWriter::Add(const FilterKey& key) {
  if (ends_early_ || filter_.num_keys() >= keys_per_partition_) {
    filter_.AddPrefixAfter(key.user_key());
    EndPartition();
  }
  filter_.Add(key);
  last_key_.assign(key.user_key().data(), key.user_key().size());
}

void DecoupledFilterWriter::EndPartition() {
  ends_early_ = false;
  std::optional<PendingFilter> filter = filter_.End();
  if (filter) finished_.push_back({last_key_, *std::move(filter)});
}

Status DecoupledFilterWriter::EndDataBlock(const Slice* /*next_key*/,
                                           bool /*cut*/, FilterSink& sink) {
  for (Partition& partition : finished_) {
    const Slice last_key = partition.last_key;
    TAMIS_RETURN_IF_ERROR(sink.WriteFilter(
        next_ordinal_++, std::move(partition.filter), &last_key));
  }
  finished_.clear();
  return Status::OK();
}

Status DecoupledFilterWriter::Finish(FilterSink& sink) {
  EndPartition();
  return EndDataBlock(/*next_key=*/nullptr, /*cut=*/false, sink);
}

size_t DecoupledFilterWriter::ApproximateMemoryUsage() const {
  size_t bytes = filter_.ApproximateMemoryUsage();
  for (const Partition& partition : finished_) {
    bytes += partition.filter.ApproximateMemoryUsage();
  }
  return bytes;
}

}  // namespace tamis
