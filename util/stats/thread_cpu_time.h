// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace tamis {

// Returns the CPU time that the calling thread has used, in nanoseconds; 0 if
// the system does not tell.
uint64_t ThreadCpuNanos();

}  // namespace tamis
