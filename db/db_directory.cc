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

// Makes the SstFileManager count these of the directory's files, and no others.
// Trash of logs does not count, as logs do not.
void CountTables(const DBContext& context, const std::string& directory,
                 const std::vector<std::string>& paths) {
  SstFileManagerImpl* const manager = context.sst_file_manager();
  if (manager == nullptr) return;
  std::vector<TrackedFiles::File> files;
  for (const std::string& path : paths) {
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
};

// Removes files that nothing refers to. If the MANIFEST's tail was torn, only
// the lost record may have named a table, which can then be the last copy of
// its data: it is moved to lost/, and so are logs with dropped records. Other
// logs move to the archive if logs are kept. Trash has the number of the table
// or log that it was, and may be the last copy in the same cases. A manager
// that outlived the last open may be deleting it.
Status DBImpl::SetAsideUnlistedFiles(bool manifest_was_torn,
                                     const std::vector<FileNumber>& lost_logs) {
  UnlistedFiles unlisted{manifest_was_torn, lost_logs, {}};
  TAMIS_RETURN_IF_ERROR(SetAsideUnlistedIn(context_.directory, &unlisted));
  for (const std::string& directory : context_.table_directories) {
    TAMIS_RETURN_IF_ERROR(SetAsideUnlistedIn(directory, &unlisted));
  }
  if (!context_.wal_dir.empty() && !HasTables(context_, context_.wal_dir)) {
    TAMIS_RETURN_IF_ERROR(SetAsideUnlistedIn(context_.wal_dir, &unlisted));
  }
  std::sort(unlisted.obsolete.archived.begin(),
            unlisted.obsolete.archived.end());
  obsolete_.Delete(unlisted.obsolete);
  wal_archive_.Purge();
  return Status::OK();
}

// In a directory of logs or tables, other files are left alone.
Status DBImpl::SetAsideUnlistedIn(const std::string& directory,
                                  UnlistedFiles* unlisted) {
  std::vector<std::string> names;
  TAMIS_RETURN_IF_ERROR(context_.fs()->GetChildren(directory, &names));
  const bool has_all = directory == context_.directory;
  const bool has_logs = has_all || directory == context_.wal_dir;
  const bool has_tables = HasTables(context_, directory);
  // Files of the directory, without logs, that stay or are obsolete.
  std::vector<std::string> counted;
  // Logs that an earlier open left in the database's directory are not moved.
  const bool archives =
      wal_archive_.enabled() && directory == context_.log_directory();
  const std::vector<FileNumber> live =
      LiveTablesIn(context_, *versions_.families().view(), directory);
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
        // A log's trash may have any number.
        if ((file->type == FileKind::kTable || name.ends_with(".sst.trash")) &&
            std::binary_search(live.begin(), live.end(), file->number)) {
          counted.push_back(path);
        } else if (unlisted->manifest_was_torn) {
          const Status moved = MoveToLost(context_, directory, name);
          if (!moved.IsPathNotFound() || file->type != FileKind::kTrash) {
            TAMIS_RETURN_IF_ERROR(moved);
          }
        } else {
          counted.push_back(path);
          obsolete.paths.push_back(path);
        }
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
        obsolete.paths.push_back(path);
        break;
      case FileKind::kOptions:
        if (name.ends_with(".dbtmp")) obsolete.paths.push_back(path);
        break;
      default:
        break;
    }
  }
  if (has_tables) CountTables(context_, directory, counted);
  return Status::OK();
}

}  // namespace tamis
