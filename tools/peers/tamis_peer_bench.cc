// SPDX-License-Identifier: Apache-2.0
//
// tamis_peer_bench: the same workloads on Tamis and on Debian's RocksDB and
// LevelDB, interleaved: A B C A B C ...
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <unistd.h>

#include <gflags/gflags.h>

#include "tools/comma_list.h"
#include "tools/peers/engine.h"
#include "tools/peers/flat_table.h"
#include "tools/peers/growth_mode.h"
#include "tools/peers/memory_mode.h"
#include "tools/peers/null_engine.h"
#include "tools/peers/open_mode.h"
#include "tools/peers/preset.h"
#include "tools/peers/ranges_mode.h"
#include "tools/peers/report.h"
#include "tools/peers/report_page.h"
#include "tools/peers/rounds.h"
#include "tools/peers/stall_mode.h"
#include "tools/peers/stores_mode.h"
#include "tools/peers/tail_mode.h"
#include "tools/peers/workload.h"
#include "tools/process_usage.h"
#include "tools/store_counter.h"
#include "tools/tool_main.h"

DEFINE_string(mode, "rows",
              "rows: workloads of presets; tail: latencies under a mixed load; "
              "growth: costs by number of keys; open: costs of an open; "
              "stall: writes beyond what is sustained; memory: under one "
              "budget; ranges: reads among range deletions; stores: of reads, "
              "to cache lines that other threads store to");
DEFINE_string(preset, "default",
              "what to measure; several, separated by commas, run one after "
              "the other");
DEFINE_string(rows, "", "only these workloads of the preset; empty: all");
DEFINE_string(benchmarks, "", "the same as --rows");
DEFINE_uint64(num, 2000000, "keys");
DEFINE_uint64(reads, 500000, "operations of each random reading workload");
DEFINE_uint64(cold_reads, 100000,
              "the same where the cache is smaller than the data");
DEFINE_uint64(syncs, 2000, "operations of each workload that syncs");
DEFINE_int32(key_size, 16, "bytes of a key");
DEFINE_int32(value_size, 100, "bytes of a value; half of it compressible");
DEFINE_int32(rounds, 5, "rounds, interleaved");
DEFINE_uint64(seed, 1, "of keys and values");
DEFINE_int32(bloom_bits, 10, "bits of a Bloom filter per key");
DEFINE_string(compression_type, "snappy", "snappy, lz4, zstd or none");
DEFINE_uint64(write_buffer_size, 64 << 20, "bytes");
DEFINE_uint64(cache_size, uint64_t{4} << 30,
              "bytes, of tables that do not name a share of the data");
DEFINE_bool(mmap_reads, false,
            "Tamis and RocksDB map tables, as LevelDB always does");
DEFINE_bool(charge_tables, false,
            "RocksDB's cache holds its tables' indexes and filters, as that of "
            "Tamis always does");
DEFINE_uint32(parallel_threads, 0,
              "of a table being written; 0: each engine's default");
DEFINE_double(idle_seconds, 0.5,
              "before reads, all engines are without work for this time");
DEFINE_int32(max_background_jobs, 0, "0: each engine's default");
DEFINE_string(
    engines, "tamis,rocksdb,leveldb",
    "which, the first one compared with the others; null: none, for the "
    "benchmark's own cost");
DEFINE_double(
    seconds, 180,
    "of mode tail: of each engine's load; of mode stall: of each load");
DEFINE_double(
    capacity_seconds, 0,
    "of mode tail: at full speed, to measure the capacity; 0: as long "
    "as the load");
DEFINE_double(load, 0.8, "of mode tail: share of the capacity");
DEFINE_double(read_rate, 0,
              "of mode tail: reads a second; 0: --load of the capacity");
DEFINE_double(write_rate, 0,
              "of mode tail: writes a second; 0: --load of the capacity");
DEFINE_string(sizes, "200000,2000000,20000000",
              "of mode growth: numbers of keys");
DEFINE_string(tables, "0,2000,20000",
              "of mode open: numbers of tables; of mode memory: one, 2000");
