// SPDX-License-Identifier: Apache-2.0
//
// Workloads that write. Each returns the number of entries written. Writes are
// logged, and not synced except in FillSync and FillSync8.
#pragma once

#include <cstdint>

#include "tools/peers/engine.h"
#include "tools/peers/workload.h"

namespace tamis::peers {

// These write every key once, in order or in random order, one by one or in
// batches of 64.
uint64_t FillSequential(Engine& engine, const WorkloadConfig& config);
uint64_t FillRandom(Engine& engine, const WorkloadConfig& config);
uint64_t FillSequentialBatch(Engine& engine, const WorkloadConfig& config);
uint64_t FillRandomBatch(Engine& engine, const WorkloadConfig& config);
// These write every key once in random order, by two and by four threads.
uint64_t FillRandom2(Engine& engine, const WorkloadConfig& config);
uint64_t FillRandom4(Engine& engine, const WorkloadConfig& config);
// These write config.syncs random keys and sync each write, by one and by eight
// threads.
uint64_t FillSync(Engine& engine, const WorkloadConfig& config);
uint64_t FillSync8(Engine& engine, const WorkloadConfig& config);
// Writes every key once in random order, into a database that has them all.
uint64_t Overwrite(Engine& engine, const WorkloadConfig& config);

// These delete from a database with every key, and count calls: every second
// key in random order; ranges of 10 keys, which hold a hundredth of all keys.
uint64_t DeleteRandom(Engine& engine, const WorkloadConfig& config);
uint64_t DeleteRanges(Engine& engine, const WorkloadConfig& config);

// Increments counters in random order, config.num times in all, each 8 times.
// Then reads each once. Counts the increments.
uint64_t MergeRandom(Engine& engine, const WorkloadConfig& config);

// Compacts the database to one sorted run. Returns config.num.
uint64_t Compact(Engine& engine, const WorkloadConfig& config);

}  // namespace tamis::peers
