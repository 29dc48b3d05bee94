// SPDX-License-Identifier: Apache-2.0
//
// A VersionEdit is one step in the life of a database: files that came and
// went, and how far its counters are. A MANIFEST is a log of edits.
//
//   edit := (tag  varint32 | body)*      in any order; may be empty
//   NewFile4 (103) := level v32 | number v64 | size v64 | smallest str |
//                     largest str | smallest seqno v64 | largest seqno v64 |
//                     (sub-tag v32 | str)* | 1 v32
//
// What is written is listed in FORMAT.md beside this file; what is read is
// all that LevelDB and RocksDB up to 11.9 write.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tamis/slice.h"
#include "tamis/types.h"

#include "table/internal_key.h"
#include "util/base/result.h"

namespace tamis {

// What the MANIFEST says of a table.
struct FileMetaData {
  uint64_t number = 0;
  uint64_t size = 0;  // exact, in bytes
  // Internal keys. Where a range tombstone is the border: type 0x0F, and above
  // the largest sequence number.
  std::string smallest;
  std::string largest;
  SequenceNumber smallest_seqno = 0;
  SequenceNumber largest_seqno = 0;
  // False: LevelDB's form, which has no sequence bounds. They are 2^56-1 and 0
  // then, and the table must be scanned for them.
  bool seqnos_known = true;
  uint64_t epoch_number = 0;          // 0: unknown
  uint64_t oldest_ancestor_time = 0;  // Unix seconds, 0: unknown
  uint64_t file_creation_time = 0;    // Unix seconds, 0: unknown
  std::string unique_id;              // 16 bytes, or empty: not checked
  bool marked_for_compaction = false;

  // Whether `largest` is where a range tombstone ends: then the file holds
  // nothing of that user key.
  bool ends_in_tombstone() const {
    return ExtractTail(largest) ==
           PackSequenceAndType(kMaxSequenceNumber, kTypeRangeDeletion);
  }
};

struct VersionEdit {
  std::optional<std::string> comparator;
  std::optional<uint64_t> log_number;  // of this edit's column family
  std::optional<uint64_t> prev_log_number;
  std::optional<uint64_t> next_file_number;
  std::optional<SequenceNumber> last_sequence;
  std::optional<uint64_t> min_log_number_to_keep;
  std::optional<std::string> db_id;

  uint32_t column_family = 0;  // which one the edit is about
  std::optional<uint32_t> max_column_family;
  std::optional<std::string> column_family_add;
  bool column_family_drop = false;

  // Edits of the group that follow this one.
  std::optional<uint32_t> atomic_group_remaining;

  // Levels and files. Deletions are applied first.
  std::vector<std::pair<int, uint64_t>> deleted_files;
  std::vector<std::pair<int, FileMetaData>> new_files;

  // Features, by name, that were met and that this release cannot apply.
  // Found when decoding; never encoded.
  std::vector<std::string> unsupported;
  // Whether a tag from 10 on was met, which LevelDB does not know. Found when
  // decoding; never encoded.
  bool has_rocksdb_tag = false;

  // Appends the bytes. REQUIRES: the seqno bounds of every new file are known,
  // nothing is unsupported.
  void EncodeTo(std::string* out) const;
  // The messages of a Corruption give offsets within the record; the caller
  // adds which record of which file.
  static Result<VersionEdit> Decode(const Slice& record);
  // For people, on one line.
  std::string DebugString() const;
};

}  // namespace tamis
