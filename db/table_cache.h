// SPDX-License-Identifier: Apache-2.0
//
// The open tables. A TableFile is one live table of the tree: what the
// MANIFEST says of it, and its reader, which is opened on first use and stays
// open as long as any version refers to the file.
#pragma once

#include <atomic>
#include <memory>

#include "db/db_context.h"
#include "db/version_edit.h"
#include "table/table_reader.h"
#include "util/mutex.h"
#include "util/result.h"

namespace tamis {

// Any thread. Shared by the versions that contain it.
class TableFile {
 public:
  explicit TableFile(FileMetaData file_meta) : meta(std::move(file_meta)) {}
  TableFile(const TableFile&) = delete;
  TableFile& operator=(const TableFile&) = delete;

  const FileMetaData meta;

 private:
  friend class TableCache;
  // Set once, by release, after owned_; read by acquire without the mutex.
  mutable std::atomic<const TableReader*> reader_{nullptr};
  mutable Mutex open_mutex_;
  mutable std::unique_ptr<const TableReader> owned_ GUARDED_BY(open_mutex_);
};
using TableFilePtr = std::shared_ptr<const TableFile>;

// Any thread. Outlives every TableFile it has opened a reader for.
class TableCache {
 public:
  // `context` outlives the cache.
  TableCache(const DBContext& context, const KeyOrder& order);

  // The reader lives as long as the file does. A failure is not remembered:
  // the next call tries again. Incomplete: it is not open, and the tier allows
  // no reading of files.
  Result<const TableReader*> Reader(const TableFile& file,
                                    ReadTier tier = kReadAllTier) const;
  // The reader if it is open, nullptr otherwise.
  static const TableReader* ReaderIfOpen(const TableFile& file) {
    return file.reader_.load(std::memory_order_acquire);
  }

  // What the tables of this database are opened with.
  TableContext ContextFor(const FileMetaData& meta) const;
  // ".sst", or where there is none ".ldb".
  Result<std::unique_ptr<RandomAccessFile>> OpenFile(uint64_t number) const;

 private:
  const DBContext& context_;
  const KeyOrder order_;
};

}  // namespace tamis
