// SPDX-License-Identifier: Apache-2.0
//
// The bytes that operator new has handed out in this program, also to the
// libraries that it is linked with: their most since a point in time.
#pragma once

#include <cstddef>

namespace tamis {

// The bytes that are handed out now; the most from now on is these.
size_t BeginAllocationPeak();
// The most bytes that were handed out at once since BeginAllocationPeak.
size_t AllocationPeak();

}  // namespace tamis
