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
// Threads: any. A policy is immutable.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tamis/export.h"
#include "tamis/slice.h"

namespace tamis {

struct BlockBasedTableOptions;

// Builds one filter; a partitioned filter takes a builder for each partition.
// AddKey is called any number of times, then Finish at most once. Calls to one
// builder never overlap. Finish may run in another thread than AddKey, and
// concurrently with calls to other builders of the policy.
class TAMIS_EXPORT FilterBitsBuilder {
 public:
  virtual ~FilterBitsBuilder();

  // Adds a whole key or a prefix. Entries arrive in key order; adjacent
  // duplicates are possible.
  virtual void AddKey(const Slice& key) = 0;
  // Returns the approximate number of keys added so far.
  virtual size_t EstimateEntriesAdded() = 0;
  // Returns the filter; *buf owns its bytes. A filter of five bytes or fewer
  // would exclude every key: for keys that were added, it fails the flush or
  // compaction with InvalidArgument.
  virtual Slice Finish(std::unique_ptr<const char[]>* buf) = 0;
  // Returns the approximate number of keys that fit into a filter of `bytes`
  // bytes. It determines the number of keys of a partition.
  virtual size_t ApproximateNumEntries(size_t bytes) = 0;
  // Returns why the policy chose this filter, in words, for the event
  // table_written in LOG. May be empty.
  virtual std::string Reason() const { return {}; }
};

// Probes one filter. Any thread. The filter's bytes must outlive it.
class TAMIS_EXPORT FilterBitsReader {
 public:
  virtual ~FilterBitsReader();

  // Returns whether the filter may hold `entry`; never false for a key that was
  // added.
  virtual bool MayMatch(const Slice& entry) = 0;
};

// One level of the column family that a table is written for.
struct LevelShape {
  uint64_t entries = 0;  // estimated
  int sorted_runs = 0;   // the tables of level 0; else 1, or 0 if it is empty
  // The average number of this level's tables that a Get consults, by filter or
  // by data, without finding its key: 0 to sorted_runs. Counts only Gets that
  // no memtable answered, estimated from a sample of the family's Gets since
  // the database was opened. Negative if none has been sampled.
  double negative_lookups = -1;
};

// The value of FilterBuildingContext::filter_budget_bytes without a budget.
inline constexpr uint64_t kNoFilterBudget = UINT64_MAX;

// Describes the table that a filter is built for.
struct FilterBuildingContext {
  // Sets table_options.
  explicit FilterBuildingContext(const BlockBasedTableOptions& options)
      : table_options(options) {}

  // Those of the table.
  const BlockBasedTableOptions& table_options;
  // The level the table is written to, 0 for a flush; -1 for a file written by
  // an SstFileWriter.
  int level_at_creation = -1;
  // Whether a flush writes the table.
  bool is_flush = false;
  // Whether no deeper level overlaps the table.
  bool is_bottommost = false;
  // The estimated number of entries of this table, 0 if it is unknown. Usually
  // too high, because flushes and compactions drop entries; it can be slightly
  // too low.
  uint64_t expected_keys = 0;
  // The FilterBudgetBytes of the family's policy. A policy that this one calls
  // sees the same value.
  uint64_t filter_budget_bytes = kNoFilterBudget;
  // Returns the shapes of all levels, level 0 first, at the time of the call.
  // Takes time proportional to the number of tables. A null function if no
  // database is open: for an SstFileWriter, and in a repair. It, and
  // table_options, may be used only during GetBuilderWithContext.
  std::function<std::vector<LevelShape>()> levels;
};

class TAMIS_EXPORT FilterPolicy {
 public:
  virtual ~FilterPolicy();

  // Returns the name that the property rocksdb.filter.policy records.
  virtual const char* Name() const = 0;
  // Returns name and parameters, by default Name(): the policy as text in an
  // OPTIONS file (convenience.h). Those below return what makes an equal one.
  virtual std::string GetId() const;
  // Returns the name of the filter's format in the table's metaindex. It must
  // change whenever the encoding changes. Names that begin with "rocksdb.",
  // "leveldb." or "tamis." are reserved for built-in formats: with one of them,
  // flushes and compactions fail with InvalidArgument. A policy that only
  // returns builders of the policies below returns the CompatibilityName of any
  // of them instead; each filter is stored under the name of its own format.
  virtual const char* CompatibilityName() const { return Name(); }

  // Returns a new builder, which the caller deletes, or nullptr if the policy
  // builds block-based filters through CreateFilter. A table gets no filter if
  // this is a builder of NewBloomFilterPolicy(0).
  virtual FilterBitsBuilder* GetFilterBitsBuilder() const { return nullptr; }
  // Does the same, for policies that depend on the table being built. Tamis
  // calls this function alone.
  virtual FilterBitsBuilder* GetBuilderWithContext(
      const FilterBuildingContext& /*context*/) const {
    return GetFilterBitsBuilder();
  }
  // Returns the total size in bytes of point filters that the policy aims for
  // in a column family, or kNoFilterBudget. The database does not enforce it,
  // but passes it on in FilterBuildingContext.
  virtual uint64_t FilterBudgetBytes() const { return kNoFilterBudget; }
  // Returns a new reader of a filter in the policy's own format, which the
  // caller deletes; nullptr means that every key may match.
  virtual FilterBitsReader* GetFilterBitsReader(
      const Slice& /*contents*/) const {
    return nullptr;
  }

