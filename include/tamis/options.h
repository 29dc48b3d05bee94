// SPDX-License-Identifier: Apache-2.0
//
// Options for opening, reading and writing a database. Every option may change
// from one open to the next, unless marked "fixed".
//
// Names, meanings and defaults are RocksDB's unless stated otherwise. Open
// returns InvalidArgument, which names the option, for a value outside the
// stated range. Where "Clamped" precedes a range, the nearest value in it is
// used instead, as in RocksDB; LOG has a line (option_adjusted) that says so,
// and DB::GetOptions returns the value used.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "tamis/cache.h"
#include "tamis/clock.h"
#include "tamis/comparator.h"
#include "tamis/file_system.h"
#include "tamis/job_runner.h"
#include "tamis/logger.h"
#include "tamis/merge_operator.h"
#include "tamis/slice_transform.h"
#include "tamis/statistics.h"
#include "tamis/table.h"

namespace tamis {

class Snapshot;

// How an open treats a log that cannot be read to its end. A crash leaves an
// incomplete record at the end of the newest log; any other unreadable record
// is corruption. An open for writing moves a log from which it drops records to
// lost/ and reports it in LOG, unless it drops only an incomplete record at the
// log's end.
//
//                           torn end     corruption    missing records
//                           of a log     within a log   after either
//   TolerateCorruptedTail  end of log      fails          ignored
//   AbsoluteConsistency      fails         fails             -
//   PointInTime            end of log   stops there     stops there
//   SkipAnyCorrupted       end of log     skipped         ignored
//
// Close ends a log with a marker. It syncs the marker only under the two modes
// that reject a torn end; under the others, a power failure soon afterwards may
// tear it. An open under one of those two then fails, though no write is lost.
//
// Missing sequence numbers alone are not an error, since writes with disableWAL
// leave gaps too. The removal of a whole log is therefore not detected.
enum class WALRecoveryMode : char {
  kTolerateCorruptedTailRecords = 0x00,
  // For users who prefer restoring a backup to losing a write.
  kAbsoluteConsistency = 0x01,
  // Recovers a prefix of the history. Corruption that no crash can have caused,
  // in a log that was closed properly, still fails the open. So do tables of a
  // family that contain writes after the damage.
  kPointInTimeRecovery = 0x02,
  // Recovers every readable record; the history may have gaps.
  kSkipAnyCorruptedRecords = 0x03,
};

// Options of the whole database.
struct DBOptions {
  // These set several options for a purpose, and return `this`.
  //
  // Lets `total_threads` flushes and compactions run at a time: sets
  // max_background_jobs. Without a job_runner, the shared one may start the
  // threads for them; a job_runner needs them itself.
  DBOptions* IncreaseParallelism(int total_threads = 16);
  // For databases below 1 GiB: sets max_open_files. See Options, too. `cache`
  // is ignored; in RocksDB, memtables count against it.
  DBOptions* OptimizeForSmallDb(std::shared_ptr<Cache>* cache = nullptr);

  // Creates the directory and the database if missing. Fails if the directory
  // holds tables, logs or MANIFESTs but no CURRENT: such a directory is
  // damaged, not empty.
  bool create_if_missing = false;
  // Fails if the database exists.
  bool error_if_exists = false;
  // Creates the column families named in Open that the database lacks.
  bool create_missing_column_families = false;
  // Allows opening a LevelDB directory for writing. Irreversible: the first
  // open rewrites its MANIFEST, after which LevelDB rejects the directory.
  // OpenForReadOnly does not need this.
  bool upgrade_leveldb = false;

  // If nullptr, those of the operating system.
  std::shared_ptr<FileSystem> file_system;
  std::shared_ptr<Clock> clock;
  // Runs background work. If nullptr, all databases of the process share one
  // runner, as they share RocksDB's Env. It starts threads when jobs need them:
  // up to 2 threads for flushes and 2 * max(max_background_jobs - 1, 1) *
  // max_subcompactions for compactions, for the largest values of all databases
  // that shared it since the first of those now open. The second thread of each
  // pair serves CompressionOptions::parallel_threads. The threads end when the
  // last of these databases is destroyed. GetDBOptions and GetOptions return
  // nullptr for the shared runner. See NewThreadJobRunner for what threads
  // inherit, and for what callbacks must not do.
  std::shared_ptr<JobRunner> job_runner;

  // Counts events. If nullptr, nothing is counted.
  std::shared_ptr<Statistics> statistics;

