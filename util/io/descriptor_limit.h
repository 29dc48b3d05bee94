// SPDX-License-Identifier: Apache-2.0
//
// The number of descriptors that this process may have open (RLIMIT_NOFILE),
// and how many it has.
#pragma once

#include <cstdint>

namespace tamis {

// Returns the limit at this time, or UINT64_MAX if there is none. Any thread.
uint64_t DescriptorLimit();

// Returns a number of descriptors that this process has open, at least: the
// lowest one that is free. UINT64_MAX if none is free. Any thread.
uint64_t OpenDescriptors();

}  // namespace tamis
