// SPDX-License-Identifier: Apache-2.0
//
// Collects one separator and handle a data block and turns them into index
// blocks at the end, when it is known whether user keys will do as separators.
//
// One thread. Calls: (RequestCut? AddBlock)*, then the rest.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tamis/table.h"

#include "table/block_builder.h"
#include "table/format.h"
#include "table/internal_key.h"

namespace tamis {

// How entries become a block; the same for all of a table's index blocks, the
// index of its filter partitions included.
struct IndexEncoding {
  bool user_keys = true;      // separators; else internal keys
  bool delta_handles = true;  // else handles are ordinary values
  int restart_interval = 1;
};

// Separators with handles, in order. Separators are kept as internal keys.
class IndexEntries {
 public:
  // `first_key`: of the block, empty where the index does not hold any.
  void Add(const Slice& separator, const BlockHandle& handle,
           const Slice& first_key = Slice());
  size_t size() const { return entries_.size(); }
  bool empty() const { return entries_.empty(); }
  Slice separator(size_t i) const;
  const BlockHandle& handle(size_t i) const { return entries_[i].handle; }

  // Appends entry i to `block`.
  void AppendTo(size_t i, const IndexEncoding& encoding,
                BlockBuilder* block) const;
  // Entries [begin, end) as an index block.
  std::string EncodeBlock(size_t begin, size_t end,
                          const IndexEncoding& encoding) const;

 private:
  struct Entry {
    size_t separator;  // where it begins in bytes_
    size_t first_key;  // where it begins, and the separator ends
    size_t end;        // of the first key
    BlockHandle handle;
  };
  std::string bytes_;
  std::vector<Entry> entries_;
};

class IndexBuilder {
 public:
  struct Options {
    bool two_level = false;
    BlockCutRule partition_rule;  // two-level only
    bool first_keys = false;
    BlockBasedTableOptions::IndexShorteningMode shortening =
        BlockBasedTableOptions::IndexShorteningMode::kShortenSeparators;
    IndexEncoding encoding;  // user_keys: as long as they will do
  };
  IndexBuilder(const KeyOrder& order, const Options& options);

  // The data block from first_key to last_key. `next_key`: the first key of
  // the block behind, nullptr at the end of the table. All are internal keys.
  // Two-level, true: a partition ended in front of this block, and a filter
  // partition is to end behind it.
  bool AddBlock(const Slice& first_key, const Slice& last_key,
                const Slice* next_key, const BlockHandle& handle);
  // Two-level: the filter wants a partition to end with the next block. The
  // first block cannot grant that: no partition is there to end.
  void RequestCut() { cut_requested_ = true; }

  bool user_keys() const { return options_.encoding.user_keys; }
  const IndexEncoding& encoding() const { return options_.encoding; }
  const IndexEntries& entries() const { return entries_; }
  // REQUIRES: !entries().empty()
  Slice last_separator() const {
    return entries_.separator(entries_.size() - 1);
  }
  // Partitions as [begin, end) of entries(), the running one included.
  std::vector<std::pair<size_t, size_t>> Partitions() const;

 private:
  bool CutBefore(const Slice& last_key, const BlockHandle& handle);
  // Sets separator_.
  void MakeSeparator(const Slice& last_key, const Slice* next_key);

  const KeyOrder order_;
  Options options_;
  IndexEntries entries_;
  std::vector<size_t> cuts_;  // each the number of entries before it
  bool cut_requested_ = false;
  // The running partition as a block, for its size. nullopt: empty.
  std::optional<BlockBuilder> running_;
  std::string separator_;  // scratch
};

}  // namespace tamis
