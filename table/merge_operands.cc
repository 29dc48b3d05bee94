// SPDX-License-Identifier: Apache-2.0
#include "table/merge_operands.h"

#include "util/coding/printable.h"

namespace tamis {

Status FullMerge(const MergeWith& with, const Slice& user_key,
                 const Slice* base, const std::vector<Slice>& operands,
                 std::string* result) {
  const MergeOperator* const merge_operator = with.merge_operator;
  if (merge_operator == nullptr) {
    return Status::InvalidArgument(
        "key '" + PrintableHex(user_key) + "' has merge operands",
        "set Options::merge_operator to the operator that wrote them (property "
        "rocksdb.merge.operator)");
  }
  result->clear();
  Slice existing(nullptr, 0);
  const MergeOperator::MergeOperationInput in{user_key, base, operands,
                                              with.logger};
  MergeOperator::MergeOperationOutput out{*result, existing};
  if (!merge_operator->FullMergeV2(in, &out)) {
    return Status::Corruption(
        std::string("merge operator ") + merge_operator->Name(),
        "failed on the " + std::to_string(operands.size()) +
            " operands of key '" + PrintableHex(user_key) + "'");
  }
  if (existing.data() != nullptr) {
    result->assign(existing.data(), existing.size());
  }
  return Status::OK();
}

}  // namespace tamis
