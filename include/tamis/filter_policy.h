// SPDX-License-Identifier: Apache-2.0
//
// A FilterPolicy says which filter new tables carry. How a filter is read is
// for the names and bytes in the file to say: a database whose files carry
// filters of every kind reads right under any policy. Only a filter of a
// user's own making needs its policy to be read; without it the file is read
// as one that has no filter.
//
// A policy of one's own overrides either
//   GetFilterBitsBuilder and GetFilterBitsReader     for full and partitioned
//                                                    filters, or
//   CreateFilter and KeyMayMatch                     for block-based ones
// (the shapes of RocksDB 6.29 and of LevelDB).
//
// Threads: a policy is immutable, any thread at once.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "tamis/slice.h"

namespace tamis {

struct BlockBasedTableOptions;

// Turns keys into one filter. One thread at a time. Calls: AddKey* Finish,
// once.
class FilterBitsBuilder {
 public:
  virtual ~FilterBitsBuilder();

  // A whole key or a prefix. In the order of keys; equal ones may follow each
  // other.
  virtual void AddKey(const Slice& key) = 0;
  // Keys added so far, about.
  virtual size_t EstimateEntriesAdded() = 0;
  // The filter; *buf keeps its bytes. Five bytes or fewer mean: no key.
  virtual Slice Finish(std::unique_ptr<const char[]>* buf) = 0;
  // How many keys fit into a filter of so many bytes, about: where partitions
  // are cut.
  virtual size_t ApproximateNumEntries(size_t bytes) = 0;
};

// Answers from one filter. Any thread at once. The bytes outlive it.
class FilterBitsReader {
 public:
  virtual ~FilterBitsReader();

  // Never false for a key that was added.
  virtual bool MayMatch(const Slice& entry) = 0;
};

// What a filter is built for.
struct FilterBuildingContext {
  explicit FilterBuildingContext(const BlockBasedTableOptions& options)
      : table_options(options) {}

  const BlockBasedTableOptions& table_options;
  // The level the table is written to, 0 for a flush; -1: it has none (a file
  // written by an SstFileWriter).
  int level_at_creation = -1;
  // Whether a flush writes it.
  bool is_flush = false;
};

class FilterPolicy {
 public:
  virtual ~FilterPolicy();

  // Names the kind of filter, as in the property rocksdb.filter.policy.
  virtual const char* Name() const = 0;
  // The name under which the filter stands in a table's metaindex. Changes
  // whenever the bits do. Names that begin with "rocksdb.", "leveldb." or
  // "tamis." are taken, except by a policy that hands out builders of
  // NewBloomFilterPolicy or NewRibbonFilterPolicy: that one returns theirs.
  virtual const char* CompatibilityName() const { return Name(); }

  // A builder for the filters of a table; the caller deletes it. nullptr: the
  // policy makes block-based filters, through CreateFilter.
  virtual FilterBitsBuilder* GetFilterBitsBuilder() const { return nullptr; }
  // The same, for policies that look at what is being built.
  virtual FilterBitsBuilder* GetBuilderWithContext(
      const FilterBuildingContext& /*context*/) const {
    return GetFilterBitsBuilder();
  }
  // A reader over what a builder finished; the caller deletes it. nullptr:
  // everything may match.
  virtual FilterBitsReader* GetFilterBitsReader(
      const Slice& /*contents*/) const {
    return nullptr;
  }

  // Appends to *filter a filter for keys[0, n), which may hold duplicates and
  // is in the order of keys.
  virtual void CreateFilter(const Slice* keys, int n,
                            std::string* filter) const;
  // Never false for a key that CreateFilter was given.
  virtual bool KeyMayMatch(const Slice& key, const Slice& filter) const;
};

// A Bloom filter of about `bits_per_key` bits a key; the caller (usually a
// shared_ptr) deletes it. 10 bits give about 1 % false positives. Values below
// 0.5 mean no filter, 0.5 to 1 count as 1, above 100 as 100; fractions are
// honoured to a thousandth.
//
// use_block_based_builder = false: one filter per table, each key's bits in
// one 64-byte cache line (RocksDB's FastLocalBloom; its legacy full filter,
// with whole bits per key, in tables of format_version below 5); split into
// partitions with BlockBasedTableOptions::partition_filters.
// use_block_based_builder = true: LevelDB's layout, one filter per 2 KiB of
// file offset, with whole bits per key. RocksDB reads such files but, since
// 7.0, ignores the filter in them.
const FilterPolicy* NewBloomFilterPolicy(double bits_per_key,
                                         bool use_block_based_builder = false);

// RocksDB's Standard128 Ribbon filter with the false-positive rate of a Bloom
// filter of so many bits a key, in about 30 % less space; slower to build
// (three to four times) and to ask. Small filters, and those that no seed
// solves, are built as Bloom filters: readers tell by the bytes. The caller
// deletes it.
//
// bloom_before_level: tables written to a level before this one get Bloom
// filters instead, since they are rewritten soon. 0: flushes alone; -1: none;
// INT_MAX: all.
const FilterPolicy* NewRibbonFilterPolicy(double bloom_equivalent_bits_per_key,
                                          int bloom_before_level = 0);

}  // namespace tamis
