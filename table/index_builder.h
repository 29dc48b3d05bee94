// SPDX-License-Identifier: Apache-2.0
//
// Collects a separator and a handle per data block. The index blocks are
// encoded at the end, when it is known whether user keys suffice as separators.
//
// One thread. Calls: (RequestCut? AddBlock)*, then the const functions.
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

// The encoding of all index blocks of a table, including the index of its
// filter partitions.
struct IndexEncoding {
  bool user_keys = true;      // separators are user keys, else internal keys
  bool delta_handles = true;  // else handles are length-prefixed values
  int restart_interval = 1;
};

// Separators with handles, in key order. Stores separators as internal keys.
class IndexEntries {
 public:
  // Appends an entry. first_key is that of the data block, or empty if the
  // index does not store first keys.
  void Add(const Slice& separator, const BlockHandle& handle,
           const Slice& first_key = Slice());
  size_t size() const { return entries_.size(); }
  bool empty() const { return entries_.empty(); }
  Slice separator(size_t i) const;
  const BlockHandle& handle(size_t i) const { return entries_[i].handle; }

  // Appends entry i to `block`.
  void AppendTo(size_t i, const IndexEncoding& encoding,
                BlockBuilder* block) const;
  // Returns entries [begin, end) as an index block.
  std::string EncodeBlock(size_t begin, size_t end,
                          const IndexEncoding& encoding) const;

 private:
  struct Entry {
    size_t separator;  // its begin in bytes_
    size_t first_key;  // its begin, and the separator's end
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
    IndexEncoding encoding;  // user_keys applies if they suffice
  };
  IndexBuilder(const KeyOrder& order, const Options& options);

  // Adds the data block with keys from first_key to last_key. next_key is the
  // first key of the next block, nullptr at the end of the table. All are
  // internal keys. Returns true if an index partition ended before this block,
  // so that the filter partition must end after it.
  bool AddBlock(const Slice& first_key, const Slice& last_key,
                const Slice* next_key, const BlockHandle& handle);
  // Requests the next AddBlock to end the partition before its block. Has no
  // effect before the first block, or unless the index is two-level.
  void RequestCut() { cut_requested_ = true; }

  bool user_keys() const { return options_.encoding.user_keys; }
  const IndexEncoding& encoding() const { return options_.encoding; }
  const IndexEntries& entries() const { return entries_; }
  // REQUIRES: !entries().empty()
  Slice last_separator() const {
    return entries_.separator(entries_.size() - 1);
  }
  // Returns the partitions as ranges [begin, end) of entries(), including the
  // current one.
  std::vector<std::pair<size_t, size_t>> Partitions() const;

 private:
  bool CutBefore(const Slice& last_key, const BlockHandle& handle);
  // Sets separator_.
  void MakeSeparator(const Slice& last_key, const Slice* next_key);

  const KeyOrder order_;
  Options options_;
  IndexEntries entries_;
  std::vector<size_t> cuts_;  // number of entries before each cut
  bool cut_requested_ = false;
  // The current partition as a block, to know its size. nullopt if it is empty.
  std::optional<BlockBuilder> running_;
  std::string separator_;  // scratch
};

}  // namespace tamis
