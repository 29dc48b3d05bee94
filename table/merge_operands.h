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

// Sets *result to `base` with the operands, oldest first, applied. `base` is
// nullptr if the key has none. Returns InvalidArgument if there is no operator,
// Corruption if it rejects the operands.
Status FullMerge(const MergeOperator* merge_operator, const Slice& user_key,
                 const Slice* base, const std::vector<Slice>& operands,
                 std::string* result);

}  // namespace tamis
