// SPDX-License-Identifier: Apache-2.0
//
// A LevelIndex finds the files of a level that may hold a key. Arrays of key
// heads decide most searches without touching a file's metadata.
//
//   largest    [ u64 | u64 | ... ]   heads (util/coding/key_head.h) of the
//   smallest   [ u64 | u64 | ... ]   user keys, after the prefix that all share
//   files      [ ptr | ptr | ... ]
//
// An index is immutable. Any thread may use it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "db/version/table_cache.h"

namespace tamis {

class LevelIndex {
 public:
  // `files`, which may be those of level 0, must outlive *this.
  LevelIndex(const KeyOrder& order, std::span<const TableFilePtr> files);

  const KeyOrder& order() const { return order_; }
  std::span<const TableFilePtr> files() const { return files_; }

  // The files with indexes in [begin, end).
  struct Range {
    size_t begin;
    size_t end;
    bool empty() const { return begin == end; }
  };
  // Returns the files that may hold versions visible at the key's sequence
  // number. There is more than one only if versions of the key continue in the
  // next file. REQUIRES: the files are sorted and disjoint, as below level 0.
  Range FindSpanning(const LookupKey& key) const;
  // Returns what FindFile returns for these files. REQUIRES: as FindSpanning.
  size_t FindFirst(const Slice& internal_key) const;
  // Returns whether the user key is within the bounds of file i, both included.
  bool Spans(size_t i, const Slice& user_key) const;
  // Returns whether the user key of file i's largest key is this one.
  bool EndsWith(size_t i, const Slice& user_key) const;
  // Returns whether the file before file i, if there is one, ends with the user
  // key that file i begins with.
  bool SharesItsFirstKey(size_t i) const;

 private:
  // Returns the first file whose largest head is >= head; files_.size() if
  // there is none.
  size_t FirstReaching(uint64_t head) const;
  // Returns the first file after `first` whose largest head is > head; `first`
  // if its own is. REQUIRES: first == FirstReaching(head) < files_.size().
  size_t EndOfTies(size_t first, uint64_t head) const;

  const KeyOrder order_;
  const std::span<const TableFilePtr> files_;
  std::string prefix_;  // common to all bounds
  // Both are empty if the order is not bytewise or there are no files.
  std::vector<uint64_t> largest_;
  std::vector<uint64_t> smallest_;
};

// Returns the index of the first file of a sorted level whose largest key is
// >= internal_key, or files.size() if there is none.
size_t FindFile(const KeyOrder& order, std::span<const TableFilePtr> files,
                const Slice& internal_key);

}  // namespace tamis
