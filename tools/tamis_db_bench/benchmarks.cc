// SPDX-License-Identifier: Apache-2.0
#include "tools/tamis_db_bench/benchmarks.h"

#include "tools/tamis_db_bench/function_benchmarks.h"
#include "tools/tamis_db_bench/maintenance_benchmarks.h"
#include "tools/tamis_db_bench/merge_benchmarks.h"
#include "tools/tamis_db_bench/mix_benchmarks.h"
#include "tools/tamis_db_bench/read_benchmarks.h"
#include "tools/tamis_db_bench/transaction_benchmarks.h"
#include "tools/tamis_db_bench/update_benchmarks.h"
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
      {.name = "filluniquerandom",
       .what = "write each key once, in random order, into a new database",
       .run = FillUniqueRandom,
       .fresh_db = true},
      {.name = "fillbatch",
       .what = "write keys in order, 1000 a batch, into a new database",
       .run = FillBatch,
       .fresh_db = true},
      {.name = "fillsync",
       .what = "write num / 1000 random keys, each synced, into a new database",
       .run = FillSync,
       .fresh_db = true},
      {.name = "fill100K",
       .what = "write num / 1000 values of 100,000 bytes into a new database",
       .run = Fill100K,
       .fresh_db = true},
      {.name = "fillseekseq",
       .what = "write keys in order into a new database, then seek each",
       .run = FillSeekSeq,
       .fresh_db = true,
       .lookups = true},
      {.name = "overwrite",
       .what = "write random keys into the existing data",
       .run = FillRandom},
      {.name = "deleteseq", .what = "delete keys in order", .run = DeleteSeq},
      {.name = "deleterandom",
       .what = "delete random keys",
       .run = DeleteRandom},
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
      {.name = "readtocache",
       .what = "scan the whole database once, with one thread",
       .run = ReadToCache,
       .single_thread = true},
      {.name = "seekrandom",
       .what = "position a new iterator at each of random keys",
       .run = SeekRandom,
       .lookups = true},
      {.name = "newiterator",
       .what = "make and delete iterators",
       .run = NewIterators},
      {.name = "approximatesizerandom",
       .what = "ask for the sizes of random ranges",
       .run = ApproximateSizeRandom},
  };
}

std::vector<Benchmark> ReadWhileBenchmarks() {
  return {
      {.name = "readwhilewriting",
       .what = "readrandom with one thread that writes",
       .run = ReadWhileWriting,
       .lookups = true,
       .extra_threads = 1},
      {.name = "readwhilemerging",
       .what = "readrandom with one thread that merges",
       .run = ReadWhileMerging,
       .lookups = true,
       .extra_threads = 1,
       .merges = true},
      {.name = "readwhilescanning",
       .what = "readrandom with one thread that scans",
       .run = ReadWhileScanning,
       .lookups = true,
       .extra_threads = 1},
      {.name = "multireadwhilewriting",
       .what = "multireadrandom with one thread that writes",
       .run = MultiReadWhileWriting,
       .lookups = true,
       .extra_threads = 1},
      {.name = "newiteratorwhilewriting",
       .what = "newiterator with one thread that writes",
       .run = NewIteratorWhileWriting,
       .extra_threads = 1},
      {.name = "seekrandomwhilewriting",
       .what = "seekrandom with one thread that writes",
       .run = SeekRandomWhileWriting,
       .lookups = true,
       .extra_threads = 1},
      {.name = "seekrandomwhilemerging",
       .what = "seekrandom with one thread that merges",
       .run = SeekRandomWhileMerging,
       .lookups = true,
       .extra_threads = 1,
       .merges = true},
  };
}

