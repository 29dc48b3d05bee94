// SPDX-License-Identifier: Apache-2.0
//
// Bytes that a file or a user gave, made fit for a message: printable ASCII on
// one line, and short, whatever the bytes are.
//
//   Printable("a\n\"b\"")              a\x0A\"b\"
//   Printable(10000 times 'x')         xxx...x... (10000 bytes)
//   PrintableHex("\x01\xff")           01FF
//
// Every Status and every line of LOG that quotes such bytes uses these.
#pragma once

#include <cstddef>
#include <string>

#include "tamis/slice.h"

namespace tamis {

// Of longer ones a message shows the first so many, and their number.
inline constexpr size_t kPrintableBytesMax = 64;

std::string Printable(const Slice& bytes);
// The same as upper-case hex digits.
std::string PrintableHex(const Slice& bytes);

// All of the bytes: '"' and '\' behind a backslash, what is not printable ASCII
// as \xNN.
void AppendEscaped(std::string* out, const Slice& bytes);

}  // namespace tamis
