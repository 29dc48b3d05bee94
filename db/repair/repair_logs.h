// SPDX-License-Identifier: Apache-2.0
//
// RepairLogs replays the logs of a directory under repair: every readable
// record, even if records before it are missing. One thread. Calls: Replay*
// Finish; after an error, only the destructor.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>

#include "db/base/numbers.h"
#include "db/family/column_family.h"
#include "db/wal/prepared_sections.h"
#include "util/base/result.h"

namespace tamis {

struct ReplayedLog {
  FileNumber number;
  uint64_t records = 0;  // replayed
  uint64_t changes = 0;  // in these records, for families that are replayed
  // The number of corruptions: dropped byte ranges, dropped records, and zeros
  // before a record, where others may be missing.
  uint64_t damages = 0;
  uint64_t bytes_lost = 0;  // dropped
  Status first_damage;      // OK if there is none
};

class RepairLogs {
 public:
  // Returns the family of a change in that log, or nullptr to skip the change.
  // The family must outlive the RepairLogs.
  using FamilyOf =
      std::function<const ColumnFamily*(FamilyId id, FileNumber log_number)>;
  // Stores a memtable of the family. Its memtables come in ascending order of
  // sequence numbers, unless these decrease from a record to the next.
  using Sink =
      std::function<Status(const ColumnFamily&, std::unique_ptr<MemTable>)>;

  // `context` must outlive *this.
  RepairLogs(const DBContext& context, FamilyOf family_of, Sink sink)
      : context_(context),
        family_of_(std::move(family_of)),
        sink_(std::move(sink)) {}

  // Replays a log and passes memtables that become full to the sink. Drops and
  // counts corrupt records; a Corruption from the sink counts in the same way.
  // Returns other errors: those of the file system and the sink, and
  // NotSupported. REQUIRES: the log numbers of the calls ascend.
  Result<ReplayedLog> Replay(FileNumber number);
  // Passes the remaining memtables to the sink. Returns its first error.
  Status Finish();

  // Returns the transactions that were prepared, and neither committed nor
  // rolled back: their changes are in no memtable.
  const PreparedSections::ById& prepared() const {
    return sections_.unresolved();
  }
  // Returns the highest sequence number so far, of skipped changes too.
  SequenceNumber last_sequence() const { return last_sequence_; }

 private:
  struct Target {
    const ColumnFamily* family = nullptr;
    std::unique_ptr<MemTable> memtable;
  };
  Status ReplayRecord(FileNumber number, std::string record, ReplayedLog* log);
  Status Add(const ColumnFamily& family, SequenceNumber sequence,
             ValueType type, const Slice& key, const Slice& value);

  const DBContext& context_;
  const FamilyOf family_of_;
  const Sink sink_;
  PreparedSections sections_;
  std::map<FamilyId, Target> targets_;
  SequenceNumber next_sequence_ = 0;
  SequenceNumber last_sequence_ = 0;
};

}  // namespace tamis
