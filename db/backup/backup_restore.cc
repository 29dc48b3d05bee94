// SPDX-License-Identifier: Apache-2.0
#include "db/backup/backup_restore.h"

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "db/backup/backup_meta.h"
#include "db/base/file_names.h"
#include "util/io/file_io.h"

namespace tamis {

namespace {

// A file of a backup, and where it goes.
struct Placed {
  const BackupFile* file;
  std::string to;
};

Status DifferentChecksum(const std::string& path, uint32_t found,
                         uint32_t expected) {
  return Status::Corruption(path, "its CRC-32C is " + std::to_string(found) +
                                      ", it was backed up with " +
                                      std::to_string(expected));
}

CopySource SourceOf(const BackupDirectory& directory, const BackupFile& file) {
  return {directory.fs(), directory.PathOf(file.path), file.size.value_or(0)};
}

class Restore {
 public:
  Restore(const BackupDirectory& directory, const RestoreTarget& target,
          FileCopier* copier)
      : directory_(directory), target_(target), copier_(*copier) {}

  Status Run(BackupID id, const BackupMeta& meta) {
    TAMIS_RETURN_IF_ERROR(Place(id, meta));
    TAMIS_RETURN_IF_ERROR(CheckBackupFiles(directory_, meta, nullptr));
    FileSystem* const fs = target_.fs;
    TAMIS_RETURN_IF_ERROR(fs->CreateDirIfMissing(target_.db_dir));
    TAMIS_RETURN_IF_ERROR(fs->CreateDirIfMissing(target_.wal_dir));
    std::unique_ptr<FileLock> lock;
    TAMIS_RETURN_IF_ERROR(fs->LockFile(LockFileName(target_.db_dir), &lock));
    std::unique_ptr<FileLock> wal_lock;
    if (separate_logs()) {
      TAMIS_RETURN_IF_ERROR(
          fs->LockFile(LockFileName(target_.wal_dir), &wal_lock));
    }
    TAMIS_RETURN_IF_ERROR(RemoveOld());
    TAMIS_RETURN_IF_ERROR(copier_.Run(
        placed_.size(), [&](size_t i) { return CopyIn(placed_[i]); }));
    if (target_.sync) TAMIS_RETURN_IF_ERROR(SyncAll());
    return WriteCurrent();
  }

 private:
  bool separate_logs() const { return target_.wal_dir != target_.db_dir; }

  Status SyncAll() const {
    FileSystem* const fs = target_.fs;
    for (const std::string& directory : {target_.db_dir, target_.wal_dir}) {
      TAMIS_RETURN_IF_ERROR(file_io::SyncDirectory(fs, directory));
      TAMIS_RETURN_IF_ERROR(
          file_io::SyncDirectory(fs, ParentDirectory(directory)));
    }
    return Status::OK();
  }

  // Lists where files go, and reads CURRENT.
  Status Place(BackupID id, const BackupMeta& meta) {
    for (const BackupFile& file : meta.files) {
      const auto name = NameOfBackupFile(id, file.path);
      if (!name) {
        return Status::Corruption(file.path, "a database has no such file");
      }
      if (name->file.type == FileKind::kCurrent) {
        current_ = {&file, CurrentFileName(target_.db_dir)};
        continue;
      }
      const bool log = name->file.type == FileKind::kLog;
      placed_.push_back(
          {&file, (log ? target_.wal_dir : target_.db_dir) + "/" + name->name});
    }
    if (current_) return Status::OK();
    return Status::Corruption(directory_.MetaPath(id),
                              "the backup has no CURRENT");
  }

  Status RemoveOld() {
    FileSystem* const fs = target_.fs;
    const std::string current = CurrentFileName(target_.db_dir);
    const Status there = fs->FileExists(current);
    if (there.ok()) {
      TAMIS_RETURN_IF_ERROR(fs->RemoveFile(current));
      if (target_.sync) {
        TAMIS_RETURN_IF_ERROR(file_io::SyncDirectory(fs, target_.db_dir));
      }
    } else if (!there.IsPathNotFound()) {
      return there;
    }
    TAMIS_RETURN_IF_ERROR(RemoveFiles(target_.db_dir, [&](FileKind type) {
      return type != FileKind::kLock && type != FileKind::kInfoLog &&
             type != FileKind::kUnknown &&
             !(type == FileKind::kLog && target_.keep_log_files);
    }));
    if (separate_logs()) {
      // The restored database may have another identity than the old one.
      TAMIS_RETURN_IF_ERROR(RemoveFiles(target_.wal_dir, [&](FileKind type) {
        return type == FileKind::kIdentity ||
               (type == FileKind::kLog && !target_.keep_log_files);
      }));
    }
    return MoveOrRemoveArchive();
  }

