// SPDX-License-Identifier: Apache-2.0
//
// Passes operands and bases to the user's operator without their times. What it
// returns gets the present one.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <utility>

#include "tamis/clock.h"
#include "tamis/merge_operator.h"

namespace tamis {

class TimedMergeOperator final : public MergeOperator {
 public:
  TimedMergeOperator(std::shared_ptr<MergeOperator> merge_operator,
                     std::shared_ptr<Clock> clock)
      : operator_(std::move(merge_operator)), clock_(std::move(clock)) {}

  const char* Name() const override { return "Merge By TTL"; }
  bool FullMergeV2(const MergeOperationInput& in,
                   MergeOperationOutput* out) const override;
  bool PartialMerge(const Slice& key, const Slice& left, const Slice& right,
                    std::string* new_value, Logger* logger) const override;
  bool PartialMergeMulti(const Slice& key, const std::deque<Slice>& operands,
                         std::string* new_value, Logger* logger) const override;

 private:
  const std::shared_ptr<MergeOperator> operator_;
  const std::shared_ptr<Clock> clock_;
};

}  // namespace tamis
