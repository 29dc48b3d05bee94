// SPDX-License-Identifier: Apache-2.0
#include "db/recovery/separate_directory.h"

#include "db/base/file_names.h"
#include "util/io/file_io.h"

namespace tamis {

Status CheckIsNoDatabase(FileSystem* fs, const char* option,
                         const std::string& directory) {
  const Status current = fs->FileExists(CurrentFileName(directory));
  if (current.IsPathNotFound()) return Status::OK();
  TAMIS_RETURN_IF_ERROR(current);
  return Status::InvalidArgument(
      option, directory +
                  " is the directory of a database; if it is that of this "
                  "one, spell it as in the open, otherwise choose another");
}

Status PrepareSeparateDirectory(FileSystem* fs, const char* option,
                                const std::string& directory,
                                std::unique_ptr<FileLock>* lock) {
  TAMIS_RETURN_IF_ERROR(CheckIsNoDatabase(fs, option, directory));
  const bool is_in_use = fs->FileExists(IdentityFileName(directory)).ok();
  TAMIS_RETURN_IF_ERROR(fs->CreateDirIfMissing(directory));
  const Status synced = file_io::SyncDirectory(fs, ParentDirectory(directory));
  // The parent of one that is in use may belong to another user, as "/" does.
  // Unless it was moved here, an earlier open made its name durable.
  if (!is_in_use) TAMIS_RETURN_IF_ERROR(synced);
  return fs->LockFile(LockFileName(directory), lock);
}

Result<std::string> OwnerOf(FileSystem* fs, const std::string& directory) {
  auto owner = ReadIdentityFile(fs, directory);
  if (owner.status().IsPathNotFound()) return std::string();
  return owner;
}

Status OwnedByAnother(const char* option, const std::string& directory,
                      const std::string& file, const std::string& owner,
                      const std::string& db_id) {
  return Status::InvalidArgument(
      option,
      file + " belongs to another database: " + IdentityFileName(directory) +
          " has the id " + owner + ", and this one has " + db_id +
          ". Choose another directory; if the files are of this one "
          "nonetheless, remove that file");
}

Status ClaimSeparateDirectory(const DBContext& context,
                              const std::string& directory) {
  const auto owner = OwnerOf(context.fs(), directory);
  if (owner.ok() && *owner == context.db_id) return Status::OK();
  return SetIdentityFile(context.fs(), directory, context.db_id,
                         /*sync=*/true);
}

}  // namespace tamis
