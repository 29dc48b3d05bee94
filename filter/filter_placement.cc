// SPDX-License-Identifier: Apache-2.0
#include "filter/filter_placement.h"

#include "filter/block_based_placement.h"
#include "filter/full_placement.h"
#include "filter/partitioned_placement.h"
#include "filter/user_filter.h"
#include "util/base/check.h"

namespace tamis {

bool FilterBlockReader::LoadedMayMatch(const FilterKey& entry,
                                       const Slice& user_key,
                                       const ReadContext& context) const {
  if (placement_ == FilterPlacement::kBlockBased) return true;
  const Result<PinnedBytes> filter = source_.LoadFor(user_key, context);
  return !filter.ok() || Open(filter->bytes()).view.MayMatch(entry);
}

std::unique_ptr<FilterBlockWriter> NewFilterBlockWriter(
    const FilterPlan& plan) {
  TAMIS_CHECK(!plan.empty());
  switch (plan.placement) {
    case FilterPlacement::kBlockBased:
      return std::make_unique<BlockBasedFilterWriter>(plan);
    case FilterPlacement::kFull:
      return std::make_unique<FullFilterWriter>(plan);
    case FilterPlacement::kPartitioned:
      if (plan.decoupled) {
        return std::make_unique<DecoupledFilterWriter>(plan);
      }
      return std::make_unique<PartitionedFilterWriter>(plan);
  }
  TAMIS_CHECK(false);
}

std::unique_ptr<FilterBlockReader> NewFilterBlockReader(
    const FilterLocator& where, const FilterSource* source,
    const FilterPolicy* policy) {
  const bool block_based = where.placement == FilterPlacement::kBlockBased;
  if (FilterOpener(where).known()) {
    if (block_based) {
      return std::make_unique<BlockBasedFilterReader>(where, source);
    }
    return std::make_unique<WholeFilterReader>(where, source);
  }
  if (policy == nullptr || IsReservedFamily(where.family) ||
      policy->CompatibilityName() != where.family) {
    return nullptr;
  }
  if (block_based) {
    return std::make_unique<BlockBasedFilterReader>(policy, source);
  }
  return std::make_unique<UserFilterReader>(where.placement, policy, source);
}

}  // namespace tamis
