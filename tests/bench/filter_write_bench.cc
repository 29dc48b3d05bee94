// SPDX-License-Identifier: Apache-2.0
//
// What a format of filters costs where tables are written, through the whole
// database with its two threads per table:
//
//   FilterFlush        a memtable of 400,000 entries, to one table
//   FilterCompaction   a level of a million entries, to tables of 16 MiB
//
//   TMPDIR=/dev/shm tamis_micro_bench --benchmark_filter=Filter(Flush|Comp)
//     --benchmark_repetitions=9 --benchmark_enable_random_interleaving=true
//
// Arguments: FilterFormat, and 1 for partitioned filters. Keys have 16 bytes,
// and values 100 bytes, half of them compressible (snappy).
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <unistd.h>
#include <utility>

#include <benchmark/benchmark.h>

#include "tamis/db.h"

#include "tests/bench/dealt_tables.h"
#include "tests/bench/per_entry.h"
#include "util/base/random.h"

namespace tamis {
namespace {

constexpr uint64_t kFlushEntries = 400'000;
constexpr uint64_t kCompactionEntries = 1'000'000;
constexpr size_t kValueBytes = 100;

void Require(const Status& status) {
  if (status.ok()) return;
  std::fprintf(stderr, "%s\n", status.ToString().c_str());
  std::abort();
}

// A database of its own for each combination of arguments, removed at the end.
class Scratch {
 public:
  Scratch(int64_t format, bool partitioned)
      : folder_(std::filesystem::temp_directory_path().string() +
                "/tamis_filter_write_bench." + std::to_string(getpid()) + "." +
                std::to_string(++last_number_)) {
    BlockBasedTableOptions table;
    table.filter_policy.reset(NewFilterPolicy(
        {.fpr = 0.01, .format = static_cast<FilterFormat>(format)}));
    if (partitioned) {
      table.partition_filters = true;
      table.index_type = BlockBasedTableOptions::kTwoLevelIndexSearch;
    }
    Options options;
    options.create_if_missing = true;
    options.disable_auto_compactions = true;
    options.write_buffer_size = size_t{4} << 30;
    options.target_file_size_base = 16 << 20;
    options.table_factory.reset(NewBlockBasedTableFactory(table));
    Require(DB::Open(options, folder_, &db_));
  }
  ~Scratch() {
    db_.reset();
    std::filesystem::remove_all(folder_);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  DB* db() { return db_.get(); }

  // Puts the numbers below n in a random order.
  void Load(uint64_t n) {
    Random random(7);
    WriteOptions options;
    options.disableWAL = true;
    std::string value(kValueBytes, 'v');
    for (uint64_t i = 0; i < n; ++i) {
      for (size_t j = 0; j < kValueBytes / 2; ++j) {
        value[j] = static_cast<char>(random.Uniform(256));
      }
      Require(db_->Put(options, DealtKey(i * 0x9e3779b1 % n), value));
    }
  }

 private:
  static inline int last_number_ = 0;

  const std::string folder_;
  std::unique_ptr<DB> db_;
};

template <typename Work>
void Time(benchmark::State& state, Work work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  state.SetIterationTime(
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin)
          .count());
}

void FilterFlush(benchmark::State& state) {
  for (auto _ : state) {
    Scratch scratch(state.range(0), state.range(1) != 0);
    scratch.Load(kFlushEntries);
    Time(state, [&] { Require(scratch.db()->Flush(FlushOptions())); });
  }
  ReportPerEntry(state, kFlushEntries);
}

void FilterCompaction(benchmark::State& state) {
  static std::map<std::pair<int64_t, int64_t>, std::unique_ptr<Scratch>> all;
  auto& scratch = all[{state.range(0), state.range(1)}];
  CompactRangeOptions options;
  if (scratch == nullptr) {
    scratch = std::make_unique<Scratch>(state.range(0), state.range(1) != 0);
    scratch->Load(kCompactionEntries);
    Require(scratch->db()->CompactRange(options, nullptr, nullptr));
  }
  options.bottommost_level_compaction = BottommostLevelCompaction::kForce;
  for (auto _ : state) {
    Time(state, [&] {
      Require(scratch->db()->CompactRange(options, nullptr, nullptr));
    });
  }
  ReportPerEntry(state, kCompactionEntries);
}

BENCHMARK(FilterFlush)
    ->ArgNames({"format", "partitioned"})
    ->ArgsProduct({{0, 1, 2, 3, 4, 5}, {0, 1}})
    ->Iterations(1)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK(FilterCompaction)
    ->ArgNames({"format", "partitioned"})
    ->ArgsProduct({{0, 1, 2, 3, 4, 5}, {0, 1}})
    ->Iterations(1)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tamis
