// SPDX-License-Identifier: Apache-2.0
//
// A FileSystem that passes every call on to another one. Derive from it to
// change some calls: to count, to delay, to fail, to encrypt.
//
// What a derived class returns for a file is the file that it opened: to change
// reads and writes, return an object of your own that passes them on. Tamis
// opens tables by OpenRandomAccessFile and creates files by OpenWritableFile;
// here, these do not call NewRandomAccessFile and NewWritableFile.
//
// Thread-safety and errors: as FileSystem.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tamis/file_system.h"

namespace tamis {

class FileSystemWrapper : public FileSystem {
 public:
  // REQUIRES: target is not nullptr.
  explicit FileSystemWrapper(std::shared_ptr<FileSystem> target)
      : target_(std::move(target)) {}

  // Returns the other file system.
  FileSystem* target() const { return target_.get(); }

  const char* Name() const override { return target_->Name(); }
  uint64_t FlushedBytesAtRisk() const override {
    return target_->FlushedBytesAtRisk();
  }
  Status NewSequentialFile(const std::string& path,
                           std::unique_ptr<SequentialFile>* file) override {
    return target_->NewSequentialFile(path, file);
  }
  Status NewRandomAccessFile(const std::string& path,
                             std::unique_ptr<RandomAccessFile>* file) override {
    return target_->NewRandomAccessFile(path, file);
  }
  Status OpenRandomAccessFile(
      const std::string& path, const FileOptions& options,
      std::unique_ptr<RandomAccessFile>* file) override {
    return target_->OpenRandomAccessFile(path, options, file);
  }
  Status NewWritableFile(const std::string& path,
                         std::unique_ptr<WritableFile>* file) override {
    return target_->NewWritableFile(path, file);
  }
  Status OpenWritableFile(const std::string& path, const FileOptions& options,
                          std::unique_ptr<WritableFile>* file) override {
    return target_->OpenWritableFile(path, options, file);
  }
  Status FileExists(const std::string& path) override {
    return target_->FileExists(path);
  }
  Status GetChildren(const std::string& directory,
                     std::vector<std::string>* names) override {
    return target_->GetChildren(directory, names);
  }
  Status GetFileSize(const std::string& path, uint64_t* size) override {
    return target_->GetFileSize(path, size);
  }
  Status GetFileModificationTime(const std::string& path,
                                 uint64_t* seconds) override {
    return target_->GetFileModificationTime(path, seconds);
  }
  Status IsSymbolicLink(const std::string& path, bool* link) override {
    return target_->IsSymbolicLink(path, link);
  }
  Status GetAbsolutePath(const std::string& path,
                         std::string* absolute) override {
    return target_->GetAbsolutePath(path, absolute);
  }
  Status RemoveFile(const std::string& path) override {
    return target_->RemoveFile(path);
  }
  Status NumFileLinks(const std::string& path, uint64_t* links) override {
    return target_->NumFileLinks(path, links);
  }
  Status Truncate(const std::string& path, uint64_t size) override {
    return target_->Truncate(path, size);
  }
  Status RenameFile(const std::string& from, const std::string& to) override {
    return target_->RenameFile(from, to);
  }
  Status LinkFile(const std::string& from, const std::string& to) override {
    return target_->LinkFile(from, to);
  }
  Status SyncFile(const std::string& path) override {
    return target_->SyncFile(path);
  }
  Status CreateDirIfMissing(const std::string& path) override {
    return target_->CreateDirIfMissing(path);
  }
  Status CreateSharedDirectory(const std::string& path) override {
    return target_->CreateSharedDirectory(path);
  }
  Status RemoveDir(const std::string& path) override {
    return target_->RemoveDir(path);
  }
  Status SyncDirectory(const std::string& path) override {
    return target_->SyncDirectory(path);
  }
  Status WatchDirectory(const std::string& path, std::function<void()> changed,
                        std::unique_ptr<DirectoryWatch>* watch) override {
    return target_->WatchDirectory(path, std::move(changed), watch);
  }
  Status GetDirectoryVersion(const std::string& path,
                             std::string* version) override {
    return target_->GetDirectoryVersion(path, version);
  }
  Status LockFile(const std::string& path,
                  std::unique_ptr<FileLock>* lock) override {
    return target_->LockFile(path, lock);
  }
  Status IsLocked(const std::string& path, bool* locked) override {
    return target_->IsLocked(path, locked);
  }

 private:
  const std::shared_ptr<FileSystem> target_;
};

}  // namespace tamis
