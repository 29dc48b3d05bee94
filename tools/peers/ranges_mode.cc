// SPDX-License-Identifier: Apache-2.0
#include "tools/peers/ranges_mode.h"

#include <chrono>
#include <filesystem>
#include <sstream>

#include "tools/latency_histogram.h"
#include "tools/peers/bench_keys.h"
#include "util/base/random.h"

namespace tamis::peers {

namespace {

// Range i is of the keys numbered from i * kStride; half of the stride is
// deleted, so half of the keys are present.
constexpr uint64_t kStride = 4;
constexpr uint64_t kScanned = 10;  // entries of a short scan

using Clock = std::chrono::steady_clock;

uint64_t NanosSince(Clock::time_point start) {
  return static_cast<uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - start)
          .count());
}

// How the range deletions lie.
enum class Layout : uint8_t { kDisjoint, kAdjacent, kOverlapping };

struct Case {
  const char* name;
  Layout layout;
  bool flushed;      // the ranges, before the reads
  bool one_between;  // one more range deletion before each read
};

constexpr Case kCases[] = {
    {"disjoint, memtable", Layout::kDisjoint, false, true},
    {"disjoint, memtable, no more", Layout::kDisjoint, false, false},
    {"adjacent, memtable", Layout::kAdjacent, false, true},
    {"overlapping, memtable", Layout::kOverlapping, false, true},
    {"disjoint, table", Layout::kDisjoint, true, true},
    {"overlapping, table", Layout::kOverlapping, true, true},
};

class Ranges {
 public:
  Ranges(Engine& engine, const RangesConfig& config, FlatTable* table)
      : engine_(engine),
        config_(config),
        table_(table),
        folder_(config.folder + "/ranges"),
        from_(config.work.key_size),
        to_(config.work.key_size),
        key_(config.work.key_size) {}

  void Run(const Case& how) {
    Begin();
    FillKeys(config_.ranges * kStride);
    const Shuffle order(config_.ranges, config_.work.seed);
    for (uint64_t i = 0; i < config_.ranges; ++i) Delete(how, order[i]);
    if (how.flushed) engine_.Flush();
    config_.wait_until_idle();
    const auto between = [&] {
      if (how.one_between) Delete(how, random_.Uniform(config_.ranges));
    };
    std::string value;
    Measure(how.name, "get", between,
            [&] { engine_.Get(RandomKey(), &value); });
    Measure(how.name, "seek", between,
            [&] { engine_.NewCursor()->Seek(RandomKey()); });
    Measure(how.name, "scan of 10", between, [&] {
      const auto cursor = engine_.NewCursor();
      cursor->Seek(RandomKey());
      for (uint64_t i = 1; i < kScanned && cursor->Valid(); ++i) cursor->Next();
    });
    End();
  }

  // One range deletion over as many keys as there are ranges otherwise; seeks
  // within it. The keys are in the memtable, or below, or both.
  void RunCovered(const char* name, bool keys_below, bool keys_above,
                  bool deletion_flushed) {
    Begin();
    if (keys_below) {
      FillKeys(config_.ranges);
      engine_.CompactAll();
    }
    if (keys_above) FillKeys(config_.ranges);
    engine_.DeleteRange(from_.Write(1), to_.Write(config_.ranges - 1));
    if (deletion_flushed) engine_.Flush();
    // One that is newer than the deletion, outside.
    engine_.Put(key_.Write(config_.ranges), "value", false);
    config_.wait_until_idle();
    Measure(
        name, "seek", [] {},
        [&] {
          engine_.NewCursor()->Seek(
              key_.Write(random_.Uniform(config_.ranges)));
        });
    End();
  }

 private:
  void Begin() {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    EngineConfig engine = config_.engine;
    engine.write_buffer_bytes = size_t{1} << 30;
    engine_.Open(folder_, engine);
    random_ = Random(config_.work.seed);
  }
  void End() {
    engine_.Close();
    std::filesystem::remove_all(folder_);
  }
  void FillKeys(uint64_t keys) {
    const std::string value(static_cast<size_t>(config_.work.value_size), 'v');
    for (uint64_t i = 0; i < keys; ++i) {
      engine_.Put(key_.Write(i), value, false);
    }
  }
  void Delete(const Case& how, uint64_t i) {
    uint64_t size = kStride / 2;
    if (how.layout == Layout::kAdjacent) size = kStride;
    if (how.layout == Layout::kOverlapping) {
      size = 1 + random_.Uniform(100 * kStride);
    }
    engine_.DeleteRange(from_.Write(i * kStride),
                        to_.Write(i * kStride + size));
  }
  std::string_view RandomKey() {
    return key_.Write(random_.Uniform(config_.ranges * kStride));
  }
  template <typename Before, typename Read>
  void Measure(const char* name, const char* read_name, const Before& before,
               const Read& read) {
    LatencyHistogram latency;
    const auto start = Clock::now();
    for (uint64_t i = 0; i < config_.work.reads; ++i) {
      before();
      const auto begin = Clock::now();
      read();
      latency.Add(NanosSince(begin));
      if (static_cast<double>(NanosSince(start)) > config_.seconds * 1e9) break;
    }
    const auto micros = [&latency](double share) {
      return latency.QuantileMicros(share);
    };
    table_->rows.push_back({engine_.name(), name, read_name,
                            static_cast<double>(latency.count()), micros(0.5),
                            micros(0.99), micros(0.999),
                            static_cast<double>(latency.most()) / 1e3});
  }

  Engine& engine_;
  const RangesConfig& config_;
  FlatTable* const table_;
  const std::string folder_;
  KeyWriter from_;
  KeyWriter to_;
  KeyWriter key_;
  Random random_{1};
};

std::string RangesSettings(const RangesConfig& config) {
  std::ostringstream out;
  out << config.ranges << " range deletions over " << config.ranges * kStride
      << " keys of " << config.work.key_size << " + " << config.work.value_size
      << " bytes in a memtable, in random order; one more before each read, "
         "except where it says no more; covered: seeks to random ones of "
      << config.ranges
      << " keys under one range deletion, in the memtable (above), or "
         "compacted "
         "(below); microseconds; a seek includes its new iterator; each kind "
         "of read ends after "
      << config.seconds << " s";
  return out.str();
}

}  // namespace

FlatTable RunRanges(const std::vector<std::unique_ptr<Engine>>& engines,
                    const RangesConfig& config) {
  FlatTable table{.name = "ranges",
                  .settings = RangesSettings(config),
                  .columns = {"engine", "case", "read", "reads", "p50", "p99",
                              "p99.9", "max"},
                  .rows = {}};
  for (const auto& engine : engines) {
    if (!engine->HasDeleteRange()) continue;
    Ranges ranges(*engine, config, &table);
    for (const Case& how : kCases) ranges.Run(how);
    ranges.RunCovered("covered, above", false, true, false);
    ranges.RunCovered("covered, below", true, false, false);
    ranges.RunCovered("covered, below, flushed", true, false, true);
    ranges.RunCovered("covered, above and below", true, true, false);
  }
  return table;
}

}  // namespace tamis::peers
