// SPDX-License-Identifier: Apache-2.0
//
// Puts merge operands and their base together, by the user's operator: the one
// place that point reads, iterators and compactions do it through.
#pragma once

#include <string>
#include <vector>

#include "tamis/merge_operator.h"
#include "tamis/slice.h"
#include "tamis/status.h"

namespace tamis {

// *result: `base` (nullptr: there is none) with the operands, oldest first,
// applied. InvalidArgument without an operator; Corruption when it finds no
// sense in them.
Status FullMerge(const MergeOperator* merge_operator, const Slice& user_key,
                 const Slice* base, const std::vector<Slice>& operands,
                 std::string* result);

}  // namespace tamis
