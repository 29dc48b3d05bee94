// SPDX-License-Identifier: Apache-2.0
#include "facade/leveldb/one_file.h"

#include <string>
#include <vector>

#include "facade/leveldb/convert.h"

namespace tamis::facade {

namespace {

class Writable final : public WritableFile {
 public:
  explicit Writable(leveldb::WritableFile* file) : file_(*file) {}
  Status Append(const Slice& data) override {
    size_ += data.size();
    return ToTamis(file_.Append(ToLevelDB(data)));
  }
  Status Flush() override { return ToTamis(file_.Flush()); }
  Status Sync() override { return ToTamis(file_.Sync()); }
  // The caller closes it.
  Status Close() override { return ToTamis(file_.Flush()); }
  uint64_t GetFileSize() const override { return size_; }

 private:
  leveldb::WritableFile& file_;
  uint64_t size_ = 0;
};

class RandomAccess final : public RandomAccessFile {
 public:
  explicit RandomAccess(const leveldb::RandomAccessFile* file) : file_(*file) {}
  Status Read(uint64_t offset, size_t n, Slice* result,
              char* scratch) const override {
    leveldb::Slice read;
    const leveldb::Status status = file_.Read(offset, n, &read, scratch);
    *result = ToTamis(read);
    return ToTamis(status);
  }

 private:
  const leveldb::RandomAccessFile& file_;
};

class OneFile final : public FileSystem {
 public:
  OneFile(leveldb::WritableFile* writable,
          const leveldb::RandomAccessFile* readable, uint64_t size)
      : writable_(writable), readable_(readable), size_(size) {}

  const char* Name() const override { return "OneFile"; }
  Status NewSequentialFile(const std::string& path,
                           std::unique_ptr<SequentialFile>* /*file*/) override {
    return No(path);
  }
  Status NewRandomAccessFile(const std::string& path,
                             std::unique_ptr<RandomAccessFile>* file) override {
    if (readable_ == nullptr) return No(path);
    *file = std::make_unique<RandomAccess>(readable_);
    return Status::OK();
  }
  Status NewWritableFile(const std::string& path,
                         std::unique_ptr<WritableFile>* file) override {
    if (writable_ == nullptr) return No(path);
    *file = std::make_unique<Writable>(writable_);
    return Status::OK();
  }
  Status FileExists(const std::string& path) override {
    return readable_ != nullptr ? Status::OK()
                                : Status::PathNotFound(path, "no such file");
  }
  Status GetChildren(const std::string& /*directory*/,
                     std::vector<std::string>* names) override {
    *names = {kOneFile};
    return Status::OK();
  }
  Status GetFileSize(const std::string& /*path*/, uint64_t* size) override {
    *size = size_;
    return Status::OK();
  }
  Status RemoveFile(const std::string& path) override { return No(path); }
  Status RenameFile(const std::string& from,
                    const std::string& /*to*/) override {
    return No(from);
  }
  Status CreateDirIfMissing(const std::string& /*path*/) override {
    return Status::OK();
  }
  Status RemoveDir(const std::string& path) override { return No(path); }
  Status SyncDirectory(const std::string& /*path*/) override {
    return Status::OK();
  }
  Status LockFile(const std::string& path,
                  std::unique_ptr<FileLock>* /*lock*/) override {
    return No(path);
  }

 private:
  static Status No(const std::string& path) {
    return Status::NotSupported(path,
                                "there is one file, opened by the caller");
  }

  leveldb::WritableFile* const writable_;
  const leveldb::RandomAccessFile* const readable_;
  const uint64_t size_;
};

}  // namespace

std::shared_ptr<FileSystem> FileSystemFor(leveldb::WritableFile* file) {
  return std::make_shared<OneFile>(file, nullptr, 0);
}

std::shared_ptr<FileSystem> FileSystemFor(leveldb::RandomAccessFile* file,
                                          uint64_t size) {
  return std::make_shared<OneFile>(nullptr, file, size);
}

}  // namespace tamis::facade
