// SPDX-License-Identifier: Apache-2.0
//
// Options for writing tables, and limits on the cost of reading them. They
// never affect how a table is decoded: each file describes its own format.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>

#include "tamis/cache.h"
#include "tamis/export.h"
#include "tamis/filter_policy.h"
#include "tamis/ignored_options.h"

namespace tamis {

// The checksum of every block. The values are stored in table footers.
enum ChecksumType : uint8_t {
  kNoChecksum = 0,
  kCRC32c = 1,
  kxxHash = 2,
  kxxHash64 = 3,
  kXXH3 = 4,
};

// Which tables hold a kind of index and filter blocks in memory while they are
// open.
enum class PinningTier : uint8_t {
  // As pin_l0_filter_and_index_blocks_in_cache says, or
  // pin_top_level_index_and_filter of top levels.
  kFallback,
  kNone,
  // Tables at level 0 of up to 1.5 times write_buffer_size when they are
  // opened: those of flushes, and ingested or compacted ones of such a size.
  kFlushedAndSimilar,
  kAll,
};

// Indexes and filters that stay in memory (BlockBasedTableOptions).
struct MetadataCacheOptions {
  // The top level of a partitioned index or filter. By default all, since
  // pin_top_level_index_and_filter is set.
  PinningTier top_level_index_pinning = PinningTier::kFallback;
  // The partitions of an index or filter, read when the table is opened. Acts
  // without cache_index_and_filter_blocks, too. By default none.
  PinningTier partition_pinning = PinningTier::kFallback;
  // An index or filter that is not partitioned. By default none.
  PinningTier unpartitioned_pinning = PinningTier::kFallback;
};

struct TAMIS_EXPORT BlockBasedTableOptions : public IgnoredTableOptions {
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
  // Compresses index blocks, too, as the table's data blocks.
  bool enable_index_compression = true;
  // Decompresses each block that was compressed, before it is written. If that
  // is not what was compressed, the table is not finished, and the job that
  // writes it fails with Corruption.
  bool verify_compression = false;
  // Pads data blocks to multiples of min(block_size, 4096), so that none spans
  // more pages than necessary. REQUIRES: no compression; block_size is a power
  // of two.
  bool block_align = false;

  // Table format, 0 to 7. LevelDB and RocksDB up to 10 read format 0, RocksDB
  // up to 10 reads 1, every RocksDB 2 to 5, RocksDB since 8.6 reads 6, and
  // since 10.4 reads 7. Format 0 REQUIRES checksum == kCRC32c.
  uint32_t format_version = 5;

  // Filter of new tables, by default one Bloom filter per table with 10 bits
  // per key. If nullptr, tables have no filter. Has no effect if the comparator
  // says that keys with different bytes may be equal; if it does not say, only
  // a policy that was set has (Comparator). LOG then has a line
  // filters_not_used.
  std::shared_ptr<const FilterPolicy> filter_policy;

  // Adds whole keys to the filter, besides prefixes if there is a
  // prefix_extractor. Without whole keys, a Get probes for its key's prefix.
  bool whole_key_filtering = true;

  // How the index of a table is stored.
  enum IndexType : uint32_t {
    // A single index block.
    kBinarySearch = 0,
    // Index partitions of metadata_block_size, with a top-level index.
    kTwoLevelIndexSearch = 2,
    // A single index block that stores the first key of each data block.
    kBinarySearchWithFirstKey = 3,
  };
  // What new tables get.
  IndexType index_type = kBinarySearch;
  // Probes each new filter for every key that went into it, before the table is
  // finished. If a key does not match, the job that writes the table fails with
  // Corruption. For full and partitioned filters of the built-in policies; not
  // for range filters. Takes 16 bytes of memory for each key, and a probe.
  bool detect_filter_construct_corruption = false;
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
  // What new tables get.
  IndexShorteningMode index_shortening =
      IndexShorteningMode::kShortenSeparators;

  // Which new tables have their blocks in the block cache at once, whatever
  // they displace there. kFlushOnly: those of flushes, whose entries were
  // written last. They are read back when the flush is done, in its thread.
  enum class PrepopulateBlockCache : char {
    kDisable,
    kFlushOnly,
  };
  // SetOptions can change it.
  PrepopulateBlockCache prepopulate_block_cache =
      PrepopulateBlockCache::kDisable;

  // How a Get searches a data block.
  enum DataBlockIndexType : uint8_t {
    kDataBlockBinarySearch = 0,
    // By a hash index of the block's keys, stored after its entries.
    kDataBlockBinaryAndHash = 1,
  };
  // What new tables get.
  DataBlockIndexType data_block_index_type = kDataBlockBinarySearch;
  // Entries per bucket of the hash index.
  double data_block_hash_table_util_ratio = 0.75;