DEFINE_uint64(ranges, 100000, "of mode ranges: range deletions");
DEFINE_string(db, "", "a folder for the databases; empty: a temporary one");
DEFINE_string(json, "", "a file for the figures as JSON");
DEFINE_string(html, "", "of mode rows: a file for a page with charts");
DEFINE_string(svg, "", "of mode rows: a file for a chart of the first table");

namespace tamis::peers {

namespace {

// `keys` is the number of keys that the databases will have.
std::unique_ptr<Engine> EngineByName(const std::string& name, uint64_t keys) {
  if (name == "tamis") return NewTamisEngine();
  if (name == "rocksdb") return NewRocksDBEngine();
  if (name == "leveldb") return NewLevelDBEngine();
  if (name == "null") return NewNullEngine(keys);
  return nullptr;
}

// The settings of a preset and of the flags. Flags that are given take
// precedence.
struct RunConfig {
  WorkloadConfig work;
  EngineConfig engine;
};

bool IsGiven(const char* flag) {
  return !gflags::GetCommandLineFlagInfoOrDie(flag).is_default;
}

RunConfig ConfigOf(const Preset& preset) {
  const auto pick = [](const char* flag, auto given, auto of_preset) {
    return of_preset == 0 || IsGiven(flag) ? given : of_preset;
  };
  RunConfig config;
  config.work.num = pick("num", FLAGS_num, preset.num);
  config.work.reads = pick("reads", FLAGS_reads, preset.reads);
  config.work.syncs = FLAGS_syncs;
  config.work.key_size = FLAGS_key_size;
  config.work.value_size =
      pick("value_size", FLAGS_value_size, preset.value_size);
  config.work.seed = FLAGS_seed;
  config.engine.write_buffer_bytes = FLAGS_write_buffer_size;
  config.engine.cache_bytes =
      pick("cache_size", FLAGS_cache_size, preset.cache_size);
  config.engine.bloom_bits = FLAGS_bloom_bits;
  ParseCompression(FLAGS_compression_type, &config.engine.compression);
  if (!IsGiven("compression_type")) {
    ParseCompression(preset.compression, &config.engine.compression);
  }
  config.engine.mmap_reads = FLAGS_mmap_reads;
  config.engine.charge_tables = FLAGS_charge_tables;
  config.engine.parallel_threads = FLAGS_parallel_threads;
  config.engine.max_background_jobs = FLAGS_max_background_jobs;
  return config;
}

std::string Settings(const Preset& preset, const RunConfig& config) {
  const WorkloadConfig& work = config.work;
  const EngineConfig& engine = config.engine;
  std::ostringstream out;
  out << preset.name << ": " << work.num << " keys of " << work.key_size
      << " + " << work.value_size << " bytes, " << FLAGS_rounds
      << " interleaved rounds; all engines alike: logged and not synced "
         "(fillsync, fillsync8: "
      << work.syncs << " synced writes), " << NameOf(engine.compression)
      << ", Bloom " << engine.bloom_bits << " bits a key, write buffer "
      << (engine.write_buffer_bytes >> 20)
      << " MiB; multiget 64 keys a call, of LevelDB 64 Gets; tables "
      << (engine.mmap_reads ? "mapped" : "read with pread, LevelDB's mapped")
      << "; the cache also holds the tables' indexes and filters"
      << (engine.charge_tables ? "" : ", but only that of Tamis");
  return out.str();
}

const char* WrongFlag() {
  Compression compression{};
  if (!ParseCompression(FLAGS_compression_type, &compression)) {
    return "--compression_type is snappy, lz4, zstd or none";
  }
  if (FLAGS_num == 0 || FLAGS_num > UINT32_MAX || FLAGS_rounds < 1 ||
      FLAGS_key_size < 8 || FLAGS_value_size < 1) {
    return "--num and --rounds and --value_size are 1 or more, --key_size 8";
  }
  if (FLAGS_reads < 1 || FLAGS_cold_reads < 1 || FLAGS_syncs < 1) {
    return "--reads, --cold_reads and --syncs are 1 or more";
  }
  if (FLAGS_max_background_jobs < 0) {
    return "--max_background_jobs is 0 or more";
  }
  if (!(FLAGS_idle_seconds > 0 && FLAGS_idle_seconds <= 60)) {
    return "--idle_seconds is more than 0, at most 60";
  }
  return nullptr;
}

// Leaves out engines that do not support what the preset needs.
RunReport RunPreset(const Preset& preset, const std::vector<std::string>& rows,
                    const std::vector<std::string>& names,
                    const std::string& folder) {
  const RunConfig config = ConfigOf(preset);
  RunReport report{.preset = preset.name,
                   .settings = Settings(preset, config),
                   .engines = {},
                   .tables = {}};
  std::vector<std::unique_ptr<Engine>> engines;
  for (const std::string& name : names) {
    auto engine = EngineByName(name, config.work.num);
    const std::string lacks = engine->Lacks(config.engine);
    if (lacks.empty()) {
      engines.push_back(std::move(engine));
    } else {
      report.settings +=
          "; without " + engine->name() + ", which lacks " + lacks;
    }
  }
  if (engines.empty()) return report;
  Rounds rounds(
      std::move(engines), folder,
      PlanTables(preset, rows, config.work, config.engine, FLAGS_cold_reads),
      config.engine, [] { WaitUntilIdle(FLAGS_idle_seconds); });
  for (int round = 0; round < FLAGS_rounds; ++round) rounds.Run(round);
  report.engines = rounds.Engines();
  report.tables = rounds.Figures();
  return report;
}

void WriteTo(const std::string& file, const std::string& text) {
  if (file.empty()) return;
  std::ofstream out(file);
  out << text;
  if (!out.flush().good()) Fail(file + ": cannot be written");
}

std::vector<std::unique_ptr<Engine>> EnginesOf(
    const std::vector<std::string>& names, const RunConfig& config) {
  std::vector<std::unique_ptr<Engine>> engines;
  for (const std::string& name : names) {
    engines.push_back(EngineByName(name, config.work.num));
    const std::string lacks = engines.back()->Lacks(config.engine);
    if (!lacks.empty()) Fail(name + " lacks " + lacks);
  }
  return engines;
}

FlatTable TailTable(const std::vector<std::string>& names,
                    const std::string& folder) {
  const RunConfig config = ConfigOf({});
  return RunTail(
      EnginesOf(names, config),
      {.work = config.work,
       .engine = config.engine,
       .capacity_seconds =
           FLAGS_capacity_seconds > 0 ? FLAGS_capacity_seconds : FLAGS_seconds,
       .seconds = FLAGS_seconds,
       .load = FLAGS_load,
       .read_rate = FLAGS_read_rate,
       .write_rate = FLAGS_write_rate,
       .folder = folder,
       .wait_until_idle = [] { WaitUntilIdle(FLAGS_idle_seconds); }});
}

FlatTable GrowthTable(const std::vector<std::string>& names,
                      const std::vector<uint64_t>& sizes,
                      const std::string& folder) {
  const RunConfig config = ConfigOf({});
  return RunGrowth(
      EnginesOf(names, config),
      {.work = config.work,
       .engine = config.engine,
       .sizes = sizes,
       .rounds = IsGiven("rounds") ? FLAGS_rounds : 1,
       .folder = folder,
       .wait_until_idle = [] { WaitUntilIdle(FLAGS_idle_seconds); }});
}

std::vector<EngineFactory> FactoriesOf(const std::vector<std::string>& names) {
  std::vector<EngineFactory> engines;
  for (const std::string& name : names) {
    engines.emplace_back([name] { return EngineByName(name, 1); });
  }
  return engines;
}

FlatTable OpenTable(const std::vector<std::string>& names,
                    const std::vector<uint64_t>& tables,
                    const std::string& folder) {
  const RunConfig config = ConfigOf({});
  return RunOpen(FactoriesOf(names), {.work = config.work,
                                      .engine = config.engine,
                                      .tables = tables,
                                      .rounds = FLAGS_rounds,
                                      .folder = folder});
}

FlatTable RangesTable(const std::vector<std::string>& names,
                      const std::string& folder) {
  RunConfig config = ConfigOf({});
  if (!IsGiven("reads")) config.work.reads = 20000;
  return RunRanges(
      EnginesOf(names, config),
      {.work = config.work,
       .engine = config.engine,
       .ranges = FLAGS_ranges,
       .folder = folder,
       .wait_until_idle = [] { WaitUntilIdle(FLAGS_idle_seconds); }});
}

FlatTable StallTable(const std::vector<std::string>& names,
                     const std::string& folder) {
  const RunConfig config = ConfigOf({});
  return RunStall(
      EnginesOf(names, config),
      {.work = config.work,
       .engine = config.engine,
       .seconds = FLAGS_seconds,
       .folder = folder,
       .wait_until_idle = [] { WaitUntilIdle(FLAGS_idle_seconds); }});
}

// Each store takes some microseconds to count.
FlatTable StoresTable(const std::vector<std::string>& names,
                      const std::string& folder) {
  RunConfig config = ConfigOf({});
  if (!IsGiven("num")) config.work.num = 200'000;
  if (!IsGiven("reads")) config.work.reads = 1024;
  return RunStores(
      EnginesOf(names, config),
      {.work = config.work, .engine = config.engine, .folder = folder});
}

// The defaults are the promise's: 10,000,000 keys in 2000 tables, 64 MiB.
FlatTable MemoryTable(const std::vector<std::string>& names, uint64_t tables,
                      const std::string& folder) {
  RunConfig config = ConfigOf({});
  if (!IsGiven("num")) config.work.num = 10'000'000;
  if (!IsGiven("value_size")) config.work.value_size = 20;
  if (!IsGiven("cache_size")) config.engine.cache_bytes = 64 << 20;
  if (!IsGiven("write_buffer_size")) config.engine.write_buffer_bytes = 8 << 20;
  return RunMemory(FactoriesOf(names), {.work = config.work,
                                        .engine = config.engine,
                                        .tables = tables,
                                        .folder = folder});
}

// Of a mode other than rows.
int RunMode(const std::vector<std::string>& names, const std::string& folder) {
  FlatTable table;
  std::vector<uint64_t> numbers;
  if (FLAGS_mode == "tail") {
    if (!(FLAGS_seconds > 0 && FLAGS_capacity_seconds >= 0 && FLAGS_load > 0 &&
          FLAGS_read_rate >= 0 && FLAGS_write_rate >= 0)) {
      return Misused(
          "--seconds and --load are more than 0, --capacity_seconds, "
          "--read_rate and --write_rate 0 or more");
    }
    table = TailTable(names, folder);
  } else if (FLAGS_mode == "growth") {
    if (!CommaNumbers(FLAGS_sizes, 1, UINT32_MAX, &numbers)) {
      return Misused("--sizes is a list of numbers from 1");
    }
    table = GrowthTable(names, numbers, folder);
  } else if (FLAGS_mode == "open") {
    if (!CommaNumbers(FLAGS_tables, 0, UINT32_MAX, &numbers)) {
      return Misused("--tables is a list of numbers");
    }
    table = OpenTable(names, numbers, folder);
  } else if (FLAGS_mode == "stall") {
    if (!(FLAGS_seconds > 0)) return Misused("--seconds is more than 0");
    table = StallTable(names, folder);
  } else if (FLAGS_mode == "memory") {
    if (!CommaNumbers(IsGiven("tables") ? FLAGS_tables : "2000", 1, UINT32_MAX,
                      &numbers)) {
      return Misused("--tables is a number from 1");
    }
    table = MemoryTable(names, numbers.front(), folder);
  } else if (FLAGS_mode == "ranges") {
    if (FLAGS_ranges < 2 || FLAGS_ranges > UINT32_MAX / 100) {
      return Misused("--ranges is a number from 2 to 42949672");
    }
    table = RangesTable(names, folder);
  } else if (FLAGS_mode == "stores") {
    if (!CanCountStores()) {
      return Misused("mode stores needs x86-64 Linux, without sanitizers");
    }
    table = StoresTable(names, folder);
  } else {
    return Misused(
        "--mode is rows, tail, growth, open, stall, memory, ranges or stores");
  }
  Print(ToText(table));
  WriteTo(FLAGS_json, ToJson(table));
  return kExitRight;
}

int RunRows(const std::vector<std::string>& names, const std::string& folder) {
  std::vector<std::string> rows = CommaParts(FLAGS_rows);
  for (std::string& name : CommaParts(FLAGS_benchmarks)) rows.push_back(name);
  for (const std::string& name : rows) {
    if (FindWorkload(name) == nullptr) return Misused("no workload " + name);
  }
  std::vector<const Preset*> presets;
  for (const std::string& name : CommaParts(FLAGS_preset)) {
    presets.push_back(FindPreset(name));
    if (presets.back() == nullptr) return Misused("no preset " + name);
    if (PlanTables(*presets.back(), rows, {}, {}, 1).empty()) {
      return Misused("preset " + name + " has none of the workloads of --rows");
    }
  }
  if (presets.empty()) return Misused("--preset names none");
  std::vector<RunReport> reports;
  for (const Preset* preset : presets) {
    reports.push_back(RunPreset(*preset, rows, names, folder));
    Print(ToText(reports.back()) + "\n");
  }
  WriteTo(FLAGS_json, ToJson(reports));
  WriteTo(FLAGS_html, ToHtml(reports));
  WriteTo(FLAGS_svg, ToSvg(reports));
  return kExitRight;
}

int Run(const std::vector<std::string>& arguments) {
  if (!arguments.empty()) return Misused("no arguments are expected");
  if (const char* wrong = WrongFlag()) return Misused(wrong);
  const std::vector<std::string> names = CommaParts(FLAGS_engines);
  if (names.empty()) return Misused("--engines names none");
  for (const std::string& name : names) {
    if (EngineByName(name, 1) == nullptr) return Misused("no engine " + name);
  }
  const std::string folder =
      FLAGS_db.empty() ? std::filesystem::temp_directory_path().string() +
                             "/tamis_peer_bench." + std::to_string(getpid())
                       : FLAGS_db;
  std::filesystem::create_directories(folder);
  const int code =
      FLAGS_mode == "rows" ? RunRows(names, folder) : RunMode(names, folder);
  if (FLAGS_db.empty()) std::filesystem::remove_all(folder);
  return code;
}

std::string Usage() {
  std::string usage =
      "tamis_peer_bench [--preset=LIST] [--rows=LIST] [--engines=LIST]\n"
      "                 [--num=N] [--reads=N] [--rounds=N] [--mmap_reads]\n"
      "                 [--json=FILE] [--html=FILE] [--svg=FILE] [--db=FOLDER] "
      "...\n"
      "tamis_peer_bench --mode=tail|growth|open|stall|memory|ranges|stores "
      "...\n"
      "Runs the same workloads on Tamis, RocksDB and LevelDB, interleaved.\n"
      "Mode tail: latencies of reads and writes that arrive at 80 % of the\n"
      "capacity; growth: costs by --sizes; open: costs of an open, by "
      "--tables;\n"
      "stall: waits of writes at once and twice the rate that is sustained;\n"
      "memory: resident under one budget; ranges: reads among --ranges range "
      "deletions;\n"
      "stores: of reads, to cache lines that other threads store to.\n"
      "Presets:\n";
  for (const Preset& preset : Presets()) {
    usage += "  " + std::string(preset.name) +
             std::string(12 - std::string_view(preset.name).size(), ' ') +
             preset.what + "\n";
  }
  usage += "Rows:\n";
  for (const Workload& workload : Workloads()) {
    usage += "  " + std::string(workload.name) +
             std::string(18 - std::string_view(workload.name).size(), ' ') +
             workload.what + "\n";
  }
  return usage;
}

}  // namespace

}  // namespace tamis::peers

int main(int argc, char** argv) {
  const std::string usage = tamis::peers::Usage();
  return tamis::RunTool({"tamis_peer_bench", usage.c_str(), tamis::peers::Run},
                        argc, argv);
}
