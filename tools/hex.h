// SPDX-License-Identifier: Apache-2.0
//
// Hex notation for bytes, as people type it.
#pragma once

#include <string>

#include "tamis/slice.h"

#include "util/base/result.h"

namespace tamis {

// "0x6B31" → "k1". InvalidArgument: no 0x, an odd number of digits, or a
// non-digit.
Result<std::string> ParseHex(const Slice& text);

}  // namespace tamis
