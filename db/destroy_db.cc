// SPDX-License-Identifier: Apache-2.0
//
// DestroyDB removes the database's own files and no others. It removes
// MANIFESTs last, because they identify a directory that is partly destroyed.
// Of a DBOptions::wal_dir and of directories of tables, it removes the logs or
// tables and what Open made there.
#include <algorithm>
#include <string>
#include <vector>

#include "tamis/db.h"

#include "db/base/file_names.h"
#include "db/base/info_log_files.h"
#include "db/base/table_paths.h"
#include "db/compaction/job_directory.h"
#include "db/manifest/manifest_state.h"
#include "db/recovery/separate_directory.h"
#include "db/recovery/table_directories.h"
#include "db/recovery/wal_directory.h"
#include "util/base/exceptions.h"
#include "util/base/result.h"
#include "util/io/chosen_file_system.h"
#include "util/io/sst_file_manager.h"

namespace tamis {

namespace {

using Names = std::vector<std::string>;

bool Holds(const Names& names, FileKind type) {
  return std::any_of(names.begin(), names.end(), [type](const auto& name) {
    const auto file = ParseFileName(name);
    return file && file->type == type;
  });
}

// Where files are removed, and the SstFileManager that may count them, or
// nullptr.
struct Files {
  FileSystem* fs;
  SstFileManagerImpl* manager;

