// SPDX-License-Identifier: Apache-2.0
//
// Options for writing tables, and limits on the cost of reading them. They
// never affect how a table is decoded: each file describes its own format.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "tamis/cache.h"
#include "tamis/filter_policy.h"

namespace tamis {

// The checksum of every block. The values are stored in table footers.
enum ChecksumType : uint8_t {
  kNoChecksum = 0,
  kCRC32c = 1,
  kxxHash = 2,
  kxxHash64 = 3,
  kXXH3 = 4,
};

// The codec of a block. The values are stored in block trailers.
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
  // Target size of a data block before compression, in bytes.
  uint64_t block_size = 4 * 1024;
  // A percentage of block_size. A block this close to full is ended rather than
  // overfilled.
  int block_size_deviation = 10;
  // Entries per restart point. A restart point stores a whole key; a binary
  // search compares only those.
  int block_restart_interval = 16;
  int index_block_restart_interval = 1;
  // Lets keys between restart points omit the prefix shared with the last key.
  bool use_delta_encoding = true;
  // Pads data blocks to multiples of min(block_size, 4096), so that none spans
  // more pages than necessary. REQUIRES: no compression; block_size is a power
  // of two.
  bool block_align = false;

  // Table format, 0 to 7. LevelDB and RocksDB up to 10 read format 0, RocksDB
  // up to 10 reads 1, every RocksDB 2 to 5, RocksDB since 8.6 reads 6, and
  // since 10.4 reads 7. Format 0 REQUIRES checksum == kCRC32c.
  uint32_t format_version = 5;

  // Filter of new tables, by default one Bloom filter per table with 10 bits
  // per key. If nullptr, tables have no filter. Has no effect if keys with
  // different bytes may be equal (Comparator).
  std::shared_ptr<const FilterPolicy> filter_policy;

  // Adds whole keys to the filter, besides prefixes if there is a
  // prefix_extractor. Without whole keys, a Get probes for its key's prefix.
  bool whole_key_filtering = true;

  enum IndexType : uint32_t {
    // A single index block.
    kBinarySearch = 0,
    // Index partitions of metadata_block_size, with a top-level index.
    kTwoLevelIndexSearch = 2,
    // A single index block that stores the first key of each data block.
    kBinarySearchWithFirstKey = 3,
  };
  IndexType index_type = kBinarySearch;
  // Splits the filter into partitions that are loaded on demand.
  // REQUIRES: index_type == kTwoLevelIndexSearch, and no block-based filter.
  bool partition_filters = false;
  // Ends a filter partition when it is full, regardless of the index. Otherwise
  // index and filter end their partitions together, so that those of either may
  // be smaller than metadata_block_size, and those of the filter larger. Every
  // RocksDB that reads partitioned filters reads both; RocksDB writes decoupled
  // ones since 9.6 if asked to, and by default since 10.6. Has no effect
  // without partition_filters, except that a property of the table records it.
  bool decouple_partitioned_filters = false;
  // Target size of an index or filter partition, in bytes. A filter partition
  // ends early when its keys take more memory than 1/16 of the block cache's
  // capacity (4 KiB at least) while it is built. Unless decoupled, its index
  // partition then ends, too.
  uint64_t metadata_block_size = 4 * 1024;

  // The separator stored in the index between two data blocks.
  enum class IndexShorteningMode : uint8_t {
    kNoShortening,       // the last key of the first block
    kShortenSeparators,  // a short key between the two blocks
    // Also shortens the key after the last block, to a successor.
    kShortenSeparatorsAndSuccessor,
  };
  IndexShorteningMode index_shortening =
      IndexShorteningMode::kShortenSeparators;

  // How a Get searches a data block.
  enum DataBlockIndexType : uint8_t {
    kDataBlockBinarySearch = 0,
    // By a hash index of the block's keys, stored after its entries.
    kDataBlockBinaryAndHash = 1,
  };
  DataBlockIndexType data_block_index_type = kDataBlockBinarySearch;
  // Entries per bucket of the hash index.
  double data_block_hash_table_util_ratio = 0.75;

