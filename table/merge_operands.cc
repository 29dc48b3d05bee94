// SPDX-License-Identifier: Apache-2.0
#include "table/merge_operands.h"

#include "util/coding/printable.h"
#include "util/stats/perf_counters.h"

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
  bool merged;
  {
    const PerfTimer timer(&tls_perf_context.merge_operator_time_nanos);
    merged = merge_operator->FullMergeV2(in, &out);
  }
  if (!merged) {
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
