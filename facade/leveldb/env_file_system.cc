// SPDX-License-Identifier: Apache-2.0
#include "facade/leveldb/env_file_system.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "facade/leveldb/convert.h"
#include "facade/leveldb/posix_env.h"

namespace tamis::facade {

namespace {

class Sequential final : public SequentialFile {
 public:
  explicit Sequential(leveldb::SequentialFile* file) : file_(file) {}
  // An Env's Read may return less than is there.
  Status Read(size_t n, Slice* result, char* scratch) override {
    size_t done = 0;
    while (done < n) {
      leveldb::Slice read;
      const leveldb::Status status =
          file_->Read(n - done, &read, scratch + done);
      if (!status.ok()) return ToTamis(status);
      if (read.empty()) break;
      if (read.data() != scratch + done) {
        std::copy_n(read.data(), read.size(), scratch + done);
      }
      done += read.size();
    }
    *result = Slice(scratch, done);
    return Status::OK();
  }
  Status Skip(uint64_t n) override { return ToTamis(file_->Skip(n)); }

 private:
  const std::unique_ptr<leveldb::SequentialFile> file_;
};

class RandomAccess final : public RandomAccessFile {
 public:
  explicit RandomAccess(leveldb::RandomAccessFile* file) : file_(file) {}
  Status Read(uint64_t offset, size_t n, Slice* result,
              char* scratch) const override {
    leveldb::Slice read;
    const leveldb::Status status = file_->Read(offset, n, &read, scratch);
    *result = ToTamis(read);
    return ToTamis(status);
  }

 private:
  const std::unique_ptr<leveldb::RandomAccessFile> file_;
};

class Writable final : public WritableFile {
 public:
  explicit Writable(leveldb::WritableFile* file) : file_(file) {}
  Status Append(const Slice& data) override {
    size_ += data.size();
    return ToTamis(file_->Append(ToLevelDB(data)));
  }
  Status Flush() override { return ToTamis(file_->Flush()); }
  Status Sync() override { return ToTamis(file_->Sync()); }
  Status Close() override { return ToTamis(file_->Close()); }
  uint64_t GetFileSize() const override { return size_; }

 private:
  const std::unique_ptr<leveldb::WritableFile> file_;
  uint64_t size_ = 0;
};

class Lock final : public FileLock {
 public:
  Lock(leveldb::Env* env, leveldb::FileLock* lock) : env_(*env), lock_(lock) {}
  ~Lock() override { env_.UnlockFile(lock_); }

 private:
  leveldb::Env& env_;
  leveldb::FileLock* const lock_;
};

class EnvFileSystem final : public FileSystem {
 public:
  explicit EnvFileSystem(leveldb::Env* env) : env_(*env) {}

  const char* Name() const override { return "leveldb::Env"; }
  Status NewSequentialFile(const std::string& path,
                           std::unique_ptr<SequentialFile>* file) override {
    leveldb::SequentialFile* opened = nullptr;
    const Status status = Missing(path, env_.NewSequentialFile(path, &opened));
    if (status.ok()) *file = std::make_unique<Sequential>(opened);
    return status;
  }
  Status NewRandomAccessFile(const std::string& path,
                             std::unique_ptr<RandomAccessFile>* file) override {
    leveldb::RandomAccessFile* opened = nullptr;
    const Status status =
        Missing(path, env_.NewRandomAccessFile(path, &opened));
    if (status.ok()) *file = std::make_unique<RandomAccess>(opened);
    return status;
  }
  Status NewWritableFile(const std::string& path,
                         std::unique_ptr<WritableFile>* file) override {
    leveldb::WritableFile* opened = nullptr;
    const Status status = ToTamis(env_.NewWritableFile(path, &opened));
    if (status.ok()) *file = std::make_unique<Writable>(opened);
    return status;
  }
  Status FileExists(const std::string& path) override {
    return env_.FileExists(path) ? Status::OK()
                                 : Status::PathNotFound(path, "no such file");
  }
  Status GetChildren(const std::string& directory,
                     std::vector<std::string>* names) override {
    const Status status = ToTamis(env_.GetChildren(directory, names));
    std::erase(*names, ".");
    std::erase(*names, "..");
    return status;
  }
  Status GetFileSize(const std::string& path, uint64_t* size) override {
    return Missing(path, env_.GetFileSize(path, size));
  }
  // A lock need not be a file.
  Status RemoveFile(const std::string& path) override {
    const Status status = Missing(path, env_.RemoveFile(path));
    const bool no_file = status.IsPathNotFound() && path.ends_with("/LOCK");
    return no_file ? Status::OK() : status;
  }
  Status RenameFile(const std::string& from, const std::string& to) override {
    return ToTamis(env_.RenameFile(from, to));
  }
  // Whether it was there already, an Env does not tell; what needs the
  // directory fails if it is missing.
  Status CreateDirIfMissing(const std::string& path) override {
    env_.CreateDir(path);
    return Status::OK();
  }
  Status RemoveDir(const std::string& path) override {
    return ToTamis(env_.RemoveDir(path));
  }
  Status SyncDirectory(const std::string& /*path*/) override {
    return Status::OK();
  }
  Status LockFile(const std::string& path,
                  std::unique_ptr<FileLock>* lock) override {
    leveldb::FileLock* taken = nullptr;
    const Status status = ToTamis(env_.LockFile(path, &taken));
    if (status.ok()) *lock = std::make_unique<Lock>(&env_, taken);
    return status;
  }

 private:
  // Some Envs have another code for a missing file.
  Status Missing(const std::string& path, const leveldb::Status& status) {
    if (!status.ok() && !env_.FileExists(path)) {
      return Status::PathNotFound(path, status.ToString());
    }
    return ToTamis(status);
  }

  leveldb::Env& env_;
};

}  // namespace

std::shared_ptr<FileSystem> FileSystemOf(leveldb::Env* env) {
  if (env == nullptr || env == leveldb::Env::Default()) {
    return PosixFileSystem();
  }
  return std::make_shared<EnvFileSystem>(env);
}

}  // namespace tamis::facade
