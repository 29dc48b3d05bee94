// SPDX-License-Identifier: Apache-2.0
//
// Workloads of two threads, a reader and a writer, which both work as fast as
// they can. A workload counts the operations of one thread; the other thread
// works until these are done. CPU time is that of both.
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

}  // namespace tamis::peers
