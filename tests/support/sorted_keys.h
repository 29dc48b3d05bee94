// SPDX-License-Identifier: Apache-2.0
//
// Sorted and distinct keys, the model of a filter.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

namespace tamis {

using Keys = std::vector<std::string>;

inline Keys SortedKeys(Keys keys) {
  std::ranges::sort(keys);
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  return keys;
}

// REQUIRES: SortedKeys
inline bool HoldsAny(const Keys& keys, const std::string& begin,
                     const std::string& end) {
  const auto at = std::ranges::lower_bound(keys, begin);
  return at != keys.end() && *at < end;
}

}  // namespace tamis
