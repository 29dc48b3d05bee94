// SPDX-License-Identifier: Apache-2.0
//
// Options of RocksDB that Tamis accepts and ignores, so that programs that set
// them compile, and OPTIONS files that name them load. Each selects how RocksDB
// works, not what reads return; the comment above it says why it has no effect
// here. LOG has a line option_ignored for each one that is not the default.
//
// Types and defaults are RocksDB's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "tamis/cache.h"
#include "tamis/compression_type.h"
#include "tamis/memtablerep.h"

namespace tamis {

// The base of DBOptions.
struct IgnoredDBOptions {
  // How a file is going to be read.
  enum AccessHint { NONE, NORMAL, SEQUENTIAL, WILLNEED };

  // There is one write path. A leader writes the batches of waiting writers as
  // a group, without pipelining, and one thread inserts into each memtable.
  // Waiting writers spin before they sleep, as long as spinning pays off.
  bool enable_pipelined_write = false;
  bool unordered_write = false;
  bool two_write_queues = false;
  bool allow_concurrent_memtable_write = true;
  bool enable_write_thread_adaptive_yield = true;
  uint64_t write_thread_max_yield_usec = 100;
  uint64_t write_thread_slow_yield_usec = 3;
  uint64_t max_write_batch_group_size_bytes = 1 << 20;
  // Mutexes spin a little, then sleep.
  bool use_adaptive_mutex = false;
  // Only blocks are cached. A read copies its value straight from a cached
  // block.
  std::shared_ptr<Cache> row_cache = nullptr;

  // max_background_jobs limits both.
  int max_background_flushes = -1;
  int max_background_compactions = -1;

  // Files that an open or a job reads are always checked.
  bool paranoid_checks = true;
  // An open always compares the sizes of all tables with the MANIFEST, and
  // needs no statistics of them.
  bool skip_checking_sst_file_sizes_on_db_open = false;
  bool skip_stats_update_on_db_open = false;
  // The MANIFEST always has the database's id.
  bool write_dbid_to_manifest = true;

  // fdatasync makes data and length of a file durable, which is all that a
  // recovery needs.
  bool use_fsync = false;
  // How files are written and opened is the FileSystem's business. That of the
  // operating system opens all of them with close-on-exec.
  bool allow_mmap_writes = false;
  bool is_fd_close_on_exec = true;
  bool allow_fallocate = true;
  size_t writable_file_max_buffer_size = 1024 * 1024;
  size_t random_access_max_buffer_size = 1024 * 1024;
  size_t manifest_preallocation_size = 4 * 1024 * 1024;
  // Each log is a new file. Logs that RocksDB wrote into old files are read.
  size_t recycle_log_file_num = 0;
  // Each reader of a file tells the kernel its own access pattern.
  bool advise_random_on_open = true;
  size_t log_readahead_size = 0;
  AccessHint access_hint_on_compaction_start = NORMAL;
  // bytes_per_sync and wal_bytes_per_sync start the writing of pages, and never
  // wait for it.
  bool strict_bytes_per_sync = false;

  // A Version points to its open tables: there is no table cache to shard.
  int table_cache_numshardbits = 6;
  // Files are deleted as soon as nothing needs them; there is no search for
  // obsolete ones while the database is open.
  uint64_t delete_obsolete_files_period_micros = uint64_t{21600} * 1000000;
  bool avoid_unnecessary_blocking_io = false;
  // The allocator's statistics are not dumped, and statistics have no history.
  bool dump_malloc_stats = false;
  unsigned int stats_persist_period_sec = 600;
  size_t stats_history_buffer_size = 1024 * 1024;
};

// Which new blob files would have their values in the cache at once.
enum class PrepopulateBlobCache : uint8_t { kDisable = 0, kFlushOnly = 1 };

// The base of ColumnFamilyOptions.
struct IgnoredColumnFamilyOptions {
  // Iterators decide by themselves how they pass over old versions of a key.
  uint64_t max_sequential_skip_in_iterations = 8;
  // Memtables allocate their memory in their own way.
  size_t arena_block_size = 0;
  size_t memtable_huge_page_size = 0;
  // For the Bloom filters of plain tables, which are always written as with 0.
  // (A memtable's filter always has the bits of a key in one cache line.)
  uint32_t bloom_locality = 0;
  // No value is changed in place: see inplace_update_support.
  size_t inplace_update_num_locks = 10000;
  // Memtables are freed once they are flushed and nothing reads them.
  int max_write_buffer_number_to_maintain = 0;
  int64_t max_write_buffer_size_to_maintain = 0;
  // A flush writes a table, and puts nothing into a new memtable.
  double experimental_mempurge_threshold = 0;
  // Operands are merged by reads, flushes and compactions.
  size_t max_successive_merges = 0;
  // The order of tables, and of keys in new tables, is always checked.
  bool force_consistency_checks = true;
  bool check_flush_compaction_key_order = true;
  // There are no such counters.
  bool report_bg_io_stats = false;
  uint64_t sample_for_compression = 0;
  // There is one kind of memtable.
  std::shared_ptr<MemTableRepFactory> memtable_factory =
      std::make_shared<SkipListFactory>();

  // Values are in tables, however large they are. (Databases whose values are
  // in blob files are refused.)
  bool enable_blob_files = false;
  uint64_t min_blob_size = 0;
  uint64_t blob_file_size = uint64_t{1} << 28;
  CompressionType blob_compression_type = kNoCompression;
  bool enable_blob_garbage_collection = false;
  double blob_garbage_collection_age_cutoff = 0.25;
  double blob_garbage_collection_force_threshold = 1.0;
  uint64_t blob_compaction_readahead_size = 0;
  int blob_file_starting_level = 0;
  std::shared_ptr<Cache> blob_cache = nullptr;
  PrepopulateBlobCache prepopulate_blob_cache = PrepopulateBlobCache::kDisable;
};

// The base of BlockBasedTableOptions.
struct IgnoredTableOptions {
  // The sizes in which memory of filters is allocated are at most 1/16 apart
  // (1/8 for filters below 2 KiB), so that little of it is lost.
  bool optimize_filters_for_memory = true;
  // There is no such counter.
  uint32_t read_amp_bytes_per_bit = 0;
  // Only uncompressed blocks are cached. Without use_direct_reads, the
  // operating system caches the files, which have them compressed.
  std::shared_ptr<Cache> block_cache_compressed = nullptr;
};

}  // namespace tamis
