// SPDX-License-Identifier: Apache-2.0
//
// Workloads that read and write. Those of two threads, a reader and a writer,
// count the operations of one; the other works as fast as it can until these
// are done. CPU time is that of both.
#pragma once

#include <cstdint>

#include "tools/peers/engine.h"
#include "tools/peers/workload.h"

namespace tamis::peers {

// Counts config.reads point reads of random present keys, while the writer
// overwrites random keys.
uint64_t ReadWhileWriting(Engine& engine, const WorkloadConfig& config);

// Counts config.num writes, one of every key in random order, while the reader
// reads random present keys.
uint64_t WriteWhileReading(Engine& engine, const WorkloadConfig& config);

// One thread: config.reads operations, of which a random tenth write a random
// key, and the others read one.
uint64_t ReadRandomWriteRandom(Engine& engine, const WorkloadConfig& config);

}  // namespace tamis::peers
