// SPDX-License-Identifier: Apache-2.0
//
// A BackupEngine keeps backups of databases in one directory. A backup holds
// all families at one point in time. Tables that several backups hold are
// stored once, so that each backup after the first copies only new tables. The
// directory is RocksDB's: either engine lists, verifies, restores and deletes
// the backups of the other, and adds its own.
//
//   BackupEngine* engine;
//   Status status =
//       BackupEngine::Open(BackupEngineOptions("/backups"), nullptr, &engine);
//   ...
//   status = engine->CreateNewBackup(CreateBackupOptions(), db);
//   ...
//   status = engine->RestoreDBFromLatestBackup(RestoreOptions(), "/db", "/db");
//
// Better than RocksDB: two engines may change one directory in turn (a file
// LOCK refuses the second of two at the same time, and each operation sees what
// others did before); a damaged backup never costs another one its files;
// RestoreDBFromBackup checks the backup before it deletes a file, deletes only
// a database's files, refuses a database that is open, and writes CURRENT last.
#pragma once

#include <climits>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tamis/env.h"
#include "tamis/export.h"
#include "tamis/file_system.h"
#include "tamis/metadata.h"
#include "tamis/rate_limiter.h"
#include "tamis/status.h"

namespace tamis {

class DB;
class Logger;

struct TAMIS_EXPORT BackupEngineOptions {
  // How tables are named that share_files_with_checksum shares. It may change
  // between backups, but a table with a new name is copied again.
  enum ShareFilesNaming : uint32_t {
    // NUMBER_CRC32C_SIZE.sst, with the decimal CRC-32C of the file. The whole
    // table must be read for its name, even if it is backed up already.
    kLegacyCrc32cAndFileSize = 1U,
    // NUMBER_sSESSION.sst, with the id of the session (one open of a database)
    // that wrote the table: its property db_session_id. A table without that
    // property has the name above.
    kUseDbSessionId = 2U,

    kMaskNoNamingFlags = 0xffffU,
    // A flag, added to one of these: the size in bytes is the last part.
    kFlagIncludeFileSize = 1U << 31,
    kMaskNamingFlags = ~kMaskNoNamingFlags,
  };

  // Where the backups are. Required; it must not be the directory of a
  // database. Its parent must exist.
  std::string backup_dir;

  // The file system of backup_dir. If nullptr, that of backup_env.
  std::shared_ptr<FileSystem> backup_file_system;
  // If nullptr, Env::Default(), or the Env that was passed to Open. Must
  // outlive the call of Open.
  Env* backup_env;

  // Stores tables once for all backups. If false, each backup has a copy.
  bool share_table_files;

  // Receives a line for each operation. May be nullptr; must outlive the
  // engine.
  Logger* info_log;

  // Makes backups, deletions and restored databases durable before a call
  // returns. If false, a power failure may damage what the last calls wrote,
  // but no older backup.
  bool sync;

  // Open deletes all backups in the directory.
  bool destroy_old_data;

  // Copies logs. If false, a backup lacks the writes that are in no table: set
  // CreateBackupOptions::flush_before_backup.
  bool backup_log_files;

  // Bytes a second that a backup writes; 0 means no limit. A limiter takes its
  // place, and may also limit reads (RateLimiter::Mode).
  uint64_t backup_rate_limit;
  std::shared_ptr<RateLimiter> backup_rate_limiter;

  // The same for what RestoreDBFromBackup writes.
  uint64_t restore_rate_limit;
  std::shared_ptr<RateLimiter> restore_rate_limiter;

  // Tables of the same number but another content get different names (see
  // ShareFilesNaming). If false, shared tables are named by their number alone,
  // as in the first releases of RocksDB; a backup then fails with Corruption if
  // a different table has that name, as it may after a restore.
  bool share_files_with_checksum;

  // How many threads copy files. At least 1.
  int max_background_operations;

  // After how many bytes of a file CreateBackupOptions::progress_callback is
  // called.
  uint64_t callback_trigger_interval_size;

  // BackupEngineReadOnly::Open reads at most this many of the newest backups
  // that are not corrupt. BackupEngine reads all.
  int max_valid_backups_to_open;

  // Only with share_table_files and share_files_with_checksum.
  ShareFilesNaming share_files_with_checksum_naming;

  // The version of the file that describes a new backup: 1, or 2, which RocksDB
  // reads from 6.19 on. Both are read.
  int schema_version = 1;

  // Sets the members of these names.
  explicit BackupEngineOptions(
      const std::string& backup_directory, Env* env = nullptr,
      bool share_tables = true, Logger* logger = nullptr,
      bool sync_files = true, bool destroy = false, bool log_files = true,
      uint64_t backup_limit = 0, uint64_t restore_limit = 0, int threads = 1,
      uint64_t callback_interval = 4 * 1024 * 1024, int max_valid = INT_MAX,
      ShareFilesNaming naming = static_cast<ShareFilesNaming>(
          kUseDbSessionId | kFlagIncludeFileSize));

