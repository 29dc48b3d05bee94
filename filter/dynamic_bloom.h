// SPDX-License-Identifier: Apache-2.0
//
// An in-memory Bloom filter that is read while keys are added. Memtables use it
// so that a Get of an absent key skips the search. It is never written to a
// file.
//
// All bits of a key lie in one 64-byte line (Putze, Sanders, Singler, "Cache-,
// Hash- and Space-Efficient Bloom Filters", 2007), chosen by Hash64, which
// table filters use too: a Get hashes its key once.
//
// Threads: Add from one at a time, MayMatch from any, concurrently. MayMatch
// returns true for a key if the reader learned of it through a release store
// after its Add.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "filter/filter_key.h"

namespace tamis {

class DynamicBloom {
 public:
  // Rounds `bytes` up to whole lines. REQUIRES: bytes > 0, fewer than 2^32
  // lines.
  explicit DynamicBloom(size_t bytes);

  void Add(const FilterKey& key);
  bool MayMatch(const FilterKey& key) const;

  size_t bytes() const { return num_lines_ * sizeof(Line); }

 private:
  static constexpr int kProbes = 6;
  struct alignas(64) Line {
    std::atomic<uint64_t> words[8];
  };
  Line& LineOf(uint64_t hash) const;

  const size_t num_lines_;
  const std::unique_ptr<Line[]> lines_;
};

}  // namespace tamis
