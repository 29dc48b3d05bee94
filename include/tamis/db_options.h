// SPDX-License-Identifier: Apache-2.0
//
// Options of a database, shared by its column families. See options.h for what
// Open does with a value outside the stated range.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tamis/clock.h"
#include "tamis/db_path.h"
#include "tamis/env.h"
#include "tamis/export.h"
#include "tamis/file_checksum.h"
#include "tamis/file_system.h"
#include "tamis/ignored_options.h"
#include "tamis/job_runner.h"
#include "tamis/listener.h"
#include "tamis/logger.h"
#include "tamis/rate_limiter.h"
#include "tamis/sst_file_manager.h"
#include "tamis/statistics.h"
#include "tamis/table.h"
#include "tamis/write_buffer_manager.h"

namespace tamis {

class Cache;
class CompactionService;

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

// Options of the whole database. The base has options of RocksDB that Tamis
// ignores.
struct TAMIS_EXPORT DBOptions : public IgnoredDBOptions {
  // These set several options for a purpose, and return `this`.
  //
  // Lets `total_threads` flushes and compactions run at a time: sets
  // max_background_jobs. Without a job_runner, the shared one may start the
  // threads for them; a job_runner needs them itself.
  DBOptions* IncreaseParallelism(int total_threads = 16);
  // For databases below 1 GiB: sets max_open_files. See Options, too. `cache`
  // is ignored; in RocksDB, memtables count against it.
  DBOptions* OptimizeForSmallDb(std::shared_ptr<Cache>* cache = nullptr);
  // Writes each option to the log, as a header: "Options.name: value", with the
  // value as convenience.h has it, and an object without a text by its name.
  void Dump(Logger* log) const;

  // Creates the directory and the database if missing. Fails if the directory
  // holds tables, logs, MANIFESTs or OPTIONS files but no CURRENT: such a
  // directory is damaged, not empty. What a power failure may leave of a
  // creation counts as empty.
  bool create_if_missing = false;
  // Fails if the database exists.
  bool error_if_exists = false;
  // Creates the column families named in Open that the database lacks.
  bool create_missing_column_families = false;
  // Allows opening a LevelDB directory for writing. Irreversible: the first
  // open rewrites its MANIFEST, after which LevelDB rejects the directory.
  // OpenForReadOnly does not need this.
  bool upgrade_leveldb = false;

  // RocksDB's object for files, time and threads. Only its files count, where
  // file_system is nullptr. nullptr means Default().
  Env* env = Env::Default();
  // If nullptr, that of env.
  std::shared_ptr<FileSystem> file_system;
  // If nullptr, that of the operating system.
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
  // Writes `statistics` to LOG at this interval, in seconds: a line for each
  // ticker and histogram that is not zero (event=statistics), after the texts
  // of kDBStats and of each family's kCFStats. 0 means never. Needs a timer of
  // the job_runner (JobRunner::ScheduleAfter), whose one thread does it. No
  // effect without `statistics`; RocksDB then writes the texts. SetDBOptions
  // changes it; the next interval begins then.
  unsigned int stats_dump_period_sec = 600;

  // The pause between two looks of DB::OpenAsFollower, in milliseconds. In
  // RocksDB it is 10,000. A look that finds nothing new takes about 0.2 ms
  // here, where files are local. If the file system tells of synced writes
  // (FileSystem::WatchDirectory), as that of a cluster does, a look follows
  // each of them, within 10 ms or a tenth of this time.
  uint64_t follower_refresh_catchup_period_ms = 100;

  // Whether GetThreadList (thread_status.h) lists the jobs of the database, and
  // its opening.
  bool enable_thread_tracking = false;

  // Limits the bytes per second that flushes (IO_HIGH) and compactions (IO_LOW)
  // write, and by its mode also those that compactions read. Writes to the log
  // are limited only with WriteOptions::rate_limiter_priority, other reads only
  // with ReadOptions::rate_limiter_priority. A flush that waits for the limiter
  // may make writes wait. nullptr means no limit.
  std::shared_ptr<RateLimiter> rate_limiter;

