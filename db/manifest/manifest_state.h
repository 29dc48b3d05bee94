// SPDX-License-Identifier: Apache-2.0
//
// What a MANIFEST says when it is read to its end: the live column families
// with their tables, and the counters. Plain data: no table is opened, no
// comparator needed, nothing written.
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
#include "db/manifest/version_edit.h"
#include "util/base/result.h"

namespace tamis {

struct ManifestFamily {
  std::string name;
  std::string comparator;  // empty: the MANIFEST does not say
  std::optional<uint64_t> log_number;
  // In no order that means anything.
  std::array<std::vector<FileMetaData>, kNumLevels> files;
  // Features it needs and this release lacks, with the place in the MANIFEST
  // that says so; empty: none.
  std::string unsupported;
};

struct ManifestState {
  std::string name;  // base name, as CURRENT spells it
  uint64_t number = 0;
  std::map<uint32_t, ManifestFamily> families;  // by id; 0 is always there
  uint32_t max_column_family = 0;               // highest id ever used
  uint64_t next_file_number = 0;
  SequenceNumber last_sequence = 0;
  uint64_t prev_log_number = 0;
  uint64_t min_log_number_to_keep = 0;
  std::string db_id;  // empty: the MANIFEST has none

  // LevelDB wrote it: tables without sequence bounds, or no field that only
  // RocksDB writes beside a comparator (a RocksDB directory has an IDENTITY).
  bool leveldb = false;

  // Its last record was cut, or is what a power cut left of it: from there on
  // so many bytes were not read.
  bool torn_tail = false;
  uint64_t torn_offset = 0;
  uint64_t torn_bytes = 0;
};

// Reads what CURRENT names. Corruption names file and offset: a record that is
// not an edit, an edit that does not fit what came before it (a table deleted
// where it is not, added twice, or at a level that does not exist; a family
// added twice or unknown), a group that is not whole, counters that are not
// there.
Result<ManifestState> ReadManifest(FileSystem* fs,
                                   const std::string& directory);

// For a repair: a MANIFEST as far as it can be read.
struct ManifestPrefix {
  ManifestState state;
  uint64_t edits = 0;
  // What kept the rest from being read, or is missing in it; OK: nothing. (A
  // torn tail is in `state`.)
  Status damage;
  // Tables that some edit deleted, and none added again.
  std::set<uint64_t> deleted;
  std::set<uint32_t> dropped;  // families, by edits that were read
};
// `name` is its base name. An error is of the file system.
Result<ManifestPrefix> ReadManifestPrefix(FileSystem* fs,
                                          const std::string& directory,
                                          const std::string& name);

}  // namespace tamis
