// SPDX-License-Identifier: Apache-2.0
//
// What the filters of a table did for the reads that were sampled
// (db/version/lookup_sampler.h). Counts are estimates of all reads: a sampled
// read counts as often as the reads that it represents.
//
// Any thread.
#pragma once

#include <atomic>
#include <cstdint>

namespace tamis {

// How a filter's answer turned out.
enum class FilterOutcome : uint8_t {
  kNotProbed,
  kExcluded,  // it saved the search of the table
  kInVain,    // it passed the key, which the table did not have
  kFound,
};

class FilterTally {
 public:
  void Add(FilterOutcome outcome, uint64_t reads) {
    if (outcome == FilterOutcome::kNotProbed) return;
    counts_[static_cast<size_t>(outcome) - 1].fetch_add(
        reads, std::memory_order_relaxed);
  }
  uint64_t excluded() const { return Count(FilterOutcome::kExcluded); }
  uint64_t in_vain() const { return Count(FilterOutcome::kInVain); }
  uint64_t found() const { return Count(FilterOutcome::kFound); }

 private:
  uint64_t Count(FilterOutcome outcome) const {
    return counts_[static_cast<size_t>(outcome) - 1].load(
        std::memory_order_relaxed);
  }
  std::atomic<uint64_t> counts_[3] = {};
};

struct FilterCounts {
  FilterTally gets;    // of the point filter, probed for whole keys
  FilterTally seeks;   // of the point filter, probed for prefixes by iterators
  FilterTally ranges;  // of the range filter, probed by iterators
};

}  // namespace tamis
