// SPDX-License-Identifier: Apache-2.0
//
// A TableFile is one live table of the tree: its metadata from the MANIFEST,
// and its reader, opened on first use. The reader stays open as long as any
// version refers to the file. With DBOptions::max_open_files, the hand of
// OpenTables may close it earlier.
//
// The TableCache of a family opens the readers of the family's files.
//
// Locks: TableFile::open_mutex_, then OpenTables::mutex, then
// TableFile::mutex_.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "db/base/db_context.h"
#include "db/base/numbers.h"
#include "db/base/open_tables.h"
#include "db/base/table_paths.h"
#include "db/manifest/version_edit.h"
#include "table/range_tombstones.h"
#include "table/table_reader.h"
#include "util/base/mutex.h"
#include "util/base/result.h"
#include "util/stats/histogram.h"

namespace tamis {

// Owns a reference if the number of open tables is limited. Otherwise it need
// not, because the reader lives as long as its TableFile.
using TableReaderPtr = std::shared_ptr<const TableReader>;

// Any thread. Shared by the versions that contain it.
class TableFile {
 public:
  // `lookups` is TableCache::lookups() of the family.
  explicit TableFile(FileMetaData file_meta, uint64_t lookups = 0)
      : meta(std::move(file_meta)),
        num_entries_(meta.num_entries),
        num_deletions_(meta.num_deletions),
        lookups_before_(lookups - meta.lookups.all),
        negative_lookups_(meta.lookups.negative) {}
  ~TableFile();
  TableFile(const TableFile&) = delete;
  TableFile& operator=(const TableFile&) = delete;

  const FileMetaData meta;

  // Returns the reader, without a lock or a reference; it lives as long as
  // *this. Returns nullptr if the table is not open, or if max_open_files
  // limits the open tables.
  const TableReader* reader_if_open() const {
    return kept_reader_.load(std::memory_order_acquire);
  }
  // Returns the reader with a reference, or nullptr if the table is not open.
  TableReaderPtr FindReader() const EXCLUDES(mutex_) {
    MutexLock lock(&mutex_);
    used_ = true;
    return reader_;
  }
  // Return the numbers of entries, and of deletions among them, or 0 if the
  // table was neither opened nor written by this process.
  uint64_t num_entries_if_known() const {
    return num_entries_.load(std::memory_order_relaxed);
  }
  uint64_t num_deletions_if_known() const {
    return num_deletions_.load(std::memory_order_relaxed);
  }
  // Returns the number of entries without range deletions; nullopt if the table
  // does not say it: those of LevelDB, and of RocksDB before 5.18 with range
  // deletions. REQUIRES: as range_tombstones_if_open().
  std::optional<uint64_t> point_entries_if_known() const;
  // Counts lookups that searched the table, or probed its filter, and did not
  // find their key. The count outlives the reader.
  void CountNegative(uint64_t lookups) const {
    negative_lookups_.fetch_add(lookups, std::memory_order_relaxed);
  }
  // Returns the table's counts. `lookups` is TableCache::lookups() now.
  LookupCounts CountsAt(uint64_t lookups) const {
    return {.all = lookups - lookups_before_,
            .negative = negative_lookups_.load(std::memory_order_relaxed)};
  }
  // The level that has the table, or had it last.
  Level level() const { return level_.load(std::memory_order_relaxed); }
  void SetLevel(Level level) const {
    level_.store(level, std::memory_order_relaxed);
  }
  // What its filters do; outlives the reader, too.
  const std::shared_ptr<FilterCounts>& filter_counts() const {
    return filter_counts_;
  }
  // Returns what TableCache::RangeTombstones returns, without a reference. The
  // tombstones live as long as *this. REQUIRES: the caller obtained a reader of
  // the file.
  const RangeTombstoneFragments* range_tombstones_if_open() const {
    return tombstones_.get();
  }

