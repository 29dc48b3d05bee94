// SPDX-License-Identifier: Apache-2.0
//
// A program's own leveldb::Cache class as the cache of a database: its objects
// are pieces of tables, as the files have them, by file and offset:
//
//   table ──read── in the cache? ──no── file ── insert
//
// The database keeps no blocks besides. As in LevelDB, each open of a table has
// an id of its own (Cache::NewId), reads look for what they need, and a read
// whose ReadOptions::fill_cache is true inserts what was missing; compactions
// do not. What a scan reads ahead of its need is not inserted.
#pragma once

#include <memory>

#include <leveldb/cache.h>

#include "tamis/file_system.h"

namespace tamis::facade {

// Returns a file system whose tables are read through the cache, if it is of a
// program's own class; otherwise `base`. The cache must outlive the result and
// its files.
std::shared_ptr<FileSystem> ReadThrough(leveldb::Cache* cache,
                                        std::shared_ptr<FileSystem> base);

// While it exists, reads of this thread fill the cache, or do not.
class FillCacheScope {
 public:
  explicit FillCacheScope(bool fills);
  ~FillCacheScope();
  FillCacheScope(const FillCacheScope&) = delete;
  FillCacheScope& operator=(const FillCacheScope&) = delete;

 private:
  const bool before_;
};

}  // namespace tamis::facade