  // A filter that tells whether a table may hold any key of a range. With it,
  // an iterator skips a table without reading its index or data: for a Seek, if
  // it excludes [target, iterate_upper_bound); for a SeekForPrev, if it
  // excludes [iterate_lower_bound, target]. Without the bound it is not used.
  // Gets probe it in tables without a point filter. New tables get one only
  // with the BytewiseComparator, and only if it is worth its size (see kFence).
  // PerfContext::range_filter_hit_count counts the probes that matched,
  // range_filter_miss_count those that excluded a table, of iterators and Gets;
  // the bloom counters count neither. RocksDB ignores the filter.
  //
  // While a table is written, the keys of the filter, or of its partition, are
  // kept in memory: up to 64 bytes of each after the shared prefix for
  // kGrafite, all bytes and 12 more for kFence and kSurf. kFence and kSurf
  // write none for more than 256 MiB of keys.
  enum RangeFilterType : uint8_t {
    kNoRangeFilter,
    // For keys that are short after the prefix that all keys of a table share:
    // integers in big-endian or decimal form, timestamps, hashes. What follows
    // the prefix is taken as a number with a digit for each byte position,
    // whose base is the number of different bytes there; the digits that fit
    // into 64 bits count. With b bits per key, an empty range of L possible
    // keys matches with a probability of about L / 2^(b - 2.25), wherever it
    // is. A table gets none if half of its keys differ only after those digits.
    kGrafite,
    // For structured strings of any length, such as decimal numbers, or a
    // tenant and a timestamp. With b bits per key, an empty range that is short
    // compared with the gaps between keys matches with a probability of about
    // 1 / 2^(b - 4); one that begins right after a key always matches. Parts
    // that many keys share are stored in addition: with ten keys of each
    // tenant, they take 12 bits per key for names of 8 bytes, 37 for names of
    // 40 bytes. A table gets none if more than half of its keys could not be
    // distinguished from their neighbours, or if it would take more than b + 40
    // bits per key, b + 20 if that holds for a quarter of the keys; filters of
    // less than 4 KiB may take more. File paths usually get none. b below 8
    // counts as 8, above 24 as 24.
    kFence,
    // For any keys, including text. Stores a trie of the shortest beginnings
    // that distinguish keys: 11 to 16 bits per key for numbers, 26 and more for
    // text. The trie alone matches a short empty range with a probability of
    // 1/3 to 1/2. If it takes less than b bits per key, the rest are suffixes;
    // each bit halves the probability for numbers, and lowers it less for text.
    // A trie of more than 2 b bits per key is cut to shorter beginnings. The
    // limits of kFence hold: a table of a Debian system's file paths gets none
    // up to b = 24, and one of 34 bits per key for b = 28.
    kSurf,
  };
  // What new tables get.
  RangeFilterType range_filter = kNoRangeFilter;
  // The size b that a range filter aims for, in bits per key: 4 to 32,
  // otherwise InvalidArgument when a table is written.
  double range_filter_bits_per_key = 16;

  // The checksum of the blocks of new tables.
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
  // Lets index and filter blocks survive three rounds of the cache's clock
  // after their last use, where data blocks survive one. (NewLRUCache)
  bool cache_index_and_filter_blocks_with_high_priority = true;
  // Exceptions from cache_index_and_filter_blocks. What is pinned counts as
  // usage of the cache, which may not evict it. The other two options are the
  // older form, for tiers of kFallback.
  MetadataCacheOptions metadata_cache_options;
  // kFlushedAndSimilar for indexes, filters and their partitions.
  bool pin_l0_filter_and_index_blocks_in_cache = false;
  // kAll for the top levels of partitioned indexes and filters.
  bool pin_top_level_index_and_filter = true;
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
class TAMIS_EXPORT TableFactory {
 public:
  virtual ~TableFactory();
  // Returns "BlockBasedTable".
  virtual const char* Name() const = 0;
  // Returns the options that it was made with.
  virtual const BlockBasedTableOptions& block_based_options() const = 0;

  // Return the options, as RocksDB's programs read and change those that they
  // loaded: GetOptions<BlockBasedTableOptions>(). nullptr for other types.
  // REQUIRES, for a change: no open database and no SstFileWriter has the
  // factory.
  template <typename T>
  const T* GetOptions() const {
    if constexpr (std::is_same_v<T, BlockBasedTableOptions>) {
      return &block_based_options();
    } else {
      return nullptr;
    }
  }
  template <typename T>
  T* GetOptions() {
    if constexpr (std::is_same_v<T, BlockBasedTableOptions>) {
      return MutableOptions();
    } else {
      return nullptr;
    }
  }

 private:
  virtual BlockBasedTableOptions* MutableOptions() = 0;
};

// Creates a factory. The caller (usually Options::table_factory.reset) deletes
// it.
TAMIS_EXPORT TableFactory* NewBlockBasedTableFactory(
    const BlockBasedTableOptions& options = BlockBasedTableOptions());

}  // namespace tamis
