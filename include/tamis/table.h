// SPDX-License-Identifier: Apache-2.0
//
// How new tables are written, and what reading any of them may cost. None of
// these options decides how a table is read: every file says itself what it
// holds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "tamis/cache.h"
#include "tamis/filter_policy.h"

namespace tamis {

// The checksum behind every block. The numbers stand in table footers.
enum ChecksumType : uint8_t {
  kNoChecksum = 0,
  kCRC32c = 1,
  kxxHash = 2,
  kxxHash64 = 3,
  kXXH3 = 4,
};

// The codec of a block. The numbers stand in block trailers.
enum CompressionType : uint8_t {
  kNoCompression = 0,
  kSnappyCompression = 1,
  kZlibCompression = 2,
  kBZip2Compression = 3,
  kLZ4Compression = 4,
  kLZ4HCCompression = 5,
  kXpressCompression = 6,
  kZSTD = 7,
};

struct BlockBasedTableOptions {
  // Target size of a data block before compression, bytes.
  uint64_t block_size = 4 * 1024;
  // A block within this many percent of block_size is closed rather than
  // overfilled.
  int block_size_deviation = 10;
  // Every so many entries a data block holds a whole key to search from, an
  // index block likewise.
  int block_restart_interval = 16;
  int index_block_restart_interval = 1;
  // Between those, keys leave out what they share with the key before.
  bool use_delta_encoding = true;
  // Puts every data block on a multiple of min(block_size, 4096), so that none
  // spans more pages than it must. REQUIRES: no compression, and a block_size
  // that is a power of two.
  bool block_align = false;

  // The version of the format, 0 to 7. What reads it: 0 LevelDB and RocksDB up
  // to 10; 1 RocksDB up to 10; 2 to 5 every RocksDB; 6 from 8.6 on; 7 from
  // 10.4 on. 0 REQUIRES checksum == kCRC32c.
  uint32_t format_version = 5;

  // The filter of new tables. Default: Bloom, 10 bits a key, one per table.
  // nullptr: none. Without effect under a comparator for which keys of
  // different bytes may be equal.
  std::shared_ptr<const FilterPolicy> filter_policy;

  // Whether keys as they are, and whether prefixes of them (where there is a
  // prefix_extractor), go into the filter. Without whole keys a Get asks for
  // its key's prefix.
  bool whole_key_filtering = true;

  enum IndexType : uint32_t {
    // One index block.
    kBinarySearch = 0,
    // Index partitions of metadata_block_size under a top level.
    kTwoLevelIndexSearch = 2,
    // One index block, with the first key of every data block.
    kBinarySearchWithFirstKey = 3,
  };
  IndexType index_type = kBinarySearch;
  // Splits the filter into partitions that are loaded one by one.
  // REQUIRES: index_type == kTwoLevelIndexSearch, and no block-based filter.
  bool partition_filters = false;
  // Target size of an index or filter partition, bytes.
  uint64_t metadata_block_size = 4 * 1024;

  // What stands in the index between two data blocks.
  enum class IndexShorteningMode : uint8_t {
    kNoShortening,       // the last key of the first
    kShortenSeparators,  // the shortest key between them
    // The same, and behind the last block the shortest key past its last.
    kShortenSeparatorsAndSuccessor,
  };
  IndexShorteningMode index_shortening =
      IndexShorteningMode::kShortenSeparators;

  // How a Get finds its key within a data block.
  enum DataBlockIndexType : uint8_t {
    kDataBlockBinarySearch = 0,
    // Through a hash table of the block's keys, kept behind its entries.
    kDataBlockBinaryAndHash = 1,
  };
  DataBlockIndexType data_block_index_type = kDataBlockBinarySearch;
  // Entries per bucket of that table.
  double data_block_hash_table_util_ratio = 0.75;

  ChecksumType checksum = kXXH3;

  // Where blocks stay resident. nullptr: a cache of 32 MiB per database,
  // unless no_block_cache.
  std::shared_ptr<Cache> block_cache;
  // Reads every data block from the file each time.
  bool no_block_cache = false;
  // Leaves index and filter of an open table to block_cache, like data blocks;
  // what is not used goes, and is read again. Otherwise they stay in memory,
  // beside the cache, while the table is open (DBOptions::max_open_files), and
  // only their partitions are in the cache. It bounds memory over many tables;
  // a cache too small for the indexes in use reads whole indexes again and
  // again: with it, cut them up (kTwoLevelIndexSearch, partition_filters). An
  // index or filter that takes more than half of a shard, which is the capacity
  // or 1/16 of it down to 2 MiB, stays with the table all the same, and so does
  // the filter of a user's own policy.
  bool cache_index_and_filter_blocks = false;
  // What a compressed block may hold at most, bytes. A block that declares more
  // is Corruption, before any memory is taken for it; so it is where its codec
  // cannot make so much of its bytes, whatever this is. For readers of files
  // from elsewhere: lower it to what the longest entry needs, and a few times
  // block_size, index and filter. What the database wrote itself is refused
  // too, and RepairDB leaves it out. 4 GiB - 1 is what the format can declare.
  uint64_t max_decompressed_block_bytes = (uint64_t{1} << 32) - 1;

  BlockBasedTableOptions();
};

// Makes and opens tables of one format. Block-based is the only one.
class TableFactory {
 public:
  virtual ~TableFactory();
  virtual const char* Name() const = 0;
  virtual const BlockBasedTableOptions& block_based_options() const = 0;
};

// The caller (usually Options::table_factory.reset) deletes it.
TableFactory* NewBlockBasedTableFactory(
    const BlockBasedTableOptions& options = BlockBasedTableOptions());

}  // namespace tamis