  // Writes a line for each option. `logger` may be nullptr.
  void Dump(Logger* logger) const;
};

// How a backup is made.
struct CreateBackupOptions {
  // Flushes all families first, so that the backup has no logs. If false, logs
  // are copied, unless memtables hold writes made with disableWAL: then they
  // are flushed.
  bool flush_before_backup = false;
  // Called by the threads that copy, one at a time: see
  // callback_trigger_interval_size. If it throws, the backup fails with
  // Aborted, which has the exception's text.
  std::function<void()> progress_callback = [] {};
};

// How a backup is restored.
struct RestoreOptions {
  // Keeps the logs in wal_dir, and moves the archived ones there: for a backup
  // without logs of a database whose logs survived.
  bool keep_log_files;

  // Sets the member.
  explicit RestoreOptions(bool keep = false) : keep_log_files(keep) {}
};

// From 1 on; a new backup has a greater one than all in the directory.
using BackupID = uint32_t;
// relative_filename is relative to backup_dir, which `directory` names; size is
// that of the file; file_checksum is its CRC-32C, most significant byte first.
using BackupFileInfo = FileStorageInfo;

// A backup that is there.
struct BackupInfo {
  // Its number.
  BackupID backup_id = 0;
  int64_t timestamp = 0;      // of its creation, Unix seconds
  uint64_t size = 0;          // bytes of its files, shared ones included
  uint32_t number_files = 0;  // including shared ones
  // What CreateNewBackupWithMetadata was given.
  std::string app_metadata;

  // The following are set only if include_file_details was true.

  // Its files.
  std::vector<BackupFileInfo> file_details;
  // The backup opens without a restore: DB::OpenForReadOnly, with this name and
  // with DBOptions::file_system = file_system_for_open. The file system refuses
  // to write; it may outlive the engine. (In RocksDB: env_for_open.)
  std::string name_for_open;
  std::shared_ptr<FileSystem> file_system_for_open;
};

// Operations that change no backup.
class TAMIS_EXPORT BackupEngineReadOnlyBase {
 public:
  virtual ~BackupEngineReadOnlyBase();

  // Describes the newest backup that is not corrupt, or the one asked for.
  // Returns NotFound if there is none; Corruption or NotSupported, which says
  // what is wrong with it, if it cannot be restored.
  virtual Status GetLatestBackupInfo(
      BackupInfo* backup_info, bool include_file_details = false) const = 0;
  virtual Status GetBackupInfo(BackupID backup_id, BackupInfo* backup_info,
                               bool include_file_details = false) const = 0;
  // Describes all backups that are not corrupt, oldest first.
  virtual void GetBackupInfo(std::vector<BackupInfo>* backup_infos,
                             bool include_file_details = false) const = 0;
  // Lists the others: their description is damaged, or of a later release, or a
  // file is missing or has another size. GetBackupInfo of one says what it is.
  virtual void GetCorruptedBackups(
      std::vector<BackupID>* corrupt_backup_ids) const = 0;

  // Makes db_dir the database that was backed up, with its logs in wal_dir,
  // which may be db_dir. Creates both if missing; their parents must exist. The
  // files of a database that is there are deleted, files of other kinds are
  // not. The file system is db_file_system of Open. Every file is compared with
  // its checksum while it is copied.
  //
  // Errors: NotFound if there is no such backup; Corruption or NotSupported if
  // it is corrupt: if that shows before the copy begins, nothing has changed;
  // IOError if the database in db_dir is open. After a later error db_dir has
  // no CURRENT: it does not open, and the call can be repeated.
  virtual Status RestoreDBFromBackup(const RestoreOptions& options,
                                     BackupID backup_id,
                                     const std::string& db_dir,
                                     const std::string& wal_dir) const = 0;
  // Does the same with the newest backup that is not corrupt.
  virtual Status RestoreDBFromLatestBackup(
      const RestoreOptions& options, const std::string& db_dir,
      const std::string& wal_dir) const = 0;

  // RocksDB's older shapes.
  Status RestoreDBFromBackup(
      BackupID backup_id, const std::string& db_dir, const std::string& wal_dir,
      const RestoreOptions& options = RestoreOptions()) const {
    return RestoreDBFromBackup(options, backup_id, db_dir, wal_dir);
  }
  Status RestoreDBFromLatestBackup(
      const std::string& db_dir, const std::string& wal_dir,
      const RestoreOptions& options = RestoreOptions()) const {
    return RestoreDBFromLatestBackup(options, db_dir, wal_dir);
  }