  Status RemoveFiles(const std::string& directory,
                     const std::function<bool(FileKind)>& is_old) {
    std::vector<std::string> names;
    TAMIS_RETURN_IF_ERROR(target_.fs->GetChildren(directory, &names));
    for (const std::string& name : names) {
      const auto file = ParseFileName(name);
      if (!file || !is_old(file->type)) continue;
      TAMIS_RETURN_IF_ERROR(target_.fs->RemoveFile(directory + "/" + name));
    }
    return Status::OK();
  }

  Status MoveOrRemoveArchive() {
    const std::string archive = ArchiveDirectory(target_.wal_dir);
    std::vector<std::string> names;
    const Status listed = target_.fs->GetChildren(archive, &names);
    if (listed.IsPathNotFound()) return Status::OK();
    TAMIS_RETURN_IF_ERROR(listed);
    for (const std::string& name : names) {
      const auto file = ParseFileName(name);
      if (!file || file->type != FileKind::kLog) continue;
      const std::string from = archive + "/" + name;
      TAMIS_RETURN_IF_ERROR(
          target_.keep_log_files
              ? target_.fs->RenameFile(from, target_.wal_dir + "/" + name)
              : target_.fs->RemoveFile(from));
    }
    return Status::OK();
  }

  Status CopyIn(const Placed& placed) {
    const BackupFile& file = *placed.file;
    uint32_t crc32c = 0;
    const CopySource from = SourceOf(directory_, file);
    TAMIS_RETURN_IF_ERROR(
        copier_.Copy(from, target_.fs, placed.to, nullptr, &crc32c));
    if (!file.crc32c || crc32c == *file.crc32c) return Status::OK();
    target_.fs->RemoveFile(placed.to).PermitUncheckedError();
    return DifferentChecksum(from.path, crc32c, *file.crc32c);
  }

  Status WriteCurrent() {
    const std::string scratch = TempFileName(target_.db_dir, FileNumber(0));
    TAMIS_RETURN_IF_ERROR(CopyIn({current_->file, scratch}));
    TAMIS_RETURN_IF_ERROR(target_.fs->RenameFile(scratch, current_->to));
    return target_.sync ? file_io::SyncDirectory(target_.fs, target_.db_dir)
                        : Status::OK();
  }

  const BackupDirectory& directory_;
  const RestoreTarget& target_;
  FileCopier& copier_;
  std::vector<Placed> placed_;
  std::optional<Placed> current_;
};

}  // namespace

Status RestoreBackup(const BackupDirectory& directory, BackupID id,
                     const BackupMeta& meta, const RestoreTarget& target,
                     FileCopier* copier) {
  return Restore(directory, target, copier).Run(id, meta);
}

Status CheckBackupFiles(const BackupDirectory& directory,
                        const BackupMeta& meta, FileCopier* copier) {
  const auto check = [&](const BackupFile& file) {
    const CopySource from = SourceOf(directory, file);
    uint64_t size = 0;
    const Status found = from.fs->GetFileSize(from.path, &size);
    if (found.IsPathNotFound()) {
      return Status::NotFound(from.path, "the backup's file is missing");
    }
    TAMIS_RETURN_IF_ERROR(found);
    if (size != from.bytes) {
      return Status::Corruption(from.path,
                                "expected " + std::to_string(from.bytes) +
                                    " bytes, found " + std::to_string(size));
    }
    if (copier == nullptr || !file.crc32c) return Status::OK();
    uint32_t crc32c = 0;
    TAMIS_RETURN_IF_ERROR(copier->Read(from, &crc32c));
    return crc32c == *file.crc32c
               ? Status::OK()
               : DifferentChecksum(from.path, crc32c, *file.crc32c);
  };
  const std::vector<BackupFile>& files = meta.files;
  if (copier != nullptr) {
    return copier->Run(files.size(), [&](size_t i) { return check(files[i]); });
  }
  for (const BackupFile& file : files) TAMIS_RETURN_IF_ERROR(check(file));
  return Status::OK();
}

}  // namespace tamis
