// SPDX-License-Identifier: Apache-2.0
#include "tools/peers/tail_mode.h"

#include <atomic>
#include <filesystem>
#include <sstream>
#include <thread>

#include "tools/bench_data.h"
#include "tools/peers/bench_keys.h"
#include "tools/peers/loop_clock.h"
#include "tools/peers/open_loop.h"
#include "tools/peers/write_workloads.h"
#include "util/base/random.h"

namespace tamis::peers {

namespace {

// Each call reads one random present key. One thread.
class Reader {
 public:
  Reader(Engine& engine, const WorkloadConfig& work)
      : engine_(engine),
        num_(work.num),
        key_(work.key_size),
        random_(work.seed) {}
  void operator()() {
    if (!engine_.Get(key_.Write(2 * random_.Uniform(num_)), &value_))
        [[unlikely]] {
      Fail(engine_.name() + ": a key is missing");
    }
  }

 private:
  Engine& engine_;
  const uint64_t num_;
  KeyWriter key_;
  Random random_;
  std::string value_;
};

// Each call overwrites one random key. One thread.
class Writer {
 public:
  Writer(Engine& engine, const WorkloadConfig& work)
      : engine_(engine),
        num_(work.num),
        key_(work.key_size),
        values_(static_cast<size_t>(work.value_size), work.seed),
        random_(~work.seed) {}
  void operator()() {
    engine_.Put(key_.Write(2 * random_.Uniform(num_)), values_.Next(), false);
  }

 private:
  Engine& engine_;
  const uint64_t num_;
  KeyWriter key_;
  ValuePool values_;
  Random random_;
};

struct Rates {
  double reads = 0;
  double writes = 0;  // a second
};

// Runs operation() until `seconds` are over, in the loop of the load, whose own
// cost counts, too: all operations have arrived by then. Returns operations per
// second.
template <typename Operation>
double FullSpeed(double seconds, Operation&& operation) {
  constexpr double kPerSecond = 1e9;
  const LoopClock clock;
  PoissonArrivals arrivals(kPerSecond, /*seed=*/1);
  return RunOpenLoop(clock, arrivals, UINT64_MAX, operation,
                     static_cast<uint64_t>(seconds * 1e9))
      .PerSecond();
}

Rates Capacity(Engine& engine, const TailConfig& config) {
  Rates rates;
  std::thread writer([&] {
    rates.writes =
        FullSpeed(config.capacity_seconds, Writer(engine, config.work));
  });
  rates.reads = FullSpeed(config.capacity_seconds, Reader(engine, config.work));
  writer.join();
  return rates;
}

struct Tails {
  OpenLoopResult reads;
  OpenLoopResult writes;
};

Tails Load(Engine& engine, const TailConfig& config, const Rates& rates) {
  WorkloadConfig work = config.work;
  ++work.seed;  // other keys than Capacity's
  const auto end = static_cast<uint64_t>(config.seconds * 1e9);
  const LoopClock clock;
  Tails tails;
  std::thread writer([&] {
    PoissonArrivals arrivals(rates.writes, work.seed);
    tails.writes = RunOpenLoop(clock, arrivals, end, Writer(engine, work));
  });
  PoissonArrivals arrivals(rates.reads, ~work.seed);
  tails.reads = RunOpenLoop(clock, arrivals, end, Reader(engine, work));
  writer.join();
  return tails;
}

std::vector<FlatCell> Row(const Engine& engine, const char* operation,
                          double capacity, double offered,
                          const OpenLoopResult& result) {
  const auto micros = [&result](double share) {
    return result.latency.QuantileMicros(share);
  };
  return {engine.name(),      operation,
          capacity,           offered,
          result.PerSecond(), micros(0.5),
          micros(0.99),       micros(0.999),
          micros(0.9999),     static_cast<double>(result.latency.most()) / 1e3};
}

std::string TailSettings(const TailConfig& config) {
  std::ostringstream out;
  out << config.work.num << " keys of " << config.work.key_size << " + "
      << config.work.value_size << " bytes; one reader and one writer of random"
      << " present keys at once for " << config.seconds << " s, arrivals of a "
      << "Poisson process, latency from arrival in microseconds; rates: ";
  if (config.read_rate > 0 || config.write_rate > 0) {
    out << "as given, else ";
  }
  out << config.load << " of what the engine did in " << config.capacity_seconds
      << " s of both at full speed; cache " << (config.engine.cache_bytes >> 20)
      << " MiB";
  return out.str();
}

}  // namespace

FlatTable RunTail(const std::vector<std::unique_ptr<Engine>>& engines,
                  const TailConfig& config) {
  FlatTable table{.name = "tail",
                  .settings = TailSettings(config),
                  .columns = {"engine", "operation", "capacity/s", "offered/s",
                              "done/s", "p50", "p99", "p99.9", "p99.99", "max"},
                  .rows = {}};
  const std::string folder = config.folder + "/tail";
  for (const auto& engine : engines) {
    std::filesystem::remove_all(folder);
    std::filesystem::create_directories(folder);
    engine->Open(folder, config.engine);
    FillRandom(*engine, config.work);
    config.wait_until_idle();
    const Rates capacity = Capacity(*engine, config);
    config.wait_until_idle();
    const Rates offered = {
        .reads = config.read_rate > 0 ? config.read_rate
                                      : config.load * capacity.reads,
        .writes = config.write_rate > 0 ? config.write_rate
                                        : config.load * capacity.writes};
    const Tails tails = Load(*engine, config, offered);
    table.rows.push_back(
        Row(*engine, "read", capacity.reads, offered.reads, tails.reads));
    table.rows.push_back(
        Row(*engine, "write", capacity.writes, offered.writes, tails.writes));
    engine->Close();
    std::filesystem::remove_all(folder);
  }
  return table;
}

}  // namespace tamis::peers
