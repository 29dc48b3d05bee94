// SPDX-License-Identifier: Apache-2.0
//
// Options of one column family. See options.h for what Open does with a value
// outside the stated range.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "tamis/advanced_options.h"
#include "tamis/cache.h"
#include "tamis/compaction_filter.h"
#include "tamis/comparator.h"
#include "tamis/db_path.h"
#include "tamis/export.h"
#include "tamis/ignored_options.h"
#include "tamis/merge_operator.h"
#include "tamis/slice_transform.h"
#include "tamis/sst_partitioner.h"
#include "tamis/table.h"
#include "tamis/table_properties_collector.h"
#include "tamis/universal_compaction.h"

namespace tamis {

// Compression of the blocks of new tables.
struct CompressionOptions {
  // Means the default of the codec.
  static constexpr int kDefaultCompressionLevel = 32767;

  // How hard the codec tries: more time for fewer bytes. zstd: negative to 22,
  // 3 by default. lz4hc: 1 to 12, 9 by default. lz4: -n, n times as fast and
  // less dense; others mean 1 times. Out of the codec's range, the nearest
  // value is used. snappy has no levels.
  int level = kDefaultCompressionLevel;
  // Only in bottommost_compression_opts: whether they are used.
  bool enabled = false;
  // Threads per table in a flush or a compaction. With 2 or more, a second
  // thread compresses, checksums and writes the blocks that the first has
  // filled, if job_runner has one free. The filter and the index of a table are
  // then made beside the next table, so the keys of two filters are in memory.
  // The file's bytes are the same. Values above 2 mean 2 (raise
  // max_subcompactions instead). In RocksDB, the default is 1, and each further
  // thread compresses other blocks.
  uint32_t parallel_threads = 2;

  // The most bytes of a table's dictionary: what its data blocks have in
  // common, stored once, so that small blocks compress nearly as well as large
  // ones. Every open table keeps its dictionary in memory. 0 means none. zstd,
  // lz4 and lz4hc have dictionaries, of lz4 at most 64 KiB; others ignore this.
  //
  // The blocks of a table wait in memory, uncompressed, until the dictionary is
  // made from samples of them: all of a flush, of SstFileWriter's table, and of
  // a table of a compaction up to target_file_size. That memory counts as usage
  // of the block cache. A table that ends before its buffer is full has a
  // dictionary of at most an eighth of its uncompressed bytes; in RocksDB, of
  // max_dict_bytes if it has as many.
  uint32_t max_dict_bytes = 0;
  // If not 0, the dictionary is made from this many bytes of samples by zstd's
  // trainer, a hundred times max_dict_bytes or so for good results; there is no
  // dictionary if zstd finds the samples too few or too different. 0 means that
  // max_dict_bytes of samples are the dictionary.
  uint32_t zstd_max_train_bytes = 0;
  // The most bytes of blocks that wait; the dictionary is then made from the
  // first part of a table. 0 means 64 MiB. (In RocksDB, it means no limit but a
  // full block cache. Here, a table depends on its entries and options alone.)
  uint64_t max_dict_buffer_bytes = 0;
  // With zstd_max_train_bytes: false takes max_dict_bytes of the samples, with
  // zstd's statistics of all of them. Cheaper than its trainer, less dense.
  bool use_zstd_dict_trainer = true;
};

// Options of one column family.
struct TAMIS_EXPORT ColumnFamilyOptions : public IgnoredColumnFamilyOptions {
  // These set several options for a purpose, and return `this`. They keep table
  // options that they do not mention; RocksDB sets those to their defaults.
  //
  // For databases below 1 GiB: memtables and tables of 2 MiB, a level 1 of 10
  // MiB, indexes in two levels in the block cache. That is *cache, or a new one
  // of 8 MiB.
  ColumnFamilyOptions* OptimizeForSmallDb(
      std::shared_ptr<Cache>* cache = nullptr);
  // For Gets: hash indexes in data blocks, Bloom filters of 10 bits per key, a
  // filter for each memtable, and a new block cache of that many MiB.
  ColumnFamilyOptions* OptimizeForPointLookup(uint64_t block_cache_size_mb);
  // For many writes, with memory for the memtables of this many bytes: up to 6
  // memtables of a quarter of it each, two of which go into one table,
  // compactions from 2 files in level 0 on, a level 1 of that size, tables of
  // an eighth; lz4, if the build has it, from the second level below 0 on.
  ColumnFamilyOptions* OptimizeLevelStyleCompaction(
      uint64_t memtable_memory_budget = 512 * 1024 * 1024);
  // As DBOptions::Dump.
  void Dump(Logger* log) const;
  // The same memtables, with kCompactionStyleUniversal, and about 80 % of the
  // data compressed.
  ColumnFamilyOptions* OptimizeUniversalStyleCompaction(
      uint64_t memtable_memory_budget = 512 * 1024 * 1024);

