// SPDX-License-Identifier: Apache-2.0
//
// From the options of a table to the filter it gets.
#include <algorithm>
#include <cmath>

#include "tamis/table.h"

#include "filter/bloom_filter_policy.h"
#include "filter/bloom_math.h"
#include "filter/fast_local_bloom.h"
#include "filter/filter_placement.h"
#include "filter/leveldb_bloom.h"

namespace tamis {

namespace {

Status CheckPartitioning(const BlockBasedTableOptions& options) {
  if (options.partition_filters &&
      options.index_type != BlockBasedTableOptions::kTwoLevelIndexSearch) {
    return Status::InvalidArgument(
        "partition_filters needs a partitioned index: set index_type to "
        "kTwoLevelIndexSearch, or partition_filters to false");
  }
  return Status::OK();
}

// A partition is closed within the deviation below the target rather than
// overfilled.
size_t PartitionBytes(const BlockBasedTableOptions& options) {
  const auto percent = static_cast<uint64_t>(
      100 - std::clamp(options.block_size_deviation, 0, 100));
  // Whole hundreds apart, so that no target overflows.
  const uint64_t target = options.metadata_block_size;
  return target / 100 * percent + (target % 100 * percent + 99) / 100;
}

}  // namespace

Result<FilterPlan> PlanFilter(const BlockBasedTableOptions& options) {
  TAMIS_RETURN_IF_ERROR(CheckPartitioning(options));
  FilterPlan plan;
  if (options.filter_policy == nullptr) return plan;

  const auto* const bloom =
      dynamic_cast<const BloomFilterPolicy*>(options.filter_policy.get());
  if (bloom == nullptr) {
    return Status::NotSupported(
        "filter_policy is not one that Tamis makes",
        std::string(options.filter_policy->Name()) +
            "; use NewBloomFilterPolicy, or nullptr for no filter");
  }
  const bool block_based = bloom->use_block_based_builder();
  if (block_based && options.partition_filters) {
    return Status::InvalidArgument(
        "a block-based filter cannot be partitioned: make the policy with "
        "use_block_based_builder = false, or set partition_filters to false");
  }
  plan.bits_per_key = bloom->bits_per_key();
  plan.placement = block_based                 ? FilterPlacement::kBlockBased
                   : options.partition_filters ? FilterPlacement::kPartitioned
                                               : FilterPlacement::kFull;
  if (plan.placement == FilterPlacement::kPartitioned) {
    plan.partition_bytes = PartitionBytes(options);
  }
  if (BloomMillibits(bloom->bits_per_key()) > 0) {
    plan.codec =
        block_based ? LevelDBBloomSignedTailCodec() : FastLocalBloomCodec();
  }
  return plan;
}

}  // namespace tamis
