// SPDX-License-Identifier: Apache-2.0
#include "tools/peers/open_mode.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <sstream>

#include "tools/peers/child_process.h"
#include "tools/peers/write_workloads.h"
#include "tools/process_usage.h"
#include "tools/repeated_runs.h"

namespace tamis::peers {

namespace {

constexpr uint64_t kKeysPerTable = 50;

// The figures that a child process sends to its parent.
struct OpenCost {
  double open_ms = 0;
  double open_cpu_ms = 0;
  double close_ms = 0;
  double memory_mib = 0;  // more than before
  double threads = 0;     // more than before
  double reopen_ms = 0;   // a second open in the process, with its close
};

double Millis(std::chrono::steady_clock::duration time) {
  return std::chrono::duration<double, std::milli>(time).count();
}

OpenCost MeasureOpen(Engine& engine, const std::string& folder,
                     const EngineConfig& config) {
  using Clock = std::chrono::steady_clock;
  OpenCost cost;
  const double cpu = CpuSeconds();
  const uint64_t memory = ResidentBytes();
  const int threads = ThreadCount();
  const auto start = Clock::now();
  engine.Open(folder, config);
  const auto opened = Clock::now();
  cost.open_cpu_ms = (CpuSeconds() - cpu) * 1e3;
  cost.memory_mib =
      (static_cast<double>(ResidentBytes()) - static_cast<double>(memory)) /
      (1 << 20);
  cost.threads = ThreadCount() - threads;
  const auto closing = Clock::now();
  engine.Close();
  const auto closed = Clock::now();
  engine.Open(folder, config);
  engine.Close();
  cost.open_ms = Millis(opened - start);
  cost.close_ms = Millis(closed - closing);
  cost.reopen_ms = Millis(Clock::now() - closed);
  return cost;
}

// Makes a database of about `tables` tables.
OpenCost Build(Engine& engine, const std::string& folder, uint64_t tables,
               const OpenConfig& config, const EngineConfig& engine_config) {
  engine.Open(folder, engine_config);
  if (tables > 0) {
    WorkloadConfig work = config.work;
    work.num = tables * kKeysPerTable;
    FillRandom(engine, work);
    Compact(engine, work);
  }
  engine.Close();
  return {};
}

uint64_t TablesIn(const std::string& folder) {
  uint64_t tables = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string extension = entry.path().extension();
    if (extension == ".sst" || extension == ".ldb") ++tables;
  }
  return tables;
}

double MedianOf(const std::vector<OpenCost>& costs, double OpenCost::*which) {
  std::vector<double> values;
  for (const OpenCost& cost : costs) values.push_back(cost.*which);
  return Summarize(std::move(values)).median;
}

double MostOf(const std::vector<OpenCost>& costs, double OpenCost::*which) {
  double most = 0;
  for (const OpenCost& cost : costs) most = std::max(most, cost.*which);
  return most;
}

std::string OpenSettings(const OpenConfig& config) {
  std::ostringstream out;
  out << config.rounds << " rounds, interleaved, each in a process of its own; "
      << "medians, and the longest open; files in the page cache; tables of "
      << "about " << kKeysPerTable << " keys of " << config.work.key_size
      << " + " << config.work.value_size
      << " bytes, all kept open; memory: resident, more than before the open; "
         "threads: that the open started; us/table: the open by table (the "
         "engines cut tables at somewhat different sizes); reopen: a second "
         "open in the "
         "process, "
         "with its close";
  return out.str();
}

}  // namespace

FlatTable RunOpen(const std::vector<EngineFactory>& engines,
                  const OpenConfig& config) {
  FlatTable table{
      .name = "open",
      .settings = OpenSettings(config),
      .columns = {"tables", "engine", "open.ms", "longest.ms", "cpu.ms",
                  "us/table", "memory.MiB", "threads", "close.ms", "reopen.ms"},
      .rows = {}};
  for (const uint64_t tables : config.tables) {
    EngineConfig engine_config = config.engine;
    if (tables > 0) {
      engine_config.compression = Compression::kNone;
      engine_config.table_bytes =
          kKeysPerTable *
          static_cast<uint64_t>(config.work.key_size + config.work.value_size);
    }
    std::vector<size_t> taking_part;
    const auto folder = [&config](size_t e) {
      return config.folder + "/open" + std::to_string(e);
    };
    for (size_t e = 0; e < engines.size(); ++e) {
      if (!engines[e]()->Lacks(engine_config).empty()) continue;
      taking_part.push_back(e);
      std::filesystem::remove_all(folder(e));
      std::filesystem::create_directories(folder(e));
      InChild<OpenCost>([&] {
        return Build(*engines[e](), folder(e), tables, config, engine_config);
      });
    }
    std::vector<std::vector<OpenCost>> costs(engines.size());
    for (int round = 0; round < config.rounds; ++round) {
      for (const size_t e : taking_part) {
        costs[e].push_back(InChild<OpenCost>([&] {
          return MeasureOpen(*engines[e](), folder(e), engine_config);
        }));
      }
    }
    for (const size_t e : taking_part) {
      const auto made = static_cast<double>(TablesIn(folder(e)));
      const double open_ms = MedianOf(costs[e], &OpenCost::open_ms);
      table.rows.push_back({made, engines[e]()->name(), open_ms,
                            MostOf(costs[e], &OpenCost::open_ms),
                            MedianOf(costs[e], &OpenCost::open_cpu_ms),
                            made > 0 ? FlatCell(open_ms * 1e3 / made) : "-",
                            MedianOf(costs[e], &OpenCost::memory_mib),
                            MedianOf(costs[e], &OpenCost::threads),
                            MedianOf(costs[e], &OpenCost::close_ms),
                            MedianOf(costs[e], &OpenCost::reopen_ms)});
      std::filesystem::remove_all(folder(e));
    }
  }
  return table;
}

}  // namespace tamis::peers