 private:
  friend class TableCache;
  // nullptr if max_open_files limits the open tables. Otherwise equals reader_;
  // stored once, with release order, and loaded with acquire order and no
  // mutex.
  mutable std::atomic<const TableReader*> kept_reader_{nullptr};
  mutable std::atomic<uint64_t> num_entries_;
  mutable std::atomic<uint64_t> num_deletions_;
  mutable uint64_t num_range_deletions_ = 0;  // as tombstones_
  mutable Mutex open_mutex_;                  // held while the table is opened
  // Set once, before the reader can be found; nullptr if the table has no range
  // tombstones. A thread without a reader loads the flag first, with acquire
  // order; it is stored with release order.
  mutable std::shared_ptr<const RangeTombstoneFragments> tombstones_;
  mutable std::atomic<bool> tombstones_known_{false};

  mutable Mutex mutex_;  // held for a pointer copy
  mutable TableReaderPtr reader_ GUARDED_BY(mutex_);
  // A reader that the hand closed, which may still be in use.
  mutable std::weak_ptr<const TableReader> closed_reader_ GUARDED_BY(mutex_);
  mutable bool used_ GUARDED_BY(mutex_) = false;  // since the hand passed

  // Set when the file first joins the ring, by the thread that opens it.
  mutable OpenTables* open_tables_ = nullptr;
  // Set by the versions that contain it.
  mutable std::atomic<Level> level_{kLevelZero};
  // The index in the ring, guarded by open_tables_->mutex.
  static constexpr size_t kNoPlace = SIZE_MAX;
  mutable size_t place_ = kNoPlace;

  // The family's lookups when the counts of this table began; may be "negative"
  // (modulo 2^64), if it inherited counts.
  const uint64_t lookups_before_;
  const std::shared_ptr<FilterCounts> filter_counts_ =
      std::make_shared<FilterCounts>();
  // On a cache line apart from kept_reader_, which all lookups read.
  alignas(64) mutable std::atomic<uint64_t> negative_lookups_;
};
using TableFilePtr = std::shared_ptr<const TableFile>;

// Clips the tombstone to the file's bounds in the MANIFEST, beyond which tables
// may store it. The result may be empty.
//
//   smallest (k, ...)                 the begin is at least k
//   largest (k, max seq, range del)   the end is at most k, exclusive: the file
//                                     ends in a tombstone
//   largest (k, any other)            the end is at most just after k
//
// Just after k means the next key. Returns NotSupported, and leaves the end
// unchanged, if that is unknown, as in the order of a user's comparator.
Status ClipToFile(const KeyOrder& order, const FileMetaData& meta,
                  RangeTombstone* tombstone);

// Opens the table's <number>.sst or, if that is missing, <number>.ldb. Sets
// *path, for messages, to that of the opened file, or to the .sst path if both
// are missing. `how` is the result of FileOptionsForReads or
// FileOptionsForOnePass.
Result<std::unique_ptr<RandomAccessFile>> OpenTableFile(
    const DBContext& context, const FileMetaData& table, const FileOptions& how,
    std::string* path);

// Any thread. Must outlive every TableFile whose reader it opened.
class TableCache {
 public:
  // `context` must outlive *this. REQUIRES: options.table_factory != nullptr.
  TableCache(const DBContext& context, const KeyOrder& order,
             const ColumnFamilyOptions& options);

  // Returns the table's reader, and opens it if necessary. `file` must outlive
  // the result. After a failure the next call tries again. Returns Incomplete
  // if the table is not open and the tier excludes reading files.
  Result<TableReaderPtr> Reader(const TableFile& file,
                                ReadTier tier = kReadAllTier) const {
    const TableReader* const reader = file.reader_if_open();
    if (reader != nullptr) return TableReaderPtr(TableReaderPtr(), reader);
    return FindOrOpen(file, tier);
  }
  // Returns the range tombstones of the table, clipped by ClipToFile, or
  // nullptr if it has none. They are read once, then kept as long as `file`.
  // Fails as Reader does.
  Result<std::shared_ptr<const RangeTombstoneFragments>> RangeTombstones(
      const TableFile& file, ReadTier tier = kReadAllTier) const;

  // Counts point lookups of the family. See LookupSampler.
  void CountLookups(uint64_t lookups) const {
    lookups_.fetch_add(lookups, std::memory_order_relaxed);
  }
  uint64_t lookups() const { return lookups_.load(std::memory_order_relaxed); }