  // Returns OK if each file of the backup exists and has the size that it had
  // when this engine first saw or created it, and, if asked, the checksum that
  // it had when it was backed up. Otherwise returns NotFound or Corruption,
  // which name the first file that does not.
  virtual Status VerifyBackup(BackupID backup_id,
                              bool verify_with_checksum = false) const = 0;
};

// Operations that add a backup.
class TAMIS_EXPORT BackupEngineAppendOnlyBase {
 public:
  virtual ~BackupEngineAppendOnlyBase();

  // Backs up all families of the database, which stays open to reads and
  // writes. The backup has every write that returned before the call; it may
  // have later ones. Sets *new_backup_id. app_metadata is kept for
  // BackupInfo. Tables with a checksum in the MANIFEST (file_checksum.h) are
  // compared with it, if the database has the factory.
  //
  // If the call fails, there is no new backup, and what it copied is deleted,
  // now or by the next operation. It returns Incomplete after StopBackup; Busy
  // if another engine changes the directory; Corruption if a file of the
  // database is damaged; NotSupported if the database is open for reading only.
  virtual Status CreateNewBackupWithMetadata(
      const CreateBackupOptions& options, DB* db,
      const std::string& app_metadata, BackupID* new_backup_id = nullptr) = 0;
  Status CreateNewBackup(const CreateBackupOptions& options, DB* db,
                         BackupID* new_backup_id = nullptr) {
    return CreateNewBackupWithMetadata(options, db, "", new_backup_id);
  }

  // RocksDB's older shapes.
  Status CreateNewBackupWithMetadata(
      DB* db, const std::string& app_metadata, bool flush_before_backup = false,
      const std::function<void()>& progress_callback = [] {}) {
    return CreateNewBackupWithMetadata({flush_before_backup, progress_callback},
                                       db, app_metadata);
  }
  Status CreateNewBackup(
      DB* db, bool flush_before_backup = false,
      const std::function<void()>& progress_callback = [] {}) {
    return CreateNewBackupWithMetadata({flush_before_backup, progress_callback},
                                       db, "");
  }

  // Tells the CreateNewBackup that is running to stop. Returns at once. Has no
  // effect on later ones.
  virtual void StopBackup() = 0;

  // Deletes what creations and deletions left behind that did not finish. Each
  // of these calls it, so that it is rarely needed. While there is a backup
  // whose description cannot be read, shared tables are kept, as it may need
  // them.
  virtual Status GarbageCollect() = 0;
};

// Threads: any. Operations of BackupEngineReadOnlyBase run concurrently with
// each other, all others alone, except StopBackup.
// Processes: a process forked after Open must not use the engine; its calls
// return NotSupported there.
class TAMIS_EXPORT BackupEngine : public BackupEngineReadOnlyBase,
                                  public BackupEngineAppendOnlyBase {
 public:
  // Opens the directory, and creates it if missing. RestoreDBFromBackup writes
  // to db_file_system; nullptr means that of the operating system. (A database
  // that is backed up is read through its own.) The caller owns the engine; it
  // may be destroyed before or after the databases.
  static Status Open(const BackupEngineOptions& options,
                     std::shared_ptr<FileSystem> db_file_system,
                     std::unique_ptr<BackupEngine>* backup_engine);
  // RocksDB's shapes. RestoreDBFromBackup writes to the Env's file system;
  // nullptr means Env::Default().
  static Status Open(const BackupEngineOptions& options, Env* db_env,
                     BackupEngine** backup_engine);
  static Status Open(Env* db_env, const BackupEngineOptions& options,
                     BackupEngine** backup_engine) {
    return Open(options, db_env, backup_engine);
  }

  // Deletes all backups but the newest ones that are not corrupt. Corrupt
  // backups stay.
  virtual Status PurgeOldBackups(uint32_t num_backups_to_keep) = 0;
  // Deletes a backup, corrupt or not. Returns NotFound if there is none. If it
  // does not finish, the backup is whole, or it is gone and the next operation
  // deletes its files.
  virtual Status DeleteBackup(BackupID backup_id) = 0;
};

// Reads a backup directory, to which nothing is written. It shows the backups
// that were there when it was opened.
class TAMIS_EXPORT BackupEngineReadOnly : public BackupEngineReadOnlyBase {
 public:
  // As BackupEngine::Open, but returns NotFound if there is no such directory.
  static Status Open(const BackupEngineOptions& options,
                     std::shared_ptr<FileSystem> db_file_system,
                     std::unique_ptr<BackupEngineReadOnly>* backup_engine);
  static Status Open(const BackupEngineOptions& options, Env* db_env,
                     BackupEngineReadOnly** backup_engine);
  static Status Open(Env* db_env, const BackupEngineOptions& options,
                     BackupEngineReadOnly** backup_engine) {
    return Open(options, db_env, backup_engine);
  }
};

}  // namespace tamis
