// SPDX-License-Identifier: Apache-2.0
//
// An SstFileManager counts the table files of the databases that share it
// (DBOptions::sst_file_manager), bounds the space that they take, and deletes
// files slowly. Names and meanings are RocksDB's.
//
// Counted are the tables in the databases' directories: those that flushes,
// compactions, ingestions and imports have completed, and those that an open
// for writing finds. A file counts until it is deleted, also while a reader or
// the trash keeps it, and after its database was closed. DestroyDB with the
// manager in its options, and the next open, correct the count. Logs, files in
// lost/, checkpoints, and databases that are open for reading only do not
// count. Files are known by their paths: always open a database by the same
// one.
//
// When the files reach the limit (SetMaxAllowedSpaceUsage):
//
//   flush         A flush that reaches the limit keeps its table, and returns
//                 SpaceLimit, an IOError. It becomes the background error.
//   compaction    One with an output that reaches the limit does the same, but
//                 discards its outputs.
//   from then on  Writes, Flush, CompactRange and the like, ingestions, imports
//                 and checkpoints return SpaceLimit. Reads,
//                 CreateColumnFamily, DropColumnFamily and DeleteFilesInRanges
//                 work: the last two make room. Close works, too: it
//                 flushes writes with disableWAL, also beyond the limit.
//   resume        The database resumes when the files are below the limit
//                 again, or the limit was raised: with the next write, with
//                 Resume, or by a timer of the job_runner after
//                 bgerror_resume_retry_interval, at least 100 ms. (RocksDB 7.8
//                 has to be opened again.) Resume returns SpaceLimit until
//                 then. An open does not look at the limit, its next flush
//                 does.
//
// A compaction does not start if its inputs, as large again, would reach the
// limit together with what other compactions may write and the compaction
// buffer. CompactRange, CompactFiles, RewriteFilters and WaitForCompact then
// return CompactionTooLarge; an automatic compaction waits for room. If writes
// would have to wait for it, since level 0 is full, they fail with SpaceLimit,
// as above. (In RocksDB they wait.) Moves and deletions of whole tables need no
// room.
//
// A slow deletion renames a table or a log to <name>.trash, and deletes it
// later, one after another, on a thread of the manager. Trash counts until it
// is gone. If it cannot be deleted, that is tried again, five times in all.
// What is left then, or when the manager is destroyed, goes with the next open.
// Archived logs are deleted at once, and so are all files that DestroyDB
// removes, which RocksDB's deletes slowly.
//
// Threads: any. Lifetime: shared; databases hold references. In a forked child,
// DB::Open rejects the manager of the parent.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>

#include "tamis/clock.h"
#include "tamis/env.h"
#include "tamis/export.h"
#include "tamis/file_system.h"
#include "tamis/job_runner.h"
#include "tamis/logger.h"
#include "tamis/rate_limiter.h"
#include "tamis/statistics.h"
#include "tamis/status.h"

namespace tamis {

class SstFileManagerImpl;

// NewSstFileManager makes these; others cannot derive from it.
class TAMIS_EXPORT SstFileManager {
 public:
  virtual ~SstFileManager();
  SstFileManager(const SstFileManager&) = delete;
  SstFileManager& operator=(const SstFileManager&) = delete;

  // Sets the limit in bytes; 0, the default, means none.
  virtual void SetMaxAllowedSpaceUsage(uint64_t max_allowed_space) = 0;
  // Sets the bytes that a compaction must leave below the limit. 0 by default.
  virtual void SetCompactionBufferSize(uint64_t compaction_buffer_size) = 0;
  // Returns whether there is a limit, and the files have reached it.
  virtual bool IsMaxAllowedSpaceReached() = 0;
  // Returns the same, but counts the inputs of running compactions twice.
  virtual bool IsMaxAllowedSpaceReachedIncludingCompactions() = 0;

  // Returns the bytes of all counted files, and the bytes of each by its path.
  virtual uint64_t GetTotalSize() = 0;
  virtual std::unordered_map<std::string, uint64_t> GetTrackedFiles() = 0;

  // The bytes that are deleted in a second. 0 or less: files are deleted at
  // once, and so is the trash that waits.
  virtual int64_t GetDeleteRateBytesPerSecond() = 0;
  virtual void SetDeleteRateBytesPerSecond(int64_t delete_rate) = 0;
  // Files are deleted at once while the trash has more than this part of all
  // bytes. A negative ratio means 0.
  virtual double GetMaxTrashDBRatio() = 0;
  virtual void SetMaxTrashDBRatio(double ratio) = 0;
  // Returns the bytes of the trash that waits for its deletion, logs included.
  virtual uint64_t GetTotalTrashSize() = 0;

  // Sets where FILES_MARKED_TRASH and FILES_DELETED_IMMEDIATELY are counted.
  // An open sets the statistics of its database, if it has some.
  virtual void SetStatisticsPtr(const std::shared_ptr<Statistics>& stats) = 0;

 private:
  friend class SstFileManagerImpl;
  SstFileManager() = default;
};

// Creates a manager that the caller owns.
//
// env, fs: not used, may be nullptr. Files are deleted through the file_system
// of their database.
//
// info_log: is told of trash that cannot be deleted.
//
// rate_bytes_per_sec, max_trash_db_ratio: as the setters above say.
//
// bytes_max_delete_chunk: from trash that is larger, this many bytes are cut
// off at a time, where the file system can (FileSystem::Truncate) and the file
// has no other name, such as one in a checkpoint. 0: files are deleted whole.
// Use 0 where others have the database open for reading only: a deleted file
// stays readable for them, one that is cut does not.
//
// trash_dir, delete_existing_trash: not used. Trash lies in the directory of
// its database, and the next open takes it over.
//
// status: set to OK, if not nullptr.
TAMIS_EXPORT SstFileManager* NewSstFileManager(
    Env* env, std::shared_ptr<FileSystem> fs,
    std::shared_ptr<Logger> info_log = nullptr,
    const std::string& trash_dir = "", int64_t rate_bytes_per_sec = 0,
    bool delete_existing_trash = true, Status* status = nullptr,
    double max_trash_db_ratio = 0.25,
    uint64_t bytes_max_delete_chunk = 64 * 1024 * 1024);
TAMIS_EXPORT SstFileManager* NewSstFileManager(
    Env* env, std::shared_ptr<Logger> info_log = nullptr,
    std::string trash_dir = "", int64_t rate_bytes_per_sec = 0,
    bool delete_existing_trash = true, Status* status = nullptr,
    double max_trash_db_ratio = 0.25,
    uint64_t bytes_max_delete_chunk = 64 * 1024 * 1024);
// Takes the time from the clock. A timer of the runner deletes trash
// (JobRunner::ScheduleAfter); without a timer, files are deleted at once. A
// nullptr means the system's clock, or threads of the manager's own.
TAMIS_EXPORT SstFileManager* NewSstFileManager(
    std::shared_ptr<Clock> clock, std::shared_ptr<JobRunner> job_runner,
    std::shared_ptr<Logger> info_log, int64_t rate_bytes_per_sec,
    double max_trash_db_ratio, uint64_t bytes_max_delete_chunk);

}  // namespace tamis
