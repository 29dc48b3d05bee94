// SPDX-License-Identifier: Apache-2.0
//
// Keys and values on the command line and in the output: verbatim or in hex, as
// --hex, --key_hex and --value_hex request.
#pragma once

#include <optional>
#include <string>

#include "tamis/slice.h"

#include "util/base/result.h"

namespace tamis {

Result<std::string> ParseKey(const std::string& text);
Result<std::string> ParseValue(const std::string& text);
std::string ShowKey(const Slice& key);
std::string ShowValue(const Slice& value);

// --from and --to; nullopt: not given.
struct KeyRange {
  std::optional<std::string> from;
  std::optional<std::string> to;
};
Result<KeyRange> RangeFromFlags();

}  // namespace tamis
