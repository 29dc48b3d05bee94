// SPDX-License-Identifier: Apache-2.0
//
// The benchmarks and flags of RocksDB 7.8.3's db_bench that do not exist here,
// each with the reason. Those that are neither here nor there are unknown.
#pragma once

#include <span>

#include "tools/command_table.h"

namespace tamis::bench {

std::span<const Refusal> RefusedBenchmarks();
std::span<const Refusal> RefusedFlags();

}  // namespace tamis::bench
