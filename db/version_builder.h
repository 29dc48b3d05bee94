// SPDX-License-Identifier: Apache-2.0
//
// Turns a Version and edits into the next Version, and refuses one that other
// readers of the directory would misread: RocksDB releases answer a broken
// file set by deleting data, so it is checked before it reaches the MANIFEST.
#pragma once

#include <map>

#include "db/version.h"
#include "db/version_edit.h"
#include "util/result.h"

namespace tamis {

class VersionBuilder {
 public:
  // `base` may be nullptr: no files. `tables` outlives what is built.
  VersionBuilder(const KeyOrder& order, const TableCache* tables,
                 const Version* base);

  // Deletions first, then additions. Corruption: a file added twice, deleted
  // where it is not, or at a level that does not exist. The builder is of no
  // further use then.
  Status Apply(const VersionEdit& edit);

  // Corruption: see CheckVersion.
  Result<VersionPtr> Build() const;

 private:
  const KeyOrder order_;
  const TableCache* const tables_;
  std::array<std::map<uint64_t, TableFilePtr>, kNumLevels> files_;
  std::map<uint64_t, int> level_of_;
};

// The invariants (FORMAT.md, "file set"):
//   bounds in order, sizes not zero, sequence bounds in order
//   level 0: newest first by epoch and by sequence alike, ranges not nested
//   below: sorted, and disjoint in internal keys
Status CheckVersion(const Version& version);

}  // namespace tamis
