// SPDX-License-Identifier: Apache-2.0
//
// DB::Open finds or creates the directory and locks it. At the end, it removes
// files that nothing refers to, or moves them to lost/ if they may hold data.
#include <algorithm>

#include "db/base/file_names.h"
#include "db/base/lost_files.h"
#include "db/base/numbers.h"
#include "db/db_impl.h"
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
  if (context_.read_only) return Status::OK();
  return fs->LockFile(LockFileName(directory), &lock_file_);
}

// Removes files that nothing refers to. If the MANIFEST's tail was torn, only
// the lost record may have named a table, which can then be the last copy of
// its data: it is moved to lost/, and so are logs with dropped records. Other
// logs move to the archive if logs are kept. Trash has the number of the table
// or log that it was, and may be the last copy in the same cases.
Status DBImpl::SetAsideUnlistedFiles(bool manifest_was_torn,
                                     const std::vector<FileNumber>& lost_logs) {
  std::vector<std::string> names;
  TAMIS_RETURN_IF_ERROR(context_.fs()->GetChildren(context_.directory, &names));
  const std::vector<FileNumber> live =
      ColumnFamilySet::TableNumbers(*versions_.families().view());
  DeletableFiles obsolete;
  for (const std::string& name : names) {
    const auto file = ParseFileName(name);
    if (!file) continue;
    const std::string path = context_.directory + "/" + name;
    switch (file->type) {
      case FileKind::kTable:
      case FileKind::kTrash:
        if (std::binary_search(live.begin(), live.end(), file->number)) break;
        if (manifest_was_torn) {
          TAMIS_RETURN_IF_ERROR(MoveToLost(context_, name));
        } else {
          obsolete.paths.push_back(path);
        }
        break;
      case FileKind::kLog:
        if (file->number >= versions_.min_log_number_to_keep()) break;
        if (std::binary_search(lost_logs.begin(), lost_logs.end(),
                               file->number)) {
          TAMIS_RETURN_IF_ERROR(MoveToLost(context_, name));
        } else if (wal_archive_.enabled()) {
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
  std::sort(obsolete.archived.begin(), obsolete.archived.end());
  obsolete_.Delete(obsolete);
  wal_archive_.Purge();
  return Status::OK();
}

}  // namespace tamis
