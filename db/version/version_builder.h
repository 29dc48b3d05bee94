// SPDX-License-Identifier: Apache-2.0
//
// A VersionBuilder applies edits to a Version and builds the next one: Apply
// for each edit, then Build. It checks the invariants of the files before the
// MANIFEST is written, because RocksDB releases delete data if they find these
// broken. One thread.
#pragma once

#include <cstdint>
#include <map>
#include <unordered_map>

#include "db/base/numbers.h"
#include "db/manifest/version_edit.h"
#include "db/version/version.h"
#include "util/base/result.h"

namespace tamis {

class VersionBuilder {
 public:
  // `base` must outlive *this; with nullptr, there are no files at first.
  // `tables` must outlive the versions built.
  VersionBuilder(const KeyOrder& order, const TableCache* tables,
                 const Version* base);

  // Applies the edit's deletions, then its additions. Returns Corruption if a
  // file is added twice, or deleted from a level where it is not, and
  // InvalidArgument if a file is added at a level that does not exist. After an
  // error, only the destructor may be called.
  Status Apply(const VersionEdit& edit);

  // Returns the version with all edits applied, or Corruption if it breaks an
  // invariant of CheckVersion. Does not check a level of `base` that no edit
  // changes, because a tree has many tables and an edit few.
  Result<VersionPtr> Build() const;

 private:
  struct Placed {
    Level level;
    TableFilePtr file;
  };
  using FilesByNumber = std::unordered_map<FileNumber, Placed>;
  // Returns the files of the base that the edit names, except removed ones.
  FilesByNumber FindInBase(const VersionEdit& edit) const;
  // Returns the file, of which path_id tells the directory.
  TableFilePtr NewFile(FileMetaData meta) const;
  // Removes the file and returns it, or nullptr if it is not at that level.
  TableFilePtr Remove(Level level, FileNumber number, FilesByNumber* in_base);

  const KeyOrder order_;
  const TableCache* const tables_;
  const Version* const base_;
  std::map<FileNumber, Level> removed_;  // from the base: number → level
  std::map<FileNumber, Placed> added_;   // new, or moved from another level
};

// Returns Corruption if an invariant is broken:
//   each file     its key bounds are internal keys in order, its sequence
//                 numbers are in order, its size is not 0, and its epoch number
//                 is below 2^64-1
//   level 0       the files are newest first by sequence numbers and by epoch
//                 numbers, and a file's sequence range contains another's only
//                 if that is a single number, as of an ingested file. Pickers
//                 leave tables unmerged that would break this (level0_merge.h)
//   other levels  the files are sorted, and disjoint in internal keys
Status CheckVersion(const Version& version);

}  // namespace tamis
