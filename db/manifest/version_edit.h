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
// FORMAT.md in this folder lists what Tamis writes. It reads everything that
// LevelDB and RocksDB up to 11.9 write.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tamis/slice.h"
#include "tamis/types.h"

#include "db/base/numbers.h"
#include "table/internal_key.h"
#include "util/base/result.h"

namespace tamis {

// A table, as recorded in the MANIFEST.
struct FileMetaData {
  FileNumber number;
  uint64_t size = 0;  // exact, in bytes
  // Internal keys. A bound set by a range tombstone has type 0x0F; the upper
  // one also has the maximum sequence number.
  std::string smallest;
  std::string largest;
  SequenceNumber smallest_seqno = 0;
  SequenceNumber largest_seqno = 0;
  // False: LevelDB's form, without sequence bounds. They are then 2^56-1 and 0,
  // and the table must be scanned for them.
  bool seqnos_known = true;
  EpochNumber epoch_number;           // 0: unknown
  uint64_t oldest_ancestor_time = 0;  // Unix seconds, 0: unknown
  uint64_t file_creation_time = 0;    // Unix seconds, 0: unknown
  std::string unique_id;              // 16 bytes, or empty: not checked
  bool marked_for_compaction = false;

  // True if `largest` is the exclusive end of a range tombstone; the file then
  // contains nothing of that user key.
  bool ends_in_tombstone() const {
    return ExtractTail(largest) ==
           PackSequenceAndType(kMaxSequenceNumber, kTypeRangeDeletion);
  }

  // One line, for people.
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

  // Number of edits of the atomic group after this one.
  std::optional<uint32_t> atomic_group_remaining;

  // Levels and files. Deletions are applied before additions.
  std::vector<std::pair<int, FileNumber>> deleted_files;
  std::vector<std::pair<int, FileMetaData>> new_files;

  // Names of features in the edit that this release cannot apply. Set by
  // Decode; never encoded.
  std::vector<std::string> unsupported;
  // True if the edit has a tag >= 10, which LevelDB does not know. Set by
  // Decode; never encoded.
  bool has_rocksdb_tag = false;

  // Appends the encoded edit. REQUIRES: the sequence bounds of new files are
  // known; `unsupported` is empty.
  void EncodeTo(std::string* out) const;
  // Corruption gives an offset within the record; the caller adds the file and
  // the record's offset.
  static Result<VersionEdit> Decode(const Slice& record);
  // One line, for people.
  std::string DebugString() const;
};

}  // namespace tamis
