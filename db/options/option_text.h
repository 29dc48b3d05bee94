// SPDX-License-Identifier: Apache-2.0
//
// The parts of options as text: lists of name=value, escapes, and values of
// plain types. Nothing here knows an option.
#pragma once

#include <charconv>
#include <concepts>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tamis/status.h"

namespace tamis {

// Names and values in the order of the text.
using OptionPairs = std::vector<std::pair<std::string, std::string>>;

// Splits "a=1; b={c=2; d=3}" into {a, 1} and {b, c=2; d=3}. Returns
// InvalidArgument, which quotes the place, if the text is malformed. One pair
// of braces around the whole text is removed.
Status SplitOptions(std::string_view text, OptionPairs* pairs);

// Returns the text without spaces, tabs and line ends around it.
std::string_view TrimSpace(std::string_view text);

// Backslash n and backslash r are a newline and a carriage return; a backslash
// before any other character is dropped. EscapeOption escapes `\`, `#`,
// newlines and carriage returns.
std::string UnescapeOption(std::string_view text);
std::string EscapeOption(std::string_view text);

// Parse a value of a plain type. Return InvalidArgument, whose message says
// what was expected, and leave *value unchanged, if the text has another form
// or the type cannot hold the number.
Status ParseOptionText(std::string_view text, bool* value);
Status ParseOptionText(std::string_view text, double* value);
// Any text, which is taken as it is.
inline Status ParseOptionText(std::string_view text, std::string* value) {
  *value = text;
  return Status::OK();
}
// Integers in decimal, with an optional k, m, g or t.
Status ParseUnsigned(std::string_view text, uint64_t max, uint64_t* value);
Status ParseSigned(std::string_view text, int64_t min, int64_t max,
                   int64_t* value);
template <std::integral Integer>
Status ParseOptionText(std::string_view text, Integer* value) {
  using Limits = std::numeric_limits<Integer>;
  Status status;
  if constexpr (std::signed_integral<Integer>) {
    int64_t number = 0;
    status = ParseSigned(text, Limits::min(), Limits::max(), &number);
    if (status.ok()) *value = static_cast<Integer>(number);
  } else {
    uint64_t number = 0;
    status = ParseUnsigned(text, Limits::max(), &number);
    if (status.ok()) *value = static_cast<Integer>(number);
  }
  return status;
}

inline std::string PrintOptionText(bool value) {
  return value ? "true" : "false";
}
inline std::string PrintOptionText(const std::string& value) { return value; }
// The shortest decimal that is parsed as the same number.
std::string PrintOptionText(double value);
template <std::integral Integer>
std::string PrintOptionText(Integer value) {
  return std::to_string(value);
}

// A list of values, separated by ':'.
template <typename Value>
Status ParseOptionText(std::string_view text, std::vector<Value>* values) {
  std::vector<Value> parsed;
  while (!text.empty()) {
    const size_t colon = text.find(':');
    const Status status =
        ParseOptionText(text.substr(0, colon), &parsed.emplace_back());
    if (!status.ok()) return status;
    text.remove_prefix(colon == std::string_view::npos ? text.size()
                                                       : colon + 1);
  }
  *values = std::move(parsed);
  return Status::OK();
}
template <typename Value>
std::string PrintOptionText(const std::vector<Value>& values) {
  std::string text;
  for (const Value& value : values) {
    text += (text.empty() ? "" : ":") + PrintOptionText(value);
  }
  return text;
}

}  // namespace tamis
