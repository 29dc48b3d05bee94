// SPDX-License-Identifier: Apache-2.0
//
// An ExternalFile is a table that an SstFileWriter wrote, on its way into a
// database:
//
//   Read ──▶ TakenTables ──▶ (place chosen) ──▶ AssignSequence ──▶ edit
//
// All entries of such a table have sequence number 0 in the file. If the
// database assigns another one, only the MANIFEST records it, and readers show
// it for every entry (table/global_sequence_iterator.h).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "db/family/column_family.h"
#include "db/manifest/version_edit.h"
#include "util/base/result.h"

namespace tamis {

struct ExternalFile {
  std::string path;  // the user's name
  // What is linked or copied: the path, or what was rewritten from it.
  std::string source;
  // The name in the database's directory is that of meta.number.
  FileMetaData meta;
  std::shared_ptr<const TableProperties> properties;
  FileChecksum given;  // by the user; unknown if there was none

  Slice smallest() const { return ExtractUserKey(meta.smallest); }
  Slice largest() const { return ExtractUserKey(meta.largest); }
  // Returns whether the table ends before the key.
  bool EndsBefore(const KeyOrder& order, const Slice& user_key) const {
    const int compared = order.CompareUserKeys(largest(), user_key);
    return meta.ends_in_tombstone() ? compared <= 0 : compared < 0;
  }
};

// Opens and checks the table for this family; with `verify`, reads all of its
// blocks. Sets neither number nor epoch. Returns InvalidArgument if it was
// written with another comparator or for another family, or is empty;
// Corruption if it is damaged or was not written by an SstFileWriter.
Result<ExternalFile> ReadExternalFile(const DBContext& context,
                                      const ColumnFamily& family,
                                      const std::string& path, bool verify);

// Sets the checksum of the file that has its name in the database's directory:
// computed, or the given one, which is compared with it if `verify` is set.
// Leaves an unknown one if the database has no factory. Returns Corruption if
// they differ, InvalidArgument if their functions do.
Status SetFileChecksum(const DBContext& context, bool verify,
                       ExternalFile* file);

// Returns whether two of the files share keys.
bool FilesOverlap(const KeyOrder& order,
                  const std::vector<ExternalFile>& files);

// Sets the sequence number of every entry, in bounds and sequence bounds.
void AssignSequence(SequenceNumber sequence, ExternalFile* file);

// Return whether memtables, or the tables of a level, have an entry or a range
// tombstone in the range of the file.
bool MemTablesHaveKeysOf(const ReadState& state, const KeyOrder& order,
                         const ExternalFile& file);
Result<bool> LevelHasKeysOf(const ColumnFamily& family, const Version& version,
                            Level level, const ExternalFile& file);

}  // namespace tamis
