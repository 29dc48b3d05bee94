// SPDX-License-Identifier: Apache-2.0
//
// An EventListener is told what a database does in the background.
// DBOptions::listeners has those of a database.
//
//   OnMemTableSealed  OnFlushBegin  OnTableFileCreationStarted
//   OnTableFileCreated  OnFlushCompleted  OnCompactionBegin  ...
//
// Order: a database calls its listeners one event at a time, in the order of
// the events; for each event, in the order of DBOptions::listeners. Calls
// follow the events at once, but jobs do not wait for them: a flush may run on
// while OnFlushBegin does. (In RocksDB, threads of the database call listeners,
// several at a time, and a slow listener holds up its job.) Flush with `wait`,
// CompactRange, CompactFiles, RewriteFilters, WaitForCompact and
// IngestExternalFile return after the calls for all events before, and may make
// them: the caller must hold no lock that a listener takes. Called by a
// listener, they do not wait for calls. Events of Open are delivered when it
// has succeeded. Close waits for all calls.
//
// Threads: calls come from different threads, one at a time. No lock of the
// database is held: a call may use the `db` that it gets. It must not close or
// delete the database, and must not wait for flushes or compactions, as Flush
// and CompactRange do: it may have the thread that they need. A Put waits if
// writes are stopped.
//
// Exceptions of a listener are caught and named in LOG (listener_exception);
// the other listeners are called all the same.
//
// Lifetime: as long as the database (held by shared_ptr). Arguments are valid
// during the call.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tamis/export.h"
#include "tamis/file_checksum.h"
#include "tamis/status.h"
#include "tamis/table.h"
#include "tamis/table_properties.h"
#include "tamis/types.h"

namespace tamis {

class ColumnFamilyHandle;
class DB;

// A table whose writing begins, or ended: what all events of it have.
struct FileCreationBriefInfo {
  // The directory of the database, the family, and the path of the file.
  std::string db_name;
  std::string cf_name;
  std::string file_path;
  int job_id = 0;  // as in LOG; 0 in Open
};

// What OnTableFileCreationStarted tells.
struct TableFileCreationBriefInfo : FileCreationBriefInfo {
  // What writes it.
  TableFileCreationReason reason = TableFileCreationReason::kMisc;
};

// What OnTableFileCreated tells.
struct TableFileCreationInfo : TableFileCreationBriefInfo {
  uint64_t file_size = 0;  // bytes; 0 if it failed
  // What the table records about itself; empty if it failed.
  TableProperties table_properties;
  // Not OK if the table was not completed; the file is removed.
  Status status;
  // See file_checksum.h.
  std::string file_checksum = kUnknownFileChecksum;
  std::string file_checksum_func_name = kUnknownFileChecksumFuncName;
};

// What OnTableFileDeleted tells.
struct TableFileDeletionInfo {
  // The directory of the database, and the path of the file.
  std::string db_name;
  std::string file_path;
  int job_id = 0;  // always 0: deletions belong to no job
  // Not OK if the file remains.
  Status status;
};

// Why a compaction runs. The values are RocksDB's.
enum class CompactionReason : int {
  kUnknown = 0,  // DB::RewriteFilters
  kLevelL0FilesNum = 1,
  kLevelMaxLevelSize = 2,
  kUniversalSizeAmplification = 3,
  kUniversalSizeRatio = 4,
  kUniversalSortedRunNum = 5,
  kFIFOMaxSize = 6,
  kFIFOReduceNumFiles = 7,
  kFIFOTtl = 8,
  kManualCompaction = 9,           // CompactRange, CompactFiles, PromoteL0
  kFilesMarkedForCompaction = 10,  // SuggestCompactRange
  kTtl = 12,
  kPeriodicCompaction = 15,
};

// Why a memtable was flushed. The values are RocksDB's.
enum class FlushReason : int {
  kOthers = 0x00,
  kGetLiveFiles = 0x01,  // a checkpoint
  kShutDown = 0x02,
  kExternalFileIngestion = 0x03,
  kManualCompaction = 0x04,
  kWriteBufferFull = 0x06,
  kManualFlush = 0x0a,
  kErrorRecovery = 0x0b,
  kWalFull = 0x0d,
};

// What OnFlushBegin and OnFlushCompleted tell.
struct FlushJobInfo {
  // The family's number and name.
  uint32_t cf_id = 0;
  std::string cf_name;
  // The table. In OnFlushBegin, and after a flush that needed no table, since
  // its entries cancelled out, file_path is empty and file_number 0.
  std::string file_path;
  uint64_t file_number = 0;
  // As in LOG.
  int job_id = 0;
  // Whether the family now slows or stops writes.
  bool triggered_writes_slowdown = false;
  bool triggered_writes_stop = false;
  // Of the entries flushed.
  SequenceNumber smallest_seqno = 0;
  SequenceNumber largest_seqno = 0;
  // What the table records about itself, and why it was made.
  TableProperties table_properties;
  FlushReason flush_reason = FlushReason::kOthers;
};

// A table of a compaction.
struct CompactionFileInfo {
  // Where it is, or will be.
  int level = 0;
  uint64_t file_number = 0;
};

// What OnCompactionBegin and OnCompactionCompleted tell.
struct CompactionJobInfo {
  // The family's number and name.
  uint32_t cf_id = 0;
  std::string cf_name;
  // In OnCompactionCompleted.
  Status status;
  // As in LOG.
  int job_id = 0;
  // The first level that is read, and the level that is written.
  int base_input_level = 0;
  int output_level = 0;
  // Paths, and the same files by number. Outputs: in OnCompactionCompleted. A
  // compaction that only moves tables has the same inputs and outputs; one that
  // deletes tables (FIFO) has no outputs.
  std::vector<std::string> input_files;
  std::vector<CompactionFileInfo> input_file_infos;
  std::vector<std::string> output_files;
  std::vector<CompactionFileInfo> output_file_infos;
  // Of the outputs that were written, by path.
  TablePropertiesCollection table_properties;
  // Why it runs, and the codec of its outputs.
  CompactionReason compaction_reason = CompactionReason::kUnknown;
  CompressionType compression = kNoCompression;
  // Of the inputs, outputs, and entries read and dropped.
  struct {
    uint64_t total_input_bytes = 0;
    uint64_t total_output_bytes = 0;
    uint64_t num_input_records = 0;
    uint64_t num_output_records = 0;
  } stats;
};

// What OnMemTableSealed tells.
struct MemTableInfo {
  // The family.
  std::string cf_name;
  // No entry has a lower one.
  SequenceNumber earliest_seqno = 0;
  // How many it has.
  uint64_t num_entries = 0;
  uint64_t num_deletes = 0;
};

// Whether writes go on, are slowed down, or wait.
enum class WriteStallCondition { kNormal, kDelayed, kStopped };

// What OnStallConditionsChanged tells.
struct WriteStallInfo {
  // The family.
  std::string cf_name;
  // What it is now, and was before.
  struct {
    WriteStallCondition cur = WriteStallCondition::kNormal;
    WriteStallCondition prev = WriteStallCondition::kNormal;
  } condition;
};

// What failed when an error stopped writes.
enum class BackgroundErrorReason {
  kFlush = 0,
  kCompaction = 1,
  kWriteCallback = 2,  // a write to the log or a memtable
  kManifestWrite = 4,  // creation or drop of a family, Resume
};

// What OnExternalFileIngested tells.
struct ExternalFileIngestionInfo {
  // The family.
  std::string cf_name;
  // The path that the user named, where the file no longer is if it was moved,
  // and that in the database's directory.
  std::string external_file_path;
  std::string internal_file_path;
  // Of all entries; 0 if the file needed none.
  SequenceNumber global_seqno = 0;
  // What the file records about itself.
  TableProperties table_properties;
};

// What OnErrorRecoveryEnd tells.
struct BackgroundErrorRecoveryInfo {
  // What had stopped writes.
  Status old_bg_error;
  Status new_bg_error;  // OK if the recovery succeeded
};

// All functions do nothing by default.
class TAMIS_EXPORT EventListener {
 public:
  virtual ~EventListener();
  // Returns a name for LOG.
  virtual const char* Name() const { return ""; }

