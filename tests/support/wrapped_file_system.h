// SPDX-License-Identifier: Apache-2.0
//
// A FileSystem that forwards every call to another one. Tests derive from it,
// and override the calls that they count or fail.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tamis/file_system.h"

namespace tamis {

class WrappedFileSystem : public FileSystem {
 public:
  explicit WrappedFileSystem(std::shared_ptr<FileSystem> base)
      : base_(std::move(base)) {}

  const char* Name() const override { return "WrappedFileSystem"; }
  uint64_t FlushedBytesAtRisk() const override {
    return base_->FlushedBytesAtRisk();
  }
  Status NewSequentialFile(const std::string& path,
                           std::unique_ptr<SequentialFile>* file) override {
    return base_->NewSequentialFile(path, file);
  }
  Status NewRandomAccessFile(const std::string& path,
                             std::unique_ptr<RandomAccessFile>* file) override {
    return base_->NewRandomAccessFile(path, file);
  }
  Status NewWritableFile(const std::string& path,
                         std::unique_ptr<WritableFile>* file) override {
    return base_->NewWritableFile(path, file);
  }
  Status FileExists(const std::string& path) override {
    return base_->FileExists(path);
  }
  Status GetChildren(const std::string& directory,
                     std::vector<std::string>* names) override {
    return base_->GetChildren(directory, names);
  }
  Status GetFileSize(const std::string& path, uint64_t* size) override {
    return base_->GetFileSize(path, size);
  }
  Status GetFileModificationTime(const std::string& path,
                                 uint64_t* seconds) override {
    return base_->GetFileModificationTime(path, seconds);
  }
  Status GetAbsolutePath(const std::string& path,
                         std::string* absolute) override {
    return base_->GetAbsolutePath(path, absolute);
  }
  Status IsSymbolicLink(const std::string& path, bool* link) override {
    return base_->IsSymbolicLink(path, link);
  }
  Status RemoveFile(const std::string& path) override {
    return base_->RemoveFile(path);
  }
  Status NumFileLinks(const std::string& path, uint64_t* links) override {
    return base_->NumFileLinks(path, links);
  }
  Status Truncate(const std::string& path, uint64_t size) override {
    return base_->Truncate(path, size);
  }
  Status RenameFile(const std::string& from, const std::string& to) override {
    return base_->RenameFile(from, to);
  }
  Status LinkFile(const std::string& from, const std::string& to) override {
    return base_->LinkFile(from, to);
  }
  Status SyncFile(const std::string& path) override {
    return base_->SyncFile(path);
  }
  Status CreateDirIfMissing(const std::string& path) override {
    return base_->CreateDirIfMissing(path);
  }
  Status RemoveDir(const std::string& path) override {
    return base_->RemoveDir(path);
  }
  Status SyncDirectory(const std::string& path) override {
    return base_->SyncDirectory(path);
  }
  Status LockFile(const std::string& path,
                  std::unique_ptr<FileLock>* lock) override {
    return base_->LockFile(path, lock);
  }
  Status GetDirectoryVersion(const std::string& path,
                             std::string* version) override {
    return base_->GetDirectoryVersion(path, version);
  }
  Status WatchDirectory(const std::string& path, std::function<void()> changed,
                        std::unique_ptr<DirectoryWatch>* watch) override {
    return base_->WatchDirectory(path, std::move(changed), watch);
  }
  Status IsLocked(const std::string& path, bool* locked) override {
    return base_->IsLocked(path, locked);
  }

 private:
  const std::shared_ptr<FileSystem> base_;
};

class WrappedWritableFile : public WritableFile {
 public:
  explicit WrappedWritableFile(std::unique_ptr<WritableFile> file)
      : file_(std::move(file)) {}

  Status Append(const Slice& data) override { return file_->Append(data); }
  Status Flush() override { return file_->Flush(); }
  Status Sync() override { return file_->Sync(); }
  Status Close() override { return file_->Close(); }
  uint64_t GetFileSize() const override { return file_->GetFileSize(); }

 private:
  const std::unique_ptr<WritableFile> file_;
};

}  // namespace tamis
