// SPDX-License-Identifier: Apache-2.0
//
// A merge operator that joins with commas, and can be made to fail.
#pragma once

#include <string>

#include "tamis/merge_operator.h"

namespace tamis {

class Joiner : public MergeOperator {
 public:
  // `partial`: whether it joins operands without their base.
  explicit Joiner(bool partial = true) : partial_(partial) {}
  const char* Name() const override { return "test.Joiner"; }
  // "!" makes no sense to it.
  bool FullMergeV2(const MergeOperationInput& in,
                   MergeOperationOutput* out) const override {
    if (in.existing_value != nullptr) {
      out->new_value = in.existing_value->ToString();
    }
    for (const Slice& operand : in.operand_list) {
      if (operand == Slice("!")) return false;
      if (!out->new_value.empty()) out->new_value += ",";
      out->new_value += operand.ToString();
    }
    return true;
  }
  // "?" makes no sense to it without a base.
  bool PartialMerge(const Slice&, const Slice& left, const Slice& right,
                    std::string* result, Logger*) const override {
    if (!partial_) return false;
    *result = left.ToString() + "," + right.ToString();
    return result->find_first_of("?!") == std::string::npos;
  }

 private:
  const bool partial_;
};

}  // namespace tamis
