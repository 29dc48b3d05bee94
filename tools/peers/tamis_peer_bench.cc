// SPDX-License-Identifier: Apache-2.0
//
// tamis_peer_bench: the same workloads on Tamis and on Debian's RocksDB and
// LevelDB, interleaved: A B C A B C ...
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <unistd.h>

#include <gflags/gflags.h>

#include "tools/peers/comparison.h"
#include "tools/peers/engine.h"
#include "tools/peers/workload.h"
#include "tools/tool_main.h"

DEFINE_uint64(num, 2000000, "keys");
DEFINE_uint64(reads, 500000, "operations of each random reading workload");
DEFINE_int32(key_size, 16, "bytes of a key");
DEFINE_int32(value_size, 100, "bytes of a value; half of it compressible");
DEFINE_int32(rounds, 5, "rounds, interleaved");
DEFINE_uint64(seed, 1, "of keys and values");
DEFINE_int32(bloom_bits, 10, "bits of a Bloom filter per key");
DEFINE_string(compression_type, "snappy", "snappy or none");
DEFINE_uint64(write_buffer_size, 64 << 20, "bytes");
DEFINE_uint64(cache_size, uint64_t{4} << 30, "bytes");
DEFINE_string(engines, "tamis,rocksdb,leveldb",
              "which, the first one compared with the others");
DEFINE_string(benchmarks, "", "which workloads; empty: all");
DEFINE_string(db, "", "a folder for the databases; empty: a temporary one");
DEFINE_string(json, "", "a file for the figures as JSON");

namespace tamis::peers {

void Require(bool ok, const std::string& message) {
  if (ok) return;
  std::fprintf(stderr, "tamis_peer_bench: %s\n", message.c_str());
  std::exit(kExitFailed);
}

namespace {

std::vector<std::string> Split(const std::string& list) {
  std::vector<std::string> parts;
  std::istringstream in(list);
  for (std::string part; std::getline(in, part, ',');) {
    if (!part.empty()) parts.push_back(part);
  }
  return parts;
}

std::unique_ptr<Engine> EngineByName(const std::string& name) {
  if (name == "tamis") return NewTamisEngine();
  if (name == "rocksdb") return NewRocksDBEngine();
  if (name == "leveldb") return NewLevelDBEngine();
  return nullptr;
}

std::string Settings(const WorkloadConfig& work, const EngineConfig& config) {
  std::ostringstream out;
  out << work.num << " keys of " << work.key_size << " + " << work.value_size
      << " bytes, " << work.reads << " random reads, " << FLAGS_rounds
      << " interleaved rounds; all engines alike: logged and not synced, "
      << (config.snappy ? "snappy" : "no compression") << ", Bloom "
      << config.bloom_bits << " bits a key, cache "
      << (config.cache_bytes >> 20) << " MiB, write buffer "
      << (config.write_buffer_bytes >> 20)
      << " MiB, one thread (readrandom2: two); reads after a full compaction, "
         "all cached; multiget 64 keys a call, of LevelDB 64 Gets";
  return out.str();
}

double Micros(Engine& engine, const Workload& workload,
              const WorkloadConfig& config) {
  const auto start = std::chrono::steady_clock::now();
  const uint64_t operations = workload.run(engine, config);
  const std::chrono::duration<double, std::micro> spent =
      std::chrono::steady_clock::now() - start;
  return spent.count() / static_cast<double>(operations);
}

// The engines, and a round of benchmarks on each.
class Bench {
 public:
  Bench(std::vector<std::unique_ptr<Engine>> engines, std::string folder,
        const WorkloadConfig& work, const EngineConfig& config)
      : engines_(std::move(engines)),
        folder_(std::move(folder)),
        work_(work),
        config_(config) {}

  void Round(int round, std::vector<Measurement>* measurements,
             const std::vector<const Workload*>& wanted) {
    work_.seed = FLAGS_seed + static_cast<uint64_t>(round);
    const bool reads = wanted.back()->stage == Stage::kRead;
    ForEach(round, [&](size_t e, Engine& engine) {
      for (const Workload& workload : Workloads()) {
        if (workload.stage == Stage::kRead) break;
        // Later workloads need its database.
        const bool needed = workload.stage != Stage::kFillAndForget &&
                            workload.stage <= wanted.back()->stage;
        if (needed || std::find(wanted.begin(), wanted.end(), &workload) !=
                          wanted.end()) {
          Record(measurements, workload, e, Build(e, workload));
        }
      }
      if (reads) Workloads().back().run(engine, work_);  // warms the cache
    });
    for (const Workload* workload : wanted) {
      if (workload->stage != Stage::kRead) continue;
      ForEach(round, [&](size_t e, Engine& engine) {
        Record(measurements, *workload, e, Micros(engine, *workload, work_));
      });
    }
    for (size_t e = 0; e < engines_.size(); ++e) Remove(e);
  }

