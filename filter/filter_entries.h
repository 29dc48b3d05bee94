// SPDX-License-Identifier: Apache-2.0
//
// What a key puts into a filter: itself, its prefix, or both. Adjacent
// duplicates are left out where RocksDB leaves them out, so that filters of
// the same keys are equal byte for byte.
//
//   whole keys             k1 k1 k2 k3       (the builder drops the second k1)
//   both, full filters     k1 P k2 k3 Q      key first; P once for its run
//   both, prefix first     P k1 k2 k3 Q      RocksDB from 9.6 on
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

// Which entries a filter holds. A small value; any thread.
struct FilterEntryRule {
  bool whole_keys = true;
  const SliceTransform* prefixes = nullptr;  // nullptr: none; outlives *this
  // Of full filters and partitions: by the rule of RocksDB from 9.6 on, which
  // is that of every release that writes format_version 7.
  bool prefix_first = false;

  // Whether the key has a prefix that goes into the filter.
  bool HasPrefix(const Slice& user_key) const {
    return prefixes != nullptr && prefixes->InDomain(user_key);
  }
};

// For full filters and for partitions. Two traits are RocksDB's up to 9.5 and
// kept, where the prefix does not come first, for the sake of equal bytes: with
// prefixes alone, the second key with a prefix adds the empty string once; and
// a new partition begins with the last prefix of the closed one, but, with
// prefixes alone, with the empty string.
class FilterEntries {
 public:
  explicit FilterEntries(const FilterEntryRule& rule) : rule_(rule) {}

  // Adds what the key stands for to the builder; gives how many entries.
  size_t Add(const FilterKey& key, FilterBuilder* to);
  // At the end of a partition: the prefix of the first key behind it, so that
  // a seek between the two finds that key.
  void AddPrefixBehind(const Slice& next_key, FilterBuilder* to);
  // A new partition begins.
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

// For the chunks of a block-based filter.
class ChunkEntries {
 public:
  explicit ChunkEntries(const FilterEntryRule& rule) : rule_(rule) {}

  // As FilterEntries::Add.
  size_t Add(const FilterKey& key, FilterBuilder* to);
  // A new chunk begins.
  void NextChunk() { last_prefix_.clear(); }

 private:
  const FilterEntryRule rule_;
  std::string last_prefix_;  // empty: none in this chunk
};

}  // namespace tamis
