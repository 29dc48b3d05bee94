// SPDX-License-Identifier: Apache-2.0
//
// The contents of a MANIFEST: the live column families with their tables, and
// the counters. Plain data: reading it opens no table, needs no comparator, and
// writes nothing.
//
//   CURRENT ──▶ MANIFEST-N ──edit, edit, edit──▶ ManifestState ──▶ recovery,
//                                     ListColumnFamilies, manifest_dump, repair
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tamis/file_system.h"

#include "db/base/db_context.h"
#include "db/base/numbers.h"
#include "db/manifest/version_edit.h"
#include "util/base/result.h"

namespace tamis {

struct ManifestFamily {
  std::string name;
  std::string comparator;  // empty: not recorded
  std::optional<FileNumber> log_number;
  // In no particular order.
  std::array<std::vector<FileMetaData>, kNumLevels> files;
  // Features that the family needs and this release lacks, with the offset in
  // the MANIFEST; empty: none.
  std::string unsupported;
};

struct ManifestState {
  std::string name;  // base name, as in CURRENT
  FileNumber number;
  std::map<FamilyId, ManifestFamily> families;  // by id; 0 is always there
  FamilyId max_column_family;                   // highest id ever used
  FileNumber next_file_number;
  SequenceNumber last_sequence = 0;
  FileNumber prev_log_number;
  FileNumber min_log_number_to_keep;
  std::string db_id;  // empty: not recorded

  // Written by LevelDB: tables lack sequence bounds, or there is a comparator
  // but no field that only RocksDB writes (RocksDB directories have an
  // IDENTITY).
  bool leveldb = false;

  // The last record is torn. torn_bytes from torn_offset on were not read.
  bool torn_tail = false;
  uint64_t torn_offset = 0;
  uint64_t torn_bytes = 0;
};

// Reads the MANIFEST that CURRENT names. Corruption names file and offset. It
// means a malformed record, an edit that contradicts earlier ones (deletes a
// table that is not there, adds one twice or at an invalid level, adds a family
// twice, or names an unknown one), an incomplete group, or missing counters.
Result<ManifestState> ReadManifest(FileSystem* fs,
                                   const std::string& directory);

// For repair: the readable part of a MANIFEST.
struct ManifestPrefix {
  ManifestState state;
  uint64_t edits = 0;
  // Why the rest could not be read, or what it lacks; OK: nothing. (A torn end
  // is recorded in `state`.)
  Status damage;
  // Tables that an edit deleted and no later edit added.
  std::set<FileNumber> deleted;
  std::set<FamilyId> dropped;  // families, by the edits read
};
// `name` is the base name. Fails only on file system errors.
Result<ManifestPrefix> ReadManifestPrefix(FileSystem* fs,
                                          const std::string& directory,
                                          const std::string& name);

}  // namespace tamis
