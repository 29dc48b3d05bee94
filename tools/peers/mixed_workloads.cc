// SPDX-License-Identifier: Apache-2.0
#include "tools/peers/mixed_workloads.h"

#include <atomic>
#include <thread>

#include "tools/bench_data.h"
#include "tools/peers/bench_keys.h"
#include "tools/peers/read_workloads.h"
#include "tools/peers/write_workloads.h"
#include "util/base/random.h"

namespace tamis::peers {

namespace {

// Returns the result of counted(), while other(stopped) runs in a thread.
template <typename Counted, typename Other>
uint64_t RunBoth(Counted&& counted, Other&& other) {
  std::atomic<bool> stopped{false};
  std::thread thread([&] { other(stopped); });
  const uint64_t operations = counted();
  stopped.store(true, std::memory_order_relaxed);
  thread.join();
  return operations;
}

void WriteUntil(Engine& engine, const WorkloadConfig& config,
                const std::atomic<bool>& stopped) {
  KeyWriter key(config.key_size);
  ValuePool values(static_cast<size_t>(config.value_size), config.seed);
  Random random(~config.seed);
  while (!stopped.load(std::memory_order_relaxed)) {
    engine.Put(key.Write(2 * random.Uniform(config.num)), values.Next(), false);
  }
}

void ReadUntil(Engine& engine, const WorkloadConfig& config,
               const std::atomic<bool>& stopped) {
  constexpr uint64_t kReads = 256;  // between looks at `stopped`
  WorkloadConfig some = config;
  some.reads = kReads;
  while (!stopped.load(std::memory_order_relaxed)) {
    ReadRandom(engine, some);
    ++some.seed;
  }
}

}  // namespace

uint64_t ReadWhileWriting(Engine& engine, const WorkloadConfig& config) {
  return RunBoth([&] { return ReadRandom(engine, config); },
                 [&](const std::atomic<bool>& stopped) {
                   WriteUntil(engine, config, stopped);
                 });
}

uint64_t WriteWhileReading(Engine& engine, const WorkloadConfig& config) {
  return RunBoth([&] { return Overwrite(engine, config); },
                 [&](const std::atomic<bool>& stopped) {
                   ReadUntil(engine, config, stopped);
                 });
}

uint64_t ReadRandomWriteRandom(Engine& engine, const WorkloadConfig& config) {
  KeyWriter key(config.key_size);
  ValuePool values(static_cast<size_t>(config.value_size), config.seed);
  Random random(config.seed);
  std::string value;
  for (uint64_t i = 0; i < config.reads; ++i) {
    const std::string_view at = key.Write(2 * random.Uniform(config.num));
    if (random.OneIn(10)) {
      engine.Put(at, values.Next(), /*sync=*/false);
    } else if (!engine.Get(at, &value)) {
      Fail(engine.name() + ": a present key was not found");
    }
  }
  return config.reads;
}

}  // namespace tamis::peers
