// SPDX-License-Identifier: Apache-2.0
#include "tools/ycsb_filters/comparison_run.h"

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <utility>

#include "tools/latency_histogram.h"

namespace tamis::ycsb_filters {

namespace {

using Clock = std::chrono::steady_clock;

double SecondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

std::string WorkloadName(const ycsb::Mix& mix,
                         ycsb::Distribution distribution) {
  return std::string(1, static_cast<char>(std::toupper(mix.name))) + ", " +
         NameOf(distribution);
}

// Runs operations, each of which checks what it reads. Returns the reads.
// `first`: the number of record 0.
uint64_t RunOperations(Store* store, ycsb::OperationSource* source,
                       uint64_t first, ValuePool* values, uint64_t operations,
                       LatencyHistogram* latency) {
  ycsb::KeyMaker keys;
  uint64_t reads = 0;
  for (uint64_t i = 0; i < operations; ++i) {
    const ycsb::Operation operation = source->Next();
    const std::string_view key = operation.absent
                                     ? keys.MakeAbsent(operation.number)
                                     : keys.Make(first + operation.number);
    const bool reading = operation.kind != ycsb::Kind::kUpdate;
    const bool writing = operation.kind != ycsb::Kind::kRead;
    bool found = !operation.absent;
    const auto start = Clock::now();
    if (reading) found = store->Get(key);
    if (writing) store->Put(key, values->Next());
    const std::chrono::nanoseconds spent = Clock::now() - start;
    latency->Add(static_cast<uint64_t>(spent.count()));
    if (reading) ++reads;
    if (found == operation.absent) {
      Require(false, "a wrong answer for " + std::string(key));
    }
  }
  return reads;
}

}  // namespace

std::string NameOf(ycsb::Distribution distribution) {
  switch (distribution) {
    case ycsb::Distribution::kUniform:
      return "uniform";
    case ycsb::Distribution::kLatest:
      return "latest";
    case ycsb::Distribution::kZipfian:
      return "unscrambled zipfian";
    case ycsb::Distribution::kScrambledZipfian:
      break;
  }
  return "zipfian";
}

// A key is "user" and 18 or 19 digits.
uint64_t DataBytes(const Comparison& comparison) {
  return comparison.num * (23 + comparison.value_size);
}

ComparisonRun::ComparisonRun(Comparison comparison,
                             std::vector<std::unique_ptr<Store>> stores,
                             std::string folder)
    : comparison_(std::move(comparison)),
      stores_(std::move(stores)),
      folder_(std::move(folder)),
      records_(comparison_.num) {
  for (const auto& store : stores_) {
    figures_.stores.push_back(store->engine() + ", " + store->filter());
  }
  figures_.by_store.resize(stores_.size());
  for (const ycsb::Mix* mix : comparison_.mixes) {
    for (const ycsb::Distribution distribution : comparison_.distributions) {
      figures_.workloads.push_back(WorkloadName(*mix, distribution));
    }
  }
}

// Each turn starts with a different store.
template <typename Visit>
void ComparisonRun::ForEachStore(Visit&& visit) {
  for (size_t i = 0; i < stores_.size(); ++i) {
    visit((i + turns_) % stores_.size());
  }
  ++turns_;
}

size_t ComparisonRun::CacheBytes(double percent) const {
  return static_cast<size_t>(static_cast<double>(DataBytes(comparison_)) *
                             percent / 100);
}

std::string ComparisonRun::Folder(size_t index) const {
  return folder_ + "/" + std::to_string(index);
}

// Engines' memtables hold different numbers of entries, so that tables flushed
// at the memtable's size would differ in number.
void ComparisonRun::AddNewerTables(uint64_t first, ValuePool* values,
                                   Store* store) const {
  constexpr uint64_t kTables = 2;
  const uint64_t bytes = DataBytes(comparison_) / comparison_.num;
  const uint64_t fitting =
      comparison_.store.write_buffer_bytes * 2 / (5 * bytes);
  const uint64_t entries =
      std::max<uint64_t>(1, std::min(comparison_.num / 25, fitting));
  ycsb::KeyMaker keys;
  for (uint64_t table = 0; table < kTables; ++table) {
    for (uint64_t i = 0; i < entries; ++i) {
      store->Put(keys.Make(first + (table * entries + i) % comparison_.num),
                 values->Next());
    }
    store->Settle();
  }
}

StoreSample ComparisonRun::Prepare(uint64_t round, size_t index) {
  Store& store = *stores_[index];
  std::filesystem::remove_all(Folder(index));
  store.Open(Folder(index), comparison_.store,
             CacheBytes(comparison_.cache_percents.back()),
             /*count_writes=*/true);
  const uint64_t first = First(round);
  ycsb::KeyMaker keys;
  ValuePool values(comparison_.value_size, comparison_.seed + round);
  StoreSample sample;
  uint64_t bytes = 0;
  auto start = Clock::now();
  for (uint64_t i = 0; i < comparison_.num; ++i) {
    const std::string_view key = keys.Make(first + i);
    store.Put(key, values.Next());
    bytes += key.size() + comparison_.value_size;
  }
  store.Settle();
  sample.load_seconds = SecondsSince(start);
  sample.write_amplification = static_cast<double>(store.TableBytesWritten()) /
                               static_cast<double>(bytes);
  // What the load leaves differs; a run with newer tables above it does not.
  store.CompactAll();
  AddNewerTables(first, &values, &store);
  start = Clock::now();
  store.CompactAll();
  sample.compaction_seconds = SecondsSince(start);
  const auto filters = static_cast<double>(store.FilterBytes());
  sample.filter_kilobytes = filters / 1000;
  sample.filter_bits_per_key =
      8 * filters / static_cast<double>(comparison_.num);
  AddNewerTables(first, &values, &store);
  store.Close();
  return sample;
}

RunSample ComparisonRun::RunWorkload(const ycsb::Mix& mix,
                                     ycsb::Distribution distribution,
                                     double cache_percent, size_t index,
                                     uint64_t round) {
  Store& store = *stores_[index];
  store.Open(Folder(index), comparison_.store, CacheBytes(cache_percent),
             /*count_writes=*/false);
  const uint64_t seed = comparison_.seed + 1000 * round + turns_;
  ycsb::OperationSource source(mix,
                               {.distribution = distribution,
                                .absent_share = comparison_.absent_share,
                                .seed = seed},
                               &records_);
  ValuePool values(comparison_.value_size, seed);
  LatencyHistogram warming;
  RunOperations(&store, &source, First(round), &values,
                comparison_.operations / 2, &warming);
  store.ResetCounts();
  LatencyHistogram latency;
  const auto start = Clock::now();
  const uint64_t reads = RunOperations(&store, &source, First(round), &values,
                                       comparison_.operations, &latency);
  const double seconds = SecondsSince(start);
  const ReadCounts counts = store.Counts();
  if (mix.updates + mix.read_modify_writes > 0) store.Settle();
  store.Close();
  const uint64_t blocks = counts.cache_hits + counts.block_reads;
  return {
      .operations_per_second =
          static_cast<double>(comparison_.operations) / seconds,
      .p99_micros = latency.QuantileMicros(0.99),
      .cache_hit_percent = 100 * static_cast<double>(counts.cache_hits) /
                           static_cast<double>(std::max<uint64_t>(1, blocks)),
      .wasted_per_1000 =
          1000 * static_cast<double>(counts.positive - counts.true_positive) /
          static_cast<double>(std::max<uint64_t>(1, reads))};
}

void ComparisonRun::Round(uint64_t round) {
  ForEachStore([&](size_t index) {
    figures_.by_store[index].push_back(Prepare(round, index));
    std::fprintf(stderr, "round %s: %s loaded\n",
                 std::to_string(round + 1).c_str(),
                 figures_.stores[index].c_str());
  });
  for (const ycsb::Mix* mix : comparison_.mixes) {
    for (const ycsb::Distribution distribution : comparison_.distributions) {
      const std::string name = WorkloadName(*mix, distribution);
      for (const double percent : comparison_.cache_percents) {
        ForEachStore([&](size_t index) {
          figures_.runs[{name, percent, index}].push_back(
              RunWorkload(*mix, distribution, percent, index, round));
        });
      }
      std::fprintf(stderr, "round %s: YCSB %s\n",
                   std::to_string(round + 1).c_str(), name.c_str());
    }
  }
  for (size_t index = 0; index < stores_.size(); ++index) {
    std::filesystem::remove_all(Folder(index));
  }
}

}  // namespace tamis::ycsb_filters
