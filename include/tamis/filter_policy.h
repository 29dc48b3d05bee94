// SPDX-License-Identifier: Apache-2.0
//
// A FilterPolicy decides which filter new tables carry. Reading does not depend
// on it: names and bytes in the file identify a built-in filter, so one
// database may mix all kinds under any policy. Only a filter in a user's own
// format needs its policy to be read; without that policy, the table is read as
// if it had no filter.
//
// A user's policy overrides either
//   GetFilterBitsBuilder and GetFilterBitsReader     for full and partitioned
//                                                    filters, or
//   CreateFilter and KeyMayMatch                     for block-based filters.
// The interfaces are those of RocksDB 6.29 and LevelDB.
//
// Threads: immutable, any thread.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "tamis/slice.h"

namespace tamis {

struct BlockBasedTableOptions;

// Builds one filter from keys. One thread at a time. Calls: AddKey* Finish,
// once.
class FilterBitsBuilder {
 public:
  virtual ~FilterBitsBuilder();

  // Adds a whole key or a prefix. Entries arrive in key order; adjacent
  // duplicates are possible.
  virtual void AddKey(const Slice& key) = 0;
  // Approximate number of keys added so far.
  virtual size_t EstimateEntriesAdded() = 0;
  // Returns the filter, whose bytes *buf owns. Five bytes or fewer mean an
  // empty filter: no key matches.
  virtual Slice Finish(std::unique_ptr<const char[]>* buf) = 0;
  // Approximate number of keys that fit into a filter of `bytes` bytes.
  // Partition sizes derive from it.
  virtual size_t ApproximateNumEntries(size_t bytes) = 0;
};

// Probes one filter. Any thread. The filter's bytes must outlive it.
class FilterBitsReader {
 public:
  virtual ~FilterBitsReader();

  // Never false for a key that was added.
  virtual bool MayMatch(const Slice& entry) = 0;
};

// Describes the table that a filter is built for.
struct FilterBuildingContext {
  explicit FilterBuildingContext(const BlockBasedTableOptions& options)
      : table_options(options) {}

  const BlockBasedTableOptions& table_options;
  // The level the table is written to, 0 for a flush; -1: none (a file written
  // by an SstFileWriter).
  int level_at_creation = -1;
  // True if a flush writes the table.
  bool is_flush = false;
};

class FilterPolicy {
 public:
  virtual ~FilterPolicy();

  // Recorded in the property rocksdb.filter.policy.
  virtual const char* Name() const = 0;
  // Identifies the filter's format in the table's metaindex. Must change
  // whenever the encoding changes. Names that begin with "rocksdb.", "leveldb."
  // or "tamis." are reserved, except for a policy that returns builders of
  // NewBloomFilterPolicy or NewRibbonFilterPolicy: it returns their
  // CompatibilityName.
  virtual const char* CompatibilityName() const { return Name(); }

  // Creates a builder for a table's filters; the caller deletes it. nullptr:
  // the policy builds block-based filters through CreateFilter.
  virtual FilterBitsBuilder* GetFilterBitsBuilder() const { return nullptr; }
  // As above, for policies that depend on the table being built.
  virtual FilterBitsBuilder* GetBuilderWithContext(
      const FilterBuildingContext& /*context*/) const {
    return GetFilterBitsBuilder();
  }
  // Creates a reader for a filter built by the builder; the caller deletes it.
  // nullptr: treat every key as a possible match.
  virtual FilterBitsReader* GetFilterBitsReader(
      const Slice& /*contents*/) const {
    return nullptr;
  }

  // Appends to *filter a filter for keys[0, n), which are in key order and may
  // contain duplicates.
  virtual void CreateFilter(const Slice* keys, int n,
                            std::string* filter) const;
  // Must return true for every key passed to CreateFilter.
  virtual bool KeyMayMatch(const Slice& key, const Slice& filter) const;
};

// A Bloom filter of about `bits_per_key` bits per key; the caller (usually a
// shared_ptr) deletes the policy. 10 bits give about 1 % false positives. Below
// 0.5: no filter; 0.5 to 1: 1; above 100: 100. Fractions are kept to 1/1000.
//
// use_block_based_builder = false: one filter per table, with the bits of a key
// in one 64-byte cache line (RocksDB's FastLocalBloom). Tables of
// format_version < 5 get RocksDB's legacy full filter, with bits_per_key
// rounded to an integer. BlockBasedTableOptions::partition_filters splits the
// filter into partitions.
// use_block_based_builder = true: LevelDB's layout, one filter per 2 KiB of
// file offset, with bits_per_key rounded to an integer. RocksDB reads such
// tables but has ignored their filters since 7.0.
const FilterPolicy* NewBloomFilterPolicy(double bits_per_key,
                                         bool use_block_based_builder = false);

// RocksDB's Standard128 Ribbon filter. It has the false-positive rate of a
// Bloom filter of `bloom_equivalent_bits_per_key` in about 30 % less space, but
// takes about ten times as long to build and several times as long to probe
// (docs/performance.md). Small filters, and those for which no seed yields a
// solution, become Bloom filters; readers tell them apart by their bytes. The
// caller deletes the policy.
//
// bloom_before_level: tables written to lower-numbered levels get Bloom
// filters, since compaction soon rewrites them. 0: flushes only; -1: never;
// INT_MAX: always.
const FilterPolicy* NewRibbonFilterPolicy(double bloom_equivalent_bits_per_key,
                                          int bloom_before_level = 0);

}  // namespace tamis
