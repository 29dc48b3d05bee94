// SPDX-License-Identifier: Apache-2.0
#include "filter/partitioned_placement.h"

#include <utility>

namespace tamis {

Status PartitionedFilterWriter::EndDataBlock(const Slice* next_key, bool cut,
                                             FilterSink& sink) {
  // The first entry of an index partition cancels an earlier request.
  if (cut || first_block_) wants_cut_ = false;
  first_block_ = false;
  if (next_key == nullptr) return Status::OK();
  RequestCut();
  if (!cut) return Status::OK();
  entries_.AddPrefixAfter(*next_key, builder_.get());
  return WritePartition(sink);
}

Status PartitionedFilterWriter::Finish(FilterSink& sink) {
  return WritePartition(sink);
}

Status PartitionedFilterWriter::WritePartition(FilterSink& sink) {
  entries_.NextPartition();
  added_ = 0;
  if (builder_->num_keys() == 0) return Status::OK();
  num_keys_finished_ += builder_->num_keys();
  PendingFilter filter(std::exchange(builder_, new_builder_()));
  return sink.WriteFilter(next_ordinal_++, std::move(filter),
                          /*last_key=*/nullptr);
}

void DecoupledFilterWriter::Add(const FilterKey& key) {
  if (ends_early_ || builder_->num_keys() >= keys_per_partition_) {
    entries_.AddPrefixAfter(key.user_key(), builder_.get());
    EndPartition();
  }
  entries_.Add(key, builder_.get());
  last_key_.assign(key.user_key().data(), key.user_key().size());
}

void DecoupledFilterWriter::EndPartition() {
  entries_.NextPartition();
  ends_early_ = false;
  num_keys_finished_ += builder_->num_keys();
  finished_.push_back(
      {last_key_, PendingFilter(std::exchange(builder_, new_builder_()))});
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
  if (builder_->num_keys() != 0) EndPartition();
  return EndDataBlock(/*next_key=*/nullptr, /*cut=*/false, sink);
}

size_t DecoupledFilterWriter::ApproximateMemoryUsage() const {
  size_t bytes = builder_->ApproximateMemoryUsage();
  for (const Partition& partition : finished_) {
    bytes += partition.filter.ApproximateMemoryUsage();
  }
  return bytes;
}

}  // namespace tamis
