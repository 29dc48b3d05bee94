// SPDX-License-Identifier: Apache-2.0
//
// Writes tables: those of a flush, a compaction, a replay of logs or a repair,
// all of them here. Opens files, feeds builders, keeps the facts for the
// MANIFEST, and sees to it that every table is on the device, and reads back,
// before anybody refers to it.
//
// One thread. Calls: (Add* CutBefore)* Add* Finish. Unless Finish was OK the
// destructor removes what was written.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "db/family/column_family.h"
#include "db/manifest/version_edit.h"
#include "table/range_tombstone.h"
#include "table/table_builder.h"
#include "util/jobs/parallel_for.h"

namespace tamis {

// What every job that makes tables is given.
struct TableJob {
  const DBContext* context = nullptr;
  const ColumnFamily* family = nullptr;
  std::vector<SequenceNumber> snapshots;  // ascending
  // Numbers of files that purge spares until the edit is applied.
  std::function<uint64_t()> new_file_number;
  // For parts of the job, and for jobs that write blocks (Helpers); nullptr:
  // there are none. What it is given may run when the job is long over.
  ScheduleJob schedule;
};

class TableOutput {
 public:
  struct Facts {
    uint64_t epoch_number = 0;
    uint64_t oldest_ancestor_time = 0;  // unix seconds; 0: now
    int level = 0;                      // that the tables are for
    bool is_flush = false;
    // The tables go where their keys end: nothing deeper overlaps them.
    bool bottommost = false;
    // Keys and tombstones lie in [lower, upper); nullptr: no bound.
    const Slice* lower = nullptr;
    const Slice* upper = nullptr;
  };

  // Everything outlives the output.
  TableOutput(const TableJob& job, const Facts& facts)
      : job_(job),
        context_(*job.context),
        family_(*job.family),
        facts_(facts),
        lower_(facts.lower) {}
  ~TableOutput();
  TableOutput(const TableOutput&) = delete;
  TableOutput& operator=(const TableOutput&) = delete;

  // REQUIRES: ascending internal keys. Opens a table when none is open.
  Status Add(const Slice& internal_key, const Slice& value);
  bool HasOpenTable() const { return builder_ != nullptr; }
  // Whether the open table has come to be so large; false: none is open.
  bool OpenTableHasReached(uint64_t bytes) const;
  // Ends the open table before a user key. It gets what of the tombstones,
  // which are sorted by begin, lies before. The device has time for it while
  // the next ones are written: it is synced and checked later, by Finish at the
  // latest. REQUIRES: HasOpenTable().
  Status CutBefore(const Slice& user_key,
                   std::span<const RangeTombstone> tombstones);
  // Ends the last table, which gets the rest of the tombstones and is opened
  // for them where none is open; syncs all and makes the directory entries
  // durable. The files are the caller's from then on.
  Result<std::vector<FileMetaData>> Finish(
      std::span<const RangeTombstone> tombstones);
  // The files are not wanted after all: the destructor removes them.
  void TakeBack() { finished_ = false; }

 private:
  // A finished table that is not known to be on the device.
  struct Written {
    std::unique_ptr<WritableFile> file;
    FileMetaData meta;
  };

  Status OpenTable();
  // What of the tombstones lies in [lower_, upper).
  Status AddRangeTombstones(const Slice* upper,
                            std::span<const RangeTombstone> tombstones);
  Status CloseTable();
  Status SyncOldest();
  void WidenBounds(const Slice& begin, const Slice& end,
                   SequenceNumber sequence);
  Status ReadBack(const FileMetaData& meta) const;

  const TableJob& job_;
  const DBContext& context_;
  const ColumnFamily& family_;
  const Facts facts_;

  const Slice* lower_;  // of the open table, as in Facts
  std::string cut_;     // where the last table ended
  Slice cut_key_;
  std::unique_ptr<WritableFile> file_;
  std::unique_ptr<TableBuilder> builder_;
  std::vector<FileMetaData> tables_;  // the last one may be open
  std::deque<Written> written_;       // oldest first
  bool finished_ = false;
};

}  // namespace tamis
