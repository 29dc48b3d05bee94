// SPDX-License-Identifier: Apache-2.0
//
// What a filter format costs and what it lets pass, for one number of keys of
// one length, in one placement. Times are CPU time of the thread, in ns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "tools/filter_bench/filter_format.h"

namespace tamis {

struct FilterCase {
  const FilterFormat* format = nullptr;
  KeyGroups groups = KeyGroups::kTable;
  size_t keys = 0;
  size_t key_bytes = 0;  // 8 or more
};

struct BenchSettings {
  size_t value_bytes = 100;  // of an entry; decides what a block has
  size_t probes = 1 << 16;   // of each kind, in each round
  size_t cold_bytes = size_t{256} << 20;
  size_t batch = 32;
  uint64_t seed = 1;
};

// Times have a value a round.
struct FilterFigures {
  FilterCase of;
  size_t bytes = 0;
  std::optional<double> predicted = {};
  double observed = 0;             // over absent keys
  size_t build_memory = 0;         // the most bytes that a build has allocated
  std::vector<double> build = {};  // per key
  std::vector<double> hit = {};    // of present keys: one copy of the filters
  std::vector<double> miss = {};   // of absent keys
  // Many copies, of cold_bytes together, and another one for each probe, or for
  // each batch of absent keys that share a filter.
  std::vector<double> cold = {};
  std::vector<double> batched = {};

  double BitsPerKey() const;
  // The bits above log2(1 / observed), which no filter can go below, as a
  // share; nullopt if no absent key matched.
  std::optional<double> OverTheLeast() const;
};

// Measures each case once a round, so that what disturbs a round disturbs all.
// REQUIRES: the cases have the same number of keys and the same length.
std::vector<FilterFigures> Measure(const std::vector<FilterCase>& cases,
                                   int rounds, const BenchSettings& settings);

}  // namespace tamis
