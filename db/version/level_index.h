// SPDX-License-Identifier: Apache-2.0
//
// Finds the files of a level that may hold a key. Arrays of key heads of the
// largest and smallest keys decide most searches without touching a file.
//
//   largest    [ u64 | u64 | ... ]   of the user keys, behind what all of the
//   smallest   [ u64 | u64 | ... ]   level begin with (util/coding/key_head.h)
//   files      [ ptr | ptr | ... ]
//
// Immutable; any thread.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "db/version/table_cache.h"

namespace tamis {

class LevelIndex {
 public:
  // `files` outlive *this.
  LevelIndex(const KeyOrder& order, std::span<const TableFilePtr> files);

  // Some files, one behind the other.
  struct Range {
    size_t begin;
    size_t end;
    bool empty() const { return begin == end; }
  };
  // Those that versions of the key visible at its sequence can be in: one at
  // the most, unless versions of the key run on over the border of two.
  // REQUIRES: they are sorted and disjoint, as below level 0.
  Range FindSpanning(const LookupKey& key) const;
  // Whether the user key is between the ends of file i, or is one of them.
  bool Spans(size_t i, const Slice& user_key) const;

 private:
  const KeyOrder order_;
  const std::span<const TableFilePtr> files_;
  std::string prefix_;
  // Both empty: not in bytewise order.
  std::vector<uint64_t> largest_;
  std::vector<uint64_t> smallest_;
};

// The first file of a sorted level whose largest key is at or behind the
// internal key; files.size() when there is none.
size_t FindFile(const KeyOrder& order, std::span<const TableFilePtr> files,
                const Slice& internal_key);

}  // namespace tamis