  // One flush runs at a time. Beside it, max(1, max_background_jobs - 1)
  // compactions may run, so 1 means the same as 2. 1 to 1024.
  int max_background_jobs = 2;
  // Maximum number of key ranges into which one compaction is split, each
  // compacted by a thread of its own. A compaction is split into at most as
  // many parts as it has multiples of target_file_size_base to read. 1 to 1024;
  // without a job_runner, max_subcompactions * max(max_background_jobs - 1, 1)
  // must not exceed 4096.
  uint32_t max_subcompactions = 1;

  // See WALRecoveryMode.
  WALRecoveryMode wal_recovery_mode = WALRecoveryMode::kPointInTimeRecovery;
  // When the logs exceed this many bytes, the families that need the oldest log
  // are flushed. 0 means four times the maximum size of all memtables.
  uint64_t max_total_wal_size = 0;
  // Flushes all families together; after a crash, either all or none of such a
  // flush survives. Batches across families thus stay atomic even with
  // disableWAL.
  bool atomic_flush = false;
  // A new MANIFEST is started when the current one exceeds this many bytes and
  // twice the size it started with. RocksDB's default is 1 GiB.
  uint64_t max_manifest_file_size = 64 * 1024 * 1024;

  // The maximum number of retries after a transient background error (an I/O
  // error, a full disk, a failed allocation, a thread that cannot be started),
  // and the interval between them. A timer of the job_runner starts the
  // retries. Its one thread retries for all databases of the runner, one after
  // another: a retry that waits for a slow device delays the others. If the
  // job_runner has no ScheduleAfter, the next write after the interval starts
  // one. With 0 retries, only Resume clears the error.
  int max_bgerror_resume_count = 0x7fffffff;
  uint64_t bgerror_resume_retry_interval = 1'000'000;  // microseconds

  // Maximum number of open tables. Each holds a file descriptor and, in memory,
  // its index and filter. At the limit, Tamis closes a table that was not used
  // recently, if possible one that is not in use. A closed table that is still
  // in use stays open until its last use ends. The few tables being written do
  // not count. -1 means no limit, which makes reads fastest; otherwise 1 or
  // more. Open checks the existence and size of every table, and opens the
  // first 16 of each family. Without a limit, a job of the job_runner then
  // opens the others, unless these are 16 or fewer, or the tables would take
  // more than half of the descriptors that the process may have. Reads open
  // what they need earlier. LOG and the reads that need it report a table that
  // cannot be opened. Open fails if there are more tables than 7/8 of the
  // descriptors that the process may have. OpenForReadOnly opens all tables, or
  // as many of each family as the limit allows.
  int max_open_files = -1;

  // Reads table files through mappings, instead of a call for each block: a
  // read of a block that the operating system has in memory takes half the
  // time. Blocks are copied out of the mapping before they are checked. Reads
  // above 16 KiB, reads of files that are not in memory or cannot be mapped,
  // and compactions use calls all the same. Truncating a table while it is
  // open, or a failing device, makes reads return IOError. (A page that was cut
  // in its middle shows zeros: Corruption, which only verify_checksums finds.)
  // That needs the SIGBUS handler that the first mapping installs
  // (docs/security.md). Threads that block SIGBUS read by calls. A thread that
  // blocks it after it began to read is not protected until one of its next
  // reads, about the sixteenth, notices. The mappings count as address space,
  // and what was read of them as resident memory of the process. Together with
  // use_direct_reads, Open returns NotSupported.
  bool allow_mmap_reads = false;
  // Reads tables past the operating system's page cache (O_DIRECT), also in
  // compactions. This suits a block cache that has most of the memory, because
  // no block is then in memory twice. Open returns InvalidArgument if the file
  // system has no direct reads. RepairDB ignores both options.
  bool use_direct_reads = false;

  // LOG records events. It is renamed to LOG.old.* at each open and when it
  // reaches this size; 0 means no limit. The newest keep_log_file_num renamed
  // files are kept; 0 keeps none. RocksDB's defaults are 0 and 1000.
  size_t max_log_file_size = 16 * 1024 * 1024;
  size_t keep_log_file_num = 10;
  // Receives the lines of LOG, without time, instead of that file. Lines with
  // an error have ERROR_LEVEL, others INFO_LEVEL. A database that is open for
  // reading only, which writes no LOG, has it too. nullptr means LOG.
  std::shared_ptr<Logger> info_log;
  // LOG omits lines of lower levels. An info_log has a level of its own.
  InfoLogLevel info_log_level = INFO_LEVEL;
};

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

struct Options : public DBOptions, public ColumnFamilyOptions {
  Options() = default;
  Options(const DBOptions& db, const ColumnFamilyOptions& family)
      : DBOptions(db), ColumnFamilyOptions(family) {}

