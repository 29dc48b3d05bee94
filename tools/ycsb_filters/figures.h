// SPDX-License-Identifier: Apache-2.0
//
// The figures of all rounds, and their tables in Markdown: each figure as
// "median [least .. most]".
#pragma once

#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace tamis::ycsb_filters {

// Of one store and round, before the workloads.
struct StoreSample {
  double load_seconds = 0;         // with the compactions that it causes
  double write_amplification = 0;  // of the load
  double compaction_seconds = 0;   // of a sorted run and newer tables
  double filter_kilobytes = 0;     // of the run that results, all filters
  double filter_bits_per_key = 0;
};

// Of one store and round under a workload with a cache.
struct RunSample {
  double operations_per_second = 0;
  double p99_micros = 0;
  double cache_hit_percent = 0;
  double wasted_per_1000 = 0;  // times that a filter passed a key that its
                               // table does not hold, per 1000 reads
};

// Workload ("A, uniform"), percent of cache, store.
using RunKey = std::tuple<std::string, double, size_t>;

struct Figures {
  std::vector<std::string> stores;  // "Tamis, Bloom"
  std::vector<std::vector<StoreSample>> by_store;
  std::vector<std::string> workloads;  // in order
  std::map<RunKey, std::vector<RunSample>> runs;
};

// REQUIRES: each store and run of `figures` has a sample or more.
std::string ToMarkdown(const Figures& figures);
// One line per sample: what, store, round, figure, value.
std::string ToCsv(const Figures& figures);

}  // namespace tamis::ycsb_filters
