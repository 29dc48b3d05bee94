// SPDX-License-Identifier: Apache-2.0
//
// Destroying a database: its own files and nothing else.
#include <string>
#include <vector>

#include "tamis/db.h"

#include "db/file_names.h"
#include "util/result.h"

namespace tamis {

Status DestroyDB(const std::string& name, const Options& options) {
  const std::shared_ptr<FileSystem> fs = options.file_system != nullptr
                                             ? options.file_system
                                             : NewPosixFileSystem();
  std::vector<std::string> names;
  Status status = fs->GetChildren(name, &names);
  // Nothing there: nothing to do.
  if (status.IsPathNotFound()) return Status::OK();
  if (!status.ok()) return status;

  std::unique_ptr<FileLock> lock;
  TAMIS_RETURN_IF_ERROR(fs->LockFile(LockFileName(name), &lock));
  // CURRENT first: a directory that is half gone is then no database.
  status = fs->RemoveFile(CurrentFileName(name));
  if (!status.ok() && !status.IsPathNotFound()) return status;
  for (const std::string& child : names) {
    const auto file = ParseFileName(child);
    if (!file || file->type == FileType::kLock ||
        file->type == FileType::kCurrent) {
      continue;
    }
    TAMIS_RETURN_IF_ERROR(fs->RemoveFile(name + "/" + child));
  }
  TAMIS_RETURN_IF_ERROR(fs->RemoveFile(LockFileName(name)));
  lock.reset();
  // Other files in it are somebody else's, and keep the directory.
  fs->RemoveDir(name).PermitUncheckedError();
  return Status::OK();
}

}  // namespace tamis
