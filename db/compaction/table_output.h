// SPDX-License-Identifier: Apache-2.0
//
// Writes the tables of flushes, compactions, log replays and repairs. It opens
// the files, feeds the table builders, and collects the metadata for the
// MANIFEST. Every table is durable and was opened once for reading before
// Finish returns.
//
// The filter, the index and the rest of a table are written beside the next
// table, by a helper if one is free: making a filter of all keys takes time,
// during which no data could be written.
//
//   this thread   data of table 1 │ data of table 2          │ data of 3
//   helper                        │ filter, index of table 1 │ of table 2
//
// One thread. Calls: (Add* CutBefore)* Add* Finish. Unless Finish succeeded,
// the destructor removes the files. Errors of a table may show at a later call.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "db/base/numbers.h"
#include "db/compaction/output_validator.h"
#include "db/compaction/space_use.h"
#include "db/compaction/table_creation.h"
#include "db/family/column_family.h"
#include "db/manifest/version_edit.h"
#include "table/range_tombstone.h"
#include "table/table_builder.h"
#include "util/io/file_checksum_maker.h"
#include "util/jobs/deferred_tasks.h"
#include "util/jobs/parallel_for.h"
#include "util/jobs/tracked_operation.h"

namespace tamis {

// The inputs that all jobs that write tables have in common.
struct TableJob {
  const DBContext* context = nullptr;
  const ColumnFamily* family = nullptr;
  FamilyOptionsPtr options;  // in use when the job began
  // For listeners: the number in LOG, and why tables are made.
  uint64_t job = 0;
  TableFileCreationReason reason = TableFileCreationReason::kMisc;
  std::vector<SequenceNumber> snapshots;  // ascending
  // Returns the levels of the family, for policies of filters. Empty in a
  // repair, which does not know them.
  std::function<std::vector<LevelShape>()> levels;
  // Returns a number whose file is not deleted before the edit is applied.
  std::function<FileNumber()> new_file_number;
  // Schedules parts of the job, and jobs that write blocks (Helpers). They may
  // run after the job has ended. If empty, there are no such jobs.
  ScheduleJob schedule;
  // If not nullptr: the job ends when the space limit is reached.
  SpaceUse* space = nullptr;
  // Of the outputs, if it is not that of their path id.
  TablePaths::Directory output_directory = nullptr;
  // Whether the caller makes durable the names of tables in the database's
  // directory. Otherwise Finish does, as it does for other directories.
  bool caller_syncs_directory = false;
  // What GetThreadList says of the job; lists nothing if it is not tracked.
  TrackedOperation* operation = nullptr;
};

// Returns the helpers of the job's tables, or none.
Helpers TableHelpers(const TableJob& job);

class TableOutput {
 public:
  struct Facts {
    EpochNumber epoch_number;
    uint64_t oldest_ancestor_time = 0;  // unix seconds; 0: now
    Level level = kLevelZero;           // of the tables
    // The index of their directory in the family's paths.
    uint8_t path_id = 0;
    bool is_flush = false;
    // No deeper level overlaps the tables.
    bool bottommost = false;
    Level base{1};         // that level 0 is compacted into
    bool compress = true;  // as in Compaction
    std::optional<CompressionType> compression = std::nullopt;
    // See FilterBuildingContext::expected_keys.
    uint64_t expected_keys = 0;
    // As in TableBuildOptions.
    uint64_t target_file_size = 0;
    // Finish and CutBefore get tombstones, or may get some.
    bool has_range_deletions = false;
    // Keys and tombstones lie in [lower, upper). nullptr does not bound them.
    const Slice* lower = nullptr;
    const Slice* upper = nullptr;
  };

  // `job`, and all that the arguments point to, must outlive the output.
  TableOutput(const TableJob& job, const Facts& facts)
      : job_(job),
        context_(*job.context),
        family_(*job.family),
        facts_(facts),
        directory_(job.output_directory != nullptr
                       ? job.output_directory
                       : family_.tables().paths().directory(facts.path_id)),
        lower_(facts.lower),
        ends_(TableHelpers(job), /*waiting_max=*/1) {}
  ~TableOutput();
  TableOutput(const TableOutput&) = delete;
  TableOutput& operator=(const TableOutput&) = delete;

