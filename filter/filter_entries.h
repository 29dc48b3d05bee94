// SPDX-License-Identifier: Apache-2.0
//
// The entries that a key adds to a filter: itself, its prefix, or both.
// Adjacent duplicates are omitted exactly where RocksDB omits them, so that
// filters of the same keys are byte-for-byte equal.
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
  const SliceTransform* prefixes = nullptr;  // nullptr: none; outlives *this
  // For full filters and partitions: the order of RocksDB since 9.6, which
  // every release that writes format_version 7 uses.
  bool prefix_first = false;

  // True if the key has a prefix that is added to the filter.
  bool HasPrefix(const Slice& user_key) const {
    return prefixes != nullptr && prefixes->InDomain(user_key);
  }
};

// For full filters and partitions. Without prefix_first, two quirks of RocksDB
// up to 9.5 are reproduced for equal bytes. With prefixes only, the second key
// of a prefix adds the empty string once. A new partition begins with the last
// prefix of the previous one or, with prefixes only, with the empty string.
class FilterEntries {
 public:
  explicit FilterEntries(const FilterEntryRule& rule) : rule_(rule) {}

  // Adds the key's entries to the builder; returns their number.
  size_t Add(const FilterKey& key, FilterBuilder* to);
  // Call at the end of a partition: adds the prefix of the next key, so that a
  // seek between the two partitions finds that key.
  void AddPrefixBehind(const Slice& next_key, FilterBuilder* to);
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

// For chunks of a block-based filter.
class ChunkEntries {
 public:
  explicit ChunkEntries(const FilterEntryRule& rule) : rule_(rule) {}

  // As FilterEntries::Add.
  size_t Add(const FilterKey& key, FilterBuilder* to);
  // Starts a new chunk.
  void NextChunk() { last_prefix_.clear(); }

 private:
  const FilterEntryRule rule_;
  std::string last_prefix_;  // empty: none in this chunk
};

}  // namespace tamis
