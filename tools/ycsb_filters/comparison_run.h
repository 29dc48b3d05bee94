// SPDX-License-Identifier: Apache-2.0
//
// Runs the comparison: the same operations on each store, interleaved.
//
// A round prepares every store: it loads the records, compacts them to one
// sorted run, and overwrites a few percent of them, such that two newer tables
// are on level 0. It then runs each workload with each cache on all stores, one
// after the other. A workload starts with an empty cache and warms it by half
// as many operations as are measured. After a workload that writes, memtables
// are flushed and compactions finish, uncounted.
//
// Records have other keys in each round. Otherwise, the same popular keys would
// be false positives of the same filters each time.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tools/bench_data.h"
#include "tools/ycsb_choosers.h"
#include "tools/ycsb_filters/figures.h"
#include "tools/ycsb_filters/store.h"
#include "tools/ycsb_workload.h"

namespace tamis::ycsb_filters {

struct Comparison {
  uint64_t num = 500'000;        // records
  uint64_t operations = 40'000;  // measured, per workload
  size_t value_size = 100;
  double absent_share = 0.5;  // of the reads
  uint64_t seed = 1;
  std::vector<const ycsb::Mix*> mixes;  // without inserts and scans
  std::vector<ycsb::Distribution> distributions;
  std::vector<double> cache_percents;  // of DataBytes
  StoreConfig store;
};

// Returns "uniform", "latest", "zipfian" for the scrambled one, or "unscrambled
// zipfian".
std::string NameOf(ycsb::Distribution distribution);

// Returns the bytes of the records' keys and values.
uint64_t DataBytes(const Comparison& comparison);

class ComparisonRun {
 public:
  // `folder`: for the databases.
  ComparisonRun(Comparison comparison,
                std::vector<std::unique_ptr<Store>> stores, std::string folder);
  // Runs round `round`, from 0, and adds its samples.
  void Round(uint64_t round);
  const Figures& figures() const { return figures_; }

 private:
  template <typename Visit>
  void ForEachStore(Visit&& visit);
  StoreSample Prepare(uint64_t round, size_t index);
  void AddNewerTables(uint64_t first, ValuePool* values, Store* store) const;
  RunSample RunWorkload(const ycsb::Mix& mix, ycsb::Distribution distribution,
                        double cache_percent, size_t index, uint64_t round);
  // The number of the first record of a round.
  uint64_t First(uint64_t round) const { return round * comparison_.num; }
  size_t CacheBytes(double percent) const;
  std::string Folder(size_t index) const;

  const Comparison comparison_;
  const std::vector<std::unique_ptr<Store>> stores_;
  const std::string folder_;
  const ycsb::Records records_;
  Figures figures_;
  uint64_t turns_ = 0;  // of ForEachStore
};

}  // namespace tamis::ycsb_filters
