// SPDX-License-Identifier: Apache-2.0
//
// An engine that stores nothing and answers what workloads expect. Its times
// are the benchmark's own cost of an operation: keys, values, calls.
#pragma once

#include <cstdint>
#include <memory>

#include "tools/peers/engine.h"

namespace tamis::peers {

// `keys`: entries of a scan. Every even number is a key.
std::unique_ptr<Engine> NewNullEngine(uint64_t keys);

}  // namespace tamis::peers
