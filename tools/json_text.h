// SPDX-License-Identifier: Apache-2.0
//
// Writes JSON for other programs to read.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tamis {

// In quotation marks. Bytes that are not UTF-8 become U+FFFD; a tool that must
// keep them writes hex.
std::string JsonString(std::string_view text);
// "[a, b]" of values that are JSON.
std::string JsonArray(const std::vector<std::string>& values);

// {"name": value, ...} in the order of the calls, on one line.
class JsonObject {
 public:
  JsonObject& Text(std::string_view name, std::string_view value) {
    return Value(name, JsonString(value));
  }
  JsonObject& Number(std::string_view name, uint64_t value) {
    return Value(name, std::to_string(value));
  }
  JsonObject& Bool(std::string_view name, bool value) {
    return Value(name, value ? "true" : "false");
  }
  // `value` is JSON.
  JsonObject& Value(std::string_view name, std::string_view value);
  std::string ToString() const { return "{" + members_ + "}"; }

 private:
  std::string members_;
};

}  // namespace tamis
