// SPDX-License-Identifier: Apache-2.0
//
// Builds Fence filters (fence_filter.h).
#pragma once

#include <memory>

#include "filter/range_filter.h"

namespace tamis {

// Returns a builder of filters with w = `low_bits`.
std::unique_ptr<RangeFilterBuilder> NewFenceBuilder(uint32_t low_bits);

}  // namespace tamis
