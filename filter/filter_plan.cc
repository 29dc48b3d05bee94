// SPDX-License-Identifier: Apache-2.0
//
// Derives a table's filter from its options.
#include <algorithm>
#include <string_view>
#include <utility>

#include "tamis/table.h"

#include "filter/bloom_filter_policy.h"
#include "filter/bloom_math.h"
#include "filter/builtin_filter_bits.h"
#include "filter/checked_builder.h"
#include "filter/filter_placement.h"
#include "filter/leveldb_bloom.h"
#include "filter/user_filter.h"

namespace tamis {

namespace {

// Tamis could read partitioned filters with any index, but RocksDB asserts that
// the index is partitioned when it opens such a file.
Status CheckPartitioning(const BlockBasedTableOptions& options) {
  if (options.partition_filters &&
      options.index_type != BlockBasedTableOptions::kTwoLevelIndexSearch) {
    return Status::InvalidArgument(
        "partition_filters needs a partitioned index, because RocksDB cannot "
        "open the file otherwise: set index_type to kTwoLevelIndexSearch, or "
        "partition_filters to false");
  }
  return Status::OK();
}

// A partition may close this far below its target rather than exceed it.
size_t PartitionBytes(const BlockBasedTableOptions& options) {
  const int deviation = options.block_size_deviation;
  const bool in_range = deviation >= 0 && deviation <= 100;  // else it is 0
  const auto percent = static_cast<uint64_t>(in_range ? 100 - deviation : 100);
  // Divides first, so that no target overflows.
  const uint64_t target = options.metadata_block_size;
  return target / 100 * percent + (target % 100 * percent + 99) / 100;
}

// If no key fits into the target: about the smallest size that one does.
size_t KeysPerPartition(FilterBitsBuilder* bits, size_t bytes) {
  constexpr size_t kBytesMax = size_t{1} << 30;
  size_t keys = bits->ApproximateNumEntries(bytes);
  bytes = std::max<size_t>(bytes + 4, 16);
  for (; keys == 0 && bytes < kBytesMax; bytes += bytes / 4) {
    keys = bits->ApproximateNumEntries(bytes);
  }
  return std::max<size_t>(keys, 1);
}

Status NameIsTaken(const FilterPolicy& policy) {
  return Status::InvalidArgument(
      std::string("filter policy ") + policy.Name(),
      std::string("its CompatibilityName, '") + policy.CompatibilityName() +
          "', is empty or reserved for other filters");
}

Result<FilterPlan> PlanBlockBased(std::shared_ptr<const FilterPolicy> policy,
                                  const BlockBasedTableOptions& options,
                                  FilterPlan plan) {
  if (options.partition_filters) {
    return Status::InvalidArgument(
        "a block-based filter cannot be partitioned: create the policy with "
        "use_block_based_builder = false (a user's policy: return a "
        "FilterBitsBuilder), or set partition_filters to false");
  }
  plan.placement = FilterPlacement::kBlockBased;
  plan.reason = "the policy is block-based";
  const auto* const bloom =
      dynamic_cast<const BloomFilterPolicy*>(policy.get());
  if (bloom == nullptr) {
    if (IsReservedFamily(plan.family)) return NameIsTaken(*policy);
    plan.new_builder = [policy = std::move(policy)] {
      return std::make_unique<UserChunkBuilder>(policy);
    };
  } else if (BloomMillibits(bloom->bits_per_key()) > 0) {
    plan.new_builder = [bits_per_key = bloom->bits_per_key()] {
      return LevelDBBloomSignedTailCodec()->NewBuilder(bits_per_key);
    };
  }
  return plan;
}

}  // namespace

Result<FilterPlan> PlanFilter(
    const FilterBuildingContext& context,
    std::shared_ptr<const SliceTransform> prefix_extractor) {
  const BlockBasedTableOptions& options = context.table_options;
  TAMIS_RETURN_IF_ERROR(CheckPartitioning(options));
  FilterPlan plan;
  const std::shared_ptr<const FilterPolicy>& policy = options.filter_policy;
  plan.whole_keys = options.whole_key_filtering;
  plan.prefix_first = options.format_version >= 7;
  plan.prefix_extractor = std::move(prefix_extractor);
  if (policy == nullptr) return plan;
  plan.family = policy->CompatibilityName();
  plan.policy_name = policy->Name();
  // A filter without entries would exclude every key.
  const bool holds_nothing =
      !plan.whole_keys && plan.prefix_extractor == nullptr;

  std::unique_ptr<FilterBitsBuilder> bits(
      policy->GetBuilderWithContext(context));
  if (bits == nullptr) {
    Result<FilterPlan> planned =
        PlanBlockBased(policy, options, std::move(plan));
    if (planned.ok() && holds_nothing) planned->new_builder = nullptr;
    return planned;
  }
  plan.reason = bits->Reason();
  if (options.partition_filters) {
    plan.placement = FilterPlacement::kPartitioned;
    plan.keys_per_partition =
        KeysPerPartition(bits.get(), PartitionBytes(options));
    if (options.decouple_partitioned_filters) {
      // As RocksDB since 9.6, which also leaves room for the prefix after the
      // partition.
      plan.decoupled = true;
      plan.prefix_first = true;
      if (plan.prefix_extractor != nullptr && plan.keys_per_partition > 1) {
        --plan.keys_per_partition;
      }
    }
  }
  const auto* const builtin =
      dynamic_cast<const BuiltinFilterBitsBuilder*>(bits.get());
  if (IsReservedFamily(plan.family)) {
    // A policy may return builders of several formats, each of its own name.
    if (builtin == nullptr || plan.family != kBuiltinBloomFamily) {
      return NameIsTaken(*policy);
    }
    if (builtin->codec() != nullptr) plan.family = builtin->codec()->family();
  }
  if (holds_nothing) return plan;
  if (builtin == nullptr) {
    const auto new_bits = [policy, context] {
      return std::unique_ptr<FilterBitsBuilder>(
          policy->GetBuilderWithContext(context));
    };
    plan.new_builder = [name = plan.policy_name, new_bits] {
      return std::make_unique<UserFilterBuilder>(name, new_bits);
    };
  } else if (builtin->codec() != nullptr) {
    plan.codec = builtin->codec();
    plan.bits_per_key = builtin->bits_per_key();
    plan.new_builder = [codec = plan.codec, bits_per_key = plan.bits_per_key,
                        checked = options.detect_filter_construct_corruption] {
      return checked ? NewCheckedBuilder(codec, bits_per_key)
                     : codec->NewBuilder(bits_per_key);
    };
  }
  return plan;
}

}  // namespace tamis
