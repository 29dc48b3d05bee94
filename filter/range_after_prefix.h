// SPDX-License-Identifier: Apache-2.0
//
// A range of keys, restricted to the keys that begin with a prefix.
#pragma once

#include <optional>

#include "tamis/slice.h"

namespace tamis {

// A range of what follows the prefix. nullopt is a bound that all keys with the
// prefix are within.
struct RangeAfterPrefix {
  std::optional<Slice> begin;
  std::optional<Slice> end;
};

// Returns the part of [begin, end) that keys with the prefix may be in; nullopt
// if there is none.
inline std::optional<RangeAfterPrefix> RestrictToPrefix(const Slice& begin,
                                                        const Slice& end,
                                                        const Slice& prefix) {
  const auto rest = [&prefix](const Slice& key) {
    return Slice(key.data() + prefix.size(), key.size() - prefix.size());
  };
  RangeAfterPrefix range;
  if (begin.starts_with(prefix)) {
    range.begin = rest(begin);
  } else if (begin.compare(prefix) > 0) {
    return std::nullopt;
  }
  if (end.starts_with(prefix)) {
    range.end = rest(end);
  } else if (end.compare(prefix) < 0) {
    return std::nullopt;
  }
  return range;
}

}  // namespace tamis
