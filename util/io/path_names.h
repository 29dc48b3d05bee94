// SPDX-License-Identifier: Apache-2.0
//
// The names in a path of a file system in memory, from the root on: those of
// "a", "/a" and "/./a/" are the same.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace tamis {

inline std::vector<std::string> PathNames(const std::string& path) {
  std::vector<std::string> names;
  for (size_t i = 0; i < path.size();) {
    const size_t end = std::min(path.find('/', i), path.size());
    std::string name = path.substr(i, end - i);
    if (!name.empty() && name != ".") names.push_back(std::move(name));
    i = end + 1;
  }
  return names;
}

}  // namespace tamis
