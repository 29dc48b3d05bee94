// SPDX-License-Identifier: Apache-2.0
//
// A VersionBuilder applies edits to a Version and builds the next one. It
// checks the file set before the MANIFEST is written, because RocksDB releases
// delete data if they find it broken. One thread.
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
  // `base` must outlive *this; nullptr: no files. `tables` must outlive the
  // versions built. A level of `base` that no edit changes is not checked
  // again, because a tree has many tables and an edit few.
  VersionBuilder(const KeyOrder& order, const TableCache* tables,
                 const Version* base);

  // Applies the edit's deletions, then its additions. Corruption: a file is
  // added twice, or deleted from a level where it is not. InvalidArgument: a
  // file is added at a level that does not exist. Both make *this unusable.
  Status Apply(const VersionEdit& edit);

  // Corruption: see CheckVersion.
  Result<VersionPtr> Build() const;

 private:
  struct Placed {
    int level;
    TableFilePtr file;
  };
  using FilesByNumber = std::unordered_map<FileNumber, Placed>;
  // The files of the base that the edit names, except removed ones.
  FilesByNumber FindInBase(const VersionEdit& edit) const;
  // Removes the file and returns it; nullptr: it is not at that level.
  TableFilePtr Remove(int level, FileNumber number, FilesByNumber* in_base);

  const KeyOrder order_;
  const TableCache* const tables_;
  const Version* const base_;
  std::map<FileNumber, int> removed_;   // from the base: number → level
  std::map<FileNumber, Placed> added_;  // new, or moved from another level
};

// Checks the invariants of the tables of a version:
//   bounds and sequence bounds in order, sizes not 0, epochs below 2^64-1
//   level 0: newest first by epoch and by sequence alike, ranges not nested
//   below: sorted, and disjoint in internal keys
Status CheckVersion(const Version& version);

}  // namespace tamis