  // Counts and bounds the table files of all databases that share it, and
  // deletes files slowly; see sst_file_manager.h. nullptr means neither.
  std::shared_ptr<SstFileManager> sst_file_manager;

  // Carries out compactions in other processes; see compaction_service.h. Not
  // asked for compactions that only move or delete tables, nor for
  // DB::RewriteFilters. nullptr: the database carries them all out.
  std::shared_ptr<CompactionService> compaction_service;

  // Bounds the memory of the memtables of all families of this database, in
  // bytes: if there is no write_buffer_manager, Open makes one of this size.
  // 0 means no such limit.
  size_t db_write_buffer_size = 0;

  // Bounds the memory of the memtables of all databases that share it, beside
  // write_buffer_size; see write_buffer_manager.h. nullptr means no such limit.
  // Open returns InvalidArgument if its cache is not made by NewLRUCache.
  std::shared_ptr<WriteBufferManager> write_buffer_manager;

  // One flush runs at a time. Beside it, max(1, max_background_jobs - 1)
  // compactions may run, so 1 means the same as 2. 1 to 1024.
  int max_background_jobs = 2;
  // Maximum number of key ranges into which one compaction is split, each
  // compacted by a thread of its own. A compaction is split into at most as
  // many parts as it has multiples of target_file_size_base to read. 1 to 1024;
  // without a job_runner, max_subcompactions * max(max_background_jobs - 1, 1)
  // must not exceed 4096.
  uint32_t max_subcompactions = 1;

  // While compactions are far behind (level0_slowdown_writes_trigger), each
  // group of writers waits as long as its first batch takes at this rate, in
  // bytes per second. 0 means 1 ms for each group, whatever its size. (RocksDB
  // starts at 16 MB per second, and adapts the rate.)
  uint64_t delayed_write_rate = 0;

