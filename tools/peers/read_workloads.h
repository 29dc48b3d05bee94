// SPDX-License-Identifier: Apache-2.0
//
// Workloads that read a database with every key. Each checks what it reads, and
// returns the number of operations.
#pragma once

#include <cstdint>

#include "tools/peers/engine.h"
#include "tools/peers/workload.h"

namespace tamis::peers {

// These do config.reads point reads of random keys.
// Reads present keys, by one thread.
uint64_t ReadRandom(Engine& engine, const WorkloadConfig& config);
// Reads present keys, by two threads that share the reads.
uint64_t ReadRandom2(Engine& engine, const WorkloadConfig& config);
// Reads absent keys between present ones.
uint64_t ReadMissing(Engine& engine, const WorkloadConfig& config);
// Reads keys of which half are absent.
uint64_t ReadMixed(Engine& engine, const WorkloadConfig& config);
// Reads present keys by YCSB's scrambled zipfian distribution.
uint64_t ReadZipfian(Engine& engine, const WorkloadConfig& config);

// Reads config.reads random present keys, rounded up to whole calls of 64 keys.
// Counts keys.
uint64_t MultiGet(Engine& engine, const WorkloadConfig& config);

// These seek config.reads random present keys, and read the entry of each.
// SeekRandom uses one iterator, SeekNew a new one for each seek.
uint64_t SeekRandom(Engine& engine, const WorkloadConfig& config);
uint64_t SeekNew(Engine& engine, const WorkloadConfig& config);

// Seeks config.reads random present keys with one iterator, and reads the 10
// entries from each on.
uint64_t SeekNext10(Engine& engine, const WorkloadConfig& config);

// These read the whole database with one iterator, forward or backward. They
// count entries.
uint64_t ReadSequential(Engine& engine, const WorkloadConfig& config);
uint64_t ReadReverse(Engine& engine, const WorkloadConfig& config);

}  // namespace tamis::peers
