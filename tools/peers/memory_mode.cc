// SPDX-License-Identifier: Apache-2.0
#include "tools/peers/memory_mode.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <sstream>

#include "tools/bench_data.h"
#include "tools/latency_histogram.h"
#include "tools/peers/bench_keys.h"
#include "tools/peers/child_process.h"
#include "tools/peers/preset.h"
#include "tools/peers/write_workloads.h"
#include "tools/process_usage.h"
#include "util/base/random.h"

namespace tamis::peers {

namespace {

constexpr size_t kAllCached = size_t{4} << 30;
constexpr uint64_t kReadsPerWrite = 4;

// The figures after one phase, in the order of the columns.
enum Figure : size_t {
  kResident,   // MiB
  kAnonymous,  // MiB of it that are no pages of files, as code is
  kPeak,       // MiB
  kCharged,    // MiB, that the cache counts
  kTables,     // MiB, of readers of tables
  kMemtables,  // MiB
  kP50,        // us of a get
  kP99,
  kFigures
};
using Figures = std::array<double, kFigures>;
constexpr std::array kPhases = {"before", "open", "gets", "gets and puts"};
constexpr size_t kPhaseOfGets = 2;

double Mebibytes(uint64_t bytes) {
  return static_cast<double>(bytes) / (1 << 20);
}

Figures OfProcess() {
  Figures figures{};
  figures[kResident] = Mebibytes(ResidentBytes());
  figures[kAnonymous] = Mebibytes(AnonymousResidentBytes());
  figures[kPeak] = Mebibytes(PeakResidentBytes());
  return figures;
}

class Phases {
 public:
  Phases(Engine& engine, const MemoryConfig& config)
      : engine_(engine),
        config_(config),
        key_(config.work.key_size),
        values_(static_cast<size_t>(config.work.value_size), config.work.seed),
        random_(config.work.seed) {}

  Figures AfterOpen() const { return Now({}); }
  Figures Gets(bool with_puts) {
    std::string value;
    // The first half warms up.
    LatencyHistogram latency;
    for (uint64_t i = 0; i < 2 * config_.work.reads; ++i) {
      const std::string_view key = RandomKey();
      const auto begin = std::chrono::steady_clock::now();
      Require(engine_.Get(key, &value), "a key is absent");
      const std::chrono::nanoseconds passed =
          std::chrono::steady_clock::now() - begin;
      if (i >= config_.work.reads) {
        latency.Add(static_cast<uint64_t>(passed.count()));
      }
      if (with_puts && i % kReadsPerWrite == 0) {
        engine_.Put(RandomKey(), values_.Next(), false);
      }
    }
    return Now(latency);
  }

 private:
  std::string_view RandomKey() {
    return key_.Write(2 * random_.Uniform(config_.work.num));
  }
  Figures Now(const LatencyHistogram& latency) const {
    Figures figures = OfProcess();
    figures[kCharged] =
        Mebibytes(engine_.IntProperty("rocksdb.block-cache-usage"));
    figures[kTables] =
        Mebibytes(engine_.IntProperty("rocksdb.estimate-table-readers-mem"));
    figures[kMemtables] =
        Mebibytes(engine_.IntProperty("rocksdb.size-all-mem-tables"));
    figures[kP50] = latency.QuantileMicros(0.5);
    figures[kP99] = latency.QuantileMicros(0.99);
    return figures;
  }

  Engine& engine_;
  const MemoryConfig& config_;
  KeyWriter key_;
  ValuePool values_;
  Random random_;
};

using PhaseFigures = std::array<Figures, kPhases.size()>;

PhaseFigures MeasurePhases(Engine& engine, const std::string& folder,
                           const MemoryConfig& config,
                           const EngineConfig& engine_config) {
  PhaseFigures figures;
  Phases phases(engine, config);
  figures[0] = OfProcess();
  engine.Open(folder, engine_config);
  figures[1] = phases.AfterOpen();
  figures[2] = phases.Gets(/*with_puts=*/false);
  figures[3] = phases.Gets(/*with_puts=*/true);
  engine.Close();
  return figures;
}

// Fills the database in random order, so that its compaction rewrites all, into
// about config.tables tables.
int BuildTables(Engine& engine, const std::string& folder,
                const MemoryConfig& config, EngineConfig engine_config) {
  engine_config.shared_budget = false;
  engine_config.write_buffer_bytes = size_t{64} << 20;
  engine.Open(folder, engine_config);
  FillRandomBatch(engine, config.work);
  Compact(engine, config.work);
  engine.Close();
  return 0;
}

uint64_t CountTables(const std::string& folder) {
  uint64_t tables = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".sst") ++tables;
  }
  return tables;
}

std::string MemorySettings(const MemoryConfig& config) {
  std::ostringstream out;
  out << config.work.num << " keys of " << config.work.key_size << " + "
      << config.work.value_size << " bytes, "
      << NameOf(config.engine.compression) << ", all tables open; "
      << "budget: one cache of " << (config.engine.cache_bytes >> 20)
      << " MiB that also counts tables and memtables of up to "
      << (config.engine.write_buffer_bytes >> 20)
      << " MiB; then one larger by what the tables take, and one of "
      << (kAllCached >> 20) << " MiB; a process for each; before: the open; "
      << config.work.reads
      << " gets after as many to warm up, then the same with a put after every "
      << kReadsPerWrite
      << "; MiB and microseconds; anonymous: resident without code and "
         "other pages of files";
  return out.str();
}

}  // namespace

FlatTable RunMemory(const std::vector<EngineFactory>& engines,
                    const MemoryConfig& config) {
  FlatTable table{
      .name = "memory",
      .settings = MemorySettings(config),
      .columns = {"engine", "tables", "cache", "phase", "resident", "anonymous",
                  "peak", "charged", "readers", "memtables", "p50", "p99"},
      .rows = {}};
  EngineConfig engine_config = config.engine;
  engine_config.shared_budget = true;
  engine_config.charge_tables = true;
  engine_config.table_bytes =
      std::max<uint64_t>(DataBytes(config.work) / config.tables, 4096);
  const std::string folder = config.folder + "/memory";
  for (const EngineFactory& make : engines) {
    if (!make()->Lacks(engine_config).empty()) continue;
    std::filesystem::remove_all(folder);
    std::filesystem::create_directories(folder);
    InChild<int>(
        [&] { return BuildTables(*make(), folder, config, engine_config); });
    const auto tables = static_cast<double>(CountTables(folder));
    const auto measure = [&](size_t cache) {
      EngineConfig with = engine_config;
      with.cache_bytes = cache;
      const auto phases = InChild<PhaseFigures>(
          [&] { return MeasurePhases(*make(), folder, config, with); });
      for (size_t i = 0; i < kPhases.size(); ++i) {
        std::vector<FlatCell> row = {make()->name(), tables, Mebibytes(cache),
                                     kPhases[i]};
        row.insert(row.end(), phases[i].begin(), phases[i].end());
        table.rows.push_back(std::move(row));
      }
      return phases;
    };
    const PhaseFigures budget = measure(engine_config.cache_bytes);
    const double tables_mib = budget[kPhaseOfGets][kTables];
    measure(engine_config.cache_bytes +
            static_cast<size_t>(tables_mib * (1 << 20)));
    measure(kAllCached);
    std::filesystem::remove_all(folder);
  }
  return table;
}

}  // namespace tamis::peers
