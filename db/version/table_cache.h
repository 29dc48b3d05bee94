// SPDX-License-Identifier: Apache-2.0
//
// The open tables. A TableFile is one live table of the tree: what the
// MANIFEST says of it, and its reader, which is opened on first use. Without a
// limit it stays open as long as any version refers to the file; with
// DBOptions::max_open_files, until the hand of OpenTables comes by.
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

// A reader for as long as *this lives. Where there is no limit it borrows the
// reader from the TableFile, which outlives it then, and touches no count.
class TableHandle {
 public:
  TableHandle() = default;
  explicit TableHandle(const TableReader* reader) : reader_(reader) {}
  explicit TableHandle(std::shared_ptr<const TableReader> reader)
      : reader_(reader.get()), shared_(std::move(reader)) {}

  explicit operator bool() const { return reader_ != nullptr; }
  const TableReader* operator->() const { return reader_; }
  const TableReader& operator*() const { return *reader_; }

 private:
  const TableReader* reader_ = nullptr;
  std::shared_ptr<const TableReader> shared_;
};

// Any thread. Shared by the versions that contain it.
class TableFile {
 public:
  explicit TableFile(FileMetaData file_meta) : meta(std::move(file_meta)) {}
  TableFile(const TableFile&) = delete;
  TableFile& operator=(const TableFile&) = delete;

  const FileMetaData meta;

 private:
  friend class TableCache;
  // Without a limit: set once, by release, after open_; read by acquire
  // without a mutex. With one: stays nullptr.
  mutable std::atomic<const TableReader*> reader_{nullptr};
  mutable Mutex open_mutex_;  // held while it is opened
  mutable TableSlot open_;
  // Set once, before the table is first open; nullptr: it has none. For those
  // who hold no reader there is the flag: set by release, read by acquire.
  mutable std::shared_ptr<const RangeTombstoneFragments> tombstones_;
  mutable std::atomic<bool> tombstones_known_{false};
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

// ".sst", or where there is none ".ldb". *path: the one that was opened, for
// messages; ".sst" where there is neither.
Result<std::unique_ptr<RandomAccessFile>> OpenTableFile(
    const DBContext& context, uint64_t number, std::string* path);

// Any thread. Outlives every TableFile it has opened a reader for.
class TableCache {
 public:
  // `context` outlives the cache. REQUIRES: options.table_factory is there.
  TableCache(const DBContext& context, const KeyOrder& order,
             const ColumnFamilyOptions& options);

  // The handle does not outlive the file. A failure is not remembered: the
  // next call tries again. Incomplete: it is not open, and the tier allows no
  // reading of files.
  Result<TableHandle> Reader(const TableFile& file,
                             ReadTier tier = kReadAllTier) const {
    const TableReader* const reader = reader_if_open(file);
    if (reader != nullptr) return TableHandle(reader);
    return ReaderSlow(file, tier);
  }
  // The reader where readers stay open and this one is; else nullptr. Touches
  // nothing. It lives as long as the file.
  static const TableReader* reader_if_open(const TableFile& file) {
    return file.reader_.load(std::memory_order_acquire);
  }
  // The range tombstones of the table, clipped to the keys that the MANIFEST
  // says it spans; nullptr: none. Read once, then kept with the file. Fails as
  // Reader does.
  Result<std::shared_ptr<const RangeTombstoneFragments>> RangeTombstones(
      const TableFile& file, ReadTier tier = kReadAllTier) const;
  // The same for one who got a reader from Reader(file) and lives no longer
  // than the file: nothing is read, nothing counted.
  static const RangeTombstoneFragments* range_tombstones_if_open(
      const TableFile& file) {
    return file.tombstones_.get();
  }
  // The reader if it is open, an empty handle otherwise.
  static TableHandle ReaderIfOpen(const TableFile& file) {
    return TableHandle(file.open_.Get());
  }

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
  Result<TableHandle> ReaderSlow(const TableFile& file, ReadTier tier) const;
  Result<std::shared_ptr<const TableReader>> Open(const TableFile& file) const
      REQUIRES(file.open_mutex_);
  Status ReadRangeTombstones(const TableFile& file,
                             const TableReader& reader) const;

  const DBContext& context_;
  const KeyOrder order_;
  const std::shared_ptr<const SliceTransform> prefix_extractor_;
  const std::shared_ptr<TableFactory> table_factory_;
  const std::shared_ptr<BlockCache> block_cache_;
};

}  // namespace tamis
