// SPDX-License-Identifier: Apache-2.0
//
// The benchmarks by name: the work of one thread of each. Names, keys (the
// number in big-endian, padded with '0') and meanings are RocksDB's; those of
// ycsb* are YCSB's (ycsb_benchmarks.h).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tamis/db.h"

#include "tools/tamis_db_bench/bench_stats.h"
#include "tools/ycsb_workload.h"

namespace tamis::bench {

struct YcsbResults;

struct Settings {
  uint64_t num = 1'000'000;     // keys
  uint64_t reads = 0;           // per thread; 0: num
  uint64_t writes = 0;          // per thread; 0: num
  double duration_seconds = 0;  // above 0: instead of numbers of operations
  int key_size = 16;
  int value_size = 100;
  double compression_ratio = 0.5;
  int batch_size = 1;  // puts per batch, keys per MultiGet
  bool multiread_batched = true;
  bool sync = false;
  bool disable_wal = false;
  bool verify_checksums = true;
  size_t readahead_size = 0;
  bool async_io = false;
  uint64_t seek_nexts = 0;  // entries after a seek
  bool reverse_iterator = false;
  uint64_t read_percent = 90;  // of readrandomwriterandom
  bool histogram = false;
  int threads = 1;
  uint64_t seed = 301;
  // Of ycsb*.
  int ycsb_value_size = static_cast<int>(ycsb::kRecordBytes);
  std::optional<ycsb::Distribution> ycsb_distribution;  // else the workload's
  double ycsb_absent = 0;                               // share of the reads
  uint64_t reads_or_num() const { return reads != 0 ? reads : num; }
  uint64_t writes_or_num() const { return writes != 0 ? writes : num; }
};

// Inputs of a thread.
struct ThreadContext {
  DB* db;
  const Settings* settings;
  int index;      // from 0
  uint64_t salt;  // differs per benchmark, so that keys differ, too
  const std::atomic<bool>* others_done;  // readwhilewriting: readers finished
  ThreadStats* stats;
  // Of ycsb*; otherwise nullptr.
  ycsb::Records* records = nullptr;  // shared
  YcsbResults* ycsb = nullptr;
};

struct Benchmark {
  const char* name;
  const char* what;
  void (*run)(const ThreadContext& thread);
  bool fresh_db = false;  // starts with an empty database
  bool lookups = false;   // reports how many keys were found
  int extra_threads = 0;  // in addition to --threads
  bool single_thread = false;
  bool ycsb = false;  // has records, and reports YcsbResults
};

const std::vector<Benchmark>& Benchmarks();
const Benchmark* FindBenchmark(std::string_view name);

}  // namespace tamis::bench
