// SPDX-License-Identifier: Apache-2.0
#include "db/ttl/timed_merge_operator.h"

#include <vector>

#include "db/ttl/timed_value.h"

namespace tamis {

bool TimedMergeOperator::FullMergeV2(const MergeOperationInput& in,
                                     MergeOperationOutput* out) const {
  Slice base;
  if (in.existing_value != nullptr) {
    if (!TimedValue::Check(*in.existing_value).ok()) return false;
    base = TimedValue::ValueOf(*in.existing_value);
  }
  std::vector<Slice> operands;
  operands.reserve(in.operand_list.size());
  for (const Slice& operand : in.operand_list) {
    if (!TimedValue::Check(operand).ok()) return false;
    operands.push_back(TimedValue::ValueOf(operand));
  }
  Slice existing(nullptr, 0);
  MergeOperationOutput merged{out->new_value, existing};
  if (!operator_->FullMergeV2(
          {in.key, in.existing_value != nullptr ? &base : nullptr, operands,
           in.logger},
          &merged)) {
    return false;
  }
  if (existing.data() != nullptr) {
    out->new_value.assign(existing.data(), existing.size());
  }
  TimedValue::AppendTime(TimedValue::Now(clock_.get()), &out->new_value);
  return true;
}

bool TimedMergeOperator::PartialMerge(const Slice& key, const Slice& left,
                                      const Slice& right,
                                      std::string* new_value,
                                      Logger* logger) const {
  if (!TimedValue::Check(left).ok() || !TimedValue::Check(right).ok() ||
      !operator_->PartialMerge(key, TimedValue::ValueOf(left),
                               TimedValue::ValueOf(right), new_value, logger)) {
    return false;
  }
  TimedValue::AppendTime(TimedValue::Now(clock_.get()), new_value);
  return true;
}

bool TimedMergeOperator::PartialMergeMulti(const Slice& key,
                                           const std::deque<Slice>& operands,
                                           std::string* new_value,
                                           Logger* logger) const {
  std::deque<Slice> values;
  for (const Slice& operand : operands) {
    if (!TimedValue::Check(operand).ok()) return false;
    values.push_back(TimedValue::ValueOf(operand));
  }
  if (!operator_->PartialMergeMulti(key, values, new_value, logger)) {
    return false;
  }
  TimedValue::AppendTime(TimedValue::Now(clock_.get()), new_value);
  return true;
}

}  // namespace tamis
