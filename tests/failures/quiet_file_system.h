// SPDX-License-Identifier: Apache-2.0
//
// A FileSystem whose own allocations do not count as the engine's
// (failures.h). Each call may throw, as a user's file system may.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tamis/file_system.h"

#include "tests/failures/failures.h"

namespace tamis {

template <typename Call>
auto Quietly(const Call& call) {
  Failures::Callback();
  const Failures::Pause pause;
  return call();
}

class QuietSequentialFile final : public SequentialFile {
 public:
  explicit QuietSequentialFile(std::unique_ptr<SequentialFile> file)
      : file_(std::move(file)) {}
  Status Read(size_t n, Slice* result, char* scratch) override {
    return Quietly([&] { return file_->Read(n, result, scratch); });
  }
  Status Skip(uint64_t n) override {
    return Quietly([&] { return file_->Skip(n); });
  }

 private:
  const std::unique_ptr<SequentialFile> file_;
};

class QuietRandomAccessFile final : public RandomAccessFile {
 public:
  explicit QuietRandomAccessFile(std::unique_ptr<RandomAccessFile> file)
      : file_(std::move(file)) {}
  Status Read(uint64_t offset, size_t n, Slice* result,
              char* scratch) const override {
    return Quietly([&] { return file_->Read(offset, n, result, scratch); });
  }
  size_t GetRequiredBufferAlignment() const override {
    return file_->GetRequiredBufferAlignment();
  }

 private:
  const std::unique_ptr<RandomAccessFile> file_;
};

class QuietWritableFile final : public WritableFile {
 public:
  explicit QuietWritableFile(std::unique_ptr<WritableFile> file)
      : file_(std::move(file)) {}
  Status Append(const Slice& data) override {
    return Quietly([&] { return file_->Append(data); });
  }
  Status Flush() override {
    return Quietly([&] { return file_->Flush(); });
  }
  char* Reserve(size_t n) override {
    return Quietly([&] { return file_->Reserve(n); });
  }
  void Commit(size_t n) override {
    const Failures::Pause pause;
    file_->Commit(n);
  }
  Status Sync() override {
    return Quietly([&] { return file_->Sync(); });
  }
  Status Close() override {
    return Quietly([&] { return file_->Close(); });
  }
  uint64_t GetFileSize() const override { return file_->GetFileSize(); }

 private:
  const std::unique_ptr<WritableFile> file_;
};

class QuietFileSystem final : public FileSystem {
 public:
  explicit QuietFileSystem(std::shared_ptr<FileSystem> base)
      : base_(std::move(base)) {}

  const char* Name() const override { return "QuietFileSystem"; }
  uint64_t FlushedBytesAtRisk() const override {
    return base_->FlushedBytesAtRisk();
  }
  Status NewSequentialFile(const std::string& path,
                           std::unique_ptr<SequentialFile>* file) override {
    return Wrap<QuietSequentialFile>(
        file, [&](auto* made) { return base_->NewSequentialFile(path, made); });
  }
  Status NewRandomAccessFile(const std::string& path,
                             std::unique_ptr<RandomAccessFile>* file) override {
    return Wrap<QuietRandomAccessFile>(file, [&](auto* made) {
      return base_->NewRandomAccessFile(path, made);
    });
  }
  Status OpenRandomAccessFile(
      const std::string& path, const FileOptions& options,
      std::unique_ptr<RandomAccessFile>* file) override {
    return Wrap<QuietRandomAccessFile>(file, [&](auto* made) {
      return base_->OpenRandomAccessFile(path, options, made);
    });
  }
  Status NewWritableFile(const std::string& path,
                         std::unique_ptr<WritableFile>* file) override {
    return Wrap<QuietWritableFile>(
        file, [&](auto* made) { return base_->NewWritableFile(path, made); });
  }
  Status FileExists(const std::string& path) override {
    return Quietly([&] { return base_->FileExists(path); });
  }
  Status GetChildren(const std::string& directory,
                     std::vector<std::string>* names) override {
    return Quietly([&] { return base_->GetChildren(directory, names); });
  }
  Status GetFileSize(const std::string& path, uint64_t* size) override {
    return Quietly([&] { return base_->GetFileSize(path, size); });
  }
  Status RemoveFile(const std::string& path) override {
    return Quietly([&] { return base_->RemoveFile(path); });
  }
  Status NumFileLinks(const std::string& path, uint64_t* links) override {
    return Quietly([&] { return base_->NumFileLinks(path, links); });
  }
  Status Truncate(const std::string& path, uint64_t size) override {
    return Quietly([&] { return base_->Truncate(path, size); });
  }
  Status RenameFile(const std::string& from, const std::string& to) override {
    return Quietly([&] { return base_->RenameFile(from, to); });
  }
  Status LinkFile(const std::string& from, const std::string& to) override {
    return Quietly([&] { return base_->LinkFile(from, to); });
  }
  Status SyncFile(const std::string& path) override {
    return Quietly([&] { return base_->SyncFile(path); });
  }
  Status CreateDirIfMissing(const std::string& path) override {
    return Quietly([&] { return base_->CreateDirIfMissing(path); });
  }
  Status RemoveDir(const std::string& path) override {
    return Quietly([&] { return base_->RemoveDir(path); });
  }
  Status SyncDirectory(const std::string& path) override {
    return Quietly([&] { return base_->SyncDirectory(path); });
  }
  Status LockFile(const std::string& path,
                  std::unique_ptr<FileLock>* lock) override {
    return Quietly([&] { return base_->LockFile(path, lock); });
  }
  Status IsLocked(const std::string& path, bool* locked) override {
    return Quietly([&] { return base_->IsLocked(path, locked); });
  }

 private:
  template <typename Quiet, typename File, typename Make>
  Status Wrap(std::unique_ptr<File>* file, const Make& make) {
    return Quietly([&] {
      std::unique_ptr<File> made;
      Status status = make(&made);
      file->reset();
      if (status.ok()) *file = std::make_unique<Quiet>(std::move(made));
      return status;
    });
  }

  const std::shared_ptr<FileSystem> base_;
};

}  // namespace tamis
