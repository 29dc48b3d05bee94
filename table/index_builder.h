// SPDX-License-Identifier: Apache-2.0
//
// Collects one separator and handle a data block and turns them into index
// blocks at the end, when it is known whether user keys will do as separators.
//
// One thread. Calls: AddBlock*, then the rest.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "table/block_builder.h"
#include "table/format.h"
#include "table/internal_key.h"

namespace tamis {

// Separators with handles, in order. Separators are kept as internal keys.
class IndexEntries {
 public:
  void Add(const Slice& separator, const BlockHandle& handle);
  size_t size() const { return ends_.size(); }
  bool empty() const { return ends_.empty(); }
  Slice separator(size_t i) const;
  const BlockHandle& handle(size_t i) const { return handles_[i]; }

  // Entries [begin, end) as an index block.
  std::string EncodeBlock(size_t begin, size_t end, bool user_keys) const;

 private:
  std::string separators_;  // one after the other
  std::vector<size_t> ends_;
  std::vector<BlockHandle> handles_;
};

class IndexBuilder {
 public:
  struct Options {
    bool two_level = false;
    BlockCutRule partition_rule;  // two-level only
  };
  IndexBuilder(const KeyOrder& order, const Options& options)
      : order_(order), options_(options) {}

  // `next_key`: the first key of the block behind, nullptr at the end of the
  // table. Both are internal keys.
  void AddBlock(const Slice& last_key, const Slice* next_key,
                const BlockHandle& handle);
  // Two-level: whether the running partition has reached its size.
  bool PartitionIsFull() const;
  // Two-level: the running partition ends here. REQUIRES: it is not empty.
  void CutPartition();

  bool user_keys() const { return user_keys_; }
  const IndexEntries& entries() const { return entries_; }
  // REQUIRES: !entries().empty()
  Slice last_separator() const {
    return entries_.separator(entries_.size() - 1);
  }
  // Partitions as [begin, end) of entries(), the running one included.
  std::vector<std::pair<size_t, size_t>> Partitions() const;

 private:
  const KeyOrder order_;
  const Options options_;
  IndexEntries entries_;
  bool user_keys_ = true;
  std::vector<size_t> cuts_;      // each the number of entries before it
  uint64_t partition_bytes_ = 0;  // of the running one, about
  std::string separator_;         // scratch
};

}  // namespace tamis