 private:
  double Build(size_t e, const Workload& workload) {
    Engine& engine = *engines_[e];
    if (workload.stage != Stage::kSettle) {
      Remove(e);
      engine.Create(Folder(e), config_);
    }
    const double micros = Micros(engine, workload, work_);
    if (workload.stage == Stage::kFillAndForget) Remove(e);
    return micros;
  }
  void Remove(size_t e) {
    engines_[e]->Close();
    std::filesystem::remove_all(Folder(e));
  }
  // Each round starts with a different engine.
  template <typename Visit>
  void ForEach(int round, Visit&& visit) {
    for (size_t i = 0; i < engines_.size(); ++i) {
      const size_t e = (i + static_cast<size_t>(round)) % engines_.size();
      visit(e, *engines_[e]);
    }
  }
  std::string Folder(size_t e) const {
    return folder_ + "/" + std::to_string(e);
  }
  void Record(std::vector<Measurement>* measurements, const Workload& workload,
              size_t engine, double micros) {
    for (Measurement& m : *measurements) {
      if (m.workload == workload.name) m.micros[engine].push_back(micros);
    }
    std::fprintf(stderr, "%-12s %-16s %8.3f us\n", workload.name,
                 engines_[engine]->name().c_str(), micros);
  }

  const std::vector<std::unique_ptr<Engine>> engines_;
  const std::string folder_;
  WorkloadConfig work_;
  const EngineConfig config_;
};

int Run(const std::vector<std::string>& arguments) {
  if (!arguments.empty()) return Misused("no arguments are expected");
  if (FLAGS_compression_type != "snappy" && FLAGS_compression_type != "none") {
    return Misused("--compression_type is snappy or none");
  }
  if (FLAGS_num == 0 || FLAGS_num > UINT32_MAX || FLAGS_rounds < 1 ||
      FLAGS_key_size < 8 || FLAGS_value_size < 1) {
    return Misused(
        "--num and --rounds and --value_size are 1 or more, --key_size 8");
  }
  std::vector<std::unique_ptr<Engine>> engines;
  std::vector<std::string> names;
  for (const std::string& name : Split(FLAGS_engines)) {
    engines.push_back(EngineByName(name));
    if (engines.back() == nullptr) return Misused("no engine " + name);
    names.push_back(engines.back()->name());
  }
  if (engines.empty()) return Misused("--engines names none");

  const std::vector<std::string> asked = Split(FLAGS_benchmarks);
  std::vector<const Workload*> wanted;
  std::vector<Measurement> measurements;
  for (const Workload& workload : Workloads()) {
    if (!asked.empty() &&
        std::find(asked.begin(), asked.end(), workload.name) == asked.end()) {
      continue;
    }
    wanted.push_back(&workload);
    measurements.push_back(
        {workload.name, std::vector<std::vector<double>>(engines.size())});
  }
  if (wanted.empty()) return Misused("--benchmarks names none that is known");

  WorkloadConfig work;
  work.num = FLAGS_num;
  work.reads = FLAGS_reads;
  work.key_size = FLAGS_key_size;
  work.value_size = FLAGS_value_size;
  EngineConfig config;
  config.write_buffer_bytes = FLAGS_write_buffer_size;
  config.cache_bytes = FLAGS_cache_size;
  config.bloom_bits = FLAGS_bloom_bits;
  config.snappy = FLAGS_compression_type == "snappy";

  const std::string folder =
      FLAGS_db.empty() ? std::filesystem::temp_directory_path().string() +
                             "/tamis_peer_bench." + std::to_string(getpid())
                       : FLAGS_db;
  std::filesystem::create_directories(folder);
  Bench bench(std::move(engines), folder, work, config);
  for (int round = 0; round < FLAGS_rounds; ++round) {
    bench.Round(round, &measurements, wanted);
  }
  if (FLAGS_db.empty()) std::filesystem::remove_all(folder);

  const std::string settings = Settings(work, config);
  Print(ToText(names, measurements, settings));
  if (!FLAGS_json.empty()) {
    std::ofstream out(FLAGS_json);
    out << ToJson(names, measurements, settings);
    Require(out.flush().good(), FLAGS_json + ": cannot be written");
  }
  return kExitRight;
}

constexpr const char kUsage[] =
    "tamis_peer_bench [--num=N] [--reads=N] [--rounds=N] [--engines=LIST]\n"
    "                 [--benchmarks=LIST] [--json=FILE] [--db=FOLDER] ...\n"
    "Runs the same workloads on Tamis, RocksDB and LevelDB, interleaved.\n";

}  // namespace

}  // namespace tamis::peers

int main(int argc, char** argv) {
  return tamis::RunTool(
      {"tamis_peer_bench", tamis::peers::kUsage, tamis::peers::Run}, argc,
      argv);
}
