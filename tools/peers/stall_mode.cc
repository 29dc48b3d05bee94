// SPDX-License-Identifier: Apache-2.0
#include "tools/peers/stall_mode.h"

#include <cstdint>
#include <filesystem>
#include <sstream>

#include "tools/bench_data.h"
#include "tools/peers/bench_keys.h"
#include "tools/peers/loop_clock.h"
#include "tools/peers/open_loop.h"
#include "util/base/random.h"

namespace tamis::peers {

namespace {

// All operations arrive at the start.
class AllAtOnce {
 public:
  uint64_t Next() const { return 0; }
};

class RandomWriter {
 public:
  RandomWriter(Engine& engine, const WorkloadConfig& work)
      : engine_(engine),
        num_(work.num),
        key_(work.key_size),
        values_(static_cast<size_t>(work.value_size), work.seed),
        random_(work.seed) {}
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

std::vector<FlatCell> RowOfLoad(const Engine& engine, const char* load,
                                FlatCell offered, double sustained,
                                const OpenLoopResult& result) {
  const auto millis = [&result](double share) {
    return static_cast<double>(result.call.Quantile(share)) / 1e6;
  };
  const auto most = static_cast<double>(result.call.most()) / 1e6;
  return {engine.name(),
          load,
          std::move(offered),
          result.PerSecond(),
          result.PerSecond() / sustained,
          millis(0.5),
          millis(0.99),
          millis(0.999),
          millis(0.99999),
          most};
}

std::string StallSettings(const StallConfig& config) {
  std::ostringstream out;
  out << "one writer of random keys among " << config.work.num << ", of "
      << config.work.key_size << " + " << config.work.value_size
      << " bytes, logged and not synced; write buffer "
      << (config.engine.write_buffer_bytes >> 20) << " MiB; " << config.seconds
      << " s of each load, one after the other without a pause: at full speed "
         "twice, of which the second is what the engine sustains, then once "
         "and twice this rate; milliseconds of a call";
  return out.str();
}

}  // namespace

FlatTable RunStall(const std::vector<std::unique_ptr<Engine>>& engines,
                   const StallConfig& config) {
  FlatTable table{.name = "stall",
                  .settings = StallSettings(config),
                  .columns = {"engine", "load", "offered/s", "done/s", "share",
                              "p50", "p99", "p99.9", "p99.999", "max"},
                  .rows = {}};
  const std::string folder = config.folder + "/stall";
  const auto end = static_cast<uint64_t>(config.seconds * 1e9);
  for (const auto& engine : engines) {
    std::filesystem::remove_all(folder);
    std::filesystem::create_directories(folder);
    engine->Open(folder, config.engine);
    config.wait_until_idle();
    RandomWriter writer(*engine, config.work);
    const auto full_speed = [&] {
      const LoopClock clock;
      AllAtOnce arrivals;
      return RunOpenLoop(clock, arrivals, end, writer, end);
    };
    const OpenLoopResult first = full_speed();
    const OpenLoopResult full = full_speed();
    const double sustained = full.PerSecond();
    table.rows.push_back(
        RowOfLoad(*engine, "full, first", "-", sustained, first));
    table.rows.push_back(RowOfLoad(*engine, "full", "-", sustained, full));
    for (const double times : {1.0, 2.0}) {
      const LoopClock clock;
      PoissonArrivals arrivals(times * sustained, config.work.seed);
      const OpenLoopResult result =
          RunOpenLoop(clock, arrivals, end, writer, end);
      table.rows.push_back(RowOfLoad(*engine, times > 1 ? "twice" : "once",
                                     times * sustained, sustained, result));
    }
    engine->Close();
    std::filesystem::remove_all(folder);
  }
  return table;
}

}  // namespace tamis::peers
