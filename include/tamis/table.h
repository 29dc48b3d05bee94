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

// How a plain table stores keys. Its properties store the enumerator's number.
enum EncodingType : char {
  // Each key whole.
  kPlain,
  // A key with the same prefix as the key before it, without that prefix.
  // REQUIRES: a prefix_extractor, otherwise InvalidArgument when a database is
  // opened.
  kPrefix,
};

// PlainTableOptions::user_key_len: keys may have different lengths.
inline constexpr uint32_t kPlainTableVariableLength = 0;

// A plain table (PlainTableFactory in RocksDB) has its entries one after
// another, without blocks, compression or checksums. RocksDB maps it into
// memory, usually, and finds a key through a hash table of prefixes.
//
// Tamis reads all of a plain table when it opens it, at about a second per GB.
// It checks the order of the keys, and keeps a filter and an index of chunks of
// 4 KiB in memory. The block cache keeps chunks that are read, as data blocks.
// All reads work: in any order, backwards, and without
// DBOptions::allow_mmap_reads. (RocksDB cannot seek across prefixes, has
// neither SeekForPrev nor Prev, and needs the extractor that the table was
// written with.)
//
// The format has no range deletions: DeleteRange returns NotSupported. A table
// that must hold range deletions made under another factory is written
// block-based. A table is at most 2 GiB: opening a database with a
// target_file_size_base, or with write buffers to flush at once, of 1 GiB or
// more returns InvalidArgument.
struct TAMIS_EXPORT PlainTableOptions {
  // The length of all keys, in bytes. A key of another length is accepted, but
  // fails its flush with InvalidArgument, until the database is opened with
  // another user_key_len. By default, each key is stored with its length.
  uint32_t user_key_len = kPlainTableVariableLength;
  // Bits per key of the filter in memory, and per entry of the Bloom filter
  // that is stored with the index. 0: no filters.
  int bloom_bits_per_key = 10;
  // Prefixes per bucket of the hash table that store_index_in_file stores.
  // Without a prefix_extractor, the table has one bucket.
  double hash_table_ratio = 0.75;
  // With 16, the stored index has every 16th key of a prefix, and kPrefix
  // stores every 16th key whole. 0 counts as 1.
  size_t index_sparseness = 16;
  // Ignored.
  size_t huge_page_tlb_size = 0;
  // What new tables get.
  EncodingType encoding_type = kPlain;
  // Ignored: all reads work.
  bool full_scan_mode = false;
  // Stores the hash table and the Bloom filter of the prefixes, or of the keys
  // if there is no prefix_extractor, for RocksDB, which otherwise reads all of
  // a table when it opens it. Tamis does so in any case.
  bool store_index_in_file = false;
};

// A cuckoo table (CuckooTableFactory in RocksDB) is a hash table on disk: each
// key is in one of a few places that its hashes name, and RocksDB finds it with
// one or two reads of memory.
//
// The format stores one version of each key, without range deletions and merge
// operands, and only if all keys have the same length, and so do all values. A
// table with other entries is written block-based. (In RocksDB, its flush
// fails.) LOG names the format of each table. DeleteRange returns NotSupported.
//
// Tamis reads a cuckoo table once when it is opened, and keeps the order of its
// entries in memory, 4 bytes for each. All reads work.
struct TAMIS_EXPORT CuckooTableOptions {
  // Entries per bucket, above 0 and at most 1. A lower ratio makes a larger
  // table with fewer collisions.
  double hash_table_ratio = 0.9;
  // How many entries in a row may be moved to make room for one.
  uint32_t max_search_depth = 100;
  // The number of adjacent buckets that each hash names; 0 counts as 1. A key
  // is in any of them.
  uint32_t cuckoo_block_size = 5;
  // Takes the first 8 bytes of a key as its first hash. REQUIRES: keys of at
  // least 8 bytes; a table of shorter ones is written block-based.
  bool identity_as_first_hash = false;
  // Takes hashes modulo any number. Otherwise the number is a power of two.
  bool use_module_hash = true;
};

// Chooses the format of new tables. Any factory's database reads tables of all
// formats: the magic number of a file tells its format.
class TAMIS_EXPORT TableFactory {
 public:
  virtual ~TableFactory();
  // Returns "BlockBasedTable", "PlainTable" or "CuckooTable".
  virtual const char* Name() const = 0;
  // Returns the options for block-based tables. A factory of another format
  // also has them: to read such tables, and to write what its format cannot
  // hold.
  virtual const BlockBasedTableOptions& block_based_options() const = 0;
  // Return the factory's options, or nullptr if it writes another format.
  virtual const PlainTableOptions* plain_options() const { return nullptr; }
  virtual const CuckooTableOptions* cuckoo_options() const { return nullptr; }
  // Returns whether its tables can hold range deletions. If not, DeleteRange
  // returns NotSupported.
  bool IsDeleteRangeSupported() const {
    return plain_options() == nullptr && cuckoo_options() == nullptr;
  }

  // Return the factory's options, nullptr if T is not their type. As in
  // RocksDB, programs read and change options that they loaded with
  // GetOptions<BlockBasedTableOptions>(). REQUIRES, for a change: no open
  // database and no SstFileWriter uses the factory.
  template <typename T>
  const T* GetOptions() const {
    if constexpr (std::is_same_v<T, BlockBasedTableOptions>) {
      return IsDeleteRangeSupported() ? &block_based_options() : nullptr;
    } else if constexpr (std::is_same_v<T, PlainTableOptions>) {
      return plain_options();
    } else if constexpr (std::is_same_v<T, CuckooTableOptions>) {
      return cuckoo_options();
    } else {
      return nullptr;
    }
  }
  template <typename T>
  T* GetOptions() {
    if constexpr (std::is_same_v<T, BlockBasedTableOptions>) {
      return MutableOptions();
    } else if constexpr (std::is_same_v<T, PlainTableOptions>) {
      return MutablePlainOptions();
    } else if constexpr (std::is_same_v<T, CuckooTableOptions>) {
      return MutableCuckooOptions();
    } else {
      return nullptr;
    }
  }

 private:
  virtual BlockBasedTableOptions* MutableOptions() { return nullptr; }
  virtual PlainTableOptions* MutablePlainOptions() { return nullptr; }
  virtual CuckooTableOptions* MutableCuckooOptions() { return nullptr; }
};

// Create factories. The caller (usually Options::table_factory.reset) deletes
// them.
TAMIS_EXPORT TableFactory* NewBlockBasedTableFactory(
    const BlockBasedTableOptions& options = BlockBasedTableOptions());
TAMIS_EXPORT TableFactory* NewPlainTableFactory(
    const PlainTableOptions& options = PlainTableOptions());
TAMIS_EXPORT TableFactory* NewCuckooTableFactory(
    const CuckooTableOptions& options = CuckooTableOptions());
// Creates a factory with the options of `to_write`, and with those of
// `block_based` for block-based tables; nullptr: default options. As every
// factory reads every format, the other two arguments have no effect.
TAMIS_EXPORT TableFactory* NewAdaptiveTableFactory(
    std::shared_ptr<TableFactory> to_write = nullptr,
    std::shared_ptr<TableFactory> block_based = nullptr,
    std::shared_ptr<TableFactory> plain = nullptr,
    std::shared_ptr<TableFactory> cuckoo = nullptr);

}  // namespace tamis
