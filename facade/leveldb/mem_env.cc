// SPDX-License-Identifier: Apache-2.0
//
// NewMemEnv: files in memory, everything else by the base Env.
#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include <leveldb/env.h>

namespace leveldb {

// Declared in helpers/memenv.h.
LEVELDB_EXPORT Env* NewMemEnv(Env* base_env);

namespace {

// The bytes of a file, which readers and a writer share.
class MemoryFile {
 public:
  size_t Size() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return bytes_.size();
  }
  void Clear() {
    const std::lock_guard<std::mutex> lock(mutex_);
    bytes_.clear();
  }
  void Append(const Slice& data) {
    const std::lock_guard<std::mutex> lock(mutex_);
    bytes_.append(data.data(), data.size());
  }
  size_t Read(uint64_t offset, size_t n, char* scratch) const {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (offset >= bytes_.size()) return 0;
    return bytes_.copy(scratch, n, offset);
  }

 private:
  mutable std::mutex mutex_;
  std::string bytes_;
};
using FilePtr = std::shared_ptr<MemoryFile>;

class Sequential final : public SequentialFile {
 public:
  explicit Sequential(FilePtr file) : file_(std::move(file)) {}
  Status Read(size_t n, Slice* result, char* scratch) override {
    const size_t read = file_->Read(at_, n, scratch);
    at_ += read;
    *result = Slice(scratch, read);
    return Status::OK();
  }
  Status Skip(uint64_t n) override {
    at_ = std::min<uint64_t>(at_ + n, file_->Size());
    return Status::OK();
  }

 private:
  const FilePtr file_;
  uint64_t at_ = 0;
};

class RandomAccess final : public RandomAccessFile {
 public:
  explicit RandomAccess(FilePtr file) : file_(std::move(file)) {}
  Status Read(uint64_t offset, size_t n, Slice* result,
              char* scratch) const override {
    if (offset > file_->Size()) {
      return Status::IOError("Offset greater than file size.");
    }
    *result = Slice(scratch, file_->Read(offset, n, scratch));
    return Status::OK();
  }

 private:
  const FilePtr file_;
};

class Writable final : public WritableFile {
 public:
  explicit Writable(FilePtr file) : file_(std::move(file)) {}
  Status Append(const Slice& data) override {
    file_->Append(data);
    return Status::OK();
  }
  Status Close() override { return Status::OK(); }
  Status Flush() override { return Status::OK(); }
  Status Sync() override { return Status::OK(); }

 private:
  const FilePtr file_;
};

class Silent final : public Logger {
 public:
  void Logv(const char* /*format*/, std::va_list /*ap*/) override {}
};

class Lock final : public FileLock {
 public:
  explicit Lock(std::string name) : name_(std::move(name)) {}
  const std::string& name() const { return name_; }

 private:
  const std::string name_;
};

class MemEnv final : public EnvWrapper {
 public:
  using EnvWrapper::EnvWrapper;

  Status NewSequentialFile(const std::string& f, SequentialFile** r) override {
    return OpenForReading<Sequential>(f, r);
  }
  Status NewRandomAccessFile(const std::string& f,
                             RandomAccessFile** r) override {
    return OpenForReading<RandomAccess>(f, r);
  }
  Status NewWritableFile(const std::string& f, WritableFile** r) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    FilePtr& file = files_[f];
    if (file == nullptr) file = std::make_shared<MemoryFile>();
    file->Clear();
    *r = new Writable(file);
    return Status::OK();
  }
  Status NewAppendableFile(const std::string& f, WritableFile** r) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    FilePtr& file = files_[f];
    if (file == nullptr) file = std::make_shared<MemoryFile>();
    *r = new Writable(file);
    return Status::OK();
  }
  bool FileExists(const std::string& f) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    return files_.contains(f);
  }
  Status GetChildren(const std::string& dir,
                     std::vector<std::string>* r) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    r->clear();
    const std::string prefix = dir + "/";
    for (const auto& [name, file] : files_) {
      if (name.starts_with(prefix)) r->push_back(name.substr(prefix.size()));
    }
    return Status::OK();
  }
  Status RemoveFile(const std::string& f) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    return files_.erase(f) == 1 ? Status::OK() : NotThere(f);
  }
  Status CreateDir(const std::string& /*d*/) override { return Status::OK(); }
  Status RemoveDir(const std::string& /*d*/) override { return Status::OK(); }
  Status GetFileSize(const std::string& f, uint64_t* s) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = files_.find(f);
    if (found == files_.end()) return NotThere(f);
    *s = found->second->Size();
    return Status::OK();
  }
  Status RenameFile(const std::string& s, const std::string& t) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = files_.find(s);
    if (found == files_.end()) return NotThere(s);
    FilePtr file = std::move(found->second);
    files_.erase(found);
    files_[t] = std::move(file);
    return Status::OK();
  }
  Status LockFile(const std::string& f, FileLock** l) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    *l = nullptr;
    if (!locked_.insert(f).second) {
      return Status::IOError("lock " + f, "already held by process");
    }
    *l = new Lock(f);
    return Status::OK();
  }
  Status UnlockFile(FileLock* l) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    locked_.erase(static_cast<Lock*>(l)->name());
    delete l;
    return Status::OK();
  }
  Status GetTestDirectory(std::string* path) override {
    *path = "/test";
    return Status::OK();
  }
  Status NewLogger(const std::string& /*fname*/, Logger** result) override {
    *result = new Silent;
    return Status::OK();
  }

 private:
  static Status NotThere(const std::string& f) {
    return Status::IOError(f, "File not found");
  }
  template <typename Opened, typename Result>
  Status OpenForReading(const std::string& f, Result** r) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = files_.find(f);
    *r = found == files_.end() ? nullptr : new Opened(found->second);
    return found == files_.end() ? NotThere(f) : Status::OK();
  }

  std::mutex mutex_;
  std::map<std::string, FilePtr> files_;
  std::set<std::string> locked_;
};

}  // namespace

Env* NewMemEnv(Env* base_env) { return new MemEnv(base_env); }

}  // namespace leveldb
