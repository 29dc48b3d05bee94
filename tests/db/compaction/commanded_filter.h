// SPDX-License-Identifier: Apache-2.0
//
// A compaction filter that does what values and operands tell it:
//
//   !r       kRemove              !c:new   kChangeValue to "new"
//   !p       kPurge               !s:key   kRemoveAndSkipUntil "key"
//   !t       throws               !x       an unknown decision
//
// It keeps everything else. In operands that a merge joined by commas, the
// first one counts.
#pragma once

#include <stdexcept>
#include <string>

#include "tamis/compaction_filter.h"

namespace tamis {

class CommandedFilter : public CompactionFilter {
 public:
  explicit CommandedFilter(bool ignores_snapshots)
      : ignores_snapshots_(ignores_snapshots) {}

  const char* Name() const override { return "test.Commanded"; }
  bool IgnoreSnapshots() const override { return ignores_snapshots_; }
  Decision FilterV2(int /*level*/, const Slice& key, ValueType value_type,
                    const Slice& existing_value, std::string* new_value,
                    std::string* skip_until) const override {
    asked_ += (asked_.empty() ? "" : " ") + key.ToString() +
              (value_type == kMergeOperand ? "+" : "=") +
              existing_value.ToString();
    if (existing_value.size() < 2 || existing_value[0] != '!') {
      return Decision::kKeep;
    }
    const std::string argument =
        existing_value.ToString().substr(existing_value.size() > 2 ? 3 : 2);
    switch (existing_value[1]) {
      case 'r':
        return Decision::kRemove;
      case 'p':
        return Decision::kPurge;
      case 'c':
        *new_value = argument;
        return Decision::kChangeValue;
      case 's':
        *skip_until = argument;
        return Decision::kRemoveAndSkipUntil;
      case 't':
        throw std::runtime_error("test");
      default:
        return static_cast<Decision>(99);
    }
  }

  // "a=1 b+2": the values and operands of all questions.
  std::string Asked() const { return asked_.empty() ? "nothing" : asked_; }

 private:
  const bool ignores_snapshots_;
  mutable std::string asked_;  // of one thread
};

}  // namespace tamis
