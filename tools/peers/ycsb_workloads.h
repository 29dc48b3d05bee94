// SPDX-License-Identifier: Apache-2.0
//
// YCSB's core workloads (tools/ycsb_workload.h) by one thread, which does
// config.reads operations. Records are those of the other workloads: record n
// of the loaded ones has key 2 n, and inserted ones have odd numbers in random
// order. Values have config.value_size bytes, where YCSB's have 1000.
#pragma once

#include <cstdint>

#include "tools/peers/engine.h"
#include "tools/peers/workload.h"

namespace tamis::peers {

// `mix` is 'a' to 'f'.
uint64_t RunYcsb(char mix, Engine& engine, const WorkloadConfig& config);

template <char kMix>
uint64_t Ycsb(Engine& engine, const WorkloadConfig& config) {
  return RunYcsb(kMix, engine, config);
}

}  // namespace tamis::peers
