// SPDX-License-Identifier: Apache-2.0
//
// DB::Open finds or creates the directory, and that of the logs, and locks
// them; those of tables when the MANIFEST is known. At the end, it removes
// files that nothing refers to, or moves them to lost/ if they may hold data.
#include <algorithm>

#include "db/base/file_names.h"
#include "db/base/lost_files.h"
#include "db/base/numbers.h"
#include "db/base/table_paths.h"
#include "db/db_impl.h"
#include "db/manifest/table_path.h"
#include "db/recovery/wal_directory.h"
#include "util/io/file_io.h"

namespace tamis {

// Finds or creates the directory, and locks it for this process.
Status DBImpl::PrepareDirectory() {
  const DBOptions& options = context_.options;
  FileSystem* fs = context_.fs();
  const std::string& directory = context_.directory;
  const Status current = fs->FileExists(CurrentFileName(directory));
  if (!current.ok() && !current.IsPathNotFound()) return current;
  if (current.ok() && options.error_if_exists && !context_.read_only) {
    return Status::InvalidArgument(directory,
                                   "exists, and error_if_exists is set");
  }
  if (current.IsPathNotFound()) {
    if (!options.create_if_missing || context_.read_only) {
      return Status::InvalidArgument(
          CurrentFileName(directory),
          "does not exist, and create_if_missing is not set");
    }
    TAMIS_RETURN_IF_ERROR(fs->CreateDirIfMissing(directory));
    TAMIS_RETURN_IF_ERROR(
        file_io::SyncDirectory(fs, ParentDirectory(directory)));
  }
  if (access_.kind == DBAccess::kSecondary) {
    // Otherwise there is no LOG.
    if (options.info_log != nullptr) return Status::OK();
    return fs->CreateDirIfMissing(access_.secondary_path);
  }
  if (context_.read_only) return Status::OK();
  TAMIS_RETURN_IF_ERROR(fs->LockFile(LockFileName(directory), &lock_file_));
  lock_read_check_ = lock_file_->ReadCheck();
  return PrepareWalDirectory(context_, &wal_lock_file_);
}

// For a family that is to be created. If it is not, the directories remain
// locked until Close.
Status DBImpl::UseTableDirectoriesOf(const ColumnFamilyDescriptor& family) {
  const auto directories =
      SeparateTableDirectories(context_.directory, DBOptions(), {family});
  if (directories.empty()) return Status::OK();
  TAMIS_RETURN_IF_ERROR(CheckOpen());
  return table_directories_.Use(directories, {});
}

// The tables of one directory.
struct TablesIn {
  std::vector<FileNumber> live;        // by the MANIFEST, ascending
  std::vector<FileNumber> live_found;  // of those, the ones that were listed
  std::vector<std::string> paths;      // of all that were listed, and of trash
};

namespace {

bool HasTables(const DBContext& context, const std::string& directory) {
  return directory == context.directory ||
         std::find(context.table_directories.begin(),
                   context.table_directories.end(),
                   directory) != context.table_directories.end();
}

// Returns the numbers of the live tables of this directory, ascending. Another
// may have a table of the same number whose removal a power failure undid.
std::vector<FileNumber> LiveTablesIn(const DBContext& context,
                                     const ColumnFamilySet::View& families,
                                     const std::string& directory) {
  std::vector<FileNumber> numbers;
  for (const ColumnFamilyPtr& family : families) {
    ForEachFile(*family->version(), [&](Level, const TableFilePtr& file) {
      if (TableDirectory(context, file->meta) == directory) {
        numbers.push_back(file->meta.number);
      }
    });
  }
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

// Makes the SstFileManager count these files of the directory and the tables
// that this open has made, and no others. Trash of logs does not count, as logs
// do not.
void CountTables(const DBContext& context, const std::string& directory,
                 TablesIn* found) {
  SstFileManagerImpl* const manager = context.sst_file_manager();
  if (manager == nullptr) return;
  std::sort(found->live_found.begin(), found->live_found.end());
  for (const FileNumber number : found->live) {
    if (!std::binary_search(found->live_found.begin(), found->live_found.end(),
                            number)) {
      found->paths.push_back(TableFileName(directory, number));
    }
  }
  std::vector<TrackedFiles::File> files;
  for (const std::string& path : found->paths) {
    if (path.ends_with(".log.trash")) continue;
    uint64_t bytes = 0;
    if (!context.fs()->GetFileSize(path, &bytes).ok()) continue;
    files.push_back({path, bytes});
  }
  manager->files().ReplaceDirectory(directory, files);
  if (context.statistics() != nullptr) {
    manager->SetStatisticsPtr(context.options.statistics);
  }
  context.event_log->Event("sst_file_manager")
      .Add("tables", files.size())
      .Add("total_bytes", manager->GetTotalSize())
      .Add("rate_bytes_per_sec",
           Slice(std::to_string(manager->GetDeleteRateBytesPerSecond())));
}

}  // namespace

// What is known of the files that are to go.
struct DBImpl::UnlistedFiles {
  bool manifest_was_torn;
  const std::vector<FileNumber>& lost_logs;
  DeletableFiles obsolete;
  TablesIn found;  // in the directory at hand
};

// Adds the MANIFESTs that this open has replaced. The listing lacks those that
// it made itself.
void DBImpl::AddReplacedManifests(std::vector<std::string>* paths) {
  MutexLock lock(&mutex_);
  for (const FileNumber number : versions_.TakeObsoleteManifests()) {
    std::string path = DescriptorFileName(context_.directory, number);
    if (std::find(paths->begin(), paths->end(), path) == paths->end()) {
      paths->push_back(std::move(path));
    }
  }
}

// Removes files that this open found and that nothing refers to: `names` are
// those of the database's directory. If the MANIFEST's tail was torn, only
// the lost record may have named a table, which can then be the last copy of
// its data: it is moved to lost/, and so are logs with dropped records. Other
// logs move to the archive if logs are kept. Trash has the number of the table
// or log that it was, and may be the last copy in the same cases. A manager
// that outlived the last open may be deleting it.
Status DBImpl::SetAsideUnlistedFiles(const std::vector<std::string>& names,
                                     bool manifest_was_torn,
                                     const std::vector<FileNumber>& lost_logs) {
  UnlistedFiles unlisted{manifest_was_torn, lost_logs, {}, {}};
  TAMIS_RETURN_IF_ERROR(
      SetAsideUnlistedIn(context_.directory, names, &unlisted));
  std::vector<std::string> others = context_.table_directories;
  if (!context_.wal_dir.empty() && !HasTables(context_, context_.wal_dir)) {
    others.push_back(context_.wal_dir);
  }
  for (const std::string& directory : others) {
    std::vector<std::string> found;
    TAMIS_RETURN_IF_ERROR(context_.fs()->GetChildren(directory, &found));
    TAMIS_RETURN_IF_ERROR(SetAsideUnlistedIn(directory, found, &unlisted));
  }
  AddReplacedManifests(&unlisted.obsolete.paths);
  std::sort(unlisted.obsolete.archived.begin(),
            unlisted.obsolete.archived.end());
  obsolete_.Delete(unlisted.obsolete);
  wal_archive_.Purge();
  return Status::OK();
}

// For a table or trash.
Status DBImpl::SetAsideTable(const std::string& directory,
                             const std::string& name,
                             const ParsedFileName& file,
                             UnlistedFiles* unlisted) {
  const std::string path = directory + "/" + name;
  TablesIn& found = unlisted->found;
  // A log's trash may have any number.
  if ((file.type == FileKind::kTable || name.ends_with(".sst.trash")) &&
      std::binary_search(found.live.begin(), found.live.end(), file.number)) {
    found.paths.push_back(path);
    found.live_found.push_back(file.number);
    return Status::OK();
  }
  if (unlisted->manifest_was_torn) {
    const Status moved = MoveToLost(context_, directory, name);
    const bool is_gone =
        moved.IsPathNotFound() && file.type == FileKind::kTrash;
    return is_gone ? Status::OK() : moved;
  }
  found.paths.push_back(path);
  unlisted->obsolete.paths.push_back(path);
  return Status::OK();
}

// In a directory of logs or tables, other files are left alone.
Status DBImpl::SetAsideUnlistedIn(const std::string& directory,
                                  const std::vector<std::string>& names,
                                  UnlistedFiles* unlisted) {
  const bool has_all = directory == context_.directory;
  const bool has_logs = has_all || directory == context_.wal_dir;
  const bool has_tables = HasTables(context_, directory);
  // Logs that an earlier open left in the database's directory are not moved.
  const bool archives =
      wal_archive_.enabled() && directory == context_.log_directory();
  unlisted->found = {
      LiveTablesIn(context_, *versions_.families().view(), directory), {}, {}};
  DeletableFiles& obsolete = unlisted->obsolete;
  for (const std::string& name : names) {
    const auto file = ParseFileName(name);
    if (!file) continue;
    const bool is_own = has_all || (has_logs && file->type == FileKind::kLog) ||
                        (has_tables && file->type == FileKind::kTable) ||
                        file->type == FileKind::kTrash ||
                        file->type == FileKind::kTemp;
    if (!is_own) continue;
    const std::string path = directory + "/" + name;
    switch (file->type) {
      case FileKind::kTable:
      case FileKind::kTrash:
        TAMIS_RETURN_IF_ERROR(SetAsideTable(directory, name, *file, unlisted));
        break;
      case FileKind::kLog:
        if (file->number >= versions_.min_log_number_to_keep()) break;
        if (std::binary_search(unlisted->lost_logs.begin(),
                               unlisted->lost_logs.end(), file->number)) {
          TAMIS_RETURN_IF_ERROR(MoveToLost(context_, directory, name));
        } else if (archives) {
          obsolete.archived.push_back(file->number);
        } else {
          obsolete.paths.push_back(path);
        }
        break;
      case FileKind::kDescriptor:
        if (file->number < versions_.manifest_number()) {
          obsolete.paths.push_back(path);
        }
        break;
      case FileKind::kTemp:
        // This open may have used the name, and renamed the file.
        if (context_.fs()->FileExists(path).ok()) {
          obsolete.paths.push_back(path);
        }
        break;
      case FileKind::kOptions:
        if (name.ends_with(".dbtmp")) obsolete.paths.push_back(path);
        break;
      default:
        break;
    }
  }
  if (has_tables) CountTables(context_, directory, &unlisted->found);
  return Status::OK();
}

}  // namespace tamis
