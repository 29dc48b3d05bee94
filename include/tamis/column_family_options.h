// SPDX-License-Identifier: Apache-2.0
//
// Options of one column family. See options.h for what Open does with a value
// outside the stated range.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "tamis/cache.h"
#include "tamis/compaction_filter.h"
#include "tamis/comparator.h"
#include "tamis/merge_operator.h"
#include "tamis/slice_transform.h"
#include "tamis/table.h"

namespace tamis {

// Compression of the blocks of new tables.
struct CompressionOptions {
  // Threads per table in a flush or a compaction. With 2 or more, a second
  // thread compresses, checksums and writes the blocks that the first has
  // filled, if job_runner has one free. The filter and the index of a table are
  // then made beside the next table, so the keys of two filters are in memory.
  // The file's bytes are the same. Values above 2 mean 2 (raise
  // max_subcompactions instead). In RocksDB, the default is 1, and each further
  // thread compresses other blocks.
  uint32_t parallel_threads = 2;
};

// Options of one column family.
struct ColumnFamilyOptions {
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
  // memtables of a quarter of it each, compactions from 2 files in level 0 on,
  // a level 1 of that size, tables of an eighth, lz4 if the build has it.
  // RocksDB also flushes two memtables into one table, and compresses only from
  // level 2 on.
  ColumnFamilyOptions* OptimizeLevelStyleCompaction(
      uint64_t memtable_memory_budget = 512 * 1024 * 1024);

  // The key order. Fixed.
  const Comparator* comparator = BytewiseComparator();

  // A memtable of this many bytes becomes immutable and is flushed. Clamped to
  // 64 KiB to 64 GiB.
  size_t write_buffer_size = 64 * 1024 * 1024;
  // Maximum number of memtables, including the active one, before writes stall.
  // Clamped to 2 or more.
  int max_write_buffer_number = 2;

  // Fraction of write_buffer_size that each memtable spends on a Bloom filter
  // of its whole keys. Gets of absent keys then skip the memtable search. At
  // most 0.25; 0 means no filter. Requires memtable_whole_key_filtering.
  double memtable_prefix_bloom_size_ratio = 0;
  bool memtable_whole_key_filtering = false;

  // Codec of data and index blocks. Blocks that shrink by an eighth or less are
  // stored uncompressed.
  CompressionType compression = kSnappyCompression;
  CompressionOptions compression_opts;

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

  // Extracts the prefixes that filters hold besides, or instead of, whole keys.
  // If nullptr, filters hold no prefixes. Prefix filters of tables written with
  // a different extractor are ignored.
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

  // Target size of level 1, in bytes; 1 or more. Each deeper level's target is
  // max_bytes_for_level_multiplier (finite, >= 1) times larger.
  uint64_t max_bytes_for_level_base = 256 * 1024 * 1024;
  double max_bytes_for_level_multiplier = 10;
  // Approximate size at which compactions start a new output file, in bytes; 1
  // or more.
  uint64_t target_file_size_base = 64 * 1024 * 1024;

  // Compacts only in CompactRange. Level 0 then neither slows nor stops writes.
  bool disable_auto_compactions = false;

  // Format and options of new tables. nullptr means
  // NewBlockBasedTableFactory().
  std::shared_ptr<TableFactory> table_factory;
};

}  // namespace tamis
