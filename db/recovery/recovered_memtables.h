// SPDX-License-Identifier: Apache-2.0
//
// The memtables that an open fills from the logs, one per family. Logs may hold
// more than fits into memory: when the memtables together reach the largest
// write_buffer_size, the larger ones become tables of level 0. At the end, the
// rest become tables, too, or the families' memtables.
//
//   logs ──Add──▶ memtables ──┬─▶ tables (KeepWithinMemory, Flush) ──▶ edits
//                             └─▶ TakeAll
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <vector>

#include "tamis/slice.h"
#include "tamis/status.h"

#include "db/base/db_context.h"
#include "db/base/numbers.h"
#include "db/family/version_set.h"
#include "db/manifest/version_edit.h"

namespace tamis {

struct RecoveredFamily {
  ColumnFamilyPtr family;
  VersionEdit edit;  // adds the tables built from the logs
  // Has the entries of logs that stay. nullptr if there are none.
  std::shared_ptr<MemTable> memtable;
};

// One thread, while no other thread uses the database.
class RecoveredMemTables {
 public:
  RecoveredMemTables(const DBContext& context, VersionSet* versions);

  // Adds an entry of the log to its family's memtable; or nothing, if tables
  // contain it, or the family was dropped or is not being opened.
  Status Add(FileNumber log, SequenceNumber sequence, FamilyId id,
             ValueType type, const Slice& key, const Slice& value);
  // Writes tables until the memtables fit. In read-only mode they always do.
  Status KeepWithinMemory();
  // Writes all of them to tables.
  Status Flush();
  bool wrote_tables() const { return wrote_tables_; }

  // Returns whether they fit into what the write_buffer_manager, if there is
  // one, still allows. Counts them there from now on.
  bool FitIntoBudget();
  // Hands each to its family's RecoveredFamily. Returns how many entries they
  // have.
  uint64_t TakeAll();
  // Every open family, ascending by id.
  std::vector<RecoveredFamily> TakeFamilies() { return std::move(families_); }

 private:
  struct Filled {
    RecoveredFamily* of = nullptr;
    std::shared_ptr<MemTable> memtable;
    size_t bytes = 0;  // of memory
  };

  Filled* MemTableOf(FamilyId id, FileNumber log, SequenceNumber sequence);
  Status FlushOne(Filled* filled);
  RecoveredFamily* FamilyOf(FamilyId id);

  const DBContext& context_;
  VersionSet& versions_;
  std::vector<RecoveredFamily> families_;
  std::map<FamilyId, Filled> filled_;  // by id of the family
  size_t memory_ = 0;
  size_t memory_limit_ = 0;
  bool wrote_tables_ = false;
};

}  // namespace tamis
