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

#include "tamis/file_system_wrapper.h"

namespace tamis {

class WrappedFileSystem : public FileSystemWrapper {
 public:
  using FileSystemWrapper::FileSystemWrapper;

  const char* Name() const override { return "WrappedFileSystem"; }
  // By the calls that tests override.
  Status OpenRandomAccessFile(
      const std::string& path, const FileOptions& options,
      std::unique_ptr<RandomAccessFile>* file) override {
    return FileSystem::OpenRandomAccessFile(path, options, file);
  }
  Status OpenWritableFile(const std::string& path, const FileOptions& options,
                          std::unique_ptr<WritableFile>* file) override {
    return FileSystem::OpenWritableFile(path, options, file);
  }
  Status CreateSharedDirectory(const std::string& path) override {
    return FileSystem::CreateSharedDirectory(path);
  }
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
