// SPDX-License-Identifier: Apache-2.0
#include "tools/peers/read_workloads.h"

#include <array>
#include <string>
#include <vector>

#include "tools/peers/bench_keys.h"
#include "tools/ycsb_choosers.h"
#include "util/base/random.h"

namespace tamis::peers {

namespace {

// Does config.reads point reads of the keys with the numbers that next()
// returns. Odd numbers are absent keys.
template <typename NextNumber>
uint64_t ReadPoints(Engine& engine, const WorkloadConfig& config,
                    NextNumber&& next) {
  KeyWriter key(config.key_size);
  std::string value;
  for (uint64_t i = 0; i < config.reads; ++i) {
    const uint64_t number = next();
    const bool found = engine.Get(key.Write(number), &value);
    if (found != (number % 2 == 0)) [[unlikely]] {
      Fail(engine.name() + ": a wrong answer for key " +
           std::to_string(number));
    }
  }
  return config.reads;
}

// Reads the entry of each key, and `next` more.
template <typename NewSeeker>
uint64_t SeekPoints(Engine& engine, const WorkloadConfig& config, int next,
                    NewSeeker&& cursor) {
  KeyWriter key(config.key_size);
  Random random(config.seed);
  for (uint64_t i = 0; i < config.reads; ++i) {
    Cursor& at = cursor();
    at.Seek(key.Write(2 * random.Uniform(config.num)));
    if (!at.Valid() || at.EntryBytes() == 0) [[unlikely]] {
      Fail(engine.name() + ": a seek found nothing");
    }
    for (int n = 0; n < next && at.Valid(); ++n) {
      at.EntryBytes();
      at.Next();
    }
  }
  return config.reads;
}

uint64_t CheckScan(const Engine& engine, const WorkloadConfig& config,
                   const Cursor::Scanned& scanned) {
  if (scanned.entries != config.num || scanned.bytes == 0) {
    Fail(engine.name() + ": a scan saw " + std::to_string(scanned.entries) +
         " entries, expected " + std::to_string(config.num));
  }
  return scanned.entries;
}

}  // namespace

uint64_t ReadRandom(Engine& engine, const WorkloadConfig& config) {
  Random random(config.seed);
  return ReadPoints(engine, config,
                    [&] { return 2 * random.Uniform(config.num); });
}

uint64_t ReadRandom2(Engine& engine, const WorkloadConfig& config) {
  return InThreads(2, config, [&engine](int, const WorkloadConfig& share) {
    return ReadRandom(engine, share);
  });
}

uint64_t ReadMissing(Engine& engine, const WorkloadConfig& config) {
  Random random(config.seed);
  return ReadPoints(engine, config,
                    [&] { return 2 * random.Uniform(config.num) + 1; });
}

uint64_t ReadMixed(Engine& engine, const WorkloadConfig& config) {
  Random random(config.seed);
  return ReadPoints(engine, config,
                    [&] { return random.Uniform(2 * config.num); });
}

uint64_t ReadZipfian(Engine& engine, const WorkloadConfig& config) {
  Random random(config.seed);
  ycsb::ScrambledZipfianChooser chooser(config.num);
  return ReadPoints(engine, config,
                    [&] { return 2 * chooser.Next(config.num, &random); });
}

uint64_t MultiGet(Engine& engine, const WorkloadConfig& config) {
  constexpr size_t kBatch = 64;
  std::vector<KeyWriter> writers(kBatch, KeyWriter(config.key_size));
  std::array<std::string_view, kBatch> keys;
  Random random(config.seed);
  const uint64_t batches = (config.reads + kBatch - 1) / kBatch;
  for (uint64_t i = 0; i < batches; ++i) {
    for (size_t k = 0; k < kBatch; ++k) {
      keys[k] = writers[k].Write(2 * random.Uniform(config.num));
    }
    if (engine.MultiGet(keys) != kBatch) [[unlikely]] {
      Fail(engine.name() + ": MultiGet missed a key");
    }
  }
  return batches * kBatch;
}

uint64_t SeekRandom(Engine& engine, const WorkloadConfig& config) {
  const auto cursor = engine.NewCursor();
  return SeekPoints(engine, config, 0, [&]() -> Cursor& { return *cursor; });
}

uint64_t SeekNext10(Engine& engine, const WorkloadConfig& config) {
  const auto cursor = engine.NewCursor();
  return SeekPoints(engine, config, 10, [&]() -> Cursor& { return *cursor; });
}

uint64_t SeekNew(Engine& engine, const WorkloadConfig& config) {
  std::unique_ptr<Cursor> cursor;
  return SeekPoints(engine, config, 0, [&]() -> Cursor& {
    cursor.reset();
    cursor = engine.NewCursor();
    return *cursor;
  });
}

uint64_t ReadSequential(Engine& engine, const WorkloadConfig& config) {
  return CheckScan(engine, config, engine.NewCursor()->ScanForward());
}

uint64_t ReadReverse(Engine& engine, const WorkloadConfig& config) {
  return CheckScan(engine, config, engine.NewCursor()->ScanBackward());
}

}  // namespace tamis::peers
