// SPDX-License-Identifier: Apache-2.0
#include "tools/peers/workload.h"

#include <utility>

#include "tools/bench_data.h"
#include "util/random.h"

namespace tamis::peers {

namespace {

// The i-th key in order is 2 * i: odd numbers are absent, between present ones.
class KeyWriter {
 public:
  explicit KeyWriter(int size) : key_(static_cast<size_t>(size), '0') {}
  std::string_view Write(uint64_t number) {
    for (size_t i = key_.size(); i-- > 0; number /= 10) {
      key_[i] = static_cast<char>('0' + number % 10);
    }
    return key_;
  }

 private:
  std::string key_;
};

// A permutation of [0, n): every key once, in no order. Multiplication by a
// number that shares no factor with n.
class Shuffle {
 public:
  Shuffle(uint64_t n, uint64_t seed) : n_(n) {
    step_ = seed * 0x9e3779b97f4a7c15 % n | 1;
    while (Gcd(step_, n) != 1) step_ += 2;
  }
  uint64_t operator[](uint64_t i) const {
    return i * step_ % n_;  // both below 2^32
  }

 private:
  static uint64_t Gcd(uint64_t a, uint64_t b) {
    while (b != 0) a = std::exchange(b, a % b);
    return a;
  }
  const uint64_t n_;
  uint64_t step_;
};

uint64_t FillRandom(Engine& engine, const WorkloadConfig& config) {
  KeyWriter key(config.key_size);
  ValuePool values(static_cast<size_t>(config.value_size), config.seed);
  const Shuffle order(config.num, config.seed);
  for (uint64_t i = 0; i < config.num; ++i) {
    engine.Put(key.Write(2 * order[i]), values.Next());
  }
  return config.num;
}

uint64_t ReadPoints(Engine& engine, const WorkloadConfig& config,
                    bool present) {
  KeyWriter key(config.key_size);
  Random random(config.seed);
  std::string value;
  for (uint64_t i = 0; i < config.reads; ++i) {
    const uint64_t number = 2 * random.Uniform(config.num) + (present ? 0 : 1);
    const bool found = engine.Get(key.Write(number), &value);
    Require(found == present, engine.name() + ": a wrong answer for key " +
                                  std::to_string(number));
  }
  return config.reads;
}

uint64_t ReadRandom(Engine& engine, const WorkloadConfig& config) {
  return ReadPoints(engine, config, true);
}

uint64_t ReadMissing(Engine& engine, const WorkloadConfig& config) {
  return ReadPoints(engine, config, false);
}

uint64_t SeekRandom(Engine& engine, const WorkloadConfig& config) {
  KeyWriter key(config.key_size);
  Random random(config.seed);
  const auto cursor = engine.NewCursor();
  for (uint64_t i = 0; i < config.reads; ++i) {
    cursor->Seek(key.Write(2 * random.Uniform(config.num)));
    Require(cursor->Valid() && cursor->EntryBytes() > 0,
            engine.name() + ": a seek found nothing");
  }
  return config.reads;
}

uint64_t ReadSequential(Engine& engine, const WorkloadConfig& config) {
  const auto cursor = engine.NewCursor();
  uint64_t entries = 0;
  size_t bytes = 0;
  for (cursor->SeekToFirst(); cursor->Valid(); cursor->Next()) {
    bytes += cursor->EntryBytes();
    ++entries;
  }
  Require(entries == config.num && bytes > 0,
          engine.name() + ": a scan saw " + std::to_string(entries) +
              " entries, expected " + std::to_string(config.num));
  return entries;
}

}  // namespace

const std::vector<Workload>& Workloads() {
  static const std::vector<Workload> workloads = {
      {"fillrandom", "every key once, in random order, logged", FillRandom},
      {"readrandom", "point reads of present keys, all cached", ReadRandom},
      {"readmissing", "point reads of absent keys between present ones",
       ReadMissing},
      {"seekrandom", "one iterator positioned at random keys", SeekRandom},
      {"readseq", "one iterator over everything", ReadSequential},
  };
  return workloads;
}

}  // namespace tamis::peers
