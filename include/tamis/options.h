// SPDX-License-Identifier: Apache-2.0
//
// What a database is opened, read and written with. Every option does
// something; its comment says what, in which unit, and by when it may change:
// all may differ from one open to the next except where it says "fixed".
//
// Names, meanings and defaults are RocksDB's unless said otherwise.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "tamis/clock.h"
#include "tamis/comparator.h"
#include "tamis/file_system.h"
#include "tamis/job_runner.h"
#include "tamis/merge_operator.h"
#include "tamis/slice_transform.h"
#include "tamis/statistics.h"
#include "tamis/table.h"

namespace tamis {

class Snapshot;

// What an open does with a log that does not read to its end. A crash tears
// the end of the newest log; anything else is damage. Whatever a mode leaves
// out goes to the directory lost/ with its log, and LOG says so.
//
//                          torn end        damage      a gap in history
//                          of a log     within a log    behind either
//   TolerateCorruptedTail  clean end        fails          ignored
//   AbsoluteConsistency      fails          fails             -
//   PointInTime            clean end     stops there     stops there
//   SkipAnyCorrupted       clean end       skipped         ignored
//
// A gap without a fault before it is no sign of anything: writes with
// disableWAL leave such. So a log that somebody removed is not missed.
enum class WALRecoveryMode : char {
  kTolerateCorruptedTailRecords = 0x00,
  // For those who would rather restore a copy than miss one write.
  kAbsoluteConsistency = 0x01,
  // What is recovered is always a prefix of history. Damage that no crash can
  // have caused, in a log that was closed well, fails nevertheless.
  kPointInTimeRecovery = 0x02,
  // Whatever still reads; history may have holes.
  kSkipAnyCorruptedRecords = 0x03,
};

// Concerns a database as a whole.
struct DBOptions {
  // Makes the directory and a new database when there is none. A directory
  // that holds tables, logs or MANIFESTs but no CURRENT is never taken for an
  // empty one: that open fails.
  bool create_if_missing = false;
  // Fails when there is one already.
  bool error_if_exists = false;
  // Makes the column families that Open names and the database lacks.
  bool create_missing_column_families = false;
  // A directory of LevelDB's is opened for writing only with this: the first
  // open rewrites its MANIFEST, after which LevelDB refuses the directory.
  // There is no way back. Without it: OpenForReadOnly.
  bool upgrade_leveldb = false;

  // The world outside. nullptr: the operating system's.
  std::shared_ptr<FileSystem> file_system;
  std::shared_ptr<Clock> clock;
  // nullptr: threads of the database's own, two for flushes and, for
  // compactions, twice max_background_jobs - 1 (at least one) times
  // max_subcompactions: the second of each two is for
  // CompressionOptions::parallel_threads.
  std::shared_ptr<JobRunner> job_runner;

  // Counters; nullptr: none.
  std::shared_ptr<Statistics> statistics;

  // Flushes and compactions that may run at once. 1 to 1024.
  int max_background_jobs = 2;
  // Parts, of different keys, that one compaction may be cut into to run at
  // once, each in a thread of its own. Only large ones are cut: a part reads
  // at least target_file_size_base. 1 to 1024; without a job_runner,
  // max_subcompactions times max_background_jobs - 1 is at most 4096.
  uint32_t max_subcompactions = 1;

  // See above.
  WALRecoveryMode wal_recovery_mode = WALRecoveryMode::kPointInTimeRecovery;
  // Bytes of logs past which the families that keep the oldest of them are
  // flushed. 0: four times what all memtables may take.
  uint64_t max_total_wal_size = 0;
  // All families are flushed together, and either all or none of it survives a
  // crash: batches across families stay whole even where disableWAL wrote
  // them.
  bool atomic_flush = false;
  // Bytes past which a new MANIFEST is begun (and past twice what it would
  // begin with). RocksDB: 1 GiB.
  uint64_t max_manifest_file_size = 64 * 1024 * 1024;

  // After a background error that may pass (an I/O error, a full disk, a failed
  // allocation) the database resumes by itself: it tries as often as this, and
  // so long apart, whether writes come or not (but for a job_runner without
  // ScheduleAfter, which leaves it to the next write). 0: only Resume does.
  int max_bgerror_resume_count = 0x7fffffff;
  uint64_t bgerror_resume_retry_interval = 1'000'000;  // microseconds

  // Tables that may be open at once; each holds a descriptor and, in memory,
  // its index and filter. Past that, those not used for longest are closed.
  // Not counted: tables that a running read, an iterator or a compaction is
  // in, and the few files being written. -1: all stay open, which makes reads
  // fastest, and Open opens and checks every table. At least 1 otherwise; Open
  // then checks that many, and of the others that they are there in their
  // size.
  int max_open_files = -1;

  // The size at which the running LOG file of events becomes LOG.old.*, and
  // how many of those are kept.
  size_t max_log_file_size = 16 * 1024 * 1024;
  size_t keep_log_file_num = 10;
};

// How the blocks of new tables are compressed.
struct CompressionOptions {
  // Threads that build a table in a flush or a compaction. 1: one does it all.
  // 2 or more: a second one compresses, checks and writes the blocks that the
  // first has filled, where job_runner has one free. The bytes are the same.
  // RocksDB: 1, and with more, each compresses blocks of its own; here more
  // than two are as two (max_subcompactions takes more).
  uint32_t parallel_threads = 2;
};

// Concerns one column family.
struct ColumnFamilyOptions {
  // The order of keys. Fixed.
  const Comparator* comparator = BytewiseComparator();