  // Hands a table to the device each time that this many bytes of it were
  // written, so that the device does not idle until the table is synced at its
  // end. 0 means only then. RocksDB's default is 0.
  uint64_t bytes_per_sync = 1 << 20;
  // Does the same for the log. Starts writeback, and waits for nothing.
  uint64_t wal_bytes_per_sync = 0;
  // Does not pass each write to the operating system: records stay in a buffer
  // until FlushWAL, a write with sync, a flush of memtables, a checkpoint,
  // Close, or until the buffer is full. Other processes that read the directory
  // do not see them until then. A kill of the process loses those in the
  // buffer, always the newest. Records that a file system stores in place
  // (WritableFile::Reserve) are in the operating system at once all the same.
  bool manual_wal_flush = false;
  // kZSTD compresses the records of new logs, each group of batches by itself:
  // fewer bytes to write and sync for more CPU time of writers. Open returns
  // NotSupported for other codecs, and if the build lacks zstd; RocksDB then
  // does not compress. Logs are read by what they are. RocksDB reads compressed
  // ones from 7.0 on.
  CompressionType wal_compression = kNoCompression;
  // See WALRecoveryMode.
  WALRecoveryMode wal_recovery_mode = WALRecoveryMode::kPointInTimeRecovery;
  // When the logs exceed this many bytes, the families that need the oldest log
  // are flushed. 0 means four times the maximum size of all memtables.
  uint64_t max_total_wal_size = 0;
  // The directory of the logs and of archive/. It should be absolute: the
  // OPTIONS file records it as it is given, and from another working directory
  // an open looks for forgotten logs of a relative one in the wrong place.
  // Empty, or the name of the database's own directory, means that one. Open
  // creates it if missing, but not its parent. It serves one database, which
  // marks it with LOCK and IDENTITY; Open returns InvalidArgument if it belongs
  // to another one.
  //
  // To change it, close the database, and move the logs (archive/ is left where
  // it is). Open returns InvalidArgument, and names the log, if one that is
  // needed is in the database's directory, or in the wal_dir that the newest
  // OPTIONS file names, but not in this one. RocksDB loses such writes. Open
  // fails if it cannot write that file, the only record of the directory.
  std::string wal_dir;
  // The directories of tables, in order of preference, for databases of which
  // the newest part is to be on a faster device. At most four; several require
  // kCompactionStyleLevel or kCompactionStyleUniversal, and turn
  // level_compaction_dynamic_level_bytes off. Empty means the database's own
  // directory, which otherwise has tables only if it is named. A family with
  // ColumnFamilyOptions::cf_paths has those instead.
  //
  //   flushes and ingested files   the first
  //   kCompactionStyleLevel        level 0 and 1 count as
  //                                max_bytes_for_level_base each, deeper levels
  //                                as their targets; each directory gets the
  //                                next levels that its target_size has room
  //                                for
  //   kCompactionStyleUniversal    by the size of the output, so that what is
  //                                merged before the output is merged again
  //                                fits beside it
  //   what fits nowhere            the last
  //   CompactRange, CompactFiles   what the call says
  //
  // Nothing enforces a target_size. To change the directories of tables that
  // exist, keep the order, or move the tables: the MANIFEST has the index, and
  // one beyond the end means the last. Open returns Corruption, and names the
  // table, if one is not where its index says. As in RocksDB, the OPTIONS file
  // does not record the directories: every open, RepairDB and DestroyDB needs
  // them. Checkpoints and backups have all tables in one directory.
  //
  // A directory may serve several families, but one database only, which marks
  // it with LOCK and IDENTITY; Open returns InvalidArgument if it belongs to
  // another one. (RocksDB deletes the other's tables.)
  std::vector<DbPath> db_paths;
  // With either of these, logs that no family needs any more move to
  // archive/ beside them instead of being deleted, for GetUpdatesSince and for
  // programs that copy them (GetSortedWalFiles). An open recovers nothing from
  // there, checkpoints do not copy it, and DestroyDB removes it.
  //
  // WAL_ttl_seconds: an archived log is deleted when its last record is that
  // old, by GetFileModificationTime of the file_system; Open returns
  // InvalidArgument if that has none. A timer of the job_runner looks every
  // WAL_ttl_seconds / 2 seconds, 10 minutes at most; without a timer, each log
  // that moves there does.
  // WAL_size_limit_MB: while the archived logs have more MiB in total, the
  // oldest is deleted, as soon as a log moves there. (RocksDB looks every 10
  // minutes, and counts each log as large as the largest.)
  //
  // If both are 0, logs are deleted, and what an archive holds from before
  // stays. A log of which a write failed, after which the database resumed, is
  // deleted, too: it may hold that write.
  uint64_t WAL_ttl_seconds = 0;
  uint64_t WAL_size_limit_MB = 0;
  // Flushes all families together; after a crash, either all or none of such a
  // flush survives. Batches across families thus stay atomic even with
  // disableWAL.
  bool atomic_flush = false;
  // A new MANIFEST is started when the current one exceeds this many bytes and
  // twice the size it started with. RocksDB's default is 1 GiB.
  uint64_t max_manifest_file_size = 64 * 1024 * 1024;
  // Compactions read this many bytes of an input at once, beyond the block that
  // they need, into one buffer for each table of level 0 and for each deeper
  // level. 0: twice as many each time, at most 256 KiB. Large values help where
  // each read is slow, as on disks that turn. RocksDB's default is 2 MiB.
  size_t compaction_readahead_size = 256 * 1024;

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
  // as many of each family as the limit allows. SetDBOptions changes a limit to
  // another one, and closes tables beyond it; not from or to -1.
  int max_open_files = -1;
  // The most threads that OpenForReadOnly, OpenAsSecondary and OpenAsFollower
  // open tables with, one for each 16 tables. They end with the open. With a
  // deterministic job_runner, the caller opens all.
  int max_file_opening_threads = 16;

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
  // Flushes and compactions write tables past the page cache (O_DIRECT), and
  // compactions read their inputs so: neither then drives out of it what reads
  // need. bytes_per_sync has no effect on such writes. Logs and small files are
  // written as always. Open returns InvalidArgument if the file system has no
  // direct writes or reads, as tmpfs before Linux 6.6. RepairDB ignores it.
  bool use_direct_io_for_flush_and_compaction = false;

