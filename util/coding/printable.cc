// SPDX-License-Identifier: Apache-2.0
#include "util/coding/printable.h"

#include <algorithm>
#include <charconv>

namespace tamis {

namespace {

Slice Shown(const Slice& bytes) {
  return {bytes.data(), std::min(bytes.size(), kPrintableBytesMax)};
}

void AppendCut(std::string* out, const Slice& bytes) {
  if (bytes.size() <= kPrintableBytesMax) return;
  *out += "... (" + std::to_string(bytes.size()) + " bytes)";
}

}  // namespace

void AppendEscaped(std::string* out, const Slice& bytes) {
  constexpr char kDigits[] = "0123456789ABCDEF";
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte > 0x7e) {
      *out += "\\x";
      out->push_back(kDigits[byte >> 4]);
      out->push_back(kDigits[byte & 15]);
      continue;
    }
    if (c == '"' || c == '\\') out->push_back('\\');
    out->push_back(c);
  }
}

std::string Printable(const Slice& bytes) {
  std::string out;
  AppendEscaped(&out, Shown(bytes));
  AppendCut(&out, bytes);
  return out;
}

std::string PrintableHex(const Slice& bytes) {
  std::string out = Shown(bytes).ToString(/*hex=*/true);
  AppendCut(&out, bytes);
  return out;
}

std::string ShortestDecimal(double value) {
  char buffer[64];  // more than any number takes
  const auto [end, error] =
      std::to_chars(buffer, buffer + sizeof(buffer), value);
  return {buffer, error == std::errc() ? end : buffer};
}

}  // namespace tamis
