// SPDX-License-Identifier: Apache-2.0
//
// BackupEngineImpl puts the parts together. Reads share a lock; what changes
// the directory holds it alone, holds the directory's LOCK, and starts from
// what is on the disk: see Changing.
#include "tamis/utilities/backup_engine.h"

#include <algorithm>
#include <atomic>
#include <cinttypes>
#include <mutex>
#include <shared_mutex>
#include <utility>

#include "tamis/db.h"
#include "tamis/logger.h"

#include "db/backup/backup_creation.h"
#include "db/backup/backup_directory.h"
#include "db/backup/backup_file_system.h"
#include "db/backup/backup_options.h"
#include "db/backup/backup_restore.h"
#include "db/backup/file_copier.h"
#include "db/base/file_names.h"
#include "util/base/exceptions.h"
#include "util/base/process.h"
#include "util/io/chosen_file_system.h"

namespace tamis {

BackupEngineReadOnlyBase::~BackupEngineReadOnlyBase() = default;
BackupEngineAppendOnlyBase::~BackupEngineAppendOnlyBase() = default;

namespace {

constexpr char kNotFound[] = "Backup not found";

FileType TypeOf(FileKind kind) {
  switch (kind) {
    case FileKind::kCurrent:
      return kCurrentFile;
    case FileKind::kDescriptor:
      return kDescriptorFile;
    case FileKind::kIdentity:
      return kIdentityFile;
    case FileKind::kOptions:
      return kOptionsFile;
    case FileKind::kLog:
      return kWalFile;
    case FileKind::kBlob:
      return kBlobFile;
    default:
      return kTableFile;
  }
}

class BackupEngineImpl final : public BackupEngine,
                               public BackupEngineReadOnly {
 public:
  BackupEngineImpl(const BackupEngineOptions& options,
                   std::shared_ptr<FileSystem> db_fs)
      : options_(options),
        directory_(
            ChosenFileSystem(options.backup_file_system, options.backup_env),
            WithoutTrailingSlashes(options.backup_dir)),
        db_fs_(ChosenFileSystem(std::move(db_fs), nullptr)) {}

  Status OpenToChange();
  Status OpenReadOnly();

  Status GetLatestBackupInfo(BackupInfo* info, bool details) const override;
  Status GetBackupInfo(BackupID id, BackupInfo* info,
                       bool details) const override;
  void GetBackupInfo(std::vector<BackupInfo>* infos,
                     bool details) const override;
  void GetCorruptedBackups(std::vector<BackupID>* ids) const override;
  Status RestoreDBFromBackup(const RestoreOptions& options, BackupID id,
                             const std::string& db_dir,
                             const std::string& wal_dir) const override;
  Status RestoreDBFromLatestBackup(const RestoreOptions& options,
                                   const std::string& db_dir,
                                   const std::string& wal_dir) const override;
  Status VerifyBackup(BackupID id, bool verify_with_checksum) const override;

  Status CreateNewBackupWithMetadata(const CreateBackupOptions& options, DB* db,
                                     const std::string& app_metadata,
                                     BackupID* new_backup_id) override;
  void StopBackup() override { stop_.store(true); }
  Status GarbageCollect() override;
  Status PurgeOldBackups(uint32_t num_backups_to_keep) override;
  Status DeleteBackup(BackupID id) override;

 private:
  // Runs `read`, with other reads but no change. Exceptions become errors.
  template <typename Read>
  Status Reading(const Read& read) const {
    if (!owner_.IsCurrent()) return OfOtherProcess(directory_.path(), owner_);
    return CatchExceptions([&] {
      const std::shared_lock<std::shared_mutex> lock(mutex_);
      return read();
    });
  }
  // Runs `change` alone, after the set of backups is up to date and garbage is
  // gone.
  template <typename Change>
  Status Changing(const Change& change) {
    if (!owner_.IsCurrent()) return OfOtherProcess(directory_.path(), owner_);
    return CatchExceptions([&] {
      const std::unique_lock<std::shared_mutex> lock(mutex_);
      std::unique_ptr<FileLock> file_lock;
      TAMIS_RETURN_IF_ERROR(directory_.Lock(&file_lock));
      TAMIS_RETURN_IF_ERROR(directory_.Load(&backups_, INT_MAX));
      Collect().PermitUncheckedError();
      return change();
    });
  }

  // Collects garbage. An error goes to info_log, too.
  Status Collect() const;
  Result<std::shared_ptr<const Backup>> Find(BackupID id) const;
  BackupInfo Describe(BackupID id, const Backup& backup, bool details) const;
  BackupFileInfo DescribeFile(BackupID id, const BackupFile& file) const;
  Status Restore(const RestoreOptions& options, BackupID id,
                 const std::string& db_dir, const std::string& wal_dir) const;
  Status Create(const CreateBackupOptions& options, DB* db,
                const std::string& app_metadata, BackupID id);
  Status Delete(BackupID id);

  const BackupEngineOptions options_;
  const BackupDirectory directory_;
  const std::shared_ptr<FileSystem> db_fs_;
  const OwnerProcess owner_;
  std::atomic<bool> stop_{false};
  mutable std::shared_mutex mutex_;
  BackupSet backups_;  // guarded by mutex_
};

Status BackupEngineImpl::OpenToChange() {
  TAMIS_RETURN_IF_ERROR(CheckBackupOptions(options_));
  return CatchExceptions([&] {
    const std::string current = CurrentFileName(directory_.path());
    if (directory_.fs()->FileExists(current).ok()) {
      return Status::InvalidArgument(
          directory_.path(),
          "it is a database; backups need a directory of "
          "their own, such as one in it");
    }
    TAMIS_RETURN_IF_ERROR(directory_.Create(options_));
    if (options_.destroy_old_data) {
      return Changing([&] {
        while (!backups_.empty()) {
          TAMIS_RETURN_IF_ERROR(Delete(backups_.begin()->first));
        }
        return Collect();
      });
    }
    return directory_.Load(&backups_, INT_MAX);
  });
}

Status BackupEngineImpl::OpenReadOnly() {
  TAMIS_RETURN_IF_ERROR(CheckBackupOptions(options_));
  return CatchExceptions([&] {
    return directory_.Load(&backups_, options_.max_valid_backups_to_open);
  });
}

Status BackupEngineImpl::Collect() const {
  Status status = directory_.CollectGarbage(backups_);
  if (!status.ok()) {
    Warn(options_.info_log, "Backups in %s: garbage stays: %s",
         directory_.path().c_str(), status.ToString().c_str());
  }
  return status;
}

Result<std::shared_ptr<const Backup>> BackupEngineImpl::Find(
    BackupID id) const {
  const auto found = backups_.find(id);
  if (found == backups_.end()) return Status::NotFound(kNotFound);
  return found->second;
}

BackupInfo BackupEngineImpl::Describe(BackupID id, const Backup& backup,
                                      bool details) const {
  BackupInfo info;
  info.backup_id = id;
  info.timestamp = backup.meta.timestamp;
  info.app_metadata = backup.meta.app_metadata;
  info.number_files = static_cast<uint32_t>(backup.meta.files.size());
  for (const BackupFile& file : backup.meta.files) {
    info.size += file.size.value_or(0);
  }
  if (!details) return info;
  for (const BackupFile& file : backup.meta.files) {
    info.file_details.push_back(DescribeFile(id, file));
  }
  info.name_for_open = directory_.PathOf(BackupDirectory::PrivateFolder(id));
  info.file_system_for_open = NewBackupFileSystem(directory_, id, backup.meta);
  return info;
}

BackupFileInfo BackupEngineImpl::DescribeFile(BackupID id,
                                              const BackupFile& file) const {
  BackupFileInfo info;
  info.relative_filename = file.path;
  info.directory = directory_.path();
  info.size = file.size.value_or(0);
  if (file.crc32c) {
    for (const int shift : {24, 16, 8, 0}) {
      info.file_checksum.push_back(static_cast<char>(*file.crc32c >> shift));
    }
    info.file_checksum_func_name = kStandardDbFileChecksumFuncName;
  }
  if (const auto name = NameOfBackupFile(id, file.path)) {
    info.file_number = name->file.number.value();
    info.file_type = TypeOf(name->file.type);
  }
  return info;
}

Status BackupEngineImpl::GetLatestBackupInfo(BackupInfo* info,
                                             bool details) const {
  return Reading([&] {
    const auto newest = NewestGood(backups_);
    if (newest == backups_.end()) return Status::NotFound(kNotFound);
    *info = Describe(newest->first, *newest->second, details);
    return Status::OK();
  });
}

Status BackupEngineImpl::GetBackupInfo(BackupID id, BackupInfo* info,
                                       bool details) const {
  return Reading([&] {
    const auto backup = Find(id);
    TAMIS_RETURN_IF_ERROR(backup.status());
    TAMIS_RETURN_IF_ERROR((*backup)->status);
    *info = Describe(id, **backup, details);
    return Status::OK();
  });
}

void BackupEngineImpl::GetBackupInfo(std::vector<BackupInfo>* infos,
                                     bool details) const {
  infos->clear();
  const Status read = Reading([&] {
    for (const auto& [id, backup] : backups_) {
      if (backup->status.ok()) infos->push_back(Describe(id, *backup, details));
    }
    return Status::OK();
  });
  if (!read.ok()) infos->clear();
}

void BackupEngineImpl::GetCorruptedBackups(std::vector<BackupID>* ids) const {
  ids->clear();
  const Status read = Reading([&] {
    for (const auto& [id, backup] : backups_) {
      if (!backup->status.ok()) ids->push_back(id);
    }
    return Status::OK();
  });
  if (!read.ok()) ids->clear();
}

// REQUIRES: the lock is held, at least shared.
Status BackupEngineImpl::Restore(const RestoreOptions& options, BackupID id,
                                 const std::string& db_dir,
                                 const std::string& wal_dir) const {
  const auto backup = Find(id);
  TAMIS_RETURN_IF_ERROR(backup.status());
  TAMIS_RETURN_IF_ERROR((*backup)->status);
  RestoreTarget target;
  target.fs = db_fs_.get();
  target.db_dir = WithoutTrailingSlashes(db_dir);
  target.wal_dir = SeparateDirectory(target.db_dir, wal_dir);
  if (target.wal_dir.empty()) target.wal_dir = target.db_dir;
  target.keep_log_files = options.keep_log_files;
  target.sync = options_.sync;
  if (target.db_dir.empty()) {
    return Status::InvalidArgument("RestoreDBFromBackup", "db_dir is empty");
  }
  FileCopierOptions copying;
  copying.threads = options_.max_background_operations;
  copying.sync = options_.sync;
  copying.bytes_per_second = options_.restore_rate_limit;
  copying.limiter = options_.restore_rate_limiter;
  FileCopier copier(copying);
  Status status =
      RestoreBackup(directory_, id, (*backup)->meta, target, &copier);
  Info(options_.info_log, "Restored backup %" PRIu32 " of %s to %s: %s", id,
       directory_.path().c_str(), target.db_dir.c_str(),
       status.ToString().c_str());
  return status;
}

Status BackupEngineImpl::RestoreDBFromBackup(const RestoreOptions& options,
                                             BackupID id,
                                             const std::string& db_dir,
                                             const std::string& wal_dir) const {
  return Reading([&] { return Restore(options, id, db_dir, wal_dir); });
}

Status BackupEngineImpl::RestoreDBFromLatestBackup(
    const RestoreOptions& options, const std::string& db_dir,
    const std::string& wal_dir) const {
  return Reading([&] {
    const auto newest = NewestGood(backups_);
    if (newest == backups_.end()) return Status::NotFound(kNotFound);
    return Restore(options, newest->first, db_dir, wal_dir);
  });
}

Status BackupEngineImpl::VerifyBackup(BackupID id,
                                      bool verify_with_checksum) const {
  return Reading([&] {
    const auto backup = Find(id);
    TAMIS_RETURN_IF_ERROR(backup.status());
    TAMIS_RETURN_IF_ERROR((*backup)->status);
    FileCopierOptions copying;
    copying.threads = options_.max_background_operations;
    FileCopier copier(copying);
    return CheckBackupFiles(directory_, (*backup)->meta,
                            verify_with_checksum ? &copier : nullptr);
  });
}

// REQUIRES: within Changing.
Status BackupEngineImpl::Create(const CreateBackupOptions& options, DB* db,
                                const std::string& app_metadata, BackupID id) {
  FileCopierOptions copying;
  copying.threads = options_.max_background_operations;
  copying.sync = options_.sync;
  copying.bytes_per_second = options_.backup_rate_limit;
  copying.limiter = options_.backup_rate_limiter;
  copying.progress = options.progress_callback;
  copying.progress_bytes = options_.callback_trigger_interval_size;
  copying.stop = &stop_;
  FileCopier copier(copying);
  auto made = BackupCreation(options_, directory_, backups_, &copier)
                  .Run(db, id, options.flush_before_backup);
  TAMIS_RETURN_IF_ERROR(made.status());
  auto backup = std::make_shared<Backup>();
  backup->decoded = true;
  backup->meta = std::move(made).value();
  backup->meta.app_metadata = app_metadata;
  backup->text = EncodeBackupMeta(backup->meta, options_.schema_version);
  const Status written = directory_.WriteMeta(id, backup->text, options_.sync);
  if (!written.ok()) {
    // Its name may be there already.
    directory_.RemoveMeta(id, options_.sync).PermitUncheckedError();
    return written;
  }
  backups_.emplace(id, std::move(backup));
  return Status::OK();
}

Status BackupEngineImpl::CreateNewBackupWithMetadata(
    const CreateBackupOptions& options, DB* db, const std::string& app_metadata,
    BackupID* new_backup_id) {
  return Changing([&] {
    stop_.store(false);
    BackupID id = backups_.empty() ? 1 : backups_.rbegin()->first + 1;
    // A folder that could not be deleted.
    while (
        directory_.fs()
            ->FileExists(directory_.PathOf(BackupDirectory::PrivateFolder(id)))
            .ok()) {
      ++id;
    }
    Status status =
        CatchExceptions([&] { return Create(options, db, app_metadata, id); });
    Info(options_.info_log, "Backup %" PRIu32 " in %s: %s", id,
         directory_.path().c_str(), status.ToString().c_str());
    if (status.ok()) {
      if (new_backup_id != nullptr) *new_backup_id = id;
    } else {
      Collect().PermitUncheckedError();
    }
    return status;
  });
}

// REQUIRES: within Changing. The files are garbage then.
Status BackupEngineImpl::Delete(BackupID id) {
  TAMIS_RETURN_IF_ERROR(directory_.RemoveMeta(id, options_.sync));
  backups_.erase(id);
  Info(options_.info_log, "Backup %" PRIu32 " in %s: deleted", id,
       directory_.path().c_str());
  return Status::OK();
}

Status BackupEngineImpl::GarbageCollect() {
  return Changing([&] { return Collect(); });
}

Status BackupEngineImpl::DeleteBackup(BackupID id) {
  return Changing([&] {
    if (!backups_.contains(id)) return Status::NotFound(kNotFound);
    TAMIS_RETURN_IF_ERROR(Delete(id));
    return Collect();
  });
}

Status BackupEngineImpl::PurgeOldBackups(uint32_t num_backups_to_keep) {
  return Changing([&] {
    std::vector<BackupID> good;
    for (const auto& [id, backup] : backups_) {
      if (backup->status.ok()) good.push_back(id);
    }
    for (size_t i = 0; i + num_backups_to_keep < good.size(); ++i) {
      TAMIS_RETURN_IF_ERROR(Delete(good[i]));
    }
    return Collect();
  });
}

// Opens an engine by `open`, one of its functions.
template <typename Engine>
Status OpenEngine(const BackupEngineOptions& options,
                  std::shared_ptr<FileSystem> db_fs,
                  Status (BackupEngineImpl::*open)(),
                  std::unique_ptr<Engine>* engine) {
  engine->reset();
  return CatchExceptions([&] {
    auto opened = std::make_unique<BackupEngineImpl>(options, std::move(db_fs));
    TAMIS_RETURN_IF_ERROR(((*opened).*open)());
    *engine = std::move(opened);
    return Status::OK();
  });
}

// As RocksDB: backups are where the databases are, unless the options differ.
template <typename Engine>
Status OpenIn(Env* env, BackupEngineOptions options, Engine** engine) {
  if (options.backup_env == nullptr) options.backup_env = env;
  std::unique_ptr<Engine> owned;
  Status status = Engine::Open(options, ChosenFileSystem(nullptr, env), &owned);
  *engine = owned.release();
  return status;
}

}  // namespace

Status BackupEngine::Open(const BackupEngineOptions& options,
                          std::shared_ptr<FileSystem> db_file_system,
                          std::unique_ptr<BackupEngine>* backup_engine) {
  return OpenEngine(options, std::move(db_file_system),
                    &BackupEngineImpl::OpenToChange, backup_engine);
}

Status BackupEngine::Open(const BackupEngineOptions& options, Env* db_env,
                          BackupEngine** backup_engine) {
  return OpenIn(db_env, options, backup_engine);
}

Status BackupEngineReadOnly::Open(
    const BackupEngineOptions& options,
    std::shared_ptr<FileSystem> db_file_system,
    std::unique_ptr<BackupEngineReadOnly>* backup_engine) {
  return OpenEngine(options, std::move(db_file_system),
                    &BackupEngineImpl::OpenReadOnly, backup_engine);
}

Status BackupEngineReadOnly::Open(const BackupEngineOptions& options,
                                  Env* db_env,
                                  BackupEngineReadOnly** backup_engine) {
  return OpenIn(db_env, options, backup_engine);
}

}  // namespace tamis
