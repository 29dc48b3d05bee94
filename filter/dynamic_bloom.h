// SPDX-License-Identifier: Apache-2.0
//
// A Bloom filter in memory that grows while it is read: a memtable keeps one
// so that a Get for a key it does not hold need not search it. Its bits are
// never written to a file.
//
// All bits of a key lie in one 64-byte line (Putze, Sanders, Singler, "Cache-,
// Hash- and Space-Efficient Bloom Filters", 2007), chosen by the 64-bit hash
// that the filters of tables use too: a Get hashes its key once for all.
//
// Add from one thread at a time, MayMatch from any thread at the same time. A
// key is found by every reader that learned of it after its Add returned.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "filter/filter_key.h"

namespace tamis {

class DynamicBloom {
 public:
  // REQUIRES: bytes > 0; rounded up to whole lines.
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
