// SPDX-License-Identifier: Apache-2.0
#include "filter/partitioned_placement.h"

namespace tamis {

PartitionedFilterWriter::PartitionedFilterWriter(const FilterPlan& plan)
    : builder_(plan.codec->NewBuilder(plan.bits_per_key)),
      keys_per_partition_(
          plan.codec->KeysThatFit(plan.bits_per_key, plan.partition_bytes)) {}

Status PartitionedFilterWriter::EndDataBlock(const Slice& /*next_key*/,
                                             bool cut, FilterSink& sink) {
  return cut ? WritePartition(sink) : Status::OK();
}

Status PartitionedFilterWriter::Finish(FilterSink& sink) {
  return WritePartition(sink);
}

Status PartitionedFilterWriter::WritePartition(FilterSink& sink) {
  if (builder_->num_keys() == 0) return Status::OK();
  num_keys_finished_ += builder_->num_keys();
  const Result<std::string> filter = builder_->Finish();
  if (!filter.ok()) return filter.status();
  return sink.WriteFilter(next_ordinal_++, *filter);
}

}  // namespace tamis
