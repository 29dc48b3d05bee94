// SPDX-License-Identifier: Apache-2.0
//
// Scans of k tables whose blocks are all resident. An argument is k; keys of
// 16 bytes that share their first half, values of 100.
//
//   MergeForward, -Backward   the merging iterator alone, internal keys
//   ScanForward, -Backward    the same entries through the user's iterator
//   IteratorSeek, -ForPrev    one seek to a random key
//   Runs                      ScanForward where runs of 64 keys share a table
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>

#include "db/db_iterator.h"
#include "table/merging_iterator.h"
#include "tests/bench/dealt_tables.h"
#include "tests/bench/per_entry.h"
#include "util/base/random.h"
#include "util/cache/block_cache.h"

namespace tamis {
namespace {

constexpr uint64_t kEntries = 200'000;

// A sequence of kEntries dealt out to k tables at random, in runs of the same
// table.
class Inputs {
 public:
  Inputs(size_t k, uint64_t run) : tables_(Dealt(k, run)) {}

  std::unique_ptr<InternalIterator> Merge() const {
    auto children = tables_.Iterators(ReadContext());
    // As with an empty memtable.
    children.push_back(NewEmptyIterator());
    return NewMergingIterator(BytewiseOrder(), std::move(children));
  }
  std::unique_ptr<Iterator> Scan() const {
    DBIteratorInputs in;
    in.entries = Merge();
    in.sequence = kMaxSequenceNumber;
    return NewDBIterator(BytewiseOrder(), std::move(in));
  }

 private:
  static DealtTables Dealt(size_t k, uint64_t run) {
    TableBuildOptions options(BytewiseOrder());
    options.file_name = "bench";
    Random random(7);
    size_t table = 0;
    const auto deal = [&random, &table, k, run](uint64_t i) {
      if (i % run == 0) table = random.Uniform(k);
      return DealtTables::Card{table, i + 1, std::string(100, 'v')};
    };
    return {k, kEntries, options, std::make_shared<BlockCache>(size_t{1} << 30),
            deal};
  }

  const DealtTables tables_;
};

const Inputs& InputsOf(int64_t k) {
  static const Inputs one(1, 1);
  static const Inputs two(2, 1);
  static const Inputs four(4, 1);
  static const Inputs ten(10, 1);
  return k == 1 ? one : k == 2 ? two : k == 4 ? four : ten;
}

template <typename It>
void Forward(benchmark::State& state, It* it) {
  for (auto _ : state) {
    size_t bytes = 0;
    for (it->SeekToFirst(); it->Valid(); it->Next()) {
      bytes += it->key().size() + it->value().size();
    }
    TAMIS_CHECK(bytes >= kEntries * 116);
  }
  ReportPerEntry(state, kEntries);
}

template <typename It>
void Backward(benchmark::State& state, It* it) {
  for (auto _ : state) {
    size_t bytes = 0;
    for (it->SeekToLast(); it->Valid(); it->Prev()) {
      bytes += it->key().size() + it->value().size();
    }
    TAMIS_CHECK(bytes >= kEntries * 116);
  }
  ReportPerEntry(state, kEntries);
}

void MergeForward(benchmark::State& state) {
  Forward(state, InputsOf(state.range(0)).Merge().get());
}
void MergeBackward(benchmark::State& state) {
  Backward(state, InputsOf(state.range(0)).Merge().get());
}
void ScanForward(benchmark::State& state) {
  Forward(state, InputsOf(state.range(0)).Scan().get());
}
void ScanBackward(benchmark::State& state) {
  Backward(state, InputsOf(state.range(0)).Scan().get());
}
void Runs(benchmark::State& state) {
  static const Inputs inputs(10, 64);
  Forward(state, inputs.Scan().get());
}

void Seeks(benchmark::State& state, void (Iterator::*seek)(const Slice&)) {
  const auto it = InputsOf(state.range(0)).Scan();
  Random random(1);
  std::string key;
  for (auto _ : state) {
    key = DealtKey(random.Uniform(kEntries));
    (*it.*seek)(key);
    TAMIS_CHECK(it->Valid());
  }
}
void IteratorSeek(benchmark::State& state) { Seeks(state, &Iterator::Seek); }
void IteratorSeekForPrev(benchmark::State& state) {
  Seeks(state, &Iterator::SeekForPrev);
}

#define TAMIS_BENCHMARK_BY_TABLES(name) \
  BENCHMARK(name)->ArgName("k")->Arg(1)->Arg(2)->Arg(4)->Arg(10)

TAMIS_BENCHMARK_BY_TABLES(MergeForward)->Unit(benchmark::kMillisecond);
TAMIS_BENCHMARK_BY_TABLES(MergeBackward)->Unit(benchmark::kMillisecond);
TAMIS_BENCHMARK_BY_TABLES(ScanForward)->Unit(benchmark::kMillisecond);
TAMIS_BENCHMARK_BY_TABLES(ScanBackward)->Unit(benchmark::kMillisecond);
TAMIS_BENCHMARK_BY_TABLES(IteratorSeek);
TAMIS_BENCHMARK_BY_TABLES(IteratorSeekForPrev);
BENCHMARK(Runs)->Unit(benchmark::kMillisecond);

#undef TAMIS_BENCHMARK_BY_TABLES

}  // namespace
}  // namespace tamis
