// SPDX-License-Identifier: Apache-2.0
//
// The file system of the tools that are linked with librados: paths of the
// operating system, and
//
//   rados://[ID@]NAMES[,LOGS[,TABLES]]/VOLUME/PATH
//
// where NAMES, LOGS and TABLES are pools, PATH is that of a database, such as
// db, and ID is that of the client, admin by default. The cluster is that of
// Ceph's configuration, which the environment variable CEPH_CONF may name.
#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "tamis/file_system.h"
#include "tamis/rados.h"

#include "tools/tool_file_system.h"

namespace tamis {

namespace {

constexpr char kScheme[] = "rados://";

bool IsInCluster(const std::string& path) { return path.starts_with(kScheme); }

// Sets *options and *path, which begins with '/'. Returns InvalidArgument if
// the text, which begins with "rados://", is malformed.
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

// Connects to a cluster when it first needs to.
class RadosPaths final : public FileSystem {
 public:
  const char* Name() const override { return "RadosPaths"; }

  Status NewSequentialFile(const std::string& path,
                           std::unique_ptr<SequentialFile>* file) override {
    return At(path, &FileSystem::NewSequentialFile, file);
  }
  Status NewRandomAccessFile(const std::string& path,
                             std::unique_ptr<RandomAccessFile>* file) override {
    return At(path, &FileSystem::NewRandomAccessFile, file);
  }
  Status OpenRandomAccessFile(
      const std::string& path, const FileOptions& options,
      std::unique_ptr<RandomAccessFile>* file) override {
    return At(path, &FileSystem::OpenRandomAccessFile, options, file);
  }
  Status NewWritableFile(const std::string& path,
                         std::unique_ptr<WritableFile>* file) override {
    return At(path, &FileSystem::NewWritableFile, file);
  }
  Status OpenWritableFile(const std::string& path, const FileOptions& options,
                          std::unique_ptr<WritableFile>* file) override {
    return At(path, &FileSystem::OpenWritableFile, options, file);
  }
  Status FileExists(const std::string& path) override {
    return At(path, &FileSystem::FileExists);
  }
  Status GetChildren(const std::string& directory,
                     std::vector<std::string>* names) override {
    return At(directory, &FileSystem::GetChildren, names);
  }
  Status GetFileSize(const std::string& path, uint64_t* size) override {
    return At(path, &FileSystem::GetFileSize, size);
  }
  Status GetFileModificationTime(const std::string& path,
                                 uint64_t* seconds) override {
    return At(path, &FileSystem::GetFileModificationTime, seconds);
  }
  Status IsSymbolicLink(const std::string& path, bool* link) override {
    return At(path, &FileSystem::IsSymbolicLink, link);
  }
  Status GetAbsolutePath(const std::string& path,
                         std::string* absolute) override {
    if (!IsInCluster(path)) return posix_->GetAbsolutePath(path, absolute);
    *absolute = path;
    return Status::OK();
  }
  Status RemoveFile(const std::string& path) override {
    return At(path, &FileSystem::RemoveFile);
  }
  Status NumFileLinks(const std::string& path, uint64_t* links) override {
    return At(path, &FileSystem::NumFileLinks, links);
  }
  Status Truncate(const std::string& path, uint64_t size) override {
    return At(path, &FileSystem::Truncate, size);
  }
  Status RenameFile(const std::string& from, const std::string& to) override {
    return AtBoth(from, to, "rename", &FileSystem::RenameFile);
  }
  Status LinkFile(const std::string& from, const std::string& to) override {
    return AtBoth(from, to, "link", &FileSystem::LinkFile);
  }
  Status SyncFile(const std::string& path) override {
    return At(path, &FileSystem::SyncFile);
  }
  Status CreateDirIfMissing(const std::string& path) override {
    return At(path, &FileSystem::CreateDirIfMissing);
  }
  Status CreateSharedDirectory(const std::string& path) override {
    return At(path, &FileSystem::CreateSharedDirectory);
  }
  Status RemoveDir(const std::string& path) override {
    return At(path, &FileSystem::RemoveDir);
  }
  Status SyncDirectory(const std::string& path) override {
    return At(path, &FileSystem::SyncDirectory);
  }
  Status LockFile(const std::string& path,
                  std::unique_ptr<FileLock>* lock) override {
    return At(path, &FileSystem::LockFile, lock);
  }
  Status IsLocked(const std::string& path, bool* locked) override {
    return At(path, &FileSystem::IsLocked, locked);
  }

 private:
  // Finds the file system that has the path, and the path there.
  Status Find(const std::string& path, FileSystem** fs, std::string* there) {
    *fs = posix_.get();
    *there = path;
    if (!IsInCluster(path)) return Status::OK();
    RadosOptions options;
    options.flush_waits = true;  // a command has done what it says at its end
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
  // Makes the call where the path is.
  template <typename... More>
  Status At(const std::string& path,
            Status (FileSystem::*call)(const std::string&, More...),
            std::type_identity_t<More>... more) {
    FileSystem* fs = nullptr;
    std::string there;
    const Status status = Find(path, &fs, &there);
    return status.ok() ? (fs->*call)(there, more...) : status;
  }
  Status AtBoth(const std::string& from, const std::string& to,
                const std::string& what,
                Status (FileSystem::*call)(const std::string&,
                                           const std::string&)) {
    FileSystem* fs = nullptr;
    FileSystem* other = nullptr;
    std::string there;
    std::string there_too;
    Status status = Find(from, &fs, &there);
    if (status.ok()) status = Find(to, &other, &there_too);
    if (!status.ok()) return status;
    return other == fs
               ? (fs->*call)(there, there_too)
               : Status::IOError(from, what + ": " + to + " is elsewhere");
  }

  const std::shared_ptr<FileSystem> posix_ = NewPosixFileSystem();
  std::mutex mutex_;  // held while the program connects
  std::map<std::string, std::shared_ptr<FileSystem>> volumes_;
};

}  // namespace

std::shared_ptr<FileSystem> ToolFileSystem() {
  static const std::shared_ptr<FileSystem> paths =
      std::make_shared<RadosPaths>();
  return paths;
}

bool KnowsClusters() { return true; }

}  // namespace tamis
