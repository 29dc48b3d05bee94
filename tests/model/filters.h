// SPDX-License-Identifier: Apache-2.0
//
// The filters of a history's tables. They are drawn from a sequence of their
// own, so that a seed keeps its operations when there are more kinds of
// filters.
#pragma once

#include <string>

#include "tamis/options.h"
#include "tamis/table.h"

#include "util/base/random.h"

namespace tamis::model {

enum class FilterPlace : uint8_t { kNone, kBlockBased, kFull, kPartitioned };

// One thread.
class FilterDraw {
 public:
  explicit FilterDraw(uint64_t seed) : random_(seed ^ 0xf117e5) {}

  // Sets policy, partition_filters, whole_key_filtering, range filter and
  // format version of *table, and prefix extractor and
  // optimize_filters_for_hits of *options. Returns them as text. `bits` are
  // bits per key, for policies that take them. REQUIRES: options->comparator
  // and table->checksum are set.
  std::string Draw(FilterPlace place, double bits, Options* options,
                   BlockBasedTableOptions* table);

 private:
  // Each returns what was drawn as text.
  std::string DrawPolicy(double bits, BlockBasedTableOptions* table);
  std::string DrawExtractor(Options* options);
  std::string DrawRangeFilter(BlockBasedTableOptions* table);

  template <typename T>
  T Pick(std::initializer_list<T> choices) {
    return *(choices.begin() + random_.Uniform(choices.size()));
  }

  Random random_;
};

}  // namespace tamis::model
