// SPDX-License-Identifier: Apache-2.0
//
// The parts of a compaction without its disk. Each row does what the row above
// does and one thing more, so that the difference is the cost of that thing.
//
//   Read        k tables, one after the other: checksum, codec, entries
//   Merge       the same k tables through a merging iterator
//   Keep        CompactionIterator over the merge
//   Rebuild     TableBuilder after it; argument: 0 plain, 1 filter, 2 filter
//               and snappy
//   Build       the builder alone, from entries in memory
//   Flush       a memtable through CompactionIterator and TableBuilder
//
// The last argument of the rows that build is 1 if a second thread writes the
// blocks, and 0 otherwise. Times are wall-clock times.
//
// Keys have 16 bytes, and values 100 bytes, half of them compressible.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>

#include "tamis/filter_policy.h"

#include "db/compaction/compaction_iterator.h"
#include "db/memtable/memtable.h"
#include "table/merging_iterator.h"
#include "table/table_builder.h"
#include "tests/bench/dealt_tables.h"
#include "tests/bench/per_entry.h"
#include "util/base/random.h"

namespace tamis {
namespace {

constexpr size_t kEntries = 400'000;
constexpr size_t kValueBytes = 100;

std::string Value(Random* random) {
  std::string value(kValueBytes, 'v');
  for (size_t j = 0; j < kValueBytes / 2; ++j) {
    value[j] = static_cast<char>(random->Uniform(256));
  }
  return value;
}

Helpers OneHelper() {
  static const std::shared_ptr<JobRunner> runner = NewThreadJobRunner(1, 1);
  return {runner.get(), [](std::function<void()> job) {
            runner->Schedule(JobPriority::kLow, std::move(job));
          }};
}

TableBuildOptions BuildOptions(int64_t form, bool helped = false) {
  TableBuildOptions options(BytewiseOrder());
  if (helped) options.helpers = OneHelper();
  options.file_name = "bench";
  options.compression = form == 2 ? kSnappyCompression : kNoCompression;
  options.table.filter_policy.reset(form == 0 ? nullptr
                                              : NewBloomFilterPolicy(10));
  return options;
}

// A row of kEntries dealt out to k tables at random.
DealtTables Dealt(size_t k) {
  Random random(7);
  return {k, kEntries, BuildOptions(2), nullptr, [&random, k](uint64_t) {
            const SequenceNumber sequence = 1 + random.Uniform(1 << 20);
            const size_t table = random.Uniform(k);
            return DealtTables::Card{table, sequence, Value(&random)};
          }};
}

const DealtTables& InputsOf(int64_t k) {
  static const DealtTables one = Dealt(1);
  static const DealtTables four = Dealt(4);
  static const DealtTables ten = Dealt(10);
  return k == 1 ? one : k == 4 ? four : ten;
}

// Reads every block again in every round.
std::vector<std::unique_ptr<InternalIterator>> Iterators(
    const DealtTables& inputs) {
  ReadContext context;
  context.fill = CacheFill::kNothing;
  return inputs.Iterators(context);
}

template <typename Iterator>
size_t Scan(Iterator* it) {
  size_t bytes = 0;
  for (it->SeekToFirst(); it->Valid(); it->Next()) {
    bytes += it->key().size() + it->value().size();
  }
  TAMIS_CHECK(it->status().ok());
  return bytes;
}

void CompactionRead(benchmark::State& state) {
  const DealtTables& inputs = InputsOf(state.range(0));
  for (auto _ : state) {
    for (const auto& it : Iterators(inputs)) {
      benchmark::DoNotOptimize(Scan(it.get()));
    }
  }
  ReportPerEntry(state, kEntries);
}

void CompactionMerge(benchmark::State& state) {
  const DealtTables& inputs = InputsOf(state.range(0));
  for (auto _ : state) {
    const auto merged = NewMergingIterator(BytewiseOrder(), Iterators(inputs));
    benchmark::DoNotOptimize(Scan(merged.get()));
  }
  ReportPerEntry(state, kEntries);
}

CompactionIterator::Options KeepOptions() {
  CompactionIterator::Options options(BytewiseOrder());
  options.bottommost = true;
  return options;
}

void CompactionKeep(benchmark::State& state) {
  const DealtTables& inputs = InputsOf(state.range(0));
  for (auto _ : state) {
    const auto merged = NewMergingIterator(BytewiseOrder(), Iterators(inputs));
    CompactionIterator entries(merged.get(), KeepOptions(), nullptr);
    benchmark::DoNotOptimize(Scan(&entries));
  }
  ReportPerEntry(state, kEntries);
}

template <typename Iterator>
void Rebuild(Iterator* entries, const TableBuildOptions& options,
             std::string* bytes) {
  bytes->clear();
  StringWritableFile file(bytes);
  TableBuilder builder(options, &file);
  for (entries->SeekToFirst(); entries->Valid(); entries->Next()) {
    builder.Add(entries->key(), entries->value());
  }
  TAMIS_CHECK(builder.Finish().ok());
}

void CompactionRebuild(benchmark::State& state) {
  const DealtTables& inputs = InputsOf(state.range(0));
  std::string bytes;
  for (auto _ : state) {
    const auto merged = NewMergingIterator(BytewiseOrder(), Iterators(inputs));
    CompactionIterator entries(merged.get(), KeepOptions(), nullptr);
    Rebuild(&entries, BuildOptions(state.range(1), state.range(2) != 0),
            &bytes);
  }
  ReportPerEntry(state, kEntries);
}

void CompactionBuild(benchmark::State& state) {
  Random random(7);
  std::vector<std::pair<std::string, std::string>> entries;
  for (uint64_t i = 0; i < kEntries; ++i) {
    std::string key;
    AppendInternalKey(&key, DealtKey(i), 0, kTypeValue);
    entries.emplace_back(std::move(key), Value(&random));
  }
  std::string bytes;
  for (auto _ : state) {
    bytes.clear();
    StringWritableFile file(&bytes);
    TableBuilder builder(BuildOptions(state.range(0), state.range(1) != 0),
                         &file);
    for (const auto& [key, value] : entries) builder.Add(key, value);
    TAMIS_CHECK(builder.Finish().ok());
  }
  ReportPerEntry(state, kEntries);
}

void FlushRebuild(benchmark::State& state) {
  Random random(7);
  MemTable memtable(BytewiseOrder(), 0, FileNumber(1));
  std::vector<uint64_t> numbers(kEntries);
  for (size_t i = 0; i < numbers.size(); ++i) {
    numbers[i] = i;
    std::swap(numbers[i], numbers[random.Uniform(i + 1)]);
  }
  SequenceNumber sequence = 0;
  for (const uint64_t number : numbers) {
    memtable.Add(++sequence, kTypeValue, DealtKey(number), Value(&random));
  }
  std::string bytes;
  for (auto _ : state) {
    const auto sorted = memtable.NewIterator();
    CompactionIterator entries(
        sorted.get(), CompactionIterator::Options(BytewiseOrder()), nullptr);
    if (state.range(0) < 0) {
      benchmark::DoNotOptimize(Scan(&entries));
    } else {
      Rebuild(&entries, BuildOptions(state.range(0), state.range(1) != 0),
              &bytes);
    }
  }
  ReportPerEntry(state, kEntries);
}

BENCHMARK(CompactionRead)->Arg(1)->Arg(4)->Unit(benchmark::kMillisecond);
BENCHMARK(CompactionMerge)
    ->Arg(1)
    ->Arg(4)
    ->Arg(10)
    ->Unit(benchmark::kMillisecond);
BENCHMARK(CompactionKeep)->Arg(4)->Unit(benchmark::kMillisecond);
BENCHMARK(CompactionRebuild)
    ->ArgsProduct({{4}, {0, 1, 2}, {0, 1}})
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK(CompactionBuild)
    ->ArgsProduct({{0, 1, 2}, {0, 1}})
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);
// -1: nothing is built.
BENCHMARK(FlushRebuild)
    ->Args({-1, 0})
    ->ArgsProduct({{0, 1, 2}, {0, 1}})
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tamis
