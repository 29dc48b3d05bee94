// SPDX-License-Identifier: Apache-2.0
//
// A FilterPolicy says which filter new tables carry. It never decides how a
// filter is read: the names and bytes in the file do, so a database whose
// files carry filters of every kind reads right under any policy.
//
// Threads: immutable, any thread.
#pragma once

namespace tamis {

class FilterPolicy {
 public:
  virtual ~FilterPolicy();

  // Names the kind of filter, as in the property rocksdb.filter.policy.
  virtual const char* Name() const = 0;
  // The name under which the filter stands in a table's metaindex.
  virtual const char* CompatibilityName() const = 0;
};

// A Bloom filter of about `bits_per_key` bits a key; the caller (usually a
// shared_ptr) deletes it. 10 bits give about 1 % false positives. Values below
// 0.5 mean no filter, 0.5 to 1 count as 1, above 100 as 100; fractions are
// honoured to a thousandth.
//
// use_block_based_builder = false: one filter per table, each key's bits in
// one 64-byte cache line (RocksDB's FastLocalBloom); split into partitions
// with BlockBasedTableOptions::partition_filters.
// use_block_based_builder = true: LevelDB's layout, one filter per 2 KiB of
// file offset, with whole bits per key. RocksDB reads such files but, since
// 7.0, ignores the filter in them.
const FilterPolicy* NewBloomFilterPolicy(double bits_per_key,
                                         bool use_block_based_builder = false);

}  // namespace tamis