  // The key order. Fixed.
  const Comparator* comparator = BytewiseComparator();

  // A memtable becomes immutable, and is flushed, once it exceeds this size by
  // an eighth or by 1 MiB, whichever is less, about as in RocksDB. Clamped to
  // 64 KiB to 64 GiB.
  size_t write_buffer_size = 64 * 1024 * 1024;
  // Maximum number of memtables, including the active one, before writes stall.
  // Clamped to 2 or more.
  int max_write_buffer_number = 2;
  // Flushes immutable memtables when there are this many of them, into one
  // table: a key that is overwritten meanwhile is then written once. Flush, a
  // limit of the logs (max_total_wal_size) and Resume do not wait for that.
  // Clamped to 1 to max_write_buffer_number - 1.
  int min_write_buffer_number_to_merge = 1;

  // Fraction of write_buffer_size that each memtable spends on a Bloom filter
  // of its whole keys. Gets of absent keys then skip the memtable search. At
  // most 0.25; 0 means no filter. Requires memtable_whole_key_filtering.
  double memtable_prefix_bloom_size_ratio = 0;
  bool memtable_whole_key_filtering = false;

  // If true, GetSnapshot returns nullptr, as it does in RocksDB, where updates
  // in place change what a snapshot reads. Tamis updates nothing in place.
  bool inplace_update_support = false;

  // Codec of data and index blocks. Blocks that shrink by an eighth or less are
  // stored uncompressed.
  CompressionType compression = kSnappyCompression;
  CompressionOptions compression_opts;
  // If not empty, replaces `compression`: element 0 for level 0, element i for
  // the i-th level from the first one on that level 0 is compacted into
  // (level_compaction_dynamic_level_bytes). The last element is for all further
  // levels. A table whose codec would differ is rewritten instead of moved.
  std::vector<CompressionType> compression_per_level;
  // If not kDisableCompressionOption, the codec of tables below which no level
  // holds keys of their range, except for those of flushes: usually nine tenths
  // of the data, seldom rewritten.
  CompressionType bottommost_compression = kDisableCompressionOption;
  // With `enabled`, used instead of compression_opts for the tables that
  // bottommost_compression describes, also if that is not set: a dictionary for
  // the bottom alone, for example. Its parallel_threads are not used.
  // SstFileWriter uses it if bottommost_compression is set.
  CompressionOptions bottommost_compression_opts;

  // Defines Merge. If it is nullptr, Merge fails, keys with merge operands
  // cannot be read, compactions keep the operands, and Open returns
  // InvalidArgument if a log to replay holds operands for this family. The
  // operator must still understand operands that earlier opens wrote.
  std::shared_ptr<MergeOperator> merge_operator;

  // Removes or changes entries in compactions (compaction_filter.h). Must
  // outlive the database.
  const CompactionFilter* compaction_filter = nullptr;
  // Makes such a filter for each job. Has no effect if compaction_filter is
  // set, as in RocksDB.
  std::shared_ptr<CompactionFilterFactory> compaction_filter_factory;

  // Divides the tables of compactions at keys of the program's choice
  // (sst_partitioner.h). nullptr: only size divides them.
  std::shared_ptr<SstPartitionerFactory> sst_partitioner_factory;

  // Extracts the prefixes that filters hold besides, or instead of, whole keys.
  // If nullptr, filters hold no prefixes. The filter of a table that was
  // written with another extractor is probed with that one, if it is built in;
  // otherwise it is probed for no prefixes. SetOptions changes it, for tables
  // written from then on, and iterators created from then on.
  std::shared_ptr<const SliceTransform> prefix_extractor;
  // Omits point filters from tables of the last level, which holds about nine
  // tenths of the keys. Useful if nearly every Get finds its key. Range
  // filters, which serve scans, are written all the same.
  bool optimize_filters_for_hits = false;

  // The number of level 0 files at which a compaction starts, writes slow down,
  // and writes stop. The first is clamped to 1 or more, each of the others to
  // the previous one or more.
  int level0_file_num_compaction_trigger = 4;
  int level0_slowdown_writes_trigger = 20;
  int level0_stop_writes_trigger = 36;

  // How compactions are chosen, and the options of two of the styles. Any style
  // opens a database that another one wrote.
  CompactionStyle compaction_style = kCompactionStyleLevel;
  CompactionOptionsUniversal compaction_options_universal;
  CompactionOptionsFIFO compaction_options_fifo;

