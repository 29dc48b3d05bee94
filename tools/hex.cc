// SPDX-License-Identifier: Apache-2.0
#include "tools/hex.h"

namespace tamis {

Result<std::string> ParseHex(const Slice& text) {
  if (!text.starts_with("0x") && !text.starts_with("0X")) {
    return Status::InvalidArgument("hex input must start with 0x: ", text);
  }
  if (text.size() % 2 != 0) {
    return Status::InvalidArgument("hex input of an odd number of digits: ",
                                   text);
  }
  std::string bytes;
  if (!Slice(text.data() + 2, text.size() - 2).DecodeHex(&bytes)) {
    return Status::InvalidArgument("not a hex digit in ", text);
  }
  return bytes;
}

}  // namespace tamis
