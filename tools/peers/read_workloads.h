// SPDX-License-Identifier: Apache-2.0
//
// Workloads that read a database that has every key: each checks what it reads,
// and returns the number of operations.
#pragma once

#include <cstdint>

#include "tools/peers/engine.h"
#include "tools/peers/workload.h"

namespace tamis::peers {

// config.reads point reads of random keys: present ones (of one thread, of two
// in all), absent ones between present ones, every other one absent, present
// ones by YCSB's scrambled zipfian distribution.
uint64_t ReadRandom(Engine& engine, const WorkloadConfig& config);
uint64_t ReadRandom2(Engine& engine, const WorkloadConfig& config);
uint64_t ReadMissing(Engine& engine, const WorkloadConfig& config);
uint64_t ReadMixed(Engine& engine, const WorkloadConfig& config);
uint64_t ReadZipfian(Engine& engine, const WorkloadConfig& config);

// Random present keys, 64 a call; counts keys.
uint64_t MultiGet(Engine& engine, const WorkloadConfig& config);

// config.reads seeks of random present keys, each of which reads the entry: by
// one iterator, or by a new one each.
uint64_t SeekRandom(Engine& engine, const WorkloadConfig& config);
uint64_t SeekNew(Engine& engine, const WorkloadConfig& config);

// One iterator over everything; counts entries.
uint64_t ReadSequential(Engine& engine, const WorkloadConfig& config);
uint64_t ReadReverse(Engine& engine, const WorkloadConfig& config);

}  // namespace tamis::peers
