// SPDX-License-Identifier: Apache-2.0
//
// A TableFile is one live table of the tree: what the MANIFEST says of it, and
// its reader, which is opened on first use. Without a limit it stays open as
// long as any version refers to the file; with DBOptions::max_open_files, until
// the hand of OpenTables comes by.
//
// The TableCache of a family opens the readers of its files.
//
// Locks: TableFile::open_mutex_, then OpenTables::mutex, then
// TableFile::mutex_.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>

#include "db/base/db_context.h"
#include "db/base/open_tables.h"
#include "db/manifest/version_edit.h"
#include "table/range_tombstones.h"
#include "table/table_reader.h"
#include "util/base/mutex.h"
#include "util/base/result.h"

namespace tamis {

// Counted where the number of open tables is limited. Elsewhere it touches no
// count: the reader lives as long as its TableFile.
using TableReaderPtr = std::shared_ptr<const TableReader>;

// Any thread. Shared by the versions that contain it.
class TableFile {
 public:
  explicit TableFile(FileMetaData file_meta) : meta(std::move(file_meta)) {}
  ~TableFile();
  TableFile(const TableFile&) = delete;
  TableFile& operator=(const TableFile&) = delete;

  const FileMetaData meta;

  // nullptr: not open, or the number of open tables is limited. Takes no lock
  // and no count; the reader lives as long as the file.
  const TableReader* reader_if_open() const {
    return kept_reader_.load(std::memory_order_acquire);
  }
  // Counted; nullptr: not open.
  TableReaderPtr FindReader() const EXCLUDES(mutex_) {
    MutexLock lock(&mutex_);
    used_ = true;
    return reader_;
  }
  // Those of TableCache::RangeTombstones, not counted. They live as long as the
  // file. REQUIRES: the caller got a reader of the file.
  const RangeTombstoneFragments* range_tombstones_if_open() const {
    return tombstones_.get();
  }

 private:
  friend class TableCache;
  // Without a limit: reader_, set once by release and read by acquire without a
  // mutex. With one: nullptr.
  mutable std::atomic<const TableReader*> kept_reader_{nullptr};
  mutable Mutex open_mutex_;  // held while it is opened
  // Set once, before the table is first open; nullptr: it has none. Without a
  // reader the flag says whether they are set: by release, read by acquire.
  mutable std::shared_ptr<const RangeTombstoneFragments> tombstones_;
  mutable std::atomic<bool> tombstones_known_{false};

  mutable Mutex mutex_;  // held for a pointer copy
  mutable TableReaderPtr reader_ GUARDED_BY(mutex_);
  // One that the hand has closed and somebody still uses.
  mutable std::weak_ptr<const TableReader> closed_reader_ GUARDED_BY(mutex_);
  mutable bool used_ GUARDED_BY(mutex_) = false;  // since the hand came by

  // Set by the thread that opens it, when it first joins the ring.
  mutable OpenTables* open_tables_ = nullptr;
  // Its place in the ring, under open_tables_->mutex.
  static constexpr size_t kNoPlace = SIZE_MAX;
  mutable size_t place_ = kNoPlace;
};
using TableFilePtr = std::shared_ptr<const TableFile>;

// Leaves of the tombstone what counts in the file: tables may store it wider
// than the MANIFEST says the file is. Nothing may be left.
//
//   smallest (k, ...)                 from k on
//   largest (k, max seq, range del)   up to k, without k: where a tombstone
//                                     ends
//   largest (k, any other)            up to k and with k
//
// NotSupported: for its end the next key would have to be known, which in the
// user's own order it is not; the end is as it was then.
Status ClipToFile(const KeyOrder& order, const FileMetaData& meta,
                  RangeTombstone* tombstone);

// Opens <number>.sst or, if that is missing, <number>.ldb. *path: the opened
// file's, for messages; the .sst path if both are missing.
Result<std::unique_ptr<RandomAccessFile>> OpenTableFile(
    const DBContext& context, uint64_t number, std::string* path);

// Any thread. Outlives every TableFile it has opened a reader for.
class TableCache {
 public:
  // `context` outlives the cache. REQUIRES: options.table_factory is there.
  TableCache(const DBContext& context, const KeyOrder& order,
             const ColumnFamilyOptions& options);

  // Opens the table if it is not open. The file outlives the result. A failure
  // is not remembered: the next call tries again. Incomplete: the table is not
  // open, and the tier allows no reading of files.
  Result<TableReaderPtr> Reader(const TableFile& file,
                                ReadTier tier = kReadAllTier) const {
    const TableReader* const reader = file.reader_if_open();
    if (reader != nullptr) return TableReaderPtr(TableReaderPtr(), reader);
    return FindOrOpen(file, tier);
  }
  // The range tombstones of the table, clipped to the keys that the MANIFEST
  // says it spans; nullptr: none. Read once, then kept with the file. Fails as
  // Reader does.
  Result<std::shared_ptr<const RangeTombstoneFragments>> RangeTombstones(
      const TableFile& file, ReadTier tier = kReadAllTier) const;

  // Of the family; nullptr: none.
  const SliceTransform* prefix_extractor() const {
    return prefix_extractor_.get();
  }
  const BlockCache& block_cache() const { return *block_cache_; }
  // Of the block cache.
  EpochDomain* epochs() const { return block_cache_->epochs(); }

  // What the tables of this database are opened with.
  TableContext ContextFor(const FileMetaData& meta) const;
  // Puts the path that is opened into *table.
  Result<std::unique_ptr<RandomAccessFile>> OpenFile(
      uint64_t number, TableContext* table) const {
    return OpenTableFile(context_, number, &table->file_name);
  }

 private:
  friend class TableFile;
  class Room;
  Result<TableReaderPtr> FindOrOpen(const TableFile& file, ReadTier tier) const;
  Result<TableReaderPtr> Open(const TableFile& file) const
      REQUIRES(file.open_mutex_);
  Status ReadRangeTombstones(const TableFile& file,
                             const TableReader& reader) const;
  // Moves the hand to the next table that nobody uses, or has used since it
  // last came by; if there is none, to any.
  static TableReaderPtr CloseOne(OpenTables* open) REQUIRES(open->mutex);
  static void LeaveRing(OpenTables* open, const TableFile& file)
      REQUIRES(open->mutex);

  const DBContext& context_;
  const KeyOrder order_;
  const std::shared_ptr<const SliceTransform> prefix_extractor_;
  const std::shared_ptr<TableFactory> table_factory_;
  const std::shared_ptr<BlockCache> block_cache_;
};

}  // namespace tamis
