// SPDX-License-Identifier: Apache-2.0
//
// Applies merge operands to their base with the user's operator. Point reads,
// iterators and compactions all use this.
#pragma once

#include <string>
#include <vector>

#include "tamis/merge_operator.h"
#include "tamis/slice.h"
#include "tamis/status.h"

namespace tamis {

class Logger;

// A merge operator and where it logs. Both may be nullptr.
struct MergeWith {
  // NOLINTNEXTLINE(google-explicit-constructor): an operator that does not log
  MergeWith(const MergeOperator* op = nullptr, Logger* log = nullptr)
      : merge_operator(op), logger(log) {}

  const MergeOperator* merge_operator;
  Logger* logger;
};

// Sets *result to `base` with the operands, oldest first, applied. `base` is
// nullptr if the key has none. Returns InvalidArgument if there is no operator,
// Corruption if it rejects the operands.
Status FullMerge(const MergeWith& with, const Slice& user_key,
                 const Slice* base, const std::vector<Slice>& operands,
                 std::string* result);

}  // namespace tamis
