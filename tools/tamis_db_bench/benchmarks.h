// SPDX-License-Identifier: Apache-2.0
//
// The benchmarks by name: the work of one thread of each, or a property that is
// printed. Names, keys (the number in big-endian, padded with '0') and meanings
// are RocksDB's; those of ycsb* are YCSB's (ycsb_benchmarks.h).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tamis/db.h"
#include "tamis/rate_limiter.h"

#include "tools/mix_workload.h"
#include "tools/tamis_db_bench/bench_stats.h"
#include "tools/ycsb_workload.h"

namespace tamis::bench {

struct YcsbResults;

// Of mixgraph.
struct MixSettings {
  uint64_t accesses = 0;  // per thread; 0: --reads
  double get_ratio = 1;
  double put_ratio = 0;
  double seek_ratio = 0;
  mix::KeyModel keys;
  mix::Pareto value = {.theta = 0, .k = 0.2615, .sigma = 25.45};
  uint64_t max_value_size = 1024;
  mix::Pareto scan = {.theta = 0, .k = 2.517, .sigma = 14.236};
  uint64_t max_scan_length = 10'000;
  bool sine_rate = false;
  mix::SineRate sine;
  double sine_noise = 0;  // share of the rate
  uint64_t sine_interval_millis = 10'000;
};

struct Settings {
  uint64_t num = 1'000'000;     // keys
  uint64_t reads = 0;           // per thread; 0: num
  uint64_t writes = 0;          // per thread; 0: num
  uint64_t deletes = 0;         // per thread; 0: num
  double duration_seconds = 0;  // above 0: instead of numbers of operations
  double open_loop_rate = 0;    // operations per second of all threads; 0: none
  std::shared_ptr<RateLimiter> read_limiter;   // of operations; nullptr: none
  std::shared_ptr<RateLimiter> write_limiter;  // of bytes; nullptr: none
  int key_size = 16;
  int value_size = 100;
  double compression_ratio = 0.5;
  int batch_size = 1;  // puts per batch, keys per MultiGet
  bool multiread_batched = true;
  bool sync = false;
  bool disable_wal = false;
  bool verify_checksums = true;
  bool total_order_seek = false;
  bool prefix_same_as_start = false;
  bool auto_prefix_mode = false;
  bool tailing = false;
  size_t readahead_size = 0;
  bool async_io = false;
  uint64_t seek_nexts = 0;         // entries after a seek
  uint64_t max_scan_distance = 0;  // keys until an iterator's bound; 0: none
  uint64_t multiread_stride = 0;   // between keys of a MultiGet; 0: random keys
  double read_random_exp_range = 0;  // num * exp(-x), x below it; 0: uniform
  bool reverse_iterator = false;
  uint64_t read_percent = 90;     // of readrandomwriterandom, randomwithverify
  uint64_t delete_percent = 2;    // of randomwithverify
  uint64_t merge_percent = 70;    // of readrandommergerandom
  uint64_t merge_keys = 0;        // 0: num
  uint64_t distinct_keys = 1000;  // of randomwithverify, randomreplacekeys
  double stddev = 2000;           // of randomreplacekeys
  bool single_deletes = true;     // of randomreplacekeys
  size_t block_size = 4096;       // bytes of a call of crc32c, compress, ...
  CompressionType compression = kSnappyCompression;  // of compress
  std::string backup_dir;   // empty: beside the database
  std::string restore_dir;  // empty: beside the database
  std::string truth_db;     // of verify
  // Of randomtransaction.
  int transaction_sets = 2;  // keys of a transaction
  bool transaction_set_snapshot = false;
  uint64_t transaction_sleep = 0;  // microseconds at most before a write
  int64_t transaction_lock_timeout = 100;  // milliseconds
  MixSettings mix;
  int perf_level = 1;  // above 1: each thread's PerfContext is printed
  bool histogram = false;
  int threads = 1;
  uint64_t seed = 301;
  // Of ycsb*.
  int ycsb_value_size = static_cast<int>(ycsb::kRecordBytes);
  std::optional<ycsb::Distribution> ycsb_distribution;  // else the workload's
  double ycsb_absent = 0;                               // share of the reads
  uint64_t reads_or_num() const { return reads != 0 ? reads : num; }
  uint64_t writes_or_num() const { return writes != 0 ? writes : num; }
  uint64_t deletes_or_num() const { return deletes != 0 ? deletes : num; }
  uint64_t merge_keys_or_num() const {
    return merge_keys != 0 ? merge_keys : num;
  }
};

// Inputs of a thread.
struct ThreadContext {
  DB* db;
  const std::string* directory;  // of the database
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
  void (*run)(const ThreadContext& thread) = nullptr;
  // If run is nullptr: prints these properties, each by its name if there are
  // several.
  std::vector<std::string> properties = {};
  bool fresh_db = false;  // starts with an empty database
  bool lookups = false;   // reports how many keys were found
  int extra_threads = 0;  // in addition to --threads
  bool single_thread = false;
  bool ycsb = false;    // has records, and reports YcsbResults
  bool merges = false;  // needs a merge operator
  bool no_db = false;   // measures a function
  // If not nullptr: called after a run, which fails if it returns an error.
  Status (*verify)(DB* db, const Settings& settings) = nullptr;
};

const std::vector<Benchmark>& Benchmarks();
const Benchmark* FindBenchmark(std::string_view name);

}  // namespace tamis::bench
