// SPDX-License-Identifier: Apache-2.0
//
// The index that a plain table may store, for RocksDB: a hash table of
// prefixes.
//
//   index    := buckets varint32 | prefixes varint32 | u32 * buckets | lists
//   bucket i := 7FFFFFFF                  no prefix has hash % buckets = i
//             | offset of a record        the only one to index in the bucket
//             | 80000000 + offset         of a list in `lists`
//   list     := n varint32 | offset of a record u32 * n     ascending
//
// Beside the first record of each prefix, every index_sparseness-th one of it
// is in the bucket. Without a prefix extractor, all keys have the empty prefix,
// and there is one bucket: a sparse index of the table.
//
// The Bloom filter beside it has the same hashes, of the prefixes or else of
// the user keys. It is LevelDB's (filter/leveldb_bloom.h) with 6 probes,
// without their number behind the bits.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tamis/slice_transform.h"
#include "tamis/table.h"

namespace tamis {

// Their names in the metaindex.
inline constexpr char kPlainIndexBlockName[] = "PlainTableIndexBlock";
inline constexpr char kPlainBloomBlockName[] = "kBloomBlock";

// The largest size of a plain table's data: offsets have 31 bits, and the last
// one marks empty buckets.
inline constexpr uint64_t kPlainTableBytesMax = (uint64_t{1} << 31) - 1;

// Builds index and filter. One thread. Calls: Add* (Index | Bloom)*
class PlainIndexBuilder {
 public:
  // Copies the options. `extractor` may be nullptr; it must outlive *this.
  PlainIndexBuilder(const PlainTableOptions& options,
                    const SliceTransform* extractor);

  // Adds the record of a user key, at this offset. REQUIRES: ascending.
  void Add(const Slice& user_key, uint32_t offset);

  std::string Index() const;
  // Returns the bits; empty if bloom_bits_per_key is 0.
  std::string Bloom() const;

 private:
  struct Record {
    uint32_t hash;
    uint32_t offset;
  };
  uint32_t NumBuckets() const;

  const PlainTableOptions options_;
  const SliceTransform* const extractor_;
  std::vector<Record> records_;
  std::vector<uint32_t> hashes_;  // of all entries
  std::string prefix_;            // the last one
  uint32_t prefix_hash_ = 0;
  uint32_t num_prefixes_ = 0;
  uint64_t keys_of_prefix_ = 0;
};

}  // namespace tamis
