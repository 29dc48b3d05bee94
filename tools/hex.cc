// SPDX-License-Identifier: Apache-2.0
#include "tools/hex.h"

namespace tamis {
namespace {

// -1: not a hex digit.
int DigitValue(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

Result<std::string> ParseHex(const Slice& text) {
  if (!text.starts_with("0x") && !text.starts_with("0X")) {
    return Status::InvalidArgument("hex input must start with 0x: ", text);
  }
  if (text.size() % 2 != 0) {
    return Status::InvalidArgument("hex input of an odd number of digits: ",
                                   text);
  }
  std::string bytes;
  for (size_t i = 2; i < text.size(); i += 2) {
    const int high = DigitValue(text[i]);
    const int low = DigitValue(text[i + 1]);
    if (high < 0 || low < 0) {
      return Status::InvalidArgument("not a hex digit in ", text);
    }
    bytes.push_back(static_cast<char>(high * 16 + low));
  }
  return bytes;
}

}  // namespace tamis
