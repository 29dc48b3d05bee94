// SPDX-License-Identifier: Apache-2.0
//
// Default implementations for merge operators.
#include "tamis/merge_operator.h"

#include <utility>

namespace tamis {

MergeOperator::~MergeOperator() = default;

bool MergeOperator::PartialMergeMulti(const Slice& key,
                                      const std::deque<Slice>& operands,
                                      std::string* new_value,
                                      Logger* logger) const {
  std::string so_far = operands.front().ToString();
  for (size_t i = 1; i < operands.size(); ++i) {
    std::string next;
    if (!PartialMerge(key, so_far, operands[i], &next, logger)) return false;
    so_far = std::move(next);
  }
  *new_value = std::move(so_far);
  return true;
}

bool AssociativeMergeOperator::FullMergeV2(const MergeOperationInput& in,
                                           MergeOperationOutput* out) const {
  std::string so_far;
  Slice existing;
  const Slice* base = in.existing_value;
  for (const Slice& operand : in.operand_list) {
    std::string next;
    if (!Merge(in.key, base, operand, &next, in.logger)) return false;
    so_far = std::move(next);
    existing = so_far;
    base = &existing;
  }
  out->new_value = std::move(so_far);
  return true;
}

bool AssociativeMergeOperator::PartialMerge(const Slice& key, const Slice& left,
                                            const Slice& right,
                                            std::string* new_value,
                                            Logger* logger) const {
  return Merge(key, &left, right, new_value, logger);
}

}  // namespace tamis
