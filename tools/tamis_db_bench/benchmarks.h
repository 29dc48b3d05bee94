// SPDX-License-Identifier: Apache-2.0
//
// The benchmarks by name: what one thread of each does. RocksDB's names, keys
// (the number big-endian, padded with '0') and meanings.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tamis/db.h"

#include "tools/tamis_db_bench/bench_stats.h"

namespace tamis::bench {

struct Settings {
  uint64_t num = 1'000'000;  // keys
  uint64_t reads = 0;        // per thread; 0: num
  int key_size = 16;
  int value_size = 100;
  double compression_ratio = 0.5;
  int batch_size = 1;  // puts in a batch, keys of a MultiGet
  bool multiread_batched = true;
  bool sync = false;
  int threads = 1;
  uint64_t seed = 301;
  uint64_t reads_or_num() const { return reads != 0 ? reads : num; }
};

// What a thread has to work with.
struct ThreadContext {
  DB* db;
  const Settings* settings;
  int index;      // from 0
  uint64_t salt;  // another for each benchmark, so that keys differ too
  const std::atomic<bool>* others_done;  // readwhilewriting: readers are
  ThreadStats* stats;
};

struct Benchmark {
  const char* name;
  const char* what;
  void (*run)(const ThreadContext& thread);
  bool fresh_db = false;  // begins with an empty database
  bool lookups = false;   // tells how many keys were found
  int extra_threads = 0;  // beside --threads
  bool single_thread = false;
};

const std::vector<Benchmark>& Benchmarks();
const Benchmark* FindBenchmark(std::string_view name);

}  // namespace tamis::bench
