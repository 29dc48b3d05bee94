// SPDX-License-Identifier: Apache-2.0
//
// Writes one table in RocksDB's block-based format:
//
//   data block*                       each: payload | codec u8 | checksum u32
//   filter: full | block-based | partitions, their index
//   index partition*, index
//   range tombstones
//   properties
//   metaindex
//   footer
//
// See FORMAT.md beside this file for the bytes. The filter is built from the
// keys that are added, so a table that a compaction writes answers for just
// the keys that survived it.
//
// Add makes blocks; what stands behind a full one (table_file_writer.h) may be
// done by another thread meanwhile, and its errors show a few blocks later.
//
// One thread. Calls: (Add | AddRangeDeletion)* (Finish | Abandon). The file is
// neither synced nor closed; it is used by the builder alone until then.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "tamis/file_system.h"
#include "tamis/slice_transform.h"
#include "tamis/statistics.h"
#include "tamis/table.h"
#include "tamis/table_properties.h"

#include "table/internal_key.h"
#include "util/jobs/ordered_pipeline.h"

namespace tamis {

struct TableBuildOptions {
  explicit TableBuildOptions(const KeyOrder& key_order) : order(key_order) {}

  KeyOrder order;
  BlockBasedTableOptions table;
  CompressionType compression = kSnappyCompression;
  // nullptr: filters hold whole keys alone.
  std::shared_ptr<const SliceTransform> prefix_extractor;
  // Of the family's merge operator.
  std::string merge_operator_name = "nullptr";
  // What the table is made for; -1: no level.
  int level = -1;
  bool is_flush = false;
  // No filter, whatever the policy.
  bool skip_filters = false;
  // Written by an SstFileWriter, to be ingested: marked as such.
  bool is_external_file = false;
  Statistics* statistics = nullptr;
  std::string file_name;  // for messages
  // For jobs that write blocks while the builder's thread goes on. None: it
  // writes them itself. The bytes are the same.
  Helpers helpers;

  // Facts for the properties block.
  uint32_t column_family_id = 0x7fffffff;  // this value: unknown
  std::string column_family_name;
  uint64_t creation_time = 0;  // unix seconds, as the two below
  uint64_t oldest_key_time = 0;
  uint64_t file_creation_time = 0;
  std::string db_id;
  std::string db_session_id;
  std::string db_host_id;
  uint64_t file_number = 0;
};

// What a builder would refuse to begin with: InvalidArgument names the option.
Status CheckTableOptions(const TableBuildOptions& options);

class TableBuilder {
 public:
  // `file` outlives the builder. A contradiction in the options shows in
  // status().
  TableBuilder(const TableBuildOptions& options, WritableFile* file);
  ~TableBuilder();
  TableBuilder(const TableBuilder&) = delete;
  TableBuilder& operator=(const TableBuilder&) = delete;

  // A key that is not above the one before is Corruption: entries come from
  // other tables, and a checksum does not vouch for their order.
  // REQUIRES: internal keys of a type that tables store in data blocks
  // (checked: a violation is our own and ends the process).
  void Add(const Slice& internal_key, const Slice& value);

  // Deletes [begin, end) of what is older than `sequence`, in other tables and,
  // entries of this one hide behind it no less, here. In any order, before,
  // between and behind the entries.
  void AddRangeDeletion(const Slice& begin, const Slice& end,
                        SequenceNumber sequence);

  // The first thing that went wrong, as far as it is known; after Finish it
  // is. Once not OK, Add does nothing.
  Status status() const;
  bool ok() const;  // status().ok(), for less
  Status Finish();
  // Gives up; the file is to be removed. Nobody uses it any more on return.
  void Abandon();

  // The internal key that was added last; empty: none was. Lives until the
  // next.
  Slice last_key() const;
  // Range deletions included.
  uint64_t NumEntries() const;
  // Bytes of the blocks that are full, once they are written, plus the open
  // one (an estimate). Waits until they are.
  uint64_t EstimatedFileSize();
  // EstimatedFileSize() >= file_size. Waits only where it is close: the answer
  // does not depend on who has written how much.
  bool HasReached(uint64_t file_size);
  // After Finish: exact.
  uint64_t FileSize() const;
  // After Finish: as written.
  const TableProperties& properties() const;

 private:
  struct Rep;
  std::unique_ptr<Rep> rep_;
};

}  // namespace tamis
