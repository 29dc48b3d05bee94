// SPDX-License-Identifier: Apache-2.0
//
// Workloads that write: each returns the number of entries written. Writes are
// logged, and not synced where nothing else is said.
#pragma once

#include <cstdint>

#include "tools/peers/engine.h"
#include "tools/peers/workload.h"

namespace tamis::peers {

// Every key once: in order, in random order; one by one, or 64 in a batch.
uint64_t FillSequential(Engine& engine, const WorkloadConfig& config);
uint64_t FillRandom(Engine& engine, const WorkloadConfig& config);
uint64_t FillSequentialBatch(Engine& engine, const WorkloadConfig& config);
uint64_t FillRandomBatch(Engine& engine, const WorkloadConfig& config);
// Every key once in random order, by several threads.
uint64_t FillRandom2(Engine& engine, const WorkloadConfig& config);
uint64_t FillRandom4(Engine& engine, const WorkloadConfig& config);
// config.syncs random keys, each write synced; of one thread, of eight.
uint64_t FillSync(Engine& engine, const WorkloadConfig& config);
uint64_t FillSync8(Engine& engine, const WorkloadConfig& config);
// Every key once in random order, into a database that has them all.
uint64_t Overwrite(Engine& engine, const WorkloadConfig& config);

uint64_t Compact(Engine& engine, const WorkloadConfig& config);

}  // namespace tamis::peers
