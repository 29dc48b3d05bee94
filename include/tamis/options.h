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

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>

#include "tamis/column_family_options.h"
#include "tamis/compaction_service.h"  // IWYU pragma: export
#include "tamis/db_options.h"
#include "tamis/export.h"
#include "tamis/ingest_external_file.h"
#include "tamis/rate_limiter.h"
#include "tamis/slice.h"
#include "tamis/table_properties.h"
#include "tamis/wait_for_compact.h"

namespace tamis {

class Snapshot;

struct TAMIS_EXPORT Options : public DBOptions, public ColumnFamilyOptions {
  Options() = default;
  // Sets the options of both kinds.
  Options(const DBOptions& db, const ColumnFamilyOptions& family)
      : DBOptions(db), ColumnFamilyOptions(family) {}

  // For databases below 1 GiB: both functions of that name, with one new block
  // cache of 16 MiB. Returns `this`.
  Options* OptimizeForSmallDb();
  // For loading without reads: no compaction and no stall, two levels, 6
  // memtables, tables of 256 MiB. Compact everything (CompactRange) afterwards,
  // and open with other options. Returns `this`.
  Options* PrepareForBulkLoad();
  // Writes all options to the log, as DBOptions::Dump; DumpCFOptions those of
  // the column family alone.
  void Dump(Logger* log) const;
  void DumpCFOptions(Logger* log) const { ColumnFamilyOptions::Dump(log); }
};

// Where a read looks.
enum ReadTier : uint8_t {
  kReadAllTier = 0,     // memory, then files
  kBlockCacheTier = 1,  // memory only; otherwise Status::IsIncomplete()
};

// Of DB::GetMergeOperands.
struct GetMergeOperandsOptions {
  // How many operands the caller has place for.
  int expected_max_number_of_operands = 0;
};

// How a read is made.
struct TAMIS_EXPORT ReadOptions {
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
  // Probes prefix filters in Seek and SeekForPrev in spite of total_order_seek.
  // In RocksDB, this option makes prefix seeks safe; in Tamis, they always are.
  bool auto_prefix_mode = false;

  // Verifies the checksum of every block read from a file. Cached blocks were
  // verified when loaded, unless that reader turned this off.
  bool verify_checksums = true;
  // With another value than IO_TOTAL, and a DBOptions::rate_limiter whose mode
  // limits reads, a Get, a MultiGet or an iterator waits before it reads a
  // block from a file, until the limiter grants the bytes of the block at this
  // priority. VerifyFileChecksums does so for the bytes of the files. Blocks in
  // memory need no grant; of what an iterator prefetches, each block is charged
  // when it is used, and reading what a table needs to be opened is free. While
  // a read waits, memory that writes and flushes give up is not freed. A read
  // that waited beyond `deadline` returns TimedOut.
  IOPriority rate_limiter_priority = IO_TOTAL;
  // Adds data blocks that are read from files to the block cache. While more
  // than a quarter of the cache is free, adds every block. Otherwise adds a
  // block only if it was read before, recently. That counts point reads, and
  // of an iterator the first four blocks that it enters in a table after a
  // seek. If false, adds no block.
  bool fill_cache = true;
  // Where to look.
  ReadTier read_tier = kReadAllTier;

  // The time (microseconds since the Unix epoch, by DBOptions::clock) after
  // which a Get, a MultiGet or an iterator begins no more reads of files: it
  // returns TimedOut instead. Reads in memory go on. 0 means no limit. An
  // iterator keeps its deadline: after it, only cached blocks can be read.
  std::chrono::microseconds deadline = std::chrono::microseconds::zero();
  // The time that one read of a block may take. A read cannot be interrupted:
  // if it took longer, the call returns TimedOut when it ends, instead of
  // reading more. 0 means no limit. (RocksDB passes this to the file system,
  // which ignores it by default.) Blocks that a MultiGet reads at the same time
  // and blocks that an iterator prefetches are subject to `deadline` alone.
  std::chrono::microseconds io_timeout = std::chrono::microseconds::zero();

  // MultiGet returns Aborted, without a value, for the keys after the one with
  // which the sum of the values exceeds this many bytes.
  uint64_t value_size_soft_limit = UINT64_MAX;

