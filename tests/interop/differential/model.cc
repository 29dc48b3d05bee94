// SPDX-License-Identifier: Apache-2.0
#include "tests/interop/differential/model.h"

#include <utility>

namespace tamis::differential {

namespace {

uint64_t NumberIn(const std::string& bytes) {
  if (bytes.size() != 8) return 0;
  uint64_t number = 0;
  for (size_t i = 8; i > 0; --i) {
    number = number << 8 | static_cast<unsigned char>(bytes[i - 1]);
  }
  return number;
}

std::string Merged(const std::string& merge_operator, const std::string* base,
                   const std::string& operand) {
  if (merge_operator == "stringappend") {
    return base == nullptr ? operand : *base + "," + operand;
  }
  if (merge_operator == "max") {
    return base == nullptr || *base < operand ? operand : *base;
  }
  uint64_t sum = (base == nullptr ? 0 : NumberIn(*base)) + NumberIn(operand);
  std::string bytes;
  for (int i = 0; i < 8; ++i, sum >>= 8) {
    bytes.push_back(static_cast<char>(sum & 0xff));
  }
  return bytes;
}

}  // namespace

void Model::Create(size_t slot, const FamilyPlan& plan) {
  if (families_[slot]) return;
  families_[slot] = Family{plan.merge_operator, Contents(Before{plan.reverse})};
}

void Model::Apply(const Edit& edit) {
  Family& family = *families_[edit.slot];
  Contents& contents = family.contents;
  const auto found = contents.find(edit.key);
  switch (edit.kind) {
    case Edit::Kind::kPut:
      contents[edit.key] = edit.value;
      return;
    case Edit::Kind::kDelete:
    case Edit::Kind::kSingleDelete:
      contents.erase(edit.key);
      return;
    case Edit::Kind::kMerge:
      contents[edit.key] = Merged(
          family.merge_operator,
          found == contents.end() ? nullptr : &found->second, edit.value);
      return;
    case Edit::Kind::kRange:
      contents.erase(contents.lower_bound(edit.key),
                     contents.lower_bound(edit.value));
      return;
  }
}

void Model::Apply(const Step& step) {
  switch (step.act) {
    case Act::kWrite:
      if (step.sync && step.no_log) return;  // refused
      for (const Edit& edit : step.edits) Apply(edit);
      return;
    case Act::kIngest:
      for (const Edit& edit : step.edits) Apply(edit);
      return;
    case Act::kCreateFamily:
      return Create(step.slot, step.family);
    case Act::kDropFamily:
      if (step.slot != 0) families_[step.slot].reset();
      return;
    case Act::kCloneFamily:
      families_[step.clone] = families_[step.slot];
      return;
    case Act::kOpen:
      for (size_t i = 0; i < kSlots; ++i) {
        if (step.open.families[i]) Create(i, *step.open.families[i]);
      }
      return;
    default:
      return;
  }
}

}  // namespace tamis::differential
