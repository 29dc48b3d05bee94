// SPDX-License-Identifier: Apache-2.0
//
// FindFiles lists the files of a directory under repair. FindManifest chooses
// the MANIFEST to start from.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "db/base/db_context.h"
#include "db/base/numbers.h"
#include "db/manifest/manifest_state.h"
#include "db/recovery/table_directories.h"
#include "util/base/result.h"

namespace tamis {

struct FoundTable {
  std::string name;                              // base name
  std::shared_ptr<const std::string> directory;  // as in FileMetaData
  uint64_t size = 0;
};

// Returns what is known of the table without reading it.
FileMetaData MetaOf(FileNumber number, const FoundTable& found);

struct FoundFiles {
  // If both exist, the .sst and not the .ldb.
  std::map<FileNumber, FoundTable> tables;
  // Tables of the same numbers in other directories: a power failure may undo
  // the removal of one of which the number was then given again.
  std::vector<std::pair<FileNumber, FoundTable>> copies;
  std::vector<FileNumber> logs;                 // ascending
  std::map<FileNumber, std::string> manifests;  // base names
  std::map<FileNumber, std::string> options;    // OPTIONS files' base names
  FileNumber largest_number;  // of all file types except LOG files
};

// Returns the files of context.directory, the logs of their own directory, and
// the tables of context.table_directories. Ignores tables and logs whose names
// RocksDB would not find, because it spells numbers differently. Returns
// Corruption if there is no table, log or MANIFEST, and the errors of the file
// system.
Result<FoundFiles> FindFiles(const DBContext& context);

// Exchanges tables and copies so that `tables` has those that the MANIFEST
// lists in their directories. Returns InvalidArgument for a number that is not
// listed, unless the MANIFEST is whole: either table may have data.
Status ChooseCopies(const DBContext& context, const ListedTables& in_paths,
                    const std::set<FileNumber>& listed, bool manifest_is_whole,
                    FoundFiles* found);

struct FoundManifest {
  ManifestState state;
  std::set<FileNumber> deleted;  // tables, by its edits
  std::set<FamilyId> dropped;    // families, by its edits
  // Whether the MANIFEST is complete and current: CURRENT names it, or it is
  // the newest one and CURRENT names none that exists.
  bool whole = false;
};
// Returns the contents of the MANIFEST that CURRENT names, if at least one of
// its edits is readable. Otherwise, returns those of the newest MANIFEST that
// is complete or, if none is, of the newest one with a readable edit. If there
// is none, `whole` is false and the state has no families. Returns the errors
// of the file system.
Result<FoundManifest> FindManifest(const DBContext& context,
                                   const FoundFiles& files);

// Returns the part of the path after the last slash.
std::string BaseName(const std::string& path);
}  // namespace tamis
