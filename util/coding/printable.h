// SPDX-License-Identifier: Apache-2.0
//
// Escapes bytes from files or users for messages: printable ASCII, one line,
// limited length.
//
//   Printable("a\n\"b\"")              a\x0A\"b\"
//   Printable(10000 times 'x')         xxx...x... (10000 bytes)
//   PrintableHex("\x01\xff")           01FF
//
// Every Status and LOG line that quotes such bytes uses these.
#pragma once

#include <cstddef>
#include <string>

#include "tamis/slice.h"

namespace tamis {

// Longer input is cut to this many bytes, and its length is added.
inline constexpr size_t kPrintableBytesMax = 64;

std::string Printable(const Slice& bytes);
// The same, in upper-case hex digits.
std::string PrintableHex(const Slice& bytes);

// Appends all bytes. '"' and '\' get a backslash, non-printable bytes become
// \xNN.
void AppendEscaped(std::string* out, const Slice& bytes);

// Returns the shortest decimal that is read as the same number: 10, 0.75.
std::string ShortestDecimal(double value);

}  // namespace tamis
