// SPDX-License-Identifier: Apache-2.0
//
// Lists in flags: "tamis,rocksdb".
#pragma once

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

}  // namespace tamis
