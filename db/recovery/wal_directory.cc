// SPDX-License-Identifier: Apache-2.0
#include "db/recovery/wal_directory.h"

#include <algorithm>
#include <vector>

#include "db/base/file_names.h"
#include "db/recovery/separate_directory.h"
#include "util/base/result.h"

namespace tamis {

namespace {

// Returns the numbers of the logs in the directory: none if it is missing.
Result<std::vector<FileNumber>> LogsIn(FileSystem* fs,
                                       const std::string& directory) {
  std::vector<FileNumber> logs;
  std::vector<std::string> names;
  const Status listed = fs->GetChildren(directory, &names);
  if (listed.IsPathNotFound()) return logs;
  if (!listed.ok()) return listed;
  for (const std::string& name : names) {
    const auto file = ParseFileName(name);
    if (file && file->type == FileKind::kLog) logs.push_back(file->number);
  }
  std::sort(logs.begin(), logs.end());
  return logs;
}

// Returns a log of the directory or of its archive, empty if there is none.
Result<std::string> AnyLog(FileSystem* fs, const std::string& directory) {
  const auto logs = LogsIn(fs, directory);
  if (!logs.ok()) return logs.status();
  if (!logs->empty()) return LogFileName(directory, logs->front());
  const auto archived = LogsIn(fs, ArchiveDirectory(directory));
  if (!archived.ok()) return archived.status();
  return archived->empty() ? std::string()
                           : ArchivedLogFileName(directory, archived->front());
}

FileNumber OldestNeeded(const ManifestState& manifest) {
  if (manifest.families.empty()) return kNoFile;
  FileNumber first = kFileNumberMax;
  for (const auto& [id, family] : manifest.families) {
    first = std::min(first, family.log_number.value_or(kNoFile));
  }
  first = std::max(first, manifest.min_log_number_to_keep);
  return manifest.prev_log_number == kNoFile
             ? first
             : std::min(first, manifest.prev_log_number);
}

// Returns InvalidArgument for the first log of `directory` that is needed and
// not in the listing with the same size, as one that was copied is.
Status CheckNoneIsLeft(const DBContext& context, const std::string& directory,
                       const std::vector<FileNumber>& logs, FileNumber needed,
                       const DirectoryListing& listing) {
  FileSystem* const fs = context.fs();
  for (const FileNumber number : logs) {
    if (number < needed) continue;
    const std::string path = LogFileName(directory, number);
    uint64_t bytes = 0;
    const Status sized = fs->GetFileSize(path, &bytes);
    if (sized.IsPathNotFound()) continue;
    TAMIS_RETURN_IF_ERROR(sized);
    if (bytes == 0) continue;
    if (std::binary_search(listing.logs.begin(), listing.logs.end(), number)) {
      uint64_t copied = 0;
      TAMIS_RETURN_IF_ERROR(fs->GetFileSize(
          LogFileName(context.log_directory(), number), &copied));
      if (copied == bytes) continue;
    }
    return Status::InvalidArgument(
        kWalDirOption,
        path + " may hold writes that no table has, but logs are read from " +
            context.log_directory() +
            "; set wal_dir to the directory of this log, or move it and later "
            "ones from there");
  }
  return Status::OK();
}

// The newest OPTIONS file says that logs were in `recorded`.
Status CheckRecorded(const DBContext& context, FileNumber needed,
                     const DirectoryListing& listing,
                     const std::string& recorded) {
  FileSystem* const fs = context.fs();
  // A copy without IDENTITY was not yet open: the file is of its original.
  const Status opened = fs->FileExists(IdentityFileName(context.directory));
  if (opened.IsPathNotFound()) return Status::OK();
  TAMIS_RETURN_IF_ERROR(opened);
  const auto owner = OwnerOf(fs, recorded);
  if (!owner.ok()) return owner.status();
  if (recorded == context.wal_dir) {
    const auto any = AnyLog(fs, recorded);
    if (!any.ok()) return any.status();
    if (!any->empty() || !owner->empty()) return Status::OK();
    return Status::InvalidArgument(
        kWalDirOption,
        recorded +
            " has neither logs nor IDENTITY, but the database's logs "
            "were there; mount or restore it. If they are lost, open "
            "or repair the database once without wal_dir");
  }
  if (!owner->empty() && *owner != context.db_id) return Status::OK();
  // Old releases of RocksDB record the database's own directory, from which it
  // may have been copied.
  const Status current = fs->FileExists(CurrentFileName(recorded));
  if (!current.IsPathNotFound()) return current;
  const auto logs = LogsIn(fs, recorded);
  if (!logs.ok()) return logs.status();
  return CheckNoneIsLeft(context, recorded, *logs, needed, listing);
}

}  // namespace

Status PrepareWalDirectory(const DBContext& context,
                           std::unique_ptr<FileLock>* lock) {
  if (context.wal_dir.empty()) return Status::OK();
  return PrepareSeparateDirectory(context.fs(), kWalDirOption, context.wal_dir,
                                  lock);
}

Status CheckWalDirectoryIsUnused(const DBContext& context) {
  if (context.wal_dir.empty()) return Status::OK();
  const auto log = AnyLog(context.fs(), context.wal_dir);
  if (!log.ok()) return log.status();
  if (log->empty()) return Status::OK();
  const auto owner = OwnerOf(context.fs(), context.wal_dir);
  if (!owner.ok()) return owner.status();
  if (!owner->empty() && *owner == context.db_id) {
    return Status::Corruption(CurrentFileName(context.directory),
                              "it is missing, but " + *log +
                                  " is of this database; restore it or repair "
                                  "the database");
  }
  return Status::InvalidArgument(
      kWalDirOption, "a new database cannot use " + context.wal_dir +
                         ": it has " + *log + ", which belongs to another one");
}

Status CheckWalOwner(FileSystem* fs, const std::string& wal_dir,
                     const std::string& db_id) {
  const auto owner = OwnerOf(fs, wal_dir);
  if (!owner.ok()) return owner.status();
  if (owner->empty() || *owner == db_id) return Status::OK();
  const auto log = AnyLog(fs, wal_dir);
  if (!log.ok()) return log.status();
  if (log->empty()) return Status::OK();
  return OwnedByAnother(kWalDirOption, wal_dir, *log, *owner, db_id);
}

Status CheckWalDirectory(const DBContext& context,
                         const ManifestState& manifest,
                         const DirectoryListing& listing,
                         const std::string& recorded) {
  const FileNumber needed = OldestNeeded(manifest);
  if (!context.wal_dir.empty()) {
    TAMIS_RETURN_IF_ERROR(
        CheckIsNoDatabase(context.fs(), kWalDirOption, context.wal_dir));
    TAMIS_RETURN_IF_ERROR(
        CheckWalOwner(context.fs(), context.wal_dir, context.db_id));
    TAMIS_RETURN_IF_ERROR(CheckNoneIsLeft(context, context.directory,
                                          listing.stray_logs, needed, listing));
  }
  const std::string place = SeparateDirectory(context.directory, recorded);
  return place.empty() ? Status::OK()
                       : CheckRecorded(context, needed, listing, place);
}

Status ClaimWalDirectory(const DBContext& context) {
  if (context.wal_dir.empty()) return Status::OK();
  return ClaimSeparateDirectory(context, context.wal_dir);
}

}  // namespace tamis
