// SPDX-License-Identifier: Apache-2.0
//
// ScanTable reads a table of a directory under repair completely. RepairWriter
// salvages damaged tables, merges those that no order of levels can separate,
// and writes memtables. Callers decide which tables are used. One thread.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "db/base/numbers.h"
#include "db/compaction/table_output.h"
#include "db/recovery/lost_edits.h"
#include "db/repair/repair_layout.h"
#include "table/table_salvage.h"
#include "util/base/result.h"

namespace tamis {

struct TableScan {
  // OK if every block and entry is readable. Otherwise the other members have
  // no meaning.
  Status status;
  // Key bounds and sequence bounds are computed from the contents.
  FileMetaData meta;
  uint64_t entries = 0;  // without range tombstones
  bool in_gap = false;   // whether an entry or range tombstone is in the gap
};

// The family of a table, according to its properties.
struct TableOwner {
  FamilyId id;
  bool known = false;  // whether the properties have the id
  std::string name;    // may be empty
};
// Returns the owner of a table, or an error if the properties are unreadable.
Result<TableOwner> ReadTableOwner(const DBContext& context,
                                  const FileMetaData& meta);

// Reads the whole table. `listed` is the MANIFEST's metadata, or has only
// number and size, with seqnos_known false. Returns only errors of the file
// system; damage is in the result's status.
Result<TableScan> ScanTable(const ColumnFamily& family,
                            const FileMetaData& listed, const SequenceGap& gap);

// Every table that a RepairWriter writes is durable and was opened once for
// reading.
class RepairWriter {
 public:
  // All arguments must outlive the writer.
  RepairWriter(const DBContext& context, std::function<FileNumber()> new_number)
      : context_(context), new_number_(std::move(new_number)) {}

  struct Salvaged {
    SalvagedTable facts;
    std::vector<FileMetaData> tables;  // one, or none if nothing was readable
  };
  // Writes the readable part of a table to a new one for `level`. Damage is no
  // error.
  Result<Salvaged> Salvage(const ColumnFamily& family,
                           const FileMetaData& damaged, Level level);

  // Writes all distinct entries and the range tombstones of the tables to new
  // ones that share no user keys; for level 0, to a single table.
  Result<std::vector<FileMetaData>> Merge(
      const ColumnFamily& family, const std::vector<FileMetaData>& tables,
      Level level);

  // Writes all versions of a memtable, and its range tombstones, to a table for
  // level 0.
  Result<std::vector<FileMetaData>> Write(const ColumnFamily& family,
                                          const MemTable& memtable);

 private:
  TableJob JobFor(const ColumnFamily& family) const {
    return {.context = &context_,
            .family = &family,
            .options = family.options_ptr(),
            .snapshots = {},
            .levels = nullptr,
            .new_file_number = new_number_,
            .schedule = nullptr};
  }
  Result<std::vector<FileMetaData>> WriteAll(
      const ColumnFamily& family, InternalIterator* entries,
      const std::vector<RangeTombstone>& tombstones, Level level);

  const DBContext& context_;
  const std::function<FileNumber()> new_number_;
};

}  // namespace tamis
