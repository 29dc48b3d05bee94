// SPDX-License-Identifier: Apache-2.0
#include "tools/tamis_rados/rados_paths.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "tools/tool_file_system.h"

namespace tamis {

namespace {

constexpr char kScheme[] = "rados://";

bool IsInCluster(const std::string& path) { return path.starts_with(kScheme); }

class RadosPaths final : public FileSystem {
 public:
  const char* Name() const override { return "RadosPaths"; }

  Status NewSequentialFile(const std::string& path,
                           std::unique_ptr<SequentialFile>* file) override {
    return At(path, [file](FileSystem* fs, const std::string& there) {
      return fs->NewSequentialFile(there, file);
    });
  }
  Status NewRandomAccessFile(const std::string& path,
                             std::unique_ptr<RandomAccessFile>* file) override {
    return OpenRandomAccessFile(path, FileOptions(), file);
  }
  Status OpenRandomAccessFile(
      const std::string& path, const FileOptions& options,
      std::unique_ptr<RandomAccessFile>* file) override {
    return At(path, [&](FileSystem* fs, const std::string& there) {
      return fs->OpenRandomAccessFile(there, options, file);
    });
  }
  Status NewWritableFile(const std::string& path,
                         std::unique_ptr<WritableFile>* file) override {
    return OpenWritableFile(path, FileOptions(), file);
  }
  Status OpenWritableFile(const std::string& path, const FileOptions& options,
                          std::unique_ptr<WritableFile>* file) override {
    return At(path, [&](FileSystem* fs, const std::string& there) {
      return fs->OpenWritableFile(there, options, file);
    });
  }
  Status FileExists(const std::string& path) override {
    return At(path, [](FileSystem* fs, const std::string& there) {
      return fs->FileExists(there);
    });
  }
  Status GetChildren(const std::string& directory,
                     std::vector<std::string>* names) override {
    return At(directory, [names](FileSystem* fs, const std::string& there) {
      return fs->GetChildren(there, names);
    });
  }
  Status GetFileSize(const std::string& path, uint64_t* size) override {
    return At(path, [size](FileSystem* fs, const std::string& there) {
      return fs->GetFileSize(there, size);
    });
  }
  Status GetFileModificationTime(const std::string& path,
                                 uint64_t* seconds) override {
    return At(path, [seconds](FileSystem* fs, const std::string& there) {
      return fs->GetFileModificationTime(there, seconds);
    });
  }
  Status IsSymbolicLink(const std::string& path, bool* link) override {
    return At(path, [link](FileSystem* fs, const std::string& there) {
      return fs->IsSymbolicLink(there, link);
    });
  }
  Status GetAbsolutePath(const std::string& path,
                         std::string* absolute) override {
    if (IsInCluster(path)) {
      *absolute = path;
      return Status::OK();
    }
    return posix_->GetAbsolutePath(path, absolute);
  }
  Status RemoveFile(const std::string& path) override {
    return At(path, [](FileSystem* fs, const std::string& there) {
      return fs->RemoveFile(there);
    });
  }
  Status NumFileLinks(const std::string& path, uint64_t* links) override {
    return At(path, [links](FileSystem* fs, const std::string& there) {
      return fs->NumFileLinks(there, links);
    });
  }
  Status Truncate(const std::string& path, uint64_t size) override {
    return At(path, [size](FileSystem* fs, const std::string& there) {
      return fs->Truncate(there, size);
    });
  }
  Status RenameFile(const std::string& from, const std::string& to) override {
    return AtBoth(from, to, "rename", &FileSystem::RenameFile);
  }
  Status LinkFile(const std::string& from, const std::string& to) override {
    return AtBoth(from, to, "link", &FileSystem::LinkFile);
  }
  Status SyncFile(const std::string& path) override {
    return At(path, [](FileSystem* fs, const std::string& there) {
      return fs->SyncFile(there);
    });
  }
  Status CreateDirIfMissing(const std::string& path) override {
    return At(path, [](FileSystem* fs, const std::string& there) {
      return fs->CreateDirIfMissing(there);
    });
  }
  Status RemoveDir(const std::string& path) override {
    return At(path, [](FileSystem* fs, const std::string& there) {
      return fs->RemoveDir(there);
    });
  }
  Status SyncDirectory(const std::string& path) override {
    return At(path, [](FileSystem* fs, const std::string& there) {
      return fs->SyncDirectory(there);
    });
  }
  Status LockFile(const std::string& path,
                  std::unique_ptr<FileLock>* lock) override {
    return At(path, [lock](FileSystem* fs, const std::string& there) {
      return fs->LockFile(there, lock);
    });
  }
  Status IsLocked(const std::string& path, bool* locked) override {
    return At(path, [locked](FileSystem* fs, const std::string& there) {
      return fs->IsLocked(there, locked);
    });
  }

