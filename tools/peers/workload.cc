// SPDX-License-Identifier: Apache-2.0
#include "tools/peers/workload.h"

#include <array>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <utility>

#include "tools/bench_data.h"
#include "util/base/random.h"

namespace tamis::peers {

namespace {

// The i-th key is 2 * i; odd numbers are absent, between present keys.
class KeyWriter {
 public:
  explicit KeyWriter(int size) : key_(static_cast<size_t>(size), '0') {}
  std::string_view Write(uint64_t number) {
    size_t i = key_.size();
    for (; i > 0 && number > 0; number /= 10) {
      key_[--i] = static_cast<char>('0' + number % 10);
    }
    std::memset(key_.data(), '0', i);
    return key_;
  }

 private:
  std::string key_;
};

// Out of line: building the message must not be measured.
[[noreturn]] void Fail(const Engine& engine, const std::string& what) {
  Require(false, engine.name() + ": " + what);
  std::abort();
}

// A permutation of [0, n): multiplication modulo n by a number coprime to n.
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

uint64_t FillSequential(Engine& engine, const WorkloadConfig& config) {
  KeyWriter key(config.key_size);
  ValuePool values(static_cast<size_t>(config.value_size), config.seed);
  for (uint64_t i = 0; i < config.num; ++i) {
    engine.Put(key.Write(2 * i), values.Next());
  }
  return config.num;
}

uint64_t FillRandom(Engine& engine, const WorkloadConfig& config) {
  KeyWriter key(config.key_size);
  ValuePool values(static_cast<size_t>(config.value_size), config.seed);
  const Shuffle order(config.num, config.seed);
  for (uint64_t i = 0; i < config.num; ++i) {
    engine.Put(key.Write(2 * order[i]), values.Next());
  }
  return config.num;
}

uint64_t Compact(Engine& engine, const WorkloadConfig& config) {
  engine.Settle();
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
    if (found != present) {
      Fail(engine, "a wrong answer for key " + std::to_string(number));
    }
  }
  return config.reads;
}

uint64_t ReadRandom(Engine& engine, const WorkloadConfig& config) {
  return ReadPoints(engine, config, true);
}

uint64_t ReadMissing(Engine& engine, const WorkloadConfig& config) {
  return ReadPoints(engine, config, false);
}

// As readrandom, split over threads; measures wall time.
uint64_t ReadRandomTwice(Engine& engine, const WorkloadConfig& config) {
  constexpr uint64_t kThreads = 2;
  std::vector<std::thread> threads;
  for (uint64_t t = 0; t < kThreads; ++t) {
    WorkloadConfig share = config;
    share.reads = config.reads / kThreads;
    share.seed = config.seed * kThreads + t;
    threads.emplace_back([&engine, share] { ReadPoints(engine, share, true); });
  }
  for (std::thread& thread : threads) thread.join();
  return config.reads / kThreads * kThreads;
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
    if (engine.MultiGet(keys) != kBatch) Fail(engine, "MultiGet missed a key");
  }
  return batches * kBatch;
}

uint64_t SeekRandom(Engine& engine, const WorkloadConfig& config) {
  KeyWriter key(config.key_size);
  Random random(config.seed);
  const auto cursor = engine.NewCursor();
  for (uint64_t i = 0; i < config.reads; ++i) {
    cursor->Seek(key.Write(2 * random.Uniform(config.num)));
    if (!cursor->Valid() || cursor->EntryBytes() == 0) {
      Fail(engine, "a seek found nothing");
    }
  }
  return config.reads;
}

uint64_t Scan(Engine& engine, const WorkloadConfig& config,
              void (Cursor::*begin)(), void (Cursor::*step)()) {
  const auto cursor = engine.NewCursor();
  uint64_t entries = 0;
  size_t bytes = 0;
  for ((*cursor.*begin)(); cursor->Valid(); (*cursor.*step)()) {
    bytes += cursor->EntryBytes();
    ++entries;
  }
  Require(entries == config.num && bytes > 0,
          engine.name() + ": a scan saw " + std::to_string(entries) +
              " entries, expected " + std::to_string(config.num));
  return entries;
}

uint64_t ReadSequential(Engine& engine, const WorkloadConfig& config) {
  return Scan(engine, config, &Cursor::SeekToFirst, &Cursor::Next);
}

uint64_t ReadReverse(Engine& engine, const WorkloadConfig& config) {
  return Scan(engine, config, &Cursor::SeekToLast, &Cursor::Prev);
}

}  // namespace

const std::vector<Workload>& Workloads() {
  static const std::vector<Workload> workloads = {
      {"fillseq", Stage::kFillAndForget, "every key once, in order, logged",
       FillSequential},
      {"fillrandom", Stage::kFill, "every key once, in random order, logged",
       FillRandom},
      {"compact", Stage::kSettle,
       "what fillrandom left flushed and compacted in full, by entry", Compact},
      {"readrandom", Stage::kRead, "point reads of present keys, all cached",
       ReadRandom},
      {"readrandom2", Stage::kRead, "the same from two threads at once",
       ReadRandomTwice},
      {"readmissing", Stage::kRead,
       "point reads of absent keys between present ones", ReadMissing},
      {"multiget", Stage::kRead, "64 present keys a call, by key", MultiGet},
      {"seekrandom", Stage::kRead, "one iterator positioned at random keys",
       SeekRandom},
      {"readseq", Stage::kRead, "one iterator over everything", ReadSequential},
      {"readreverse", Stage::kRead, "the same from the end", ReadReverse},
  };
  return workloads;
}

}  // namespace tamis::peers
