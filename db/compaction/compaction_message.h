// SPDX-License-Identifier: Apache-2.0
//
// The two messages of a remote compaction (tamis/compaction_service.h), as
// bytes:
//
//   message := magic, 8 bytes | fields | Hash64 of what is before it, fixed64
//   field   := varint64 | length-prefixed string | count varint64, fields
//
// Both ends are of the same release: the magic changes with the fields. A
// message comes from another process, and is checked like a file.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tamis/compaction_service.h"
#include "tamis/filter_policy.h"
#include "tamis/options.h"
#include "tamis/status.h"

#include "db/compaction/compaction_iterator.h"

namespace tamis {

// An object that has no text, and that owner and worker must both have.
struct NamedObject {
  std::string option;
  std::string name;

  bool operator==(const NamedObject&) const = default;
};

// Returns the objects of the options on which the outputs depend.
std::vector<NamedObject> ObjectsOf(const DBOptions& database,
                                   const ColumnFamilyOptions& family);

// Identifies a job: of which open, and which one.
struct CompactionJobId {
  std::string db_id;
  std::string session_id;
  uint64_t job = 0;

  bool operator==(const CompactionJobId&) const = default;
};

// What a worker needs: a Compaction, the version that it is a part of, and
// TableJob without its functions.
struct CompactionRequest {
  // Files of one level.
  struct Inputs {
    uint64_t level = 0;
    std::vector<uint64_t> numbers;
  };

  CompactionJobId id;
  uint64_t family_id = 0;
  std::string family_name;
  // Where the outputs go, if nobody says otherwise: a name in the database's
  // directory.
  std::string job_directory;
  // Those of tables, by path id. Empty: the database's.
  std::vector<std::string> table_directories;
  // As convenience.h prints them.
  std::string database_options;
  std::string family_options;
  std::vector<NamedObject> objects;
  std::vector<uint64_t> snapshots;  // ascending
  std::vector<LevelShape> levels;   // for policies of filters
  // A VersionEdit with all tables of the family, and their numbers of entries,
  // 0 if unknown.
  std::string version;
  std::vector<uint64_t> entries;
  // The members of Compaction. The first inputs are those of its `level`.
  std::vector<Inputs> inputs;
  uint64_t output_level = 0;
  std::vector<uint64_t> grandparents;
  uint64_t grandparent_bytes_max = 0;
  uint64_t output_file_bytes_max = 0;
  uint64_t part_bytes_min = 0;
  bool bottommost = false;
  bool older_may_come = false;
  uint64_t base = 0;
  bool compress = false;
  bool has_compression = false;
  uint64_t compression = 0;
  std::string reason;
  bool manual = false;
  uint64_t parts_max = 0;
};

// What a worker has done.
struct CompactionReply {
  CompactionJobId id;
  std::string error;  // empty: the job succeeded
  // Where the outputs are. Empty: in the job's directory.
  std::string output_directory;
  // A VersionEdit with the outputs, and their numbers of entries.
  std::string outputs;
  std::vector<uint64_t> entries;
  CompactionIterator::Counts counts;
  uint64_t entries_written = 0;
};

std::string EncodeMessage(const CompactionRequest& request);
std::string EncodeMessage(const CompactionReply& reply);
// Return Corruption if the message is damaged, InvalidArgument if it is none of
// this release's.
Status DecodeMessage(const Slice& bytes, CompactionRequest* request);
Status DecodeMessage(const Slice& bytes, CompactionReply* reply);

}  // namespace tamis