std::vector<Benchmark> ChangeBenchmarks() {
  return {
      {.name = "readrandomwriterandom",
       .what = "readwritepercent reads, the others writes",
       .run = ReadRandomWriteRandom,
       .lookups = true},
      {.name = "updaterandom",
       .what = "read random keys and write new values",
       .run = UpdateRandom,
       .lookups = true},
      {.name = "xorupdaterandom",
       .what = "read random keys and write the values xor others",
       .run = XorUpdateRandom,
       .lookups = true},
      {.name = "appendrandom",
       .what = "read random keys and write longer values",
       .run = AppendRandom,
       .lookups = true},
      {.name = "mergerandom",
       .what = "merge values into random keys",
       .run = MergeRandom,
       .merges = true},
      {.name = "readrandommergerandom",
       .what = "mergereadpercent merges, the others reads",
       .run = ReadRandomMergeRandom,
       .lookups = true,
       .merges = true},
      {.name = "readrandomoperands",
       .what = "read the operands of random keys, unmerged",
       .run = ReadRandomOperands,
       .lookups = true},
      {.name = "randomreplacekeys",
       .what = "delete a version of a key and write the next",
       .run = RandomReplaceKeys},
      {.name = "randomwithverify",
       .what = "read, write and delete three keys at once, and compare them",
       .run = RandomWithVerify,
       .lookups = true},
      {.name = "mixgraph",
       .what = "read, write and scan in the mix of a social graph",
       .run = MixGraph,
       .lookups = true},
      {.name = "randomtransaction",
       .what = "add to a random key of each of transaction_sets, and verify",
       .run = RandomTransaction,
       .verify = VerifyTransactions},
  };
}

std::vector<Benchmark> MaintenanceBenchmarks() {
  return {
      {.name = "flush",
       .what = "flush the memtable",
       .run = Flush,
       .single_thread = true},
      {.name = "compact",
       .what = "compact everything",
       .run = Compact,
       .single_thread = true},
      {.name = "compactall",
       .what = "compact everything",
       .run = Compact,
       .single_thread = true},
      {.name = "compact0",
       .what = "compact level 0 into level 1",
       .run = CompactLevel0,
       .single_thread = true},
      {.name = "compact1",
       .what = "compact level 1 into level 2",
       .run = CompactLevel1,
       .single_thread = true},
      {.name = "waitforcompaction",
       .what = "wait until no flush and no compaction is due",
       .run = WaitForCompaction,
       .single_thread = true},
      {.name = "verifychecksum",
       .what = "verify the checksum of every block",
       .run = VerifyChecksums,
       .single_thread = true},
      {.name = "verifyfilechecksums",
       .what = "verify the checksum of every file (--file_checksum)",
       .run = VerifyFileChecksums,
       .single_thread = true},
      {.name = "backup",
       .what = "make a backup and verify it",
       .run = Backup,
       .single_thread = true},
      {.name = "restore",
       .what = "restore the latest backup",
       .run = Restore,
       .single_thread = true},
      {.name = "verify",
       .what = "compare every entry with --truth_db",
       .run = Verify,
       .single_thread = true},
      {.name = "resetstats",
       .what = "begin the statistics of the database anew",
       .run = ResetStats,
       .single_thread = true},
  };
}

std::vector<Benchmark> PrintedProperties() {
  using Properties = DB::Properties;
  return {
      {.name = "stats",
       .what = "print what flushes and compactions did",
       .properties = {Properties::kStats}},
      {.name = "levelstats",
       .what = "print the tables and bytes of each level",
       .properties = {Properties::kLevelStats}},
      {.name = "sstables",
       .what = "print the tables",
       .properties = {Properties::kSSTables}},
      {.name = "memstats",
       .what = "print the memory of memtables and tables",
       .properties = {Properties::kNumImmutableMemTable,
                      Properties::kCurSizeActiveMemTable,
                      Properties::kCurSizeAllMemTables,
                      Properties::kNumEntriesActiveMemTable,
                      Properties::kNumEntriesImmMemTables,
                      Properties::kEstimateTableReadersMem,
                      Properties::kBlockCacheUsage}},
  };
}

std::vector<Benchmark> FunctionBenchmarks() {
  return {
      {.name = "crc32c",
       .what = "the checksum of a block",
       .run = Crc32c,
       .no_db = true},
      {.name = "xxhash",
       .what = "the checksum of a block",
       .run = XxHash,
       .no_db = true},
      {.name = "xxhash64",
       .what = "the checksum of a block",
       .run = XxHash64,
       .no_db = true},
      {.name = "xxh3",
       .what = "the checksum of a block",
       .run = Xxh3,
       .no_db = true},
      {.name = "compress",
       .what = "compress a block",
       .run = CompressBlock,
       .no_db = true},
      {.name = "uncompress",
       .what = "uncompress a block",
       .run = UncompressBlock,
       .no_db = true},
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
  std::vector<Benchmark> all;
  for (const auto& some :
       {WriteBenchmarks(), ReadBenchmarks(), ReadWhileBenchmarks(),
        ChangeBenchmarks(), MaintenanceBenchmarks(), PrintedProperties(),
        FunctionBenchmarks(), YcsbBenchmarks()}) {
    all.insert(all.end(), some.begin(), some.end());
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
