// SPDX-License-Identifier: Apache-2.0
//
// The tables of a directory that is being repaired: read to the last entry,
// saved where they are damaged, merged where no level could tell them apart.
// Nothing here decides which tables count.
//
// One thread.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "db/compaction/table_output.h"
#include "db/recovery/lost_edits.h"
#include "db/repair/repair_layout.h"
#include "table/table_salvage.h"
#include "util/base/result.h"

namespace tamis {

struct TableScan {
  // OK: every block and every entry reads. Otherwise the rest means nothing.
  Status status;
  // Bounds and sequence numbers are those of what the table holds.
  FileMetaData meta;
  uint64_t entries = 0;
  bool in_gap = false;
};

// What the properties say of a table's family; an error when they cannot be
// read.
struct TableOwner {
  uint32_t id = 0;
  bool known = false;  // otherwise the table does not say
  std::string name;
};
Result<TableOwner> ReadTableOwner(const DBContext& context, uint64_t number,
                                  uint64_t size);

// Reads all of it. `listed`: what the MANIFEST says of it, or its number and
// size alone with seqnos_known false. An error is of the file system.
Result<TableScan> ScanTable(const ColumnFamily& family,
                            const FileMetaData& listed, const SequenceGap& gap);

class RepairWriter {
 public:
  // Everything outlives the writer.
  RepairWriter(const DBContext& context, std::function<uint64_t()> new_number)
      : context_(context), new_number_(std::move(new_number)) {}

  struct Salvaged {
    SalvagedTable facts;
    std::vector<FileMetaData> tables;  // one, or none: nothing reads
  };
  // What still reads of a table, in a new one.
  Result<Salvaged> Salvage(const ColumnFamily& family,
                           const FileMetaData& damaged, int level);

  // All entries of the tables, each once, in new tables with keys of their own;
  // in one for level 0.
  Result<std::vector<FileMetaData>> Merge(
      const ColumnFamily& family, const std::vector<FileMetaData>& tables,
      int level);

  // A memtable, all its versions kept.
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
  const std::function<uint64_t()> new_number_;
};

}  // namespace tamis
