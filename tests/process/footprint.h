// SPDX-License-Identifier: Apache-2.0
//
// The system resources of the calling process, for comparison before and after
// a test.
#pragma once

#include <cstddef>
#include <ostream>

#include "tests/support/sanitizers.h"

namespace tamis::process {

// Whether allocated_bytes and resident_bytes measure the program's memory. A
// sanitizer's allocator frees memory late and has other statistics.
inline constexpr bool kMemoryIsMeasured = !kSanitizer;

struct Footprint {
  size_t descriptors = 0;
  size_t threads = 0;
  size_t mappings = 0;         // lines of /proc/self/maps
  size_t allocated_bytes = 0;  // by malloc
  size_t resident_bytes = 0;
};

// Measures after malloc_trim.
// REQUIRES: /proc
Footprint MeasureFootprint();

std::ostream& operator<<(std::ostream& out, const Footprint& footprint);

}  // namespace tamis::process
