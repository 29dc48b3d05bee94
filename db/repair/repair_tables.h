// SPDX-License-Identifier: Apache-2.0
//
// Processes the tables of a directory under repair: reads them completely,
// salvages damaged ones, and merges those that no order of levels can separate.
// Callers decide which tables are used.
//
// One thread.
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
  // OK: every block and entry is readable. Otherwise the rest is undefined.
  Status status;
  // Bounds and sequence numbers computed from the contents.
  FileMetaData meta;
  uint64_t entries = 0;
  bool in_gap = false;
};

// The family according to the table's properties; an error if those are
// unreadable.
struct TableOwner {
  FamilyId id;
  bool known = false;  // false: the properties lack it
  std::string name;
};
Result<TableOwner> ReadTableOwner(const DBContext& context, FileNumber number,
                                  uint64_t size);

// Reads the whole table. `listed`: the MANIFEST's metadata, or only number and
// size, with seqnos_known false. Fails only on file system errors.
Result<TableScan> ScanTable(const ColumnFamily& family,
                            const FileMetaData& listed, const SequenceGap& gap);

class RepairWriter {
 public:
  // All arguments must outlive the writer.
  RepairWriter(const DBContext& context, std::function<FileNumber()> new_number)
      : context_(context), new_number_(std::move(new_number)) {}

  struct Salvaged {
    SalvagedTable facts;
    std::vector<FileMetaData> tables;  // one; none if nothing was readable
  };
  // Writes the readable part of a table to a new one.
  Result<Salvaged> Salvage(const ColumnFamily& family,
                           const FileMetaData& damaged, int level);

  // Writes all distinct entries of the tables to new ones that share no user
  // keys; for level 0, to a single table.
  Result<std::vector<FileMetaData>> Merge(
      const ColumnFamily& family, const std::vector<FileMetaData>& tables,
      int level);

  // Writes a memtable with all versions.
  Result<std::vector<FileMetaData>> Write(const ColumnFamily& family,
                                          const MemTable& memtable);

 private:
  TableJob JobFor(const ColumnFamily& family) const {
    return {&context_, &family, {}, new_number_, nullptr};
  }
  Result<std::vector<FileMetaData>> WriteAll(
      const ColumnFamily& family, InternalIterator* entries,
      const std::vector<RangeTombstone>& tombstones, int level);

  const DBContext& context_;
  const std::function<FileNumber()> new_number_;
};

}  // namespace tamis