  // A flush of a family begins, or its table is installed. A flush that fails
  // does not complete; OnBackgroundError tells.
  virtual void OnFlushBegin(DB* /*db*/, const FlushJobInfo& /*info*/) {}
  virtual void OnFlushCompleted(DB* /*db*/, const FlushJobInfo& /*info*/) {}

  // A compaction begins; it succeeded or failed.
  virtual void OnCompactionBegin(DB* /*db*/,
                                 const CompactionJobInfo& /*info*/) {}
  virtual void OnCompactionCompleted(DB* /*db*/,
                                     const CompactionJobInfo& /*info*/) {}

  // A flush, a compaction or the replay of a log begins a table, has completed
  // it, or gave it up. A table may be deleted after that, if the job fails.
  virtual void OnTableFileCreationStarted(
      const TableFileCreationBriefInfo& /*info*/) {}
  virtual void OnTableFileCreated(const TableFileCreationInfo& /*info*/) {}
  // A table that had been completed was deleted, or could not be.
  virtual void OnTableFileDeleted(const TableFileDeletionInfo& /*info*/) {}

  // A memtable became immutable and will be flushed.
  virtual void OnMemTableSealed(const MemTableInfo& /*info*/) {}

  // A file became a part of the database: called once for each file of an
  // IngestExternalFile that succeeded.
  virtual void OnExternalFileIngested(
      DB* /*db*/, const ExternalFileIngestionInfo& /*info*/) {}

  // A handle is being destroyed. Called by the thread that destroys it, before
  // it does; in order with other calls only as far as they are complete.
  virtual void OnColumnFamilyHandleDeletionStarted(
      ColumnFamilyHandle* /*handle*/) {}

  // A family begins or ceases to slow or stop writes.
  virtual void OnStallConditionsChanged(const WriteStallInfo& /*info*/) {}

  // An error stopped writes, until a recovery. *bg_error is a copy: a listener
  // cannot suppress the error, which it can in RocksDB.
  virtual void OnBackgroundError(BackgroundErrorReason /*reason*/,
                                 Status* /*bg_error*/) {}
  // NOLINTBEGIN(performance-unnecessary-value-param): signatures are RocksDB's
  // A recovery begins: DB::Resume, or one by itself (*auto_recovery; setting it
  // to false has no effect).
  virtual void OnErrorRecoveryBegin(BackgroundErrorReason /*reason*/,
                                    Status /*bg_error*/,
                                    bool* /*auto_recovery*/) {}
  // It succeeded, or failed. OnErrorRecoveryCompleted, RocksDB's older form, is
  // called before OnErrorRecoveryEnd if it succeeded.
  virtual void OnErrorRecoveryCompleted(Status /*old_bg_error*/) {}
  // NOLINTEND(performance-unnecessary-value-param)
  virtual void OnErrorRecoveryEnd(const BackgroundErrorRecoveryInfo& /*info*/) {
  }
};

}  // namespace tamis
