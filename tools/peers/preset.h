// SPDX-License-Identifier: Apache-2.0
//
// A preset is a name for workloads and the conditions to run them under. In
// each round, the databases are filled once. Each table of the preset then has
// the figures of some workloads on them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tools/peers/engine.h"
#include "tools/peers/workload.h"

namespace tamis::peers {

// The state of the database that a table's reading workloads find.
enum class Levels : uint8_t {
  kAsFilled,   // as the fill left them, after the last compaction ended
  kCompacted,  // one sorted run
};

// Workloads measured under the same conditions.
struct TableSpec {
  const char* name;
  Levels levels = Levels::kCompacted;
  // The cache size as a share of the bytes of all keys and values. 0 means
  // Preset::cache_size.
  double cache_share = 0;
  std::vector<std::string_view> rows;  // names of workloads
};

// A number of 0, or an empty compression, means the default.
struct Preset {
  const char* name;
  const char* what;
  uint64_t num = 0;
  uint64_t reads = 0;
  int value_size = 0;
  uint64_t cache_size = 0;
  std::string_view compression = {};
  std::vector<TableSpec> tables;
};

const std::vector<Preset>& Presets();

// Returns nullptr if there is no such preset.
const Preset* FindPreset(std::string_view name);

// A table with the settings of a run.
struct PlannedTable {
  std::string name;
  Levels levels = Levels::kCompacted;
  bool cold = false;  // the cache is smaller than the data
  size_t cache_bytes = 0;
  WorkloadConfig work;
  std::vector<const Workload*> rows;  // in execution order
};

// Returns the preset's tables, with settings. If `rows` is not empty, includes
// only these workloads, and no table without one of them. Workloads of cold
// tables do `cold_reads` reads.
std::vector<PlannedTable> PlanTables(const Preset& preset,
                                     const std::vector<std::string>& rows,
                                     const WorkloadConfig& work,
                                     const EngineConfig& engine,
                                     uint64_t cold_reads);

// Returns the bytes of all keys and values.
uint64_t DataBytes(const WorkloadConfig& work);

}  // namespace tamis::peers
