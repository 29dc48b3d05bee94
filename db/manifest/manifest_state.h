// SPDX-License-Identifier: Apache-2.0
//
// A ManifestState is the contents of a MANIFEST: the live column families with
// their tables, and the counters. It is plain data. Reading a MANIFEST opens no
// table, needs no comparator, and writes nothing.
//
//   CURRENT ──▶ MANIFEST-N ──edit, edit, edit──▶ ManifestState ──▶ recovery,
//                                     ListColumnFamilies, manifest_dump, repair
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tamis/file_system.h"

#include "db/base/numbers.h"
#include "db/manifest/version_edit.h"
#include "util/base/result.h"

namespace tamis {

struct ManifestFamily {
  std::string name;
  std::string comparator;  // empty if not recorded
  // Tables contain all entries of the family that are in older logs.
  std::optional<FileNumber> log_number;
  // Each level ascending by file number, not by key.
  PerLevel<std::vector<FileMetaData>> files;
  // Names the features that the family needs and this release lacks, with their
  // offsets in the MANIFEST. Empty if there are none.
  std::string unsupported;
};

struct ManifestState {
  std::string name;  // base name, as in CURRENT
  FileNumber number;
  // By id. The default family (0) is always in a MANIFEST that was read.
  std::map<FamilyId, ManifestFamily> families;
  FamilyId max_column_family;  // highest id ever used
  FileNumber next_file_number;
  SequenceNumber last_sequence = 0;
  FileNumber prev_log_number;
  FileNumber min_log_number_to_keep;
  std::string db_id;  // empty if not recorded

  // How many edits of this MANIFEST change what the database contains, or its
  // families, without a log: a table is ingested, or removed with all of its
  // entries. Edits of a flush or a compaction do not.
  uint64_t unlogged_edits = 0;

  // Whether LevelDB wrote the directory. Then a table lacks sequence bounds; or
  // the edits name a comparator, have only fields that LevelDB knows, and there
  // is no IDENTITY, which RocksDB creates.
  bool leveldb = false;

  // Whether the last record is empty: the MANIFEST was closed after all records
  // before that one had been synced. Without it, the last ones may be in the
  // system's memory only.
  bool closed = false;
  // Whether the file ends in a torn record, or in more zeros than a writer
  // leaves as padding. A torn record is the torn_bytes from torn_offset on,
  // which were not read. With zeros, both count from the last complete record.
  bool torn_tail = false;
  uint64_t torn_offset = 0;
  uint64_t torn_bytes = 0;
};

// Returns the contents of the MANIFEST that CURRENT names. Discards an atomic
// group that is incomplete at the end. Returns the errors of the file system,
// and Corruption, with the file and, for a record, its offset:
//   CURRENT is malformed, or names a file that does not exist
//   a record is malformed, or is after zeros where others may be missing
//   an edit contradicts earlier ones: it deletes a table that is not there,
//     adds one twice or at an invalid level, adds a family twice, names an
//     unknown one, or drops the default one
//   the records of an atomic group do not count down to 0
//   no record gives the log number, next file number or last sequence
Result<ManifestState> ReadManifest(FileSystem* fs,
                                   const std::string& directory);

// The readable part of a MANIFEST, for repair.
struct ManifestPrefix {
  ManifestState state;
  uint64_t edits = 0;
  // OK, or the error that ReadManifest would return. `state` records a torn
  // tail, which is no damage.
  Status damage;
  // Tables that an edit deleted and no later edit added.
  std::set<FileNumber> deleted;
  std::set<FamilyId> dropped;  // families, by the edits read
};
// Returns the contents of the MANIFEST up to its first damage. `name` is the
// base name. Returns only errors of the file system, and Corruption if the file
// does not exist.
Result<ManifestPrefix> ReadManifestPrefix(FileSystem* fs,
                                          const std::string& directory,
                                          const std::string& name);

}  // namespace tamis
