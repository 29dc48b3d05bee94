// SPDX-License-Identifier: Apache-2.0
//
// Turns a Version and edits into the next Version, and refuses one that other
// readers of the directory would misread: RocksDB releases answer a broken
// file set by deleting data, so it is checked before it reaches the MANIFEST.
#pragma once

#include <cstdint>
#include <map>
#include <unordered_map>

#include "db/manifest/version_edit.h"
#include "db/version/version.h"
#include "util/base/result.h"

namespace tamis {

class VersionBuilder {
 public:
  // `base` outlives the builder, or is nullptr: no files. `tables` outlives
  // what is built. A level of the base that no edit touches is not checked
  // again: a tree has many tables, and an edit few.
  VersionBuilder(const KeyOrder& order, const TableCache* tables,
                 const Version* base);

  // Deletions first, then additions. Corruption: a file added twice, deleted
  // where it is not, or at a level that does not exist. The builder is of no
  // further use then.
  Status Apply(const VersionEdit& edit);

  // Corruption: see CheckVersion.
  Result<VersionPtr> Build() const;

 private:
  struct Placed {
    int level;
    TableFilePtr file;
  };
  using FilesByNumber = std::unordered_map<uint64_t, Placed>;
  // Those of the base that the edit names.
  FilesByNumber FindInBase(const VersionEdit& edit) const;
  // Takes the file out; nullptr when it is not at that level.
  TableFilePtr Remove(int level, uint64_t number, FilesByNumber* in_base);

  const KeyOrder order_;
  const TableCache* const tables_;
  const Version* const base_;
  std::map<uint64_t, int> removed_;   // numbers of the base, with their levels
  std::map<uint64_t, Placed> added_;  // not in the base, or not there
};

// The invariants (FORMAT.md, "file set"):
//   bounds in order, sizes not zero, sequence bounds in order
//   level 0: newest first by epoch and by sequence alike, ranges not nested
//   below: sorted, and disjoint in internal keys
Status CheckVersion(const Version& version);

}  // namespace tamis
