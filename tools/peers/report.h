// SPDX-License-Identifier: Apache-2.0
//
// Formats the figures of a run, as text or as JSON.
#pragma once

#include <string>
#include <vector>

#include "tools/peers/engine.h"
#include "tools/peers/stop_watch.h"

namespace tamis::peers {

// Costs by engine and round. An engine that did not take part has no rounds.
struct Measurement {
  std::string workload;
  int threads = 1;  // threads that call the engine
  std::vector<std::vector<Cost>> engines;
};

// Workloads under the same conditions.
struct FigureTable {
  std::string name;
  std::string conditions;
  std::vector<Measurement> measurements;
};

struct ReportedEngine {
  std::string name;
  BackgroundThreads threads;
};

// One fill of databases and everything measured on them.
struct RunReport {
  std::string preset;
  std::string settings;  // common to all engines
  std::vector<ReportedEngine> engines;
  std::vector<FigureTable> tables;
};

std::string ToText(const RunReport& run);
std::string ToJson(const std::vector<RunReport>& runs);

}  // namespace tamis::peers
