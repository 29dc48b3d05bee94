// SPDX-License-Identifier: Apache-2.0
//
// The comparator and the merge operator of a History.
#include <algorithm>
#include <memory>

#include "tests/model/history.h"

namespace tamis::model {

namespace {

class CaseInsensitive final : public Comparator {
 public:
  const char* Name() const override { return "test.CaseInsensitive"; }
  int Compare(const Slice& a, const Slice& b) const override {
    const size_t n = std::min(a.size(), b.size());
    for (size_t i = 0; i < n; ++i) {
      const int difference = Lower(a[i]) - Lower(b[i]);
      if (difference != 0) return difference;
    }
    return a.size() < b.size() ? -1 : (a.size() > b.size() ? 1 : 0);
  }
  void FindShortestSeparator(std::string*, const Slice&) const override {}
  void FindShortSuccessor(std::string*) const override {}

 private:
  static int Lower(char c) {
    return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : static_cast<uint8_t>(c);
  }
};

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
