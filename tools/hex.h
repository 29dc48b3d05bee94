// SPDX-License-Identifier: Apache-2.0
//
// Bytes as people type and read them.
#pragma once

#include <string>

#include "tamis/slice.h"

#include "util/base/result.h"

namespace tamis {

// "0x6B31" → "k1". InvalidArgument without the 0x, for an odd number of
// digits, or for what is not one.
Result<std::string> ParseHex(const Slice& text);

}  // namespace tamis