  // If not 0, a call of an iterator that skips more internal keys than this
  // (deleted, overwritten or newer ones) returns Incomplete in status(). The
  // iterator is then not Valid(); the next Seek may succeed.
  uint64_t max_skippable_internal_keys = 0;

  // Has an iterator follow the database: every seek shows the state as of that
  // seek. Next shows later writes, too, but may miss those between the keys of
  // its sources that it has already reached. An iterator that finds the state
  // unchanged except for writes costs no more than another; after a flush, a
  // compaction or a DeleteRange, it is made anew. Excludes `snapshot`: such an
  // iterator has InvalidArgument in status(). In RocksDB, backward moves are
  // not supported.
  bool tailing = false;
  // Keeps the bytes of every key that an iterator has shown valid until the
  // iterator is deleted or refreshed. The iterator copies them; the property
  // "rocksdb.iterator.is-key-pinned" is then "1". (RocksDB pins blocks, which
  // needs tables without delta encoding.)
  bool pin_data = false;
  // RocksDB no longer has managed iterators. If set, iterators fail with
  // NotSupported.
  bool managed = false;
  // Shows what range tombstones delete, and saves the reads that look for them.
  // For users that never call DeleteRange, or do not mind.
  bool ignore_range_deletions = false;
  // An iterator skips tables for which this returns false. A table's range
  // tombstones are skipped with it, so that keys of other tables that they
  // delete reappear. Runs on the iterator's thread, when a table is opened; an
  // exception ends the iteration. No effect on Get.
  std::function<bool(const TableProperties&)> table_filter;
  // Leaves the deletion of files that an iterator kept alive to a background
  // job, so that the thread that deletes the iterator does not wait for it.
  bool background_purge_on_iterator_cleanup = false;

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

// How a write is made.
struct WriteOptions {
  // If true, the write survives a power failure once the call returns. If
  // false, it survives only a kill of the process.
  bool sync = false;
  // Skips the log. A crash loses the write unless it was flushed; Close flushes
  // it. Excludes sync: a write with both returns InvalidArgument.
  bool disableWAL = false;
  // Leaves out the changes of column families that were dropped, instead of
  // failing with InvalidArgument. They stay in the log, where a later open
  // ignores them, too.
  bool ignore_missing_column_families = false;
  // Returns Incomplete, and writes nothing, where the write would have to wait
  // for flushes or compactions: also behind another writer that waits for them,
  // and where it would wait for a resume after an error, or begin one. It only
  // begins one if no timer of the JobRunner does.
  bool no_slowdown = false;
  // While compactions are behind, this write waits before it joins the others:
  // all such writes together, 1 MiB per second. With no_slowdown, it returns
  // Incomplete instead. Compactions are behind when a family with automatic
  // ones has as many tables in level 0 as level0_file_num_compaction_trigger,
  // and a quarter of the way to level0_slowdown_writes_trigger, or twice the
  // former if that is less.
  bool low_pri = false;
  // For programs that set it, as a hint to RocksDB's skiplist to begin where
  // the batch inserted last. Tamis's memtable always does, and ignores it.
  bool memtable_insert_hint_per_batch = false;
  // With IO_USER, and a DBOptions::rate_limiter that limits writes, the write
  // first waits until the limiter grants its bytes. It does not hold up other
  // writes meanwhile. IO_TOTAL means no limit. Write returns InvalidArgument
  // for other values, and for IO_USER together with disableWAL.
  IOPriority rate_limiter_priority = IO_TOTAL;
};

// How DB::Flush works.
struct FlushOptions {
  // If true, Flush returns when the data is in a table. If false, it returns
  // when the flush has been scheduled. In both cases it first waits for the
  // writes already queued.
  bool wait = true;
  // If false, Flush first waits until another immutable memtable, and another
  // table of level 0, would neither slow nor stop writes, or until no job is
  // left that could change that. `wait` does not matter to this.
  bool allow_write_stall = false;
};

// Whether CompactRange rewrites the tables that are at the deepest level
// already, for new filters or another codec.
enum class BottommostLevelCompaction : uint8_t {
  kSkip = 0,
  // Does if the family has a compaction filter or a factory of them.
  kIfHaveCompactionFilter = 1,
  kForce = 2,
  // All but those that the same call has written.
  kForceOptimized = 3,
};

// How DB::CompactRange works.
struct CompactRangeOptions {
  // If true, no automatic compaction runs at the same time. If false, those of
  // other families may. (In RocksDB, those of the same family, too.)
  bool exclusive_manual_compaction = true;
  // Moves the result to target_level, or with -1 to the lowest level (the one
  // with the smallest number, not 0) into which it fits: the levels between are
  // empty and its bytes are within the level's target. Only if [begin, end] is
  // unbounded; ignored under kCompactionStyleUniversal and FIFO. Returns
  // InvalidArgument for a level that num_levels does not have, NotSupported if
  // target_level or a level between holds tables. The tables may move again as
  // compactions become due.
  bool change_level = false;
  int target_level = -1;
  BottommostLevelCompaction bottommost_level_compaction =
      BottommostLevelCompaction::kIfHaveCompactionFilter;
  // If false, waits before it flushes until that neither slows nor stops
  // writes.
  bool allow_write_stall = false;
  // If not 0, used in place of DBOptions::max_subcompactions. At most 1024.
  uint32_t max_subcompactions = 0;
  // The index of the directory (DBOptions::db_paths) of the tables written, and
  // of tables that move to a deeper level; InvalidArgument if there is none. By
  // default everything in the range so goes to the first.
  uint32_t target_path_id = 0;
  // If the flag becomes true, the call ends soon, with Incomplete
  // (Status::IsManualCompactionPaused). What was compacted by then remains. A
  // call that waits for other compactions first waits for their end. The flag
  // must outlive the call.
  std::atomic<bool>* canceled = nullptr;
};

// DB::CompactFiles takes the names of tables as metadata has them
// ("/000012.sst"), without the '/' or with a path, and compacts them into
// output_level. Adds tables without which a newer version of a key could get
// below an older one: older ones of level 0, and down to the output level those
// within the bounds of the others. Waits for compactions of the family that
// run; until the end, no other starts. Sets *output_file_names to the paths of
// the tables written (to none, if all entries were dropped), and
// *compaction_job_info to what listeners are told. output_path_id is the index
// of their directory (DBOptions::db_paths); -1 applies the rules for automatic
// compactions.
//
// Errors: InvalidArgument if no file is named, one is unknown or below the
// output level, or the output level, path or an option is out of range (under
// kCompactionStyleFIFO, level 0 is the only one); Aborted if a file that is
// needed is being compacted, or was ingested beside entries in memory and would
// be merged within level 0 before their flush. Both name the file, and nothing
// has changed. Incomplete after DisableManualCompaction. Other errors stop
// writes until Resume.
struct TAMIS_EXPORT CompactionOptions {
  // The codec of the tables written. kDisableCompressionOption: what the
  // options of the family say for the output level. (In RocksDB before 8.11,
  // the default is kSnappyCompression.)
  CompressionType compression = kDisableCompressionOption;
  // A table ends when it has this many bytes, as target_file_size_base; at
  // least
  // 1. By default, the call writes one table, or one per part of it. Without
  // effect in level 0, where the result is one table.
  uint64_t output_file_size_limit = std::numeric_limits<uint64_t>::max();
  // The most parts that run at the same time, as DBOptions::max_subcompactions,
  // which 0 means; at most 1024.
  uint32_t max_subcompactions = 0;
};

// How DB::GetLiveFilesStorageInfo works.
struct LiveFilesStorageInfoOptions {
  // Whether DB::GetLiveFilesStorageInfo tells the checksums of the tables.
  bool include_checksum_info = false;
  // Flushes all families first if the logs have at least this many bytes. 0
  // means always. Writes made with disableWAL are flushed in any case.
  uint64_t wal_size_for_flush = 0;
};

// How DB::CreateColumnFamilyWithImport works.
struct ImportColumnFamilyOptions {
  // Links the files into the database's directory instead of copying them, and
  // removes their old names after success. Files that cannot be linked are
  // copied.
  bool move_files = false;
};

// How DB::RewriteFilters works.
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
