// SPDX-License-Identifier: Apache-2.0
#include "tools/tamis_db_bench/benchmarks.h"

#include "tools/tamis_db_bench/read_benchmarks.h"
#include "tools/tamis_db_bench/write_benchmarks.h"
#include "tools/tamis_db_bench/ycsb_benchmarks.h"

namespace tamis::bench {

namespace {

template <char kWorkload>
void Ycsb(const ThreadContext& t) {
  YcsbRun(t, kWorkload);
}

std::vector<Benchmark> WriteBenchmarks() {
  return {
      {.name = "fillseq",
       .what = "write keys in order into a new database",
       .run = FillSeq,
       .fresh_db = true},
      {.name = "fillrandom",
       .what = "write random keys into a new database",
       .run = FillRandom,
       .fresh_db = true},
      {.name = "fillbatch",
       .what = "write keys in order, 1000 a batch, into a new database",
       .run = FillBatch,
       .fresh_db = true},
      {.name = "fillsync",
       .what = "write num / 1000 random keys, each synced, into a new database",
       .run = FillSync,
       .fresh_db = true},
      {.name = "overwrite",
       .what = "write random keys into the existing data",
       .run = FillRandom},
      {.name = "deleteseq", .what = "delete keys in order", .run = DeleteSeq},
      {.name = "deleterandom",
       .what = "delete random keys",
       .run = DeleteRandom},
      {.name = "flush",
       .what = "flush the memtable",
       .run = Flush,
       .single_thread = true},
      {.name = "compact",
       .what = "compact everything",
       .run = Compact,
       .single_thread = true},
  };
}

std::vector<Benchmark> ReadBenchmarks() {
  return {
      {.name = "readrandom",
       .what = "read random keys",
       .run = ReadRandom,
       .lookups = true},
      {.name = "readmissing",
       .what = "read random keys that are absent",
       .run = ReadMissing,
       .lookups = true},
      {.name = "multireadrandom",
       .what = "read random keys, batch_size at a time",
       .run = MultiReadRandom,
       .lookups = true},
      {.name = "readseq", .what = "scan forward", .run = ReadSeq},
      {.name = "readreverse", .what = "scan backward", .run = ReadReverse},
      {.name = "seekrandom",
       .what = "position a new iterator at each of random keys",
       .run = SeekRandom,
       .lookups = true},
      {.name = "readwhilewriting",
       .what = "readrandom with one thread that writes",
       .run = ReadWhileWriting,
       .lookups = true,
       .extra_threads = 1},
      {.name = "seekrandomwhilewriting",
       .what = "seekrandom with one thread that writes",
       .run = SeekRandomWhileWriting,
       .lookups = true,
       .extra_threads = 1},
      {.name = "readrandomwriterandom",
       .what = "readwritepercent reads, the others writes",
       .run = ReadRandomWriteRandom,
       .lookups = true},
      {.name = "newiterator",
       .what = "make and delete iterators",
       .run = NewIterators},
  };
}

std::vector<Benchmark> YcsbBenchmarks() {
  return {
      {.name = "ycsbload",
       .what = "write YCSB's records into a new database",
       .run = YcsbLoad,
       .fresh_db = true,
       .ycsb = true},
      {.name = "ycsba",
       .what = "50 % reads, 50 % updates",
       .run = Ycsb<'a'>,
       .ycsb = true},
      {.name = "ycsbb",
       .what = "95 % reads, 5 % updates",
       .run = Ycsb<'b'>,
       .ycsb = true},
      {.name = "ycsbc", .what = "reads", .run = Ycsb<'c'>, .ycsb = true},
      {.name = "ycsbd",
       .what = "95 % reads of the latest, 5 % inserts",
       .run = Ycsb<'d'>,
       .ycsb = true},
      {.name = "ycsbe",
       .what = "95 % short scans, 5 % inserts",
       .run = Ycsb<'e'>,
       .ycsb = true},
      {.name = "ycsbf",
       .what = "50 % reads, 50 % read-modify-writes",
       .run = Ycsb<'f'>,
       .ycsb = true},
  };
}

std::vector<Benchmark> AllBenchmarks() {
  std::vector<Benchmark> all = WriteBenchmarks();
  for (const auto& others : {ReadBenchmarks(), YcsbBenchmarks()}) {
    all.insert(all.end(), others.begin(), others.end());
  }
  return all;
}

}  // namespace

const std::vector<Benchmark>& Benchmarks() {
  static const std::vector<Benchmark> benchmarks = AllBenchmarks();
  return benchmarks;
}

const Benchmark* FindBenchmark(std::string_view name) {
  for (const Benchmark& benchmark : Benchmarks()) {
    if (benchmark.name == name) return &benchmark;
  }
  return nullptr;
}

}  // namespace tamis::bench