  // Appends to *filter a filter for keys[0, n), which are in key order and may
  // contain duplicates.
  virtual void CreateFilter(const Slice* keys, int n,
                            std::string* filter) const;
  // Returns whether the filter may hold `key`; true for every key passed to
  // CreateFilter.
  virtual bool KeyMayMatch(const Slice& key, const Slice& filter) const;
};

// Creates a policy of Bloom filters of about `bits_per_key` bits per key. The
// caller (usually a shared_ptr) deletes the policy. 10 bits give about 1 %
// false positives. Below 0.5, there is no filter; 0.5 to 1 count as 1, and more
// than 100 as 100. Fractions are kept to 1/1000.
//
// Without use_block_based_builder, a table gets one filter, with the bits of a
// key in one 64-byte cache line (RocksDB's FastLocalBloom). Tables of
// format_version < 5 get RocksDB's legacy full filter, with bits_per_key
// rounded to an integer. BlockBasedTableOptions::partition_filters splits the
// filter into partitions. With use_block_based_builder, a table gets LevelDB's
// layout: one filter per 2 KiB of file offset, with bits_per_key rounded to an
// integer. RocksDB reads such tables but has ignored their filters since 7.0.
TAMIS_EXPORT const FilterPolicy* NewBloomFilterPolicy(
    double bits_per_key, bool use_block_based_builder = false);

// Creates a policy of RocksDB's Standard128 Ribbon filters. They have the
// false-positive rate of a Bloom filter of `bloom_equivalent_bits_per_key` in
// about 30 % less space, but take two to eight times as long to build and three
// to four times as long to probe (docs/filters.md). Small filters, and those
// for which no seed yields a solution, become Bloom filters; readers tell them
// apart by their bytes. The caller deletes the policy.
//
// Tables written to a level numbered less than bloom_before_level get Bloom
// filters, because compaction soon rewrites them. For this rule, a flush counts
// as level -1 and a file of an SstFileWriter as the last level: 0 means flushes
// only, -1 never, and INT_MAX always.
TAMIS_EXPORT const FilterPolicy* NewRibbonFilterPolicy(
    double bloom_equivalent_bits_per_key, int bloom_before_level = 0);

// A format of point filters, for NewFilterPolicy. RocksDB reads and uses the
// first two; it reads a table with one of the others as if it had no filter.
// Sizes are for a false-positive rate of 1 % and 100,000 keys or more. A filter
// becomes a Bloom filter where that is smaller.
enum class FilterFormat : uint8_t {
  kBloom,              // RocksDB's FastLocalBloom: 10 bits per key
  kRibbon,             // RocksDB's Standard128 Ribbon: 7 bits
  kHomogeneousRibbon,  // quick to build and to probe: 7.5 bits
  kBumpedRibbon,       // the smallest: 6.7 bits
  // Results of whole bits: 7.6 bits for a rate of 0.8 %. Bloom filters for
  // rates above 10 %.
  kBinaryFuse,
  // Results of 8 or 16 bits: 9.8 bits for a rate of 0.4 %. Bloom filters for
  // rates above 1 %, and for those between 0.4 % and 0.02 %.
  kXor,
  // kHomogeneousRibbon in flushed tables and in levels 0 and 1; kBumpedRibbon
  // in deeper levels, in what compactions write to the bottommost level, and in
  // files of an SstFileWriter. RocksDB uses neither.
  kByLevel,
};

// What NewFilterPolicy chooses filters by.
struct FilterPolicyOptions {
  // The target false-positive rate: the fraction of absent keys that a filter
  // matches. 2^-16 to 0.5; a rate out of range counts as the nearest one, and
  // NaN as 0.01.
  double fpr = 0.01;
  FilterFormat format = FilterFormat::kByLevel;
};

// Creates a policy that takes a false-positive rate instead of bits per key.
// Filters become Bloom filters of that rate where those are smaller: for few
// keys, and with kXor and kBinaryFuse for rates far from those that these
// formats offer. The rate of a Bloom filter is somewhat above the target: up to
// 1.05 times for rates of 0.5 % and more, 1.1 times at 0.1 %, and 1.6 times at
// 2^-16. The caller deletes the policy.
TAMIS_EXPORT const FilterPolicy* NewFilterPolicy(
    const FilterPolicyOptions& options = {});

// Creates a policy that divides `bytes` of point filters among the tables of
// each column family that uses it, so that Gets of absent keys read as few
// tables as possible (Monkey: Dayan, Athanassoulis, Idreos, "Monkey: Optimal
// Navigable Key-Value Store", SIGMOD 2017). The false-positive rate of a sorted
// run is proportional to its entries, and inversely proportional to how often
// Gets consult it in vain (LevelShape::negative_lookups). Until Gets have been
// sampled, each is taken to consult every run. So small levels get low rates,
// which cost little, and with a small budget the largest level gets no filter.
//
// A table's share is determined when it is written: the total may be above or
// below `bytes` until compactions, or RewriteFilters, have replaced older
// tables. Files of an SstFileWriter get the default rate of NewFilterPolicy. If
// a policy of yours calls this one and calls Finish for a table that gets no
// filter, the result matches every key. The caller deletes the policy.
TAMIS_EXPORT const FilterPolicy* NewBudgetFilterPolicy(
    uint64_t bytes, FilterFormat format = FilterFormat::kByLevel);

}  // namespace tamis