  // Open leaves what is in the logs in memtables, and keeps the logs, instead
  // of writing tables: it then syncs twice instead of five times. Each open
  // reads the kept logs again, so at most eight are kept. It still writes
  // tables if the last process did not close the database, or was RocksDB or
  // LevelDB, since the end of a log may then not be durable. It also does if
  // all entries together need as much memory as the largest write_buffer_size,
  // or more than write_buffer_manager allows; if a log is damaged; if a
  // transaction is prepared, but neither committed nor rolled back; and if the
  // file system cannot sync an existing file (FileSystem::SyncFile).
  bool avoid_flush_during_recovery = false;
  // Close flushes nothing, not even writes made with disableWAL, which are then
  // lost. SetDBOptions can change it.
  bool avoid_flush_during_shutdown = false;

  // Has a flush, and a compaction, return Corruption if it did not read as many
  // entries as its memtables, or the tables that it replaces, have: entries
  // that were not read would be lost with them. The counts of tables are from
  // their properties. Tables that have none, those of LevelDB, are compacted
  // without the check, and a compaction with a compaction filter may read
  // fewer: it may skip ranges. (RocksDB has the second one since 8.5.)
  bool flush_verify_memtable_count = true;
  bool compaction_verify_record_count = true;

  // Keeps transactions that the logs have as prepared, but neither committed
  // nor rolled back, for a TransactionDB, which sets it. If false, an open that
  // finds one returns NotSupported, and changes nothing. Opens for reading only
  // pass over them in any case.
  bool allow_2pc = false;

  // Sets cf_allow_ingest_behind for every family.
  bool allow_ingest_behind = false;

  // Has a checksum of the whole file computed of each table that is written or
  // ingested, and stored in the MANIFEST. DB::VerifyFileChecksums, or any other
  // program, checks it. CRC-32C (GetFileChecksumGenCrc32cFactory) costs one
  // more pass over bytes that are in the processor's cache. nullptr: tables get
  // none, and those that have one keep it. See file_checksum.h.
  std::shared_ptr<FileChecksumGenFactory> file_checksum_gen_factory;

  // The directory of LOG, which is created if it is missing; empty means that
  // of the database. With it, the name of LOG is the absolute path of the
  // database without its first '/', with '_' for every other '/', and "_LOG".
  // So databases may share a directory. DestroyDB removes these files if its
  // options have the directory.
  std::string db_log_dir;
  // LOG records events. It is renamed to LOG.old.* at each open, when it
  // reaches max_log_file_size bytes, and at the first line that is written
  // log_file_time_to_roll seconds or more after it began; 0 means no limit. The
  // newest keep_log_file_num renamed files are kept; 0 keeps none. RocksDB's
  // defaults are 0, 0 and 1000.
  size_t max_log_file_size = 16 * 1024 * 1024;
  size_t log_file_time_to_roll = 0;
  size_t keep_log_file_num = 10;
  // Receives the lines of LOG, without time, instead of that file. Lines with
  // an error have ERROR_LEVEL, others INFO_LEVEL. A database that is open for
  // reading only, which writes no LOG, has it too. nullptr means LOG.
  std::shared_ptr<Logger> info_log;
  // LOG omits lines of lower levels. An info_log has a level of its own.
  InfoLogLevel info_log_level = INFO_LEVEL;
  // Are told of flushes, compactions, errors and so on (listener.h).
  std::vector<std::shared_ptr<EventListener>> listeners;
};

}  // namespace tamis
