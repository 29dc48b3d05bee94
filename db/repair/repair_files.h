// SPDX-License-Identifier: Apache-2.0
//
// Lists the files of a directory under repair, and finds the MANIFEST to start
// from.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "db/base/numbers.h"
#include "db/manifest/manifest_state.h"
#include "util/base/result.h"

namespace tamis {

struct FoundTable {
  std::string name;  // base name
  uint64_t size = 0;
};

struct FoundFiles {
  std::map<FileNumber, FoundTable> tables;
  std::vector<FileNumber> logs;  // ascending
  std::map<FileNumber, std::string> manifests;
  FileNumber largest_number;
};

// Corruption: the directory has no files of a database.
Result<FoundFiles> FindFiles(const DBContext& context);

struct FoundManifest {
  ManifestState state;
  std::set<FileNumber> deleted;  // tables, by its edits
  std::set<FamilyId> dropped;    // families, by its edits
  // It is complete, and the current one.
  bool whole = false;
};
// The MANIFEST that CURRENT names or, if that is unreadable, the newest
// readable one. If none is readable, whole is false and the state has no
// families.
Result<FoundManifest> FindManifest(const DBContext& context,
                                   const FoundFiles& files);

std::string BaseName(const std::string& path);
}  // namespace tamis