  // The directories of the family's tables.
  const TablePaths& paths() const { return paths_; }
  const BlockCache& block_cache() const { return *block_cache_; }
  // Returns nullptr in a repair.
  BlockCache* block_cache_if_any() const { return block_cache_.get(); }
  // Returns the block cache's. REQUIRES: there is a block cache, as in every
  // open database; a repair has none.
  EpochDomain* epochs() const { return block_cache_->epochs(); }

  // Returns the latencies of reads of open tables, in microseconds. nullptr
  // without DBOptions::statistics. Tables that were opened while their level
  // excluded such timers are not in it.
  const PerLevel<Histogram>* read_latencies() const {
    return read_latencies_.get();
  }
  void ClearReadLatencies() const;

  // Sets what tables that are opened from now on take from the options: policy
  // and prefix extractor, which probe filters, and the size of a flush.
  void SetOptions(const ColumnFamilyOptions& options) EXCLUDES(options_mutex_);
  // Closes tables, of whatever family, until no more than the limit are open.
  static void CloseBeyondLimit(OpenTables* open) EXCLUDES(open->mutex);

  // Opens the table past the caches, for one pass over it. The reader takes no
  // memory from the block cache, and probes no filter of a user's policy.
  Result<std::unique_ptr<TableReader>> OpenUncached(
      const FileMetaData& meta) const;

  // Does the same for an input of a compaction: reads no filter. As in RocksDB,
  // a damaged one does not fail the compaction, which writes new filters.
  Result<std::unique_ptr<TableReader>> OpenForCompaction(
      const FileMetaData& meta) const;
  // Does the same as RangeTombstones, but opens the table with
  // OpenForCompaction. Its number of entries is known afterwards, too.
  Result<std::shared_ptr<const RangeTombstoneFragments>>
  RangeTombstonesForCompaction(const TableFile& file) const;

  // Returns the context for TableReader::Open.
  TableContext ContextFor(const FileMetaData& meta) const
      EXCLUDES(options_mutex_);
  // Opens the file for one pass. Stores its path in *table.
  Result<std::unique_ptr<RandomAccessFile>> OpenFile(const FileMetaData& meta,
                                                     TableContext* table) const;

 private:
  friend class TableFile;
  // Opens the table in this file without block cache and filter policy.
  static Result<std::unique_ptr<TableReader>> OpenPastCaches(
      std::unique_ptr<RandomAccessFile> file, const FileMetaData& meta,
      TableContext table);
  // Returns the file with its reads timed, if they are to be.
  std::unique_ptr<RandomAccessFile> Timed(
      std::unique_ptr<RandomAccessFile> base, const TableFile& file) const;
  class Room;
  Result<TableReaderPtr> FindOrOpen(const TableFile& file, ReadTier tier) const;
  Result<TableReaderPtr> Open(const TableFile& file) const
      REQUIRES(file.open_mutex_);
  // Returns whether the table is like those that flushes write.
  bool IsLikeFlushed(const TableFile& file) const EXCLUDES(options_mutex_);
  Status ReadRangeTombstones(const TableFile& file,
                             const TableReader& reader) const;
  // Closes the next table that is not in use and was not used since the hand
  // passed; else one not in use; else any. Returns its reader.
  static TableReaderPtr CloseOne(OpenTables* open) REQUIRES(open->mutex);
  static void LeaveRing(OpenTables* open, const TableFile& file)
      REQUIRES(open->mutex);

  const DBContext& context_;
  const TablePaths paths_;
  const KeyOrder order_;
  // Its options are those of the open; filter_policy_ is the policy in use.
  const std::shared_ptr<TableFactory> table_factory_;
  mutable Mutex options_mutex_;  // held for copies
  std::shared_ptr<const FilterPolicy> filter_policy_ GUARDED_BY(options_mutex_);
  std::shared_ptr<const SliceTransform> prefix_extractor_
      GUARDED_BY(options_mutex_);
  uint64_t write_buffer_size_ GUARDED_BY(options_mutex_);
  const std::shared_ptr<BlockCache> block_cache_;
  mutable std::atomic<uint64_t> lookups_{0};
  // nullptr without statistics.
  const std::unique_ptr<PerLevel<Histogram>> read_latencies_;
};

}  // namespace tamis
