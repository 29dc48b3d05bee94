// SPDX-License-Identifier: Apache-2.0
//
// The built-in merge operators.
#include "tamis/utilities/merge_operators.h"

#include "util/coding/coding.h"
#include "util/extensions/string_append.h"

namespace tamis {

namespace {

// Not an AssociativeMergeOperator: an empty base is joined like any value,
// while a missing base adds no delimiter.
class StringAppendOperator final : public MergeOperator {
 public:
  explicit StringAppendOperator(std::string delimiter)
      : delimiter_(std::move(delimiter)) {}

  const char* Name() const override { return "StringAppendOperator"; }
  const std::string& delimiter() const { return delimiter_; }

  bool FullMergeV2(const MergeOperationInput& in,
                   MergeOperationOutput* out) const override {
    if (in.existing_value == nullptr && in.operand_list.size() == 1) {
      out->existing_operand = in.operand_list[0];
      return true;
    }
    bool first = true;
    const auto append = [&](const Slice& part) {
      if (!first) out->new_value.append(delimiter_);
      out->new_value.append(part.data(), part.size());
      first = false;
    };
    if (in.existing_value != nullptr) append(*in.existing_value);
    for (const Slice& operand : in.operand_list) append(operand);
    return true;
  }

  bool PartialMerge(const Slice& /*key*/, const Slice& left, const Slice& right,
                    std::string* new_value, Logger* /*logger*/) const override {
    new_value->assign(left.data(), left.size());
    new_value->append(delimiter_);
    new_value->append(right.data(), right.size());
    return true;
  }

 private:
  const std::string delimiter_;
};

class UInt64AddOperator final : public AssociativeMergeOperator {
 public:
  const char* Name() const override { return "UInt64AddOperator"; }

  bool Merge(const Slice& /*key*/, const Slice* existing_value,
             const Slice& value, std::string* new_value,
             Logger* /*logger*/) const override {
    const uint64_t base =
        existing_value == nullptr ? 0 : Number(*existing_value);
    new_value->clear();
    PutFixed64(new_value, base + Number(value));
    return true;
  }

 private:
  static uint64_t Number(const Slice& bytes) {
    return bytes.size() == sizeof(uint64_t) ? DecodeFixed64(bytes.data()) : 0;
  }
};

class MaxOperator final : public MergeOperator {
 public:
  const char* Name() const override { return "MaxOperator"; }

  bool FullMergeV2(const MergeOperationInput& in,
                   MergeOperationOutput* out) const override {
    Slice& largest = out->existing_operand;
    largest =
        in.existing_value != nullptr ? *in.existing_value : in.operand_list[0];
    for (const Slice& operand : in.operand_list) {
      if (largest.compare(operand) < 0) largest = operand;
    }
    return true;
  }

  bool PartialMerge(const Slice& /*key*/, const Slice& left, const Slice& right,
                    std::string* new_value, Logger* /*logger*/) const override {
    const Slice& larger = left.compare(right) >= 0 ? left : right;
    new_value->assign(larger.data(), larger.size());
    return true;
  }
};

}  // namespace

const std::string* StringAppendDelimiter(const MergeOperator& merge_operator) {
  const auto* const append =
      dynamic_cast<const StringAppendOperator*>(&merge_operator);
  return append != nullptr ? &append->delimiter() : nullptr;
}

std::shared_ptr<MergeOperator> MergeOperators::CreateStringAppendOperator(
    const std::string& delimiter) {
  return std::make_shared<StringAppendOperator>(delimiter);
}

std::shared_ptr<MergeOperator> MergeOperators::CreateUInt64AddOperator() {
  return std::make_shared<UInt64AddOperator>();
}

std::shared_ptr<MergeOperator> MergeOperators::CreateMaxOperator() {
  return std::make_shared<MaxOperator>();
}

std::shared_ptr<MergeOperator> MergeOperators::CreateFromName(
    const std::string& name) {
  if (name == "uint64add" || name == "UInt64AddOperator") {
    return CreateUInt64AddOperator();
  }
  if (name == "max" || name == "MaxOperator") return CreateMaxOperator();
  const size_t colon = name.find(':');
  const std::string kind = name.substr(0, colon);
  if (kind == "stringappend" || kind == "StringAppendOperator") {
    return CreateStringAppendOperator(
        colon == std::string::npos ? "," : name.substr(colon + 1));
  }
  return nullptr;
}

}  // namespace tamis
