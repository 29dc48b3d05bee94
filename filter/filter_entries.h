// SPDX-License-Identifier: Apache-2.0
//
// Adds the entries of a key to a filter: the key itself, its prefix, or both.
// Omits adjacent duplicates exactly where RocksDB omits them, so that filters
// of the same keys are byte-for-byte equal.
//
//   whole keys             k1 k1 k2 k3       (the builder drops the second k1)
//   both, full filters     k1 P k2 k3 Q      key first; P once for its run
//   both, prefix first     P k1 k2 k3 Q      RocksDB since 9.6
//   both, block-based      P k1 k1 k2 Q k3   prefix first
//   prefixes               P "" P P Q        see FilterEntries
//
// One thread.
#pragma once

#include <cstddef>
#include <string>

#include "tamis/slice_transform.h"

#include "filter/filter_codec.h"

namespace tamis {

// Which entries a filter holds. A value type; any thread.
struct FilterEntryRule {
  bool whole_keys = true;
  // nullptr if there is no extractor. Must outlive *this.
  const SliceTransform* prefixes = nullptr;
  // Whether full filters and partitions use the order of RocksDB since 9.6.
  // Every release that writes format_version 7 uses it.
  bool prefix_first = false;

  // Returns whether the key adds a prefix to the filter.
  bool HasPrefix(const Slice& user_key) const {
    return prefixes != nullptr && prefixes->InDomain(user_key);
  }
};

// Adds entries to full filters and partitions. If the last key of a partition
// has a prefix, the next partition begins with that prefix. RocksDB up to 9.5
// has a quirk, which is reproduced without prefix_first: in a filter of
// prefixes only, it does not remember the last prefix. Such a partition begins
// with the empty string instead, and the first partition has the empty string
// after its first prefix.
class FilterEntries {
 public:
  explicit FilterEntries(const FilterEntryRule& rule) : rule_(rule) {}

  // Adds the key's entries to the builder, and returns their number.
  size_t Add(const FilterKey& key, FilterBuilder* to);
  // Adds the prefix of the key after a partition to that partition, so that a
  // seek between the two keys finds the next one. Call it before NextPartition.
  void AddPrefixAfter(const Slice& next_key, FilterBuilder* to);
  // Starts a new partition.
  void NextPartition();

 private:
  size_t AddCarriedPrefix(FilterBuilder* to);
  size_t AddPrefix(const Slice& user_key, FilterBuilder* to);
  size_t AddPrefixFirst(const FilterKey& key, FilterBuilder* to);

  const FilterEntryRule rule_;
  std::string last_key_;  // prefix first: the last entry
  std::string last_prefix_;
  bool has_last_key_ = false;
  bool has_last_prefix_ = false;
  bool last_key_had_prefix_ = false;
};

// Adds entries to the chunks of a block-based filter.
class ChunkEntries {
 public:
  explicit ChunkEntries(const FilterEntryRule& rule) : rule_(rule) {}

  // Adds the key's entries to the builder, and returns their number.
  size_t Add(const FilterKey& key, FilterBuilder* to);
  // Starts a new chunk.
  void NextChunk() { last_prefix_.clear(); }

 private:
  const FilterEntryRule rule_;
  std::string last_prefix_;  // empty if the chunk has none
};

}  // namespace tamis
