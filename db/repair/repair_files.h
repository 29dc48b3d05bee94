// SPDX-License-Identifier: Apache-2.0
//
// Lists the files of a directory that is to be repaired, and finds the MANIFEST
// to start from.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "db/manifest/manifest_state.h"
#include "util/base/result.h"

namespace tamis {

struct FoundTable {
  std::string name;  // base name
  uint64_t size = 0;
};

struct FoundFiles {
  std::map<uint64_t, FoundTable> tables;
  std::vector<uint64_t> logs;  // ascending
  std::map<uint64_t, std::string> manifests;
  uint64_t largest_number = 0;
};

// Corruption: nothing there is of a database.
Result<FoundFiles> FindFiles(const DBContext& context);

struct FoundManifest {
  ManifestState state;
  std::set<uint64_t> deleted;  // tables, as edits say
  std::set<uint32_t> dropped;  // families, as edits say
  // It reads to its end, and is the one that counts.
  bool whole = false;
};
// The one that CURRENT names; where that does not read, the newest that does.
// Where none does: whole is false, and the state has no family.
Result<FoundManifest> FindManifest(const DBContext& context,
                                   const FoundFiles& files);

std::string BaseName(const std::string& path);
}  // namespace tamis
