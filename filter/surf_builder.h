// SPDX-License-Identifier: Apache-2.0
//
// Builds SuRF filters (surf_filter.h).
#pragma once

#include <memory>

#include "filter/range_filter.h"

namespace tamis {

// What the bits that the trie leaves are used for.
enum class SurfSuffix : uint8_t {
  kReal,  // the next bits of the key, which exclude ranges
  kHash,  // bits of a hash of the key, which exclude only ranges of one key
};

// Returns a builder of filters of about `bits_per_key` bits per key.
std::unique_ptr<RangeFilterBuilder> NewSurfBuilder(double bits_per_key,
                                                   SurfSuffix suffix);

}  // namespace tamis
