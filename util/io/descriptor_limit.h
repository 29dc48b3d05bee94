// SPDX-License-Identifier: Apache-2.0
//
// The number of descriptors that this process may have open (RLIMIT_NOFILE).
#pragma once

#include <cstdint>

namespace tamis {

// Returns the limit at this time, or UINT64_MAX if there is none. Any thread.
uint64_t DescriptorLimit();

}  // namespace tamis
