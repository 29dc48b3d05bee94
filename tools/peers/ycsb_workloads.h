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

uint64_t YcsbA(Engine& engine, const WorkloadConfig& config);
uint64_t YcsbB(Engine& engine, const WorkloadConfig& config);
uint64_t YcsbC(Engine& engine, const WorkloadConfig& config);
uint64_t YcsbD(Engine& engine, const WorkloadConfig& config);
uint64_t YcsbE(Engine& engine, const WorkloadConfig& config);
uint64_t YcsbF(Engine& engine, const WorkloadConfig& config);

}  // namespace tamis::peers