  // A memtable that holds this many bytes is frozen and flushed.
  size_t write_buffer_size = 64 * 1024 * 1024;
  // Memtables, the one being written included, before writes wait for a flush.
  // At least 2.
  int max_write_buffer_number = 2;

  // The share of write_buffer_size that a memtable spends on a Bloom filter of
  // its whole keys, so that a Get for a key it lacks need not search it. 0:
  // none; at most 0.25. Takes effect with memtable_whole_key_filtering.
  double memtable_prefix_bloom_size_ratio = 0;
  bool memtable_whole_key_filtering = false;

  // The codec of data and index blocks; a block it does not shrink is stored
  // as it is. Default: snappy.
  CompressionType compression = kSnappyCompression;
  CompressionOptions compression_opts;

  // What Merge means. nullptr: Merge is refused, and a key that holds operands
  // cannot be read or compacted. Stored operands keep the meaning of the one
  // they were written under.
  std::shared_ptr<MergeOperator> merge_operator;

  // Takes the prefixes out of keys that filters hold besides whole keys, or in
  // their stead. nullptr: none. May change from open to open: prefix filters
  // of tables written with another extractor are not asked.
  std::shared_ptr<const SliceTransform> prefix_extractor;
  // Writes no filters into the tables of the last level, where nine tenths of
  // the keys are: right where nearly every Get finds its key.
  bool optimize_filters_for_hits = false;

  // Files in level 0 that start a compaction, slow writes down, stop them. Each
  // counts as at least the one before it.
  int level0_file_num_compaction_trigger = 4;
  int level0_slowdown_writes_trigger = 20;
  int level0_stop_writes_trigger = 36;

  // Level 1 is to hold so many bytes, each level below it
  // max_bytes_for_level_multiplier times as many: a finite number of 1 or more.
  uint64_t max_bytes_for_level_base = 256 * 1024 * 1024;
  double max_bytes_for_level_multiplier = 10;
  // Compactions cut their outputs at about this size.
  uint64_t target_file_size_base = 64 * 1024 * 1024;

  // Only CompactRange compacts.
  bool disable_auto_compactions = false;

  // How tables are written. nullptr: NewBlockBasedTableFactory().
  std::shared_ptr<TableFactory> table_factory;
};

struct Options : public DBOptions, public ColumnFamilyOptions {
  Options() = default;
  Options(const DBOptions& db, const ColumnFamilyOptions& family)
      : DBOptions(db), ColumnFamilyOptions(family) {}
};

enum ReadTier : uint8_t {
  kReadAllTier = 0,     // memory, then files
  kBlockCacheTier = 1,  // memory only; Status::IsIncomplete() past that
};

struct ReadOptions {
  // Reads at this moment; nullptr: at the moment of the call.
  const Snapshot* snapshot = nullptr;

  // An iterator shows keys in [lower, upper). The Slices and their bytes
  // outlive the iterator.
  const Slice* iterate_lower_bound = nullptr;
  const Slice* iterate_upper_bound = nullptr;

  // An iterator shows only keys with the prefix of the last Seek's target (of
  // the bound, where SeekToFirst or SeekToLast meet one; of the first key they
  // find, where not). Without effect on a target that has no prefix, or
  // without prefix_extractor.
  bool prefix_same_as_start = false;
  // Asks no prefix filter in Seek and SeekForPrev. What an iterator shows does
  // not depend on it: filters are asked only where bounds, or
  // prefix_same_as_start, prove that one prefix is all that is wanted.
  bool total_order_seek = false;

  // Compares the checksum of every block read from a file. A block that is
  // resident was compared when it came in, unless its reader turned this off.
  bool verify_checksums = true;
  // Keeps the data blocks that were read resident.
  bool fill_cache = true;
  ReadTier read_tier = kReadAllTier;

  // Bytes that an iterator on its way forward fetches in one read of a file
  // behind a data block that is not resident, never past the file's end. 0:
  // automatic: nothing at first; after two data blocks of a table, read one
  // behind the other, 8 KiB, and twice as much each time up to 256 KiB, until
  // it goes on elsewhere. Each table that the iterator stands in keeps a buffer
  // of this size from its first such read on. Without effect on what is
  // resident, on the way backward, and on Get.
  size_t readahead_size = 0;
};

struct WriteOptions {
  // Returns when the write would survive a power cut; otherwise when it would
  // survive a kill of the process.
  bool sync = false;
  // Writes no log: what is not yet flushed is lost in a crash. Close flushes
  // it. InvalidArgument together with sync.
  bool disableWAL = false;
};

struct FlushOptions {
  // Returns when the data stands in a table; otherwise when the flush is under
  // way.
  bool wait = true;
};

enum class BottommostLevelCompaction : uint8_t {
  kSkip,   // a lone deepest level stays as it is
  kForce,  // its files are rewritten too: new filters, new codec
};

struct CompactRangeOptions {
  BottommostLevelCompaction bottommost_level_compaction =
      BottommostLevelCompaction::kSkip;
};

}  // namespace tamis
