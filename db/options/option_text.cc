// SPDX-License-Identifier: Apache-2.0
#include "db/options/option_text.h"

#include <cmath>

#include "util/base/result.h"
#include "util/coding/printable.h"

namespace tamis {

namespace {

Status Malformed(const char* what, std::string_view where) {
  return Status::InvalidArgument(
      what, where.empty()
                ? "at the end of the text"
                : "at \"" + Printable({where.data(), where.size()}) + "\"");
}

// Returns the position of the brace that closes text[open], or npos.
size_t ClosingBrace(std::string_view text, size_t open) {
  size_t depth = 0;
  for (size_t i = open; i < text.size(); ++i) {
    if (text[i] == '{') ++depth;
    if (text[i] == '}' && --depth == 0) return i;
  }
  return std::string_view::npos;
}

// Removes the value that the text begins with, and what separates it from the
// next name.
Status TakeValue(std::string_view* text, std::string* value) {
  if (text->empty() || text->front() != '{') {
    const size_t end = text->find(';');
    *value = TrimSpace(text->substr(0, end));
    text->remove_prefix(end == std::string_view::npos ? text->size() : end + 1);
    return Status::OK();
  }
  const size_t close = ClosingBrace(*text, 0);
  if (close == std::string_view::npos) {
    return Malformed("A brace is not closed", *text);
  }
  *value = TrimSpace(text->substr(1, close - 1));
  *text = TrimSpace(text->substr(close + 1));
  if (text->empty()) return Status::OK();
  if (text->front() != ';') {
    return Malformed("A closing brace is not followed by ';'", *text);
  }
  text->remove_prefix(1);
  return Status::OK();
}

// Removes a unit at the end. Returns by how many bits it shifts.
int TakeUnit(std::string_view* digits) {
  constexpr std::string_view kUnits = "kmgt";
  if (digits->empty()) return 0;
  const char last = digits->back();
  const size_t unit = kUnits.find(
      static_cast<char>(last >= 'A' && last <= 'Z' ? last - 'A' + 'a' : last));
  if (unit == std::string_view::npos) return 0;
  digits->remove_suffix(1);
  return 10 * static_cast<int>(unit + 1);
}

// Parses digits with an optional unit; false if that is not what it is, or the
// number exceeds `max`.
bool ParseMagnitude(std::string_view digits, uint64_t max, uint64_t* value) {
  const int shift = TakeUnit(&digits);
  uint64_t number = 0;
  const char* const end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, number);
  if (digits.empty() || stop != end || error != std::errc()) return false;
  if (number > max >> shift) return false;
  *value = number << shift;
  return true;
}

Status NotInteger(std::string_view text, const std::string& least,
                  const std::string& most) {
  return Status::InvalidArgument("\"" + Printable({text.data(), text.size()}) +
                                 "\" is not an integer of " + least + " to " +
                                 most + ", with or without k, m, g or t");
}

}  // namespace

std::string_view TrimSpace(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  const size_t first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

Status SplitOptions(std::string_view text, OptionPairs* pairs) {
  pairs->clear();
  text = TrimSpace(text);
  if (!text.empty() && text.front() == '{' &&
      ClosingBrace(text, 0) == text.size() - 1) {
    text = TrimSpace(text.substr(1, text.size() - 2));
  }
  while (!text.empty()) {
    const size_t name_end = text.find_first_of("=;{}");
    if (name_end == std::string_view::npos || text[name_end] != '=') {
      return Malformed("A name is not followed by '='", text);
    }
    const std::string_view name = TrimSpace(text.substr(0, name_end));
    if (name.empty()) return Malformed("There is no name before '='", text);
    text = TrimSpace(text.substr(name_end + 1));
    std::string value;
    TAMIS_RETURN_IF_ERROR(TakeValue(&text, &value));
    pairs->emplace_back(name, std::move(value));
    text = TrimSpace(text);
  }
  return Status::OK();
}

std::string UnescapeOption(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      out += text[i];
      continue;
    }
    const char next = text[++i];
    out += next == 'n' ? '\n' : next == 'r' ? '\r' : next;
  }
  return out;
}

std::string EscapeOption(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\n') {
      out += "\\n";
    } else if (c == '\r') {
      out += "\\r";
    } else {
      if (c == '\\' || c == '#') out += '\\';
      out += c;
    }
  }
  return out;
}

Status ParseOptionText(std::string_view text, bool* value) {
  const bool is_true = text == "true" || text == "1";
  if (!is_true && text != "false" && text != "0") {
    return Status::InvalidArgument("\"" +
                                   Printable({text.data(), text.size()}) +
                                   "\" is neither true nor false");
  }
  *value = is_true;
  return Status::OK();
}

Status ParseOptionText(std::string_view text, double* value) {
  double number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (text.empty() || stop != end || error != std::errc()) {
    return Status::InvalidArgument(
        "\"" + Printable({text.data(), text.size()}) + "\" is not a number");
  }
  *value = number;
  return Status::OK();
}

Status ParseUnsigned(std::string_view text, uint64_t max, uint64_t* value) {
  if (ParseMagnitude(text, max, value)) return Status::OK();
  return NotInteger(text, "0", std::to_string(max));
}

Status ParseSigned(std::string_view text, int64_t min, int64_t max,
                   int64_t* value) {
  const bool negative = !text.empty() && text.front() == '-';
  const uint64_t limit = negative ? uint64_t{0} - static_cast<uint64_t>(min)
                                  : static_cast<uint64_t>(max);
  uint64_t magnitude = 0;
  if (!ParseMagnitude(text.substr(negative ? 1 : 0), limit, &magnitude)) {
    return NotInteger(text, std::to_string(min), std::to_string(max));
  }
  *value = static_cast<int64_t>(negative ? uint64_t{0} - magnitude : magnitude);
  return Status::OK();
}

std::string PrintOptionText(double value) { return ShortestDecimal(value); }

}  // namespace tamis
