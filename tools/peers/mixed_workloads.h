// SPDX-License-Identifier: Apache-2.0
//
// Workloads of a reader and a writer at once, each in a thread, as fast as they
// can. Of one of them, the operations are counted; the other one works until
// these are done. CPU time is that of both.
#pragma once

#include <cstdint>

#include "tools/peers/engine.h"
#include "tools/peers/workload.h"

namespace tamis::peers {

// Counts config.reads point reads of random present keys.
uint64_t ReadWhileWriting(Engine& engine, const WorkloadConfig& config);

// Counts config.num writes, every key once in random order.
uint64_t WriteWhileReading(Engine& engine, const WorkloadConfig& config);

}  // namespace tamis::peers
