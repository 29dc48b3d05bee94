// SPDX-License-Identifier: Apache-2.0
#include "db/backup/backup_file_system.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace tamis {

namespace {

class BackupFileSystem final : public FileSystem {
 public:
  BackupFileSystem(std::shared_ptr<FileSystem> base, std::string folder,
                   std::map<std::string, std::string> files)
      : base_(std::move(base)),
        folder_(std::move(folder)),
        files_(std::move(files)) {}

  const char* Name() const override { return "BackupFileSystem"; }
  Status NewSequentialFile(const std::string& path,
                           std::unique_ptr<SequentialFile>* file) override {
    return base_->NewSequentialFile(PathOf(path), file);
  }
  Status NewRandomAccessFile(const std::string& path,
                             std::unique_ptr<RandomAccessFile>* file) override {
    return base_->NewRandomAccessFile(PathOf(path), file);
  }
  Status OpenRandomAccessFile(
      const std::string& path, const FileOptions& options,
      std::unique_ptr<RandomAccessFile>* file) override {
    return base_->OpenRandomAccessFile(PathOf(path), options, file);
  }
  Status FileExists(const std::string& path) override {
    return base_->FileExists(PathOf(path));
  }
  // In the folder, the files of the backup alone.
  Status GetChildren(const std::string& directory,
                     std::vector<std::string>* names) override {
    if (directory != folder_) return base_->GetChildren(directory, names);
    names->clear();
    for (const auto& [path, file] : files_) {
      names->push_back(path.substr(folder_.size() + 1));
    }
    return Status::OK();
  }
  Status GetFileSize(const std::string& path, uint64_t* size) override {
    return base_->GetFileSize(PathOf(path), size);
  }
  Status GetFileModificationTime(const std::string& path,
                                 uint64_t* seconds) override {
    return base_->GetFileModificationTime(PathOf(path), seconds);
  }
  Status IsSymbolicLink(const std::string& path, bool* link) override {
    return base_->IsSymbolicLink(PathOf(path), link);
  }
  Status NumFileLinks(const std::string& path, uint64_t* links) override {
    return base_->NumFileLinks(PathOf(path), links);
  }
  Status IsLocked(const std::string& path, bool* locked) override {
    return base_->IsLocked(path, locked);
  }

  Status NewWritableFile(const std::string& path,
                         std::unique_ptr<WritableFile>* /*file*/) override {
    return ReadOnly(path);
  }
  Status RemoveFile(const std::string& path) override { return ReadOnly(path); }
  Status Truncate(const std::string& path, uint64_t /*size*/) override {
    return ReadOnly(path);
  }
  Status RenameFile(const std::string& from,
                    const std::string& /*to*/) override {
    return ReadOnly(from);
  }
  Status LinkFile(const std::string& /*from*/, const std::string& to) override {
    return ReadOnly(to);
  }
  Status SyncFile(const std::string& path) override { return ReadOnly(path); }
  Status CreateDirIfMissing(const std::string& path) override {
    return ReadOnly(path);
  }
  Status RemoveDir(const std::string& path) override { return ReadOnly(path); }
  Status SyncDirectory(const std::string& path) override {
    return ReadOnly(path);
  }
  Status LockFile(const std::string& path,
                  std::unique_ptr<FileLock>* /*lock*/) override {
    return ReadOnly(path);
  }

 private:
  static Status ReadOnly(const std::string& path) {
    return Status::NotSupported(
        path,
        "a backup cannot be changed; restore it, or open it with "
        "DB::OpenForReadOnly");
  }
  const std::string& PathOf(const std::string& path) const {
    const auto file = files_.find(path);
    return file != files_.end() ? file->second : path;
  }

  const std::shared_ptr<FileSystem> base_;
  const std::string folder_;
  const std::map<std::string, std::string> files_;  // where they are
};

}  // namespace

std::shared_ptr<FileSystem> NewBackupFileSystem(
    const BackupDirectory& directory, BackupID id, const BackupMeta& meta) {
  const std::string folder =
      directory.PathOf(BackupDirectory::PrivateFolder(id));
  std::map<std::string, std::string> files;
  for (const BackupFile& file : meta.files) {
    if (const auto name = NameOfBackupFile(id, file.path)) {
      files[folder + "/" + name->name] = directory.PathOf(file.path);
    }
  }
  return std::make_shared<BackupFileSystem>(directory.shared_fs(), folder,
                                            std::move(files));
}

}  // namespace tamis
