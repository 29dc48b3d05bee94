// SPDX-License-Identifier: Apache-2.0
#include "tools/peers/write_workloads.h"

#include <algorithm>
#include <array>
#include <vector>

#include "tools/bench_data.h"
#include "tools/peers/bench_keys.h"

namespace tamis::peers {

namespace {

constexpr size_t kBatch = 64;
constexpr uint64_t kMergesPerCounter = 8;

// Writes the keys number(begin) to number(end - 1).
template <typename Number>
uint64_t Fill(Engine& engine, const WorkloadConfig& config, uint64_t begin,
              uint64_t end, bool sync, Number&& number) {
  KeyWriter key(config.key_size);
  ValuePool values(static_cast<size_t>(config.value_size), config.seed);
  for (uint64_t i = begin; i < end; ++i) {
    engine.Put(key.Write(2 * number(i)), values.Next(), sync);
  }
  return end - begin;
}

template <typename Number>
uint64_t FillBatch(Engine& engine, const WorkloadConfig& config,
                   Number&& number) {
  std::vector<KeyWriter> keys(kBatch, KeyWriter(config.key_size));
  ValuePool values(static_cast<size_t>(config.value_size), config.seed);
  std::array<Entry, kBatch> entries;
  for (uint64_t i = 0; i < config.num;) {
    const size_t n = std::min<uint64_t>(kBatch, config.num - i);
    for (size_t k = 0; k < n; ++k) {
      entries[k] = {keys[k].Write(2 * number(i + k)), values.Next()};
    }
    engine.PutBatch({entries.data(), n});
    i += n;
  }
  return config.num;
}

uint64_t InOrder(uint64_t i) { return i; }

// Writes the first `operations` keys of a random order. Thread t writes the
// t-th part of them.
uint64_t FillInThreads(Engine& engine, const WorkloadConfig& config,
                       uint64_t operations, int threads, bool sync) {
  const Shuffle order(config.num, config.seed);
  return InThreads(threads, config, [&](int t, const WorkloadConfig& share) {
    const auto me = static_cast<uint64_t>(t);
    const auto all = static_cast<uint64_t>(threads);
    return Fill(engine, share, operations * me / all,
                operations * (me + 1) / all, sync,
                [&order](uint64_t i) { return order[i]; });
  });
}

}  // namespace

uint64_t FillSequential(Engine& engine, const WorkloadConfig& config) {
  return Fill(engine, config, 0, config.num, false, InOrder);
}

uint64_t FillRandom(Engine& engine, const WorkloadConfig& config) {
  const Shuffle order(config.num, config.seed);
  return Fill(engine, config, 0, config.num, false,
              [&order](uint64_t i) { return order[i]; });
}

uint64_t FillSequentialBatch(Engine& engine, const WorkloadConfig& config) {
  return FillBatch(engine, config, InOrder);
}

uint64_t FillRandomBatch(Engine& engine, const WorkloadConfig& config) {
  const Shuffle order(config.num, config.seed);
  return FillBatch(engine, config, [&order](uint64_t i) { return order[i]; });
}

uint64_t FillRandom2(Engine& engine, const WorkloadConfig& config) {
  return FillInThreads(engine, config, config.num, 2, false);
}

uint64_t FillRandom4(Engine& engine, const WorkloadConfig& config) {
  return FillInThreads(engine, config, config.num, 4, false);
}

uint64_t FillSync(Engine& engine, const WorkloadConfig& config) {
  return FillInThreads(engine, config, std::min(config.syncs, config.num), 1,
                       true);
}

uint64_t FillSync8(Engine& engine, const WorkloadConfig& config) {
  return FillInThreads(engine, config, std::min(config.syncs, config.num), 8,
                       true);
}

uint64_t Overwrite(Engine& engine, const WorkloadConfig& config) {
  WorkloadConfig other = config;
  ++other.seed;  // another order, other values
  return FillRandom(engine, other);
}

uint64_t DeleteRandom(Engine& engine, const WorkloadConfig& config) {
  const Shuffle order(config.num, config.seed);
  KeyWriter key(config.key_size);
  const uint64_t deleted = (config.num + 1) / 2;
  for (uint64_t i = 0; i < deleted; ++i) {
    engine.Delete(key.Write(2 * order[i]));
  }
  return deleted;
}

uint64_t DeleteRanges(Engine& engine, const WorkloadConfig& config) {
  const uint64_t ranges = std::max<uint64_t>(1, config.num / 1000);
  // Each in the middle of its own part of the keys.
  const uint64_t part = config.num / ranges;
  const Shuffle order(ranges, config.seed);
  KeyWriter begin(config.key_size);
  KeyWriter end(config.key_size);
  for (uint64_t i = 0; i < ranges; ++i) {
    const uint64_t first = order[i] * part + part / 2;
    engine.DeleteRange(begin.Write(2 * first), end.Write(2 * (first + 10)));
  }
  return ranges;
}

uint64_t MergeRandom(Engine& engine, const WorkloadConfig& config) {
  const uint64_t counters =
      std::max<uint64_t>(1, config.num / kMergesPerCounter);
  const Shuffle order(counters, config.seed);
  KeyWriter key(config.key_size);
  for (uint64_t i = 0; i < config.num; ++i) {
    engine.Merge(key.Write(2 * order[i % counters]), 1);
  }
  std::string value;
  for (uint64_t i = 0; i < counters; ++i) {
    if (!engine.Get(key.Write(2 * i), &value)) {
      Fail(engine.name() + ": a counter is missing");
    }
  }
  return config.num;
}

uint64_t Compact(Engine& engine, const WorkloadConfig& config) {
  engine.CompactAll();
  return config.num;
}

}  // namespace tamis::peers