 private:
  // Finds the file system that has the path, and the path there.
  Status Find(const std::string& path, FileSystem** fs, std::string* there) {
    *fs = posix_.get();
    *there = path;
    if (!IsInCluster(path)) return Status::OK();
    RadosOptions options;
    const Status parsed = ParseRadosPath(path, &options, there);
    if (!parsed.ok()) return parsed;
    const std::lock_guard lock(mutex_);
    std::shared_ptr<FileSystem>& found =
        volumes_[options.client_id + "@" + options.names_pool + "," +
                 options.log_pool + "," + options.table_pool + "/" +
                 options.volume];
    if (found == nullptr) {
      const Status connected = NewRadosFileSystem(options, &found);
      if (!connected.ok()) return connected;
    }
    *fs = found.get();
    return Status::OK();
  }
  template <typename Call>
  Status At(const std::string& path, const Call& call) {
    FileSystem* fs = nullptr;
    std::string there;
    const Status status = Find(path, &fs, &there);
    return status.ok() ? call(fs, there) : status;
  }
  Status AtBoth(const std::string& from, const std::string& to,
                const std::string& what,
                Status (FileSystem::*call)(const std::string&,
                                           const std::string&)) {
    return At(from, [&](FileSystem* fs, const std::string& there) {
      return At(to, [&](FileSystem* other, const std::string& there_too) {
        return other == fs
                   ? (fs->*call)(there, there_too)
                   : Status::IOError(from, what + ": " + to + " is elsewhere");
      });
    });
  }

  const std::shared_ptr<FileSystem> posix_ = NewPosixFileSystem();
  std::mutex mutex_;  // held while the program connects
  std::map<std::string, std::shared_ptr<FileSystem>> volumes_;
};

}  // namespace

Status ParseRadosPath(const std::string& text, RadosOptions* options,
                      std::string* path) {
  std::string rest = text.substr(std::string(kScheme).size());
  const size_t at = rest.find('@');
  const size_t slash = rest.find('/');
  if (at < slash) {
    options->client_id = rest.substr(0, at);
    rest.erase(0, at + 1);
  }
  const size_t end = rest.find('/');
  const size_t end_of_volume =
      end == std::string::npos ? end : rest.find('/', end + 1);
  if (end == std::string::npos || end == 0) {
    return Status::InvalidArgument(
        text, "expected rados://POOL/VOLUME/PATH, as rados://tamis/orders/db");
  }
  std::string* const pools[] = {&options->names_pool, &options->log_pool,
                                &options->table_pool};
  size_t begin = 0;
  for (std::string* const pool : pools) {
    if (begin > end) break;
    const size_t comma = std::min(rest.find(',', begin), end);
    *pool = rest.substr(begin, comma - begin);
    begin = comma + 1;
  }
  if (begin <= end || options->names_pool.empty()) {
    return Status::InvalidArgument(text, "expected one to three pools");
  }
  options->volume = rest.substr(end + 1, end_of_volume == std::string::npos
                                             ? end_of_volume
                                             : end_of_volume - end - 1);
  *path = end_of_volume == std::string::npos ? "/" : rest.substr(end_of_volume);
  return Status::OK();
}

std::shared_ptr<FileSystem> NewRadosPaths() {
  return std::make_shared<RadosPaths>();
}

std::shared_ptr<FileSystem> ToolFileSystem() {
  static const std::shared_ptr<FileSystem> paths = NewRadosPaths();
  return paths;
}

bool KnowsClusters() { return true; }

}  // namespace tamis
