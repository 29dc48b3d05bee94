// SPDX-License-Identifier: Apache-2.0
//
// An engine that stores nothing but the odd keys that are put, and gives the
// answers that workloads expect.
// Its times are the benchmark's own cost of an operation: making keys and
// values, and calls.
#pragma once

#include <cstdint>
#include <memory>

#include "tools/peers/engine.h"

namespace tamis::peers {

// Returns an engine in which every even number is a present key, and whose
// scans have `keys` entries.
std::unique_ptr<Engine> NewNullEngine(uint64_t keys);

}  // namespace tamis::peers
