// SPDX-License-Identifier: Apache-2.0
//
// Gives each entry of a cuckoo table a bucket. One whose buckets are all taken
// moves others on, along the shortest path to an empty bucket:
//
//   new entry ──▶ bucket 7 ──▶ bucket 2 ──▶ bucket 9, empty
//
// If no short path leads to one, the table gets a further hash.
//
// One thread.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "table/cuckoo_table_layout.h"

namespace tamis {

class CuckooBuckets {
 public:
  static constexpr uint32_t kEmpty = UINT32_MAX;
  static constexpr uint32_t kHashesMax = 64;

  // `user_key` returns an entry's user key. Put may raise layout->num_hashes.
  // REQUIRES: num_buckets() < kEmpty
  CuckooBuckets(CuckooLayout* layout, uint32_t search_depth_max,
                std::function<Slice(uint32_t)> user_key)
      : layout_(*layout),
        search_depth_max_(search_depth_max),
        user_key_(std::move(user_key)),
        entries_(static_cast<size_t>(layout->num_buckets()), kEmpty),
        seen_by_(entries_.size(), kEmpty) {}

  // Puts an entry into a bucket. Returns false if kHashesMax hashes do not
  // suffice. REQUIRES: no entry with its key was put.
  bool Put(uint32_t entry);

  // Returns the entry of each bucket, or kEmpty.
  const std::vector<uint32_t>& entries() const { return entries_; }

 private:
  // A bucket on a path, and the one before it.
  struct Step {
    uint64_t bucket;
    size_t from;
    uint32_t depth;
  };

  // Adds the entry's buckets that this search has not seen yet, in the order of
  // a lookup, up to the first empty one. Returns whether it found an empty one.
  bool AddBuckets(uint32_t entry, uint32_t first_hash, Step step,
                  std::vector<Step>* steps);
  // Moves entries along the path to the last step, which is empty, and puts the
  // entry at its beginning.
  void MoveAlong(const std::vector<Step>& steps, uint32_t entry);

  CuckooLayout& layout_;
  const uint32_t search_depth_max_;
  const std::function<Slice(uint32_t)> user_key_;
  std::vector<uint32_t> entries_;
  std::vector<uint32_t> seen_by_;  // the last search that saw each bucket
  uint32_t search_ = 0;
};

}  // namespace tamis