  Status Remove(const std::string& path) const {
    return manager != nullptr ? manager->DeleteAtOnce(fs, path)
                              : fs->RemoveFile(path);
  }
};

// Removes the files whose type `choose` accepts.
template <typename Choose>
Status RemoveFiles(const Files& files, const std::string& directory,
                   const Names& names, const Choose& choose) {
  for (const std::string& name : names) {
    const auto file = ParseFileName(name);
    if (!file || !choose(file->type)) continue;
    const Status status = files.Remove(directory + "/" + name);
    // The manager may have deleted it meanwhile.
    if (status.IsPathNotFound() && file->type == FileKind::kTrash) continue;
    TAMIS_RETURN_IF_ERROR(status);
  }
  return Status::OK();
}

// Removes files that an open or a repair moved to lost/, under their own names
// or with ".<n>" appended, and the directory if it is then empty. If lost/ is a
// symbolic link, does nothing.
Status RemoveLost(FileSystem* fs, const std::string& directory) {
  bool link = false;
  TAMIS_RETURN_IF_ERROR(fs->IsSymbolicLink(directory, &link));
  if (link) return Status::OK();
  Names names;
  const Status listed = fs->GetChildren(directory, &names);
  if (listed.IsPathNotFound()) return Status::OK();
  if (!listed.ok()) return listed;
  for (const std::string& name : names) {
    const size_t dot = name.rfind('.');
    const bool numbered =
        dot != std::string::npos && dot + 1 < name.size() &&
        name.find_first_not_of("0123456789", dot + 1) == std::string::npos;
    if (!ParseFileName(name) &&
        !(numbered && ParseFileName(name.substr(0, dot)))) {
      continue;
    }
    TAMIS_RETURN_IF_ERROR(fs->RemoveFile(directory + "/" + name));
  }
  fs->RemoveDir(directory).PermitUncheckedError();
  return Status::OK();
}

// Removes archived logs, those that RocksDB was deleting too, and the directory
// if it is then empty. If archive/ is a symbolic link, does nothing.
Status RemoveArchive(const Files& files, const std::string& directory) {
  FileSystem* const fs = files.fs;
  bool link = false;
  TAMIS_RETURN_IF_ERROR(fs->IsSymbolicLink(directory, &link));
  if (link) return Status::OK();
  Names names;
  TAMIS_RETURN_IF_ERROR(fs->GetChildren(directory, &names));
  TAMIS_RETURN_IF_ERROR(RemoveFiles(files, directory, names, [](FileKind type) {
    return type == FileKind::kLog || type == FileKind::kTrash;
  }));
  fs->RemoveDir(directory).PermitUncheckedError();
  return Status::OK();
}

// Returns the id of the database, empty if none is left.
std::string StoredIdOf(FileSystem* fs, const std::string& name) {
  auto identity = ReadIdentityFile(fs, name);
  if (identity.ok() && !identity->empty()) return std::move(identity).value();
  auto manifest = ReadManifest(fs, name);
  return manifest.ok() ? std::move(manifest->db_id) : std::string();
}

// A directory of logs or tables, or of both.
struct Separate {
  std::string path;
  bool has_logs = false;
  bool has_tables = false;
  std::unique_ptr<FileLock> lock = nullptr;
};
using SeparateDirectories = std::vector<Separate>;

// Returns those that exist.
Result<SeparateDirectories> FindSeparateDirectories(
    FileSystem* fs, const std::string& name, const Options& options,
    const std::vector<ColumnFamilyDescriptor>& families) {
  SeparateDirectories all;
  const std::string logs = SeparateDirectory(name, options.wal_dir);
  if (!logs.empty()) all.push_back({.path = logs, .has_logs = true});
  for (const std::string& path :
       SeparateTableDirectories(name, options, families)) {
    if (path == logs) {
      all.front().has_tables = true;
    } else {
      all.push_back({.path = path, .has_tables = true});
    }
  }
  SeparateDirectories found;
  for (Separate& one : all) {
    const Status there = fs->FileExists(one.path);
    if (there.IsPathNotFound()) continue;
    TAMIS_RETURN_IF_ERROR(there);
    found.push_back(std::move(one));
  }
  return found;
}

// Returns InvalidArgument if one is another database's.
Status LockAll(FileSystem* fs, const std::string& name, const Options& options,
               const std::vector<ColumnFamilyDescriptor>& families,
               SeparateDirectories* directories) {
  if (directories->empty()) return Status::OK();
  const std::string id = StoredIdOf(fs, name);
  const auto manifest = ReadManifest(fs, name);
  ListedTables listed;
  if (manifest.ok()) {
    listed = ListedInPaths(name, options, families, *manifest);
  }
  for (Separate& one : *directories) {
    if (one.has_logs) {
      TAMIS_RETURN_IF_ERROR(CheckIsNoDatabase(fs, kWalDirOption, one.path));
      TAMIS_RETURN_IF_ERROR(CheckWalOwner(fs, one.path, id));
    }
    if (one.has_tables) {
      TAMIS_RETURN_IF_ERROR(CheckTableDirectory(fs, one.path, id, listed));
    }
    TAMIS_RETURN_IF_ERROR(fs->LockFile(LockFileName(one.path), &one.lock));
  }
  return Status::OK();
}

// Removes the database's files there, and the directory if it is then empty.
Status RemoveSeparateDirectory(const Files& files, const Separate& directory) {
  FileSystem* const fs = files.fs;
  const std::string& path = directory.path;
  Names names;
  TAMIS_RETURN_IF_ERROR(fs->GetChildren(path, &names));
  TAMIS_RETURN_IF_ERROR(RemoveFiles(files, path, names, [&](FileKind type) {
    return (directory.has_logs && type == FileKind::kLog) ||
           (directory.has_tables && type == FileKind::kTable) ||
           type == FileKind::kTrash || type == FileKind::kTemp;
  }));
  TAMIS_RETURN_IF_ERROR(RemoveLost(fs, path + "/lost"));
  if (directory.has_logs &&
      std::find(names.begin(), names.end(), "archive") != names.end()) {
    TAMIS_RETURN_IF_ERROR(RemoveArchive(files, ArchiveDirectory(path)));
  }
  // IDENTITY after the files, whose owner it names.
  TAMIS_RETURN_IF_ERROR(RemoveFiles(files, path, names, [](FileKind type) {
    return type == FileKind::kIdentity;
  }));
  TAMIS_RETURN_IF_ERROR(fs->RemoveFile(LockFileName(path)));
  fs->RemoveDir(path).PermitUncheckedError();
  return Status::OK();
}

// REQUIRES: all directories are locked.
Status RemoveDatabase(const Files& files, const std::string& name,
                      const SeparateDirectories& directories,
                      const Names& names) {
  FileSystem* const fs = files.fs;
  const auto is_manifest = [](FileKind type) {
    return type == FileKind::kDescriptor;
  };
  // CURRENT first, so that a partly removed directory is no database.
  const Status status = fs->RemoveFile(CurrentFileName(name));
  if (!status.ok() && !status.IsPathNotFound()) return status;
  for (const Separate& one : directories) {
    TAMIS_RETURN_IF_ERROR(RemoveSeparateDirectory(files, one));
  }
  TAMIS_RETURN_IF_ERROR(RemoveFiles(files, name, names, [&](FileKind type) {
    return type != FileKind::kLock && type != FileKind::kCurrent &&
           !is_manifest(type);
  }));
  TAMIS_RETURN_IF_ERROR(RemoveLost(fs, name + "/lost"));
  if (std::find(names.begin(), names.end(), "archive") != names.end()) {
    TAMIS_RETURN_IF_ERROR(RemoveArchive(files, ArchiveDirectory(name)));
  }
  for (const std::string& child : names) {
    if (IsJobDirectoryName(child)) RemoveJobDirectory(fs, name + "/" + child);
  }
  TAMIS_RETURN_IF_ERROR(RemoveFiles(files, name, names, is_manifest));
  return fs->RemoveFile(LockFileName(name));
}

Status Destroy(const Files& files, const std::string& name,
               const Options& options,
               const std::vector<ColumnFamilyDescriptor>& families) {
  FileSystem* const fs = files.fs;
  Names names;
  const Status listed = fs->GetChildren(name, &names);
  // There is nothing to remove.
  if (listed.IsPathNotFound()) return Status::OK();
  if (!listed.ok()) return listed;
  if (!names.empty() && !Holds(names, FileKind::kCurrent) &&
      !Holds(names, FileKind::kDescriptor)) {
    // An interrupted creation leaves LOCK, but no table or log; a secondary
    // instance leaves LOG alone. Other programs use such names too.
    const bool begun = Holds(names, FileKind::kLock) &&
                       !Holds(names, FileKind::kTable) &&
                       !Holds(names, FileKind::kLog);
    const bool of_secondary =
        std::all_of(names.begin(), names.end(), [](const std::string& file) {
          const auto parsed = ParseFileName(file);
          return parsed && parsed->type == FileKind::kInfoLog;
        });
    if (!begun && !of_secondary) {
      return Status::InvalidArgument(
          name,
          "it contains neither CURRENT nor a MANIFEST, so it is not a "
          "database; nothing was removed");
    }
  }

  std::unique_ptr<FileLock> lock;
  TAMIS_RETURN_IF_ERROR(fs->LockFile(LockFileName(name), &lock));
  auto found = FindSeparateDirectories(fs, name, options, families);
  if (!found.ok()) return found.status();
  SeparateDirectories directories = std::move(found).value();
  TAMIS_RETURN_IF_ERROR(LockAll(fs, name, options, families, &directories));
  TAMIS_RETURN_IF_ERROR(RemoveDatabase(files, name, directories, names));
  lock.reset();
  // Other files are not the database's, and keep the directory.
  fs->RemoveDir(name).PermitUncheckedError();
  return Status::OK();
}

// Removes LOG from a db_log_dir, and the directory if it is then empty.
Status RemoveInfoLogs(const Files& files, const std::string& name,
                      const std::string& db_log_dir) {
  if (db_log_dir.empty()) return Status::OK();
  const InfoLogFiles logs = InfoLogFiles::Of(files.fs, name, db_log_dir);
  Names names;
  const Status listed = files.fs->GetChildren(logs.directory, &names);
  if (!listed.ok()) return listed.IsPathNotFound() ? Status::OK() : listed;
  for (const std::string& one : names) {
    if (one != logs.name && !logs.IsOld(one)) continue;
    TAMIS_RETURN_IF_ERROR(files.fs->RemoveFile(logs.directory + "/" + one));
  }
  files.fs->RemoveDir(logs.directory).PermitUncheckedError();
  return Status::OK();
}

}  // namespace

Status DestroyDB(const std::string& name, const Options& options,
                 const std::vector<ColumnFamilyDescriptor>& families) {
  return CatchExceptions([&] {
    const std::shared_ptr<FileSystem> fs =
        ChosenFileSystem(options.file_system, options.env);
    SstFileManagerImpl* const manager =
        SstFileManagerImpl::Of(options.sst_file_manager.get());
    std::vector<ColumnFamilyDescriptor> all = families;
    all.emplace_back(kDefaultColumnFamilyName, options);
    const Files files{fs.get(), manager != nullptr && manager->IsUsable()
                                    ? manager
                                    : nullptr};
    const std::string directory = WithoutTrailingSlashes(name);
    TAMIS_RETURN_IF_ERROR(Destroy(files, directory, options, all));
    TAMIS_RETURN_IF_ERROR(RemoveInfoLogs(files, directory, options.db_log_dir));
    // Others may have removed files, or the directories.
    if (files.manager != nullptr) {
      files.manager->files().ReplaceDirectory(directory, {});
      for (const std::string& one :
           SeparateTableDirectories(directory, options, all)) {
        files.manager->files().ReplaceDirectory(one, {});
      }
    }
    return Status::OK();
  });
}

}  // namespace tamis
