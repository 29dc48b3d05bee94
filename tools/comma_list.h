// SPDX-License-Identifier: Apache-2.0
//
// Lists in flags: "tamis,rocksdb".
#pragma once

#include <charconv>
#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

namespace tamis {

// Returns the parts between commas, empty ones too: the caller knows no such
// name. An empty list has none.
inline std::vector<std::string> CommaParts(const std::string& list) {
  std::vector<std::string> parts;
  std::istringstream in(list);
  for (std::string part; std::getline(in, part, ',');) parts.push_back(part);
  return parts;
}

// Sets *numbers to the numbers of a list. Returns false if there are none, or
// if a part is no whole number from `least` to `most`.
inline bool CommaNumbers(const std::string& list, uint64_t least, uint64_t most,
                         std::vector<uint64_t>* numbers) {
  numbers->clear();
  for (const std::string& part : CommaParts(list)) {
    uint64_t number = 0;
    const char* const end = part.data() + part.size();
    const auto parsed = std::from_chars(part.data(), end, number);
    if (parsed.ec != std::errc() || parsed.ptr != end || number < least ||
        number > most) {
      return false;
    }
    numbers->push_back(number);
  }
  return !numbers->empty();
}

}  // namespace tamis
