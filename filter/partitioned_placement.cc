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
  return sink.WriteFilter(next_ordinal_++, std::move(filter));
}

}  // namespace tamis
