// SPDX-License-Identifier: Apache-2.0
//
// The workloads, by name. A workload uses the same keys in the same order for
// all engines, and checks the results.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "tools/peers/engine.h"

namespace tamis::peers {

struct WorkloadConfig {
  uint64_t num = 2'000'000;  // keys
  uint64_t reads = 500'000;  // operations of a random reading workload
  uint64_t syncs = 2'000;    // operations of a workload that syncs
  int key_size = 16;         // decimal digits
  int value_size = 100;      // half of it compressible
  uint64_t seed = 1;
};

// The database that a workload starts with, and its state afterwards.
enum class Stage : uint8_t {
  kFillAndForget,    // a new database, deleted afterwards
  kFill,             // a new database, used by later workloads
  kCompact,          // the filled database; fully compacted afterwards
  kRead,             // a database with every key; unchanged
  kChange,           // a database with every key; more of them afterwards
  kChangeAndForget,  // a database with every key, deleted afterwards
};

struct Workload {
  const char* name;
  Stage stage;
  int threads;  // threads that call the engine
  const char* what;
  // Returns the number of operations.
  uint64_t (*run)(Engine& engine, const WorkloadConfig& config);
  // Whether the engine has what the workload needs. nullptr: all have.
  bool (*possible)(const Engine& engine) = nullptr;
};

// Returns all workloads in execution order, by stage.
const std::vector<Workload>& Workloads();

// Returns nullptr if there is no such workload.
const Workload* FindWorkload(std::string_view name);

// Runs share(thread, config) in each of `threads` threads at once, and returns
// the sum of the results. Threads are numbered from 0. The `config` passed to
// share() has the thread's part of the reads, and a seed of its own.
uint64_t InThreads(
    int threads, const WorkloadConfig& config,
    const std::function<uint64_t(int, const WorkloadConfig&)>& share);

}  // namespace tamis::peers
