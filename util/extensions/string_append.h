// SPDX-License-Identifier: Apache-2.0
//
// What a StringAppendOperator (tamis/utilities/merge_operators.h) joins with.
#pragma once

#include <string>

#include "tamis/merge_operator.h"

namespace tamis {

// Returns the delimiter, which the operator owns, or nullptr if it is another
// operator.
const std::string* StringAppendDelimiter(const MergeOperator& merge_operator);

}  // namespace tamis