  // The number of levels, counting level 0. Clamped to 1 to 7, with
  // kCompactionStyleLevel to 2 to 7. (RocksDB allows more.) Open returns
  // InvalidArgument if a deeper level holds tables.
  int num_levels = 7;
  // The bytes that compactions have to rewrite until no level is too large, by
  // estimate (DB::Properties::kEstimatePendingCompactionBytes), at which writes
  // slow down, and stop, as at level0_slowdown_writes_trigger and
  // level0_stop_writes_trigger. 0 means no limit. The first is clamped to the
  // second. Only under kCompactionStyleLevel.
  uint64_t soft_pending_compaction_bytes_limit = uint64_t{64} << 30;
  uint64_t hard_pending_compaction_bytes_limit = uint64_t{256} << 30;

  // Target size of level 1, in bytes; 1 or more. Each deeper level's target is
  // max_bytes_for_level_multiplier (finite, >= 1) times larger, and for level i
  // max_bytes_for_level_multiplier_additional[i - 1] times larger again. Those
  // are 1 or more; missing ones mean 1.
  uint64_t max_bytes_for_level_base = 256 * 1024 * 1024;
  double max_bytes_for_level_multiplier = 10;
  std::vector<int> max_bytes_for_level_multiplier_additional;
  // If true, the levels grow from the last one up: level 0 is compacted into
  // the last level until that exceeds max_bytes_for_level_base, then into the
  // one above it, and so on. The targets are those at which the largest level
  // is as full as it is: each level above has max_bytes_for_level_multiplier
  // times less, but none less than max_bytes_for_level_base. The levels above
  // the largest so have about a ninth of its bytes, whatever the size of the
  // data. A database written with the other value changes its shape in the
  // background: tables that are too high for the data move down.
  bool level_compaction_dynamic_level_bytes = true;
  // Which tables of a level that is too large go first.
  CompactionPri compaction_pri = kMinOverlappingRatio;
  // Approximate size at which compactions start a new output file, in bytes; 1
  // or more. Files of each level below the first one that is compacted into are
  // target_file_size_multiplier times larger; 1 or more.
  uint64_t target_file_size_base = 64 * 1024 * 1024;
  int target_file_size_multiplier = 1;
  // Bytes that a table may overlap in the level below its own. A compaction
  // ends a table before it overlaps more, because the table's own compaction
  // would have to rewrite them; a table that overlaps more than this two levels
  // down is not moved there unchanged. Also limits what
  // CompactionOptionsFIFO::allow_compaction merges. 0 means 25 times
  // target_file_size_base.
  uint64_t max_compaction_bytes = 0;
  // Seconds. kCompactionStyleFIFO deletes tables that were written longer ago.
  // kCompactionStyleLevel compacts tables above the deepest level that hold
  // entries written longer ago, so that what they delete goes from the disk, if
  // nothing else is due. Decided after a flush, a compaction or an open; tables
  // of unknown age are left alone. 0 means never, at any age. (RocksDB's
  // default is 30 days.)
  uint64_t ttl = 0;
  // Seconds after which kCompactionStyleLevel compacts a table, counted from
  // when it was written: into the next level, or, at the deepest one of its
  // keys, where it is. Every table so gets new filters and codecs now and then.
  // Decided like ttl. 0 means never.
  uint64_t periodic_compaction_seconds = 0;

  // Reads each table back once a flush, a compaction or the replay of a log has
  // written it, and compares all of its entries with those that went into it,
  // before it takes the place of anything. Otherwise only its footer, index and
  // properties are read back. A difference is Corruption, and becomes the
  // background error. Range deletions are not compared. SetOptions can change
  // it.
  bool paranoid_file_checks = false;

  // Compacts only in CompactRange. Level 0 then neither slows nor stops writes.
  bool disable_auto_compactions = false;
  // Keeps the last level of num_levels free for files of
  // IngestExternalFileOptions::ingest_behind, which are older than all else:
  // compactions do not write there, and keep tombstones and sequence numbers,
  // since what they hide may still come. An exception, as in RocksDB: a Put and
  // the SingleDelete after it vanish together, so that an older version of the
  // key in a later file shows; use Delete for such keys. Set it before the
  // first compaction: what was dropped before hides nothing. Raises num_levels
  // to 3. Open returns InvalidArgument with kCompactionStyleFIFO.
  // DBOptions::allow_ingest_behind sets it for all families.
  bool cf_allow_ingest_behind = false;

  // The directories of the family's tables. Empty means DBOptions::db_paths,
  // which explains them.
  std::vector<DbPath> cf_paths;

  // Add properties of the user's to new tables.
  std::vector<std::shared_ptr<TablePropertiesCollectorFactory>>
      table_properties_collector_factories;

  // Format and options of new tables. nullptr means
  // NewBlockBasedTableFactory().
  std::shared_ptr<TableFactory> table_factory;
};

}  // namespace tamis
