// SPDX-License-Identifier: Apache-2.0
#include "facade/leveldb/table_names.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tamis/file_system_wrapper.h"

namespace tamis::facade {

namespace {

constexpr std::string_view kOurs = ".sst";
constexpr std::string_view kTheirs = ".ldb";

// Whether the last part of the path is a number and the suffix.
bool IsTable(std::string_view path, std::string_view suffix) {
  if (!path.ends_with(suffix)) return false;
  path.remove_suffix(suffix.size());
  path.remove_prefix(path.rfind('/') + 1);  // npos + 1 is 0
  return !path.empty() && std::all_of(path.begin(), path.end(), [](char c) {
    return c >= '0' && c <= '9';
  });
}

std::string WithSuffix(std::string path, std::string_view suffix) {
  path.replace(path.size() - suffix.size(), suffix.size(), suffix);
  return path;
}

class LevelDBNames final : public FileSystemWrapper {
 public:
  using FileSystemWrapper::FileSystemWrapper;

  Status NewSequentialFile(const std::string& path,
                           std::unique_ptr<SequentialFile>* file) override {
    return target()->NewSequentialFile(Existing(path), file);
  }
  Status NewRandomAccessFile(const std::string& path,
                             std::unique_ptr<RandomAccessFile>* file) override {
    return target()->NewRandomAccessFile(Existing(path), file);
  }
  Status OpenRandomAccessFile(
      const std::string& path, const FileOptions& options,
      std::unique_ptr<RandomAccessFile>* file) override {
    return target()->OpenRandomAccessFile(Existing(path), options, file);
  }
  Status NewWritableFile(const std::string& path,
                         std::unique_ptr<WritableFile>* file) override {
    return target()->NewWritableFile(New(path), file);
  }
  Status OpenWritableFile(const std::string& path, const FileOptions& options,
                          std::unique_ptr<WritableFile>* file) override {
    return target()->OpenWritableFile(New(path), options, file);
  }
  Status FileExists(const std::string& path) override {
    return target()->FileExists(Existing(path));
  }
  Status GetChildren(const std::string& directory,
                     std::vector<std::string>* names) override {
    Status status = target()->GetChildren(directory, names);
    for (std::string& name : *names) {
      if (IsTable(name, kTheirs)) name = WithSuffix(std::move(name), kOurs);
    }
    return status;
  }
  Status GetFileSize(const std::string& path, uint64_t* size) override {
    return target()->GetFileSize(Existing(path), size);
  }
  Status GetFileModificationTime(const std::string& path,
                                 uint64_t* seconds) override {
    return target()->GetFileModificationTime(Existing(path), seconds);
  }
  Status IsSymbolicLink(const std::string& path, bool* link) override {
    return target()->IsSymbolicLink(Existing(path), link);
  }
  Status RemoveFile(const std::string& path) override {
    return target()->RemoveFile(Existing(path));
  }
  Status NumFileLinks(const std::string& path, uint64_t* links) override {
    return target()->NumFileLinks(Existing(path), links);
  }
  Status Truncate(const std::string& path, uint64_t size) override {
    return target()->Truncate(Existing(path), size);
  }
  Status RenameFile(const std::string& from, const std::string& to) override {
    return target()->RenameFile(Existing(from), New(to));
  }
  Status LinkFile(const std::string& from, const std::string& to) override {
    return target()->LinkFile(Existing(from), New(to));
  }
  Status SyncFile(const std::string& path) override {
    return target()->SyncFile(Existing(path));
  }

 private:
  static std::string New(const std::string& path) {
    return IsTable(path, kOurs) ? WithSuffix(path, kTheirs) : path;
  }
  std::string Existing(const std::string& path) const {
    if (!IsTable(path, kOurs)) return path;
    const std::string theirs = WithSuffix(path, kTheirs);
    return target()->FileExists(theirs).ok() ? theirs : path;
  }
};

}  // namespace

std::shared_ptr<FileSystem> WithLevelDBNames(std::shared_ptr<FileSystem> base) {
  return std::make_shared<LevelDBNames>(std::move(base));
}

}  // namespace tamis::facade
