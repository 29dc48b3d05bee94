// SPDX-License-Identifier: Apache-2.0
//
// Writes the tables that a flush or a compaction gives: opens files, feeds
// builders, keeps the facts for the MANIFEST, and sees to it that every table
// is on the device, and reads back, before anybody refers to it.
//
// One thread. Calls: (Add* AddRangeTombstones? CloseTable)* Finish. Unless
// Finish was OK the destructor removes what was written.
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

class TableOutput {
 public:
  struct Facts {
    uint64_t epoch_number = 0;
    uint64_t oldest_ancestor_time = 0;  // unix seconds; 0: now
    int level = 0;                      // that the tables are for
    bool is_flush = false;
    // The tables go where their keys end: nothing deeper overlaps them.
    bool bottommost = false;
  };

  // new_number gives file numbers that purge spares until the edit is applied.
  // `schedule` is for a job that writes blocks (Helpers); nullptr: none does.
  // Everything outlives the output.
  TableOutput(const DBContext& context, const ColumnFamily& family,
              const Facts& facts, std::function<uint64_t()> new_number,
              ScheduleJob schedule);
  ~TableOutput();
  TableOutput(const TableOutput&) = delete;
  TableOutput& operator=(const TableOutput&) = delete;

  // REQUIRES: ascending internal keys. Opens a table when none is open.
  Status Add(const Slice& internal_key, const Slice& value);
  // What of the tombstones, which are sorted by begin, lies in [lower, upper)
  // (nullptr: unbounded) belongs to the open table, and if there is something,
  // opens one when none is open. REQUIRES: the keys of the table are in there
  // too.
  Status AddRangeTombstones(const Slice* lower, const Slice* upper,
                            std::span<const RangeTombstone> tombstones);
  bool HasOpenTable() const { return builder_ != nullptr; }
  // Whether the open table has come to be so large; false: none is open.
  bool OpenTableHasReached(uint64_t bytes) const;
  // Finishes the open table. The device has time for it while the next ones are
  // written: it is synced and checked later, by Finish at the latest.
  Status CloseTable();
  // Closes what is open, syncs all and makes the directory entries durable. The
  // files are the caller's from then on.
  Result<std::vector<FileMetaData>> Finish();
  // The files are not wanted after all: the destructor removes them.
  void TakeBack() { finished_ = false; }

 private:
  // A finished table that is not known to be on the device.
  struct Written {
    std::unique_ptr<WritableFile> file;
    FileMetaData meta;
  };

  Status OpenTable();
  Status SyncOldest();
  void WidenBounds(const Slice& begin, const Slice& end,
                   SequenceNumber sequence);
  Status ReadBack(const FileMetaData& meta) const;

  const DBContext& context_;
  const ColumnFamily& family_;
  const Facts facts_;
  const std::function<uint64_t()> new_number_;
  const ScheduleJob schedule_;

  std::unique_ptr<WritableFile> file_;
  std::unique_ptr<TableBuilder> builder_;
  std::vector<FileMetaData> tables_;  // the last one may be open
  std::deque<Written> written_;       // oldest first
  bool finished_ = false;
};

}  // namespace tamis
