// SPDX-License-Identifier: Apache-2.0
//
// The comparator and the merge operator of a History.
#include <memory>

#include "tests/model/history.h"
#include "tests/support/comparators.h"

namespace tamis::model {

namespace {

class LateAppend final : public MergeOperator {
 public:
  const char* Name() const override { return "test.LateAppend"; }
  bool FullMergeV2(const MergeOperationInput& in,
                   MergeOperationOutput* out) const override {
    if (in.existing_value == nullptr && in.operand_list.size() == 1) {
      out->existing_operand = in.operand_list[0];
      return true;
    }
    bool first = in.existing_value == nullptr;
    if (!first) out->new_value = in.existing_value->ToString();
    for (const Slice& operand : in.operand_list) {
      if (!first) out->new_value.push_back(',');
      first = false;
      out->new_value.append(operand.data(), operand.size());
    }
    return true;
  }
};

}  // namespace

const Comparator* CaseInsensitiveComparator() {
  static const Comparator* const comparator = new CaseInsensitive;
  return comparator;
}

std::shared_ptr<MergeOperator> NewLateAppendOperator() {
  return std::make_shared<LateAppend>();
}

}  // namespace tamis::model
