// SPDX-License-Identifier: Apache-2.0
#include "db/backup/backup_directory.h"

#include <charconv>
#include <iterator>
#include <optional>
#include <set>
#include <string_view>

#include "util/io/file_io.h"

namespace tamis {

namespace {

std::optional<BackupID> ParseId(std::string_view name) {
  BackupID id = 0;
  const char* const end = name.data() + name.size();
  const auto [stop, error] = std::from_chars(name.data(), end, id);
  if (error != std::errc() || stop != end || id == 0 ||
      name != std::to_string(id)) {
    return std::nullopt;
  }
  return id;
}

// Keeps the first error.
void Keep(Status* first, Status status) {
  if (first->ok()) {
    *first = std::move(status);
  } else {
    status.PermitUncheckedError();
  }
}

}  // namespace

BackupSet::const_iterator NewestGood(const BackupSet& backups) {
  for (auto it = backups.end(); it != backups.begin();) {
    --it;
    if (it->second->status.ok()) return it;
  }
  return backups.end();
}

Status BackupDirectory::Create(const BackupEngineOptions& options) const {
  std::vector<std::string> folders = {"", "/private", "/meta"};
  if (options.share_table_files) {
    folders.emplace_back(options.share_files_with_checksum ? "/shared_checksum"
                                                           : "/shared");
  }
  for (const std::string& folder : folders) {
    TAMIS_RETURN_IF_ERROR(fs_->CreateDirIfMissing(path_ + folder));
  }
  if (!options.sync) return Status::OK();
  TAMIS_RETURN_IF_ERROR(file_io::SyncDirectory(fs_.get(), path_));
  return file_io::SyncDirectory(fs_.get(), ParentDirectory(path_));
}

Status BackupDirectory::Lock(std::unique_ptr<FileLock>* lock) const {
  const Status locked = fs_->LockFile(PathOf("LOCK"), lock);
  if (locked.ok()) return locked;
  bool taken = false;
  if (!fs_->IsLocked(PathOf("LOCK"), &taken).ok() || !taken) return locked;
  return Status::Busy(path_,
                      "another backup engine is changing the backups; try "
                      "again when it has finished");
}

Status BackupDirectory::ChildrenIfThere(const std::string& folder,
                                        std::vector<std::string>* names) const {
  const Status listed = fs_->GetChildren(PathOf(folder), names);
  if (!listed.IsPathNotFound()) return listed;
  names->clear();
  return Status::OK();
}

std::shared_ptr<const Backup> BackupDirectory::Read(BackupID id,
                                                    std::string text) const {
  auto backup = std::make_shared<Backup>();
  backup->text = std::move(text);
  auto meta = DecodeBackupMeta(id, MetaPath(id), backup->text);
  backup->decoded = meta.ok();
  if (!meta.ok()) {
    backup->status = meta.status();
    return backup;
  }
  backup->meta = std::move(meta).value();
  for (BackupFile& file : backup->meta.files) {
    const std::string path = PathOf(file.path);
    uint64_t size = 0;
    const Status found = fs_->GetFileSize(path, &size);
    if (!found.ok()) {
      Keep(&backup->status,
           found.IsPathNotFound()
               ? Status::Corruption(path, "backup " + std::to_string(id) +
                                              " needs this file, which is "
                                              "missing")
               : found);
    } else if (file.size && *file.size != size) {
      Keep(&backup->status,
           Status::Corruption(path, "it has " + std::to_string(size) +
                                        " bytes, was backed up with " +
                                        std::to_string(*file.size)));
    }
    file.size = size;
  }
  return backup;
}

Status BackupDirectory::Load(BackupSet* backups, int most) const {
  std::vector<std::string> names;
  const Status listed = fs_->GetChildren(PathOf("meta"), &names);
  if (listed.IsPathNotFound()) {
    return Status::NotFound(PathOf("meta"), "is missing");
  }
  TAMIS_RETURN_IF_ERROR(listed);
  std::set<BackupID> ids;
  for (const std::string& name : names) {
    if (const auto id = ParseId(name)) ids.insert(*id);
  }
  BackupSet loaded;
  for (auto id = ids.rbegin(); id != ids.rend() && most > 0; ++id) {
    std::string text;
    const Status read = ReadFileToString(fs_.get(), MetaPath(*id), &text);
    if (read.IsPathNotFound()) continue;  // deleted meanwhile
    const auto known = backups->find(*id);
    std::shared_ptr<const Backup> backup;
    if (!read.ok()) {
      auto unreadable = std::make_shared<Backup>();
      unreadable->status = read;
      backup = std::move(unreadable);
    } else if (known != backups->end() && known->second->status.ok() &&
               known->second->text == text) {
      backup = known->second;
    } else {
      backup = Read(*id, std::move(text));
    }
    if (backup->status.ok()) --most;
    loaded.emplace(*id, std::move(backup));
  }
  *backups = std::move(loaded);
  return Status::OK();
}

Status BackupDirectory::WriteMeta(BackupID id, const std::string& text,
                                  bool sync) const {
  const std::string scratch = PathOf("meta/." + std::to_string(id) + ".tmp");
  TAMIS_RETURN_IF_ERROR(WriteStringToFile(fs_.get(), text, scratch, sync));
  TAMIS_RETURN_IF_ERROR(fs_->RenameFile(scratch, MetaPath(id)));
  return sync ? file_io::SyncDirectory(fs_.get(), PathOf("meta"))
              : Status::OK();
}

Status BackupDirectory::RemoveMeta(BackupID id, bool sync) const {
  TAMIS_RETURN_IF_ERROR(fs_->RemoveFile(MetaPath(id)));
  return sync ? file_io::SyncDirectory(fs_.get(), PathOf("meta"))
              : Status::OK();
}

Status BackupDirectory::RemoveFolder(const std::string& folder) const {
  std::vector<std::string> names;
  TAMIS_RETURN_IF_ERROR(ChildrenIfThere(folder, &names));
  for (const std::string& name : names) {
    TAMIS_RETURN_IF_ERROR(fs_->RemoveFile(PathOf(folder + "/" + name)));
  }
  return fs_->RemoveDir(PathOf(folder));
}

Status BackupDirectory::CollectGarbage(const BackupSet& backups) const {
  std::set<std::string> needed;
  bool all_decoded = true;
  for (const auto& [id, backup] : backups) {
    all_decoded = all_decoded && backup->decoded;
    for (const BackupFile& file : backup->meta.files) needed.insert(file.path);
  }
  Status first;
  std::vector<std::string> names;
  for (const std::string folder : {"shared_checksum", "shared", "meta"}) {
    Keep(&first, ChildrenIfThere(folder, &names));
    for (const std::string& name : names) {
      const std::string file = folder + "/" + name;
      const bool unfinished = name.starts_with(".") && name.ends_with(".tmp");
      const bool unneeded = folder != "meta" && all_decoded &&
                            NameOfBackupFile(0, file) && !needed.contains(file);
      if (unfinished || unneeded) Keep(&first, fs_->RemoveFile(PathOf(file)));
    }
  }
  Keep(&first, ChildrenIfThere("private", &names));
  for (const std::string& name : names) {
    // Old releases wrote to N.tmp.
    std::string_view number = name;
    if (number.ends_with(".tmp")) number.remove_suffix(4);
    const auto id = ParseId(number);
    if (!id || (number == name && backups.contains(*id))) continue;
    Keep(&first, RemoveFolder("private/" + name));
  }
  return first;
}

}  // namespace tamis
