// SPDX-License-Identifier: Apache-2.0
//
// Default implementations for compaction filters.
#include "tamis/compaction_filter.h"

namespace tamis {

CompactionFilter::~CompactionFilter() = default;

CompactionFilter::Decision CompactionFilter::FilterV2(
    int level, const Slice& key, ValueType value_type,
    const Slice& existing_value, std::string* new_value,
    std::string* /*skip_until*/) const {
  if (value_type == kMergeOperand) {
    return FilterMergeOperand(level, key, existing_value) ? Decision::kRemove
                                                          : Decision::kKeep;
  }
  bool changed = false;
  if (Filter(level, key, existing_value, new_value, &changed)) {
    return Decision::kRemove;
  }
  return changed ? Decision::kChangeValue : Decision::kKeep;
}

CompactionFilterFactory::~CompactionFilterFactory() = default;

}  // namespace tamis