  // Adds an entry to the open table, or to a new one if none is open. After an
  // error of this or the next calls, only the destructor may be called.
  // REQUIRES: ascending internal keys.
  Status Add(const Slice& internal_key, const Slice& value);
  bool HasOpenTable() const { return builder_ != nullptr; }
  // Returns whether a table is open and has at least this size.
  bool OpenTableHasReached(uint64_t bytes) const;
  // Returns about how many bytes the open table has. REQUIRES: HasOpenTable().
  uint64_t OpenTableBytes() const;
  // Ends the open table before a user key, and adds the parts of the tombstones
  // before that key to it. The table is synced and read back later, at the
  // latest by Finish: the device stores it while the next tables are written.
  // REQUIRES: HasOpenTable(); tombstones are sorted by begin.
  Status CutBefore(const Slice& user_key,
                   std::span<const RangeTombstone> tombstones);
  // Adds the rest of the tombstones to the open table, or to a new one, and
  // ends it. Makes all tables durable, and returns them; the caller then owns
  // the files.
  Result<std::vector<FileMetaData>> Finish(
      std::span<const RangeTombstone> tombstones);
  // Undoes the transfer by Finish: the destructor removes the files.
  void TakeBack() { finished_ = false; }

 private:
  // A table that has all of its entries, while the rest of it is written.
  struct Ending {
    std::unique_ptr<ChecksummedWrites> file;  // outlives the builder
    std::unique_ptr<TableBuilder> builder;
    OutputValidator validator;
    size_t table;  // its place in tables_
    bool starts_writeback;
    Status status = {};
    FileChecksum checksum = {};

    // Writes the rest and flushes it.
    void Write();
  };
  // A complete table that is not synced yet.
  struct Written {
    std::unique_ptr<ChecksummedWrites> file;
    OutputValidator validator;
    FileMetaData meta;
    TableProperties properties;
    TableCreation* creation;
  };

  Status OpenTable();
  // Adds the parts of the tombstones in [lower_, upper).
  Status AddRangeTombstones(const Slice* upper,
                            std::span<const RangeTombstone> tombstones);
  // Starts to write the rest of the open table.
  Status CloseTable();
  // Waits for what CloseTable has started, if it has.
  Status CompleteTable();
  Status SyncOldest();
  void WidenBounds(const Slice& begin, const Slice& end,
                   SequenceNumber sequence);

  const TableJob& job_;
  const DBContext& context_;
  const ColumnFamily& family_;
  const Facts facts_;
  const TablePaths::Directory directory_;  // of the tables

  const Slice* lower_;  // of the open table, as in Facts
  std::string cut_;     // where the last table ended
  Slice cut_key_;
  std::unique_ptr<ChecksummedWrites> file_;
  std::unique_ptr<TableBuilder> builder_;
  OutputValidator validator_{false};
  std::vector<FileMetaData> tables_;  // the last one may be open
  std::vector<std::unique_ptr<TableCreation>> creations_;  // of tables_
  std::deque<Written> written_;                            // oldest first
  bool finished_ = false;
  std::unique_ptr<Ending> ending_;  // nullptr if no table is ending
  DeferredTasks ends_;              // of ending_; must be destroyed first
};

// Returns what listeners are told of a table that begins: only its path is
// read.
TableFileCreationBriefInfo CreationInfo(const TableJob& job,
                                        const FileMetaData& table);
// Returns the options of the table `meta`: its number and times are known.
// `job` must outlive the table's builder.
TableBuildOptions BuildOptionsFor(const TableJob& job,
                                  const TableOutput::Facts& facts,
                                  const FileMetaData& meta);

// Writes the event table_written to LOG.
void LogTable(const DBContext& context, Level level, const FileMetaData& meta,
              const TableProperties& properties, const std::string& format,
              const std::string& filters, const std::string& filter_reason);

}  // namespace tamis
