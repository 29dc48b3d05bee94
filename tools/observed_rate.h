// SPDX-License-Identifier: Apache-2.0
//
// Probes filters with absent keys and empty ranges, to compare what they let
// pass with what theory predicts.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "filter/filter_registry.h"
#include "util/base/random.h"

namespace tamis {

struct ObservedRate {
  uint64_t probes = 0;
  uint64_t matches = 0;

  double rate() const {
    return probes == 0
               ? 1
               : static_cast<double>(matches) / static_cast<double>(probes);
  }
};

// Enough for a relative deviation of 5 %.
inline constexpr uint64_t kMatchesWanted = 400;

// Probes the filters of a table (filter/filter_rate.h) with random keys of 16
// bytes until kMatchesWanted of them match, or probes_max are done. Each probe
// goes to one filter, to larger ones more often. No probes if the format is
// unknown. Equal filters give equal results.
ObservedRate ObserveFilters(const FilterLocator& where,
                            const std::vector<std::string>& filters,
                            uint64_t probes_max = uint64_t{1} << 22);

// Draws absent keys where keys are likely: the beginning of a key, which it
// shares with at least 16 others, and the end of another key. One thread.
class AbsentKeyDraw {
 public:
  // `keys` must outlive the object. REQUIRES: they ascend; there are two or
  // more.
  AbsentKeyDraw(const std::vector<std::string>& keys, uint64_t seed);

  // Returns false if the key drawn is present, or before or after all keys.
  bool Draw(std::string* key);

 private:
  const std::vector<std::string>& keys_;
  const size_t shared_by_all_;
  Random random_;
};

// Returns whether a range filter may hold a key in [begin, end).
using RangeMayMatch = std::function<bool(const Slice& begin, const Slice& end)>;

// Probes a range filter of the keys with ranges of one possible key that hold
// none (AbsentKeyDraw), until kMatchesWanted match or probes_max are done. No
// probes if there are fewer than 100 keys.
ObservedRate ObserveRangeFilter(const RangeMayMatch& may_match,
                                const std::vector<std::string>& keys,
                                uint64_t probes_max = uint64_t{1} << 20);

}  // namespace tamis