  // A filter of new tables that answers whether the table may hold a key of a
  // range. An iterator skips a table, without reading its index or data, if it
  // excludes the range from the target of a Seek to iterate_upper_bound, or
  // from iterate_lower_bound to the target of a SeekForPrev. Tables get one
  // only with the BytewiseComparator, and only if it would exclude enough. In a
  // table without a filter of filter_policy, lookups of keys probe it too.
  // PerfContext::range_filter_hit_count and range_filter_miss_count count the
  // probes of both; the bloom counters do not.
  // Every release of Tamis that has the format uses it; RocksDB ignores it.
  //
  // The keys of a table, or of a partition, are kept in memory while it is
  // written: kGrafite keeps up to 64 bytes of each after the shared prefix,
  // kFence and kSurf all bytes and 12 more. Tables with more than 256 MiB of
  // keys get neither of these two.
  enum RangeFilterType : uint8_t {
    kNoRangeFilter,
    // For keys of which the part after the prefix that all keys of a table
    // share fits into 64 bits, counting at each position only the bytes that
    // occur there: integers in big-endian or decimal form, times, hashes. With
    // b bits per key, an empty range of L possible keys is not excluded with a
    // probability of about L / 2^(b - 2.25), wherever it is.
    kGrafite,
    // For strings of any length, such as decimal numbers, or a tenant and a
    // time. With b bits per key, a short empty range is not excluded with a
    // probability of about 1 / 2^(b - 4), unless it begins right after a key.
    // Keys of many shared parts take more bits, since each part is stored: with
    // ten keys of each tenant, 12 per key more for names of 8 bytes, 37 more
    // for names of 40 bytes. A table gets none if it would take more than 40
    // bits per key above b, or half of that if a quarter of the keys could not
    // be told from their neighbours; so tables of paths get none, unless the
    // filter has less than 4 KiB. Fewer than 8 bits count as 8, more than 24 as
    // 24.
    kFence,
    // For any keys, also text. A trie of the bytes that tell keys apart takes
    // 11 to 16 bits per key of numbers, 26 and more of text. A short empty
    // range is then not excluded with a probability of 1/3 to 1/2. Each of the
    // b bits per key that the trie leaves, if any, halves that for numbers, and
    // lowers it less for text. A trie of more than 2 b bits is cut to shorter
    // parts of keys. A table gets none on kFence's terms: one of the paths of a
    // Debian system none up to b = 24, and 34 bits per key at 28.
    kSurf,
  };
  RangeFilterType range_filter = kNoRangeFilter;
  // 4 to 32.
  double range_filter_bits_per_key = 16;

  ChecksumType checksum = kXXH3;

  // If nullptr, each database creates a cache of 32 MiB, unless no_block_cache.
  // Open tables take up to half of it. With the default options and entries of
  // 100 bytes, 0.4 GB of tables take that half and leave 16 MiB to data blocks:
  // pass a larger cache for a larger database.
  std::shared_ptr<Cache> block_cache;
  // Reads data blocks from the file every time.
  bool no_block_cache = false;
  // Puts index and filter blocks into block_cache, where they can be evicted
  // and are then read again. This bounds memory for many tables. Otherwise
  // index and filter stay in memory while the table is open
  // (DBOptions::max_open_files) and count as usage of the cache; only their
  // partitions are cached. If the cache cannot hold the indexes in use, whole
  // indexes are read again and again; partition them (kTwoLevelIndexSearch,
  // partition_filters). Some blocks stay with the table regardless: an index or
  // filter larger than half a cache shard (a shard is 1/16 of the capacity, but
  // at least 2 MiB or the whole capacity), and a filter in a user's format.
  bool cache_index_and_filter_blocks = false;
  // Maximum decompressed size of a block, in bytes. Reading a block that
  // declares more returns Corruption before memory is allocated; so does a
  // block that declares more than its codec can expand to, regardless of this
  // option. For untrusted files, lower it to the largest of: the longest entry,
  // a few times block_size, the index, the filter. It limits the database's own
  // files too, and RepairDB drops what exceeds it. The format's maximum is 4
  // GiB - 1.
  uint64_t max_decompressed_block_bytes = (uint64_t{1} << 32) - 1;

  BlockBasedTableOptions();
};

// Creates and opens tables of one format. Only block-based exists.
class TableFactory {
 public:
  virtual ~TableFactory();
  virtual const char* Name() const = 0;
  virtual const BlockBasedTableOptions& block_based_options() const = 0;
};

// Creates a factory. The caller (usually Options::table_factory.reset) deletes
// it.
TableFactory* NewBlockBasedTableFactory(
    const BlockBasedTableOptions& options = BlockBasedTableOptions());

}  // namespace tamis
