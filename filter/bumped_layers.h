// SPDX-License-Identifier: Apache-2.0
//
// Builds the layers of a BumpedRibbon filter (bumped_ribbon_layout.h), one
// after another. A layer takes what fits, from the last group of a bucket down,
// and bumps the rest to the next layer.
//
//   layer  │  section 0  │░│  section 1  │   ░: 64 starts of section 1
//
// A large layer has two sections, which two threads build. No equation of one
// has a row of the other: the last keys of section 0 reach 63 rows beyond its
// starts, and section 1 bumps the keys that start there. The bytes do not
// depend on the threads.
#pragma once

#include <cstdint>
#include <span>

#include "filter/bumped_ribbon_layout.h"
#include "util/jobs/helpers.h"

namespace tamis {

// Layers of fewer starts have one section.
inline constexpr uint32_t kBumpedSectionStartsMin = 1u << 17;

// Writes the body of a filter of these hashes: `body` has layout.bytes() zero
// bytes. Returns false if the hashes do not fit. Runs in the caller's thread
// and, if it is free, one of the helpers'.
[[nodiscard]] bool BuildBumpedLayers(const BumpedLayout& layout,
                                     std::span<const uint64_t> hashes,
                                     const Helpers& helpers, char* body);

}  // namespace tamis