  // For databases below 1 GiB: both functions of that name, with one new block
  // cache of 16 MiB. Returns `this`.
  Options* OptimizeForSmallDb();
};

enum ReadTier : uint8_t {
  kReadAllTier = 0,     // memory, then files
  kBlockCacheTier = 1,  // memory only; otherwise Status::IsIncomplete()
};

struct ReadOptions {
  // Reads the state of this snapshot, or of the time of the call if nullptr.
  const Snapshot* snapshot = nullptr;

  // Limit iterators to keys in [lower, upper). The Slices and their bytes must
  // outlive the iterator.
  const Slice* iterate_lower_bound = nullptr;
  const Slice* iterate_upper_bound = nullptr;

  // Limits an iterator to keys with the prefix of the last Seek's target. For
  // SeekToFirst and SeekToLast, the prefix is that of the bound, if set, or of
  // the first key found. No effect without a prefix_extractor or on a target
  // outside its domain.
  bool prefix_same_as_start = false;
  // Ignores prefix filters in Seek and SeekForPrev. Never changes results:
  // filters are used only when bounds or prefix_same_as_start restrict the
  // iteration to one prefix.
  bool total_order_seek = false;

  // Verifies the checksum of every block read from a file. Cached blocks were
  // verified when loaded, unless that reader turned this off.
  bool verify_checksums = true;
  // Adds data blocks that are read from files to the block cache. While more
  // than a quarter of the cache is free, adds every block. Otherwise adds a
  // block only if it was read before, recently. That counts point reads, and
  // of an iterator the first four blocks that it enters in a table after a
  // seek. If false, adds no block.
  bool fill_cache = true;
  ReadTier read_tier = kReadAllTier;

  // Bytes that a forward iterator prefetches beyond an uncached data block, in
  // one read, up to the end of the file. 0 means automatic: after two
  // sequential data blocks of a table, the iterator prefetches 8 KiB, then
  // doubles up to 256 KiB; a jump elsewhere starts over. Each table that the
  // iterator reads keeps a buffer for its largest prefetch. No effect on cached
  // blocks, on backward iteration or on Get.
  size_t readahead_size = 0;
  // Has a forward iterator that prefetches read the next bytes while the caller
  // uses those before them. Pays where the device is slow to answer: direct
  // reads, files that are not in memory. Each table that the iterator reads
  // then keeps two buffers. A read ahead is in vain at the end of the
  // iteration, before a jump elsewhere, and before a block that it does not
  // complete, whose bytes are then read again. None is begun after a block
  // larger than the prefetch, or than 64 KiB.
  //
  // MultiGet needs no option: of the blocks that it needs of a level and that
  // are not in memory, up to 32 are read at the same time. Those are read one
  // after another that are larger than 256 KiB, in a file system whose files do
  // not implement ReadAsync (such as one in memory), or in a file of whose
  // last thousand reads none waited. (In RocksDB, this option has MultiGet read
  // several levels at the same time.)
  bool async_io = false;
};

struct WriteOptions {
  // If true, the write survives a power failure once the call returns. If
  // false, it survives only a kill of the process.
  bool sync = false;
  // Skips the log. A crash loses the write unless it was flushed; Close flushes
  // it. Excludes sync: a write with both returns InvalidArgument.
  bool disableWAL = false;
};

struct FlushOptions {
  // If true, Flush returns when the data is in a table. If false, it returns
  // when the flush has been scheduled. In both cases it first waits for the
  // writes already queued.
  bool wait = true;
};

enum class BottommostLevelCompaction : uint8_t {
  kSkip,   // does not rewrite the deepest level on its own
  kForce,  // rewrites the deepest level too: new filters, new codec
};

struct CompactRangeOptions {
  BottommostLevelCompaction bottommost_level_compaction =
      BottommostLevelCompaction::kSkip;
};

struct RewriteFiltersOptions {
  // The tolerance for tables to leave alone; at least 1. With 1, every table is
  // rewritten. Above 1, a table is left alone if its point filter has the
  // format that the policy would choose now and a size between 1/size_factor
  // and size_factor times the size that it would have, or if it has none and
  // should have none; and if its range filter has the configured type. A table
  // is always rewritten if its point filter is block-based or in a user's
  // format, or if a range filter is configured that it lacks, even if that was
  // not worth its size.
  double size_factor = 1;
  // If true, RewriteFilters returns when every listed table is done; if false,
  // when they are listed. LOG tells the progress.
  bool wait = true;
};

}  // namespace tamis
