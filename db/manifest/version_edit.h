// SPDX-License-Identifier: Apache-2.0
//
// A VersionEdit is a change of the database's metadata: files added and
// deleted, and counters. A MANIFEST is a log of edits.
//
//   edit := (tag  varint32 | body)*      in any order; may be empty
//   NewFile4 (103) := level v32 | number v64 | size v64 | smallest str |
//                     largest str | smallest seqno v64 | largest seqno v64 |
//                     (sub-tag v32 | str)* | 1 v32
//
// db/FORMAT.md lists the fields that Tamis writes. Tamis reads all edits of
// LevelDB and of RocksDB up to 11.9.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tamis/slice.h"
#include "tamis/types.h"

#include "db/base/numbers.h"
#include "table/internal_key.h"
#include "util/base/result.h"
#include "util/io/file_checksum_maker.h"

namespace tamis {

// Counts of point lookups, estimated from a sample. A table that is rewritten
// passes its counts on, so that its successors need not begin anew.
struct LookupCounts {
  uint64_t all = 0;  // of the family, since the count began
  uint64_t negative =
      0;  // ... that searched this table and did not find the key
};

// RocksDB has at most four paths.
inline constexpr uint8_t kPathIdMax = 3;

// The metadata of a table, as recorded in the MANIFEST.
struct FileMetaData {
  FileNumber number;
  uint64_t size = 0;  // exact, in bytes
  // Internal keys. A bound set by a range tombstone has type 0x0F; the upper
  // one also has the maximum sequence number.
  std::string smallest;
  std::string largest;
  SequenceNumber smallest_seqno = 0;
  SequenceNumber largest_seqno = 0;
  // False if the edit has LevelDB's form, which lacks the sequence bounds. The
  // bounds then have no meaning, and the table must be scanned for them.
  bool seqnos_known = true;
  EpochNumber epoch_number;           // 0 if unknown
  uint64_t oldest_ancestor_time = 0;  // Unix seconds, 0 if unknown
  uint64_t file_creation_time = 0;    // Unix seconds, 0 if unknown
  // 16 bytes that identify the table (table/unique_id.h). If empty, an open
  // does not check the table's identity.
  std::string unique_id;
  bool marked_for_compaction = false;
  // The index of its directory in the family's paths (db/base/table_paths.h),
  // at most kPathIdMax.
  uint8_t path_id = 0;
  // Of the whole file. Belongs to these bytes: whoever writes them anew
  // replaces it.
  FileChecksum checksum;

  // The rest is not in the MANIFEST. The job that writes a table sets it.
  // By path_id. nullptr if it is the database's directory.
  std::shared_ptr<const std::string> directory;
  uint64_t num_entries = 0;  // 0 if unknown
  uint64_t num_deletions = 0;
  // TableBuilder::has_one_value_each; false if unknown.
  bool has_one_value_each = false;
  // What the table inherits from those that it replaces.
  LookupCounts lookups;

  // Returns whether `largest` is the exclusive end of a range tombstone. The
  // file then has no entry of that user key. REQUIRES: `largest` is an internal
  // key.
  bool ends_in_tombstone() const {
    return ExtractTail(largest) ==
           PackSequenceAndType(kMaxSequenceNumber, kTypeRangeDeletion);
  }

  // Returns one line of text for people.
  std::string DebugString() const;
};

struct VersionEdit {
  std::optional<std::string> comparator;
  std::optional<FileNumber> log_number;  // of this edit's column family
  std::optional<FileNumber> prev_log_number;
  std::optional<FileNumber> next_file_number;
  std::optional<SequenceNumber> last_sequence;
  std::optional<FileNumber> min_log_number_to_keep;
  std::optional<std::string> db_id;

  FamilyId column_family;  // that the edit applies to
  std::optional<FamilyId> max_column_family;
  std::optional<std::string> column_family_add;
  bool column_family_drop = false;

  // The number of edits that follow in the atomic group, if the edit is in one.
  // The edits of a group take effect together.
  std::optional<uint32_t> atomic_group_remaining;

  // Levels and files. Deletions are applied before additions, so that an edit
  // can move a file to another level.
  std::vector<std::pair<Level, FileNumber>> deleted_files;
  std::vector<std::pair<Level, FileMetaData>> new_files;

  // The next two are set by Decode and never encoded.
  // Names of features in the edit that this release cannot apply.
  std::vector<std::string> unsupported;
  // Whether the edit has a tag >= 10, which LevelDB does not know.
  bool has_rocksdb_tag = false;

  // Appends the encoded edit. REQUIRES: the bounds of new files are internal
  // keys; their sequence bounds are known and in order; `unsupported` is empty.
  void EncodeTo(std::string* out) const;
  // Returns the edit in the record. Returns Corruption with the offset within
  // the record if a field is malformed or unknown; the caller adds the file and
  // the record's offset. An unsupported feature is no error.
  static Result<VersionEdit> Decode(const Slice& record);
  // Returns one line of text for people.
  std::string DebugString() const;
};

}  // namespace tamis
