// SPDX-License-Identifier: Apache-2.0
//
// Env::Default(): Tamis's file system of the operating system, a thread for
// Schedule, and files for logs.
#include "facade/leveldb/posix_env.h"

#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <deque>
#include <fcntl.h>
#include <functional>
#include <memory>
#include <mutex>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>
#include <utility>

#include <leveldb/env.h>

#include "facade/leveldb/convert.h"

namespace tamis::facade {

namespace {

leveldb::Status PosixError(const std::string& path, int error) {
  return error == ENOENT ? leveldb::Status::NotFound(path, std::strerror(error))
                         : leveldb::Status::IOError(path, std::strerror(error));
}

class Sequential final : public leveldb::SequentialFile {
 public:
  explicit Sequential(std::unique_ptr<tamis::SequentialFile> file)
      : file_(std::move(file)) {}
  leveldb::Status Read(size_t n, leveldb::Slice* result,
                       char* scratch) override {
    Slice read;
    const Status status = file_->Read(n, &read, scratch);
    *result = ToLevelDB(read);
    return ToLevelDB(status);
  }
  leveldb::Status Skip(uint64_t n) override {
    return ToLevelDB(file_->Skip(n));
  }

 private:
  const std::unique_ptr<tamis::SequentialFile> file_;
};

class RandomAccess final : public leveldb::RandomAccessFile {
 public:
  explicit RandomAccess(std::unique_ptr<tamis::RandomAccessFile> file)
      : file_(std::move(file)) {}
  leveldb::Status Read(uint64_t offset, size_t n, leveldb::Slice* result,
                       char* scratch) const override {
    Slice read;
    const Status status = file_->Read(offset, n, &read, scratch);
    *result = ToLevelDB(read);
    return ToLevelDB(status);
  }

 private:
  const std::unique_ptr<tamis::RandomAccessFile> file_;
};

class Writable final : public leveldb::WritableFile {
 public:
  explicit Writable(std::unique_ptr<tamis::WritableFile> file)
      : file_(std::move(file)) {}
  leveldb::Status Append(const leveldb::Slice& data) override {
    return ToLevelDB(file_->Append(ToTamis(data)));
  }
  leveldb::Status Close() override { return ToLevelDB(file_->Close()); }
  leveldb::Status Flush() override { return ToLevelDB(file_->Flush()); }
  leveldb::Status Sync() override { return ToLevelDB(file_->Sync()); }

 private:
  const std::unique_ptr<tamis::WritableFile> file_;
};

// Tamis never appends to a file of an earlier process.
class Appendable final : public leveldb::WritableFile {
 public:
  Appendable(std::string path, std::FILE* file)
      : path_(std::move(path)), file_(file) {}
  ~Appendable() override {
    if (file_ != nullptr) std::fclose(file_);
  }
  leveldb::Status Append(const leveldb::Slice& data) override {
    return Check(std::fwrite(data.data(), 1, data.size(), file_) ==
                 data.size());
  }
  leveldb::Status Close() override {
    return Check(std::fclose(std::exchange(file_, nullptr)) == 0);
  }
  leveldb::Status Flush() override { return Check(std::fflush(file_) == 0); }
  leveldb::Status Sync() override {
    return Check(std::fflush(file_) == 0 && ::fdatasync(::fileno(file_)) == 0);
  }

 private:
  leveldb::Status Check(bool done) const {
    return done ? leveldb::Status::OK() : PosixError(path_, errno);
  }

  const std::string path_;
  std::FILE* file_;
};

class Lock final : public leveldb::FileLock {
 public:
  explicit Lock(std::unique_ptr<tamis::FileLock> lock)
      : lock_(std::move(lock)) {}

 private:
  const std::unique_ptr<tamis::FileLock> lock_;
};

// Lines "2026/11/26-18:20:29.123456 thread text".
class FileLogger final : public leveldb::Logger {
 public:
  explicit FileLogger(std::FILE* file) : file_(file) {}
  ~FileLogger() override { std::fclose(file_); }
  void Logv(const char* format, std::va_list arguments) override {
    timespec now{};
    std::timespec_get(&now, TIME_UTC);
    std::tm local{};
    ::localtime_r(&now.tv_sec, &local);
    char time[32];
    std::strftime(time, sizeof(time), "%Y/%m/%d-%H:%M:%S", &local);
    std::va_list again;
    va_copy(again, arguments);
    const int size = std::vsnprintf(nullptr, 0, format, again);
    va_end(again);
    std::string text(size > 0 ? static_cast<size_t>(size) + 1 : 1, '\0');
    std::vsnprintf(text.data(), text.size(), format, arguments);
    text.pop_back();
    if (text.empty() || text.back() != '\n') text += '\n';
    const std::lock_guard<std::mutex> lock(mutex_);
    std::fprintf(file_, "%s.%06ld %zu %s", time, now.tv_nsec / 1000,
                 std::hash<std::thread::id>()(std::this_thread::get_id()),
                 text.c_str());
    std::fflush(file_);
  }

 private:
  std::FILE* const file_;
  std::mutex mutex_;
};

class PosixEnv final : public leveldb::Env {
 public:
  explicit PosixEnv(std::shared_ptr<FileSystem> fs) : fs_(std::move(fs)) {}

  leveldb::Status NewSequentialFile(const std::string& fname,
                                    leveldb::SequentialFile** result) override {
    return Open<Sequential>(&FileSystem::NewSequentialFile, fname, result);
  }
  leveldb::Status NewRandomAccessFile(
      const std::string& fname, leveldb::RandomAccessFile** result) override {
    return Open<RandomAccess>(&FileSystem::NewRandomAccessFile, fname, result);
  }
  leveldb::Status NewWritableFile(const std::string& fname,
                                  leveldb::WritableFile** result) override {
    return Open<Writable>(&FileSystem::NewWritableFile, fname, result);
  }
  leveldb::Status NewAppendableFile(const std::string& fname,
                                    leveldb::WritableFile** result) override {
    std::FILE* const file = std::fopen(fname.c_str(), "ae");
    *result = file == nullptr ? nullptr : new Appendable(fname, file);
    return file == nullptr ? PosixError(fname, errno) : leveldb::Status::OK();
  }
  bool FileExists(const std::string& fname) override {
    return fs_->FileExists(fname).ok();
  }
  leveldb::Status GetChildren(const std::string& dir,
                              std::vector<std::string>* result) override {
    // LevelDB's list has these two.
    const leveldb::Status status = ToLevelDB(fs_->GetChildren(dir, result));
    if (status.ok()) result->insert(result->end(), {".", ".."});
    return status;
  }
  leveldb::Status RemoveFile(const std::string& fname) override {
    return ToLevelDB(fs_->RemoveFile(fname));
  }
  leveldb::Status CreateDir(const std::string& dirname) override {
    return ::mkdir(dirname.c_str(), 0755) == 0 ? leveldb::Status::OK()
                                               : PosixError(dirname, errno);
  }
  leveldb::Status RemoveDir(const std::string& dirname) override {
    return ToLevelDB(fs_->RemoveDir(dirname));
  }
  leveldb::Status GetFileSize(const std::string& fname,
                              uint64_t* file_size) override {
    return ToLevelDB(fs_->GetFileSize(fname, file_size));
  }
  leveldb::Status RenameFile(const std::string& src,
                             const std::string& target) override {
    return ToLevelDB(fs_->RenameFile(src, target));
  }
  leveldb::Status LockFile(const std::string& fname,
                           leveldb::FileLock** lock) override {
    std::unique_ptr<FileLock> taken;
    const Status status = fs_->LockFile(fname, &taken);
    *lock = status.ok() ? new Lock(std::move(taken)) : nullptr;
    return status.ok() ? leveldb::Status::OK() : LockError(fname, status);
  }
  leveldb::Status UnlockFile(leveldb::FileLock* lock) override {
    delete lock;
    return leveldb::Status::OK();
  }
  void Schedule(void (*function)(void* arg), void* arg) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!started_) {
      started_ = true;
      std::thread([this] { RunScheduled(); }).detach();
    }
    scheduled_.emplace_back(function, arg);
    changed_.notify_one();
  }
  void StartThread(void (*function)(void* arg), void* arg) override {
    std::thread(function, arg).detach();
  }
  leveldb::Status GetTestDirectory(std::string* path) override {
    const char* const chosen = std::getenv("TEST_TMPDIR");
    *path = chosen != nullptr && *chosen != '\0'
                ? chosen
                : "/tmp/leveldbtest-" + std::to_string(::geteuid());
    ::mkdir(path->c_str(), 0755);  // it may be there
    return leveldb::Status::OK();
  }
  leveldb::Status NewLogger(const std::string& fname,
                            leveldb::Logger** result) override {
    std::FILE* const file = std::fopen(fname.c_str(), "we");
    *result = file == nullptr ? nullptr : new FileLogger(file);
    return file == nullptr ? PosixError(fname, errno) : leveldb::Status::OK();
  }
  uint64_t NowMicros() override {
    return static_cast<uint64_t>(
        std::chrono::duration_cast<std::chrono::microseconds>(
            std::chrono::system_clock::now().time_since_epoch())
            .count());
  }
  void SleepForMicroseconds(int micros) override {
    std::this_thread::sleep_for(std::chrono::microseconds(micros));
  }

 private:
  template <typename Adapted, typename File, typename Result>
  leveldb::Status Open(Status (FileSystem::*open)(const std::string&,
                                                  std::unique_ptr<File>*),
                       const std::string& path, Result** result) {
    std::unique_ptr<File> file;
    const Status status = ((*fs_).*open)(path, &file);
    *result = status.ok() ? new Adapted(std::move(file)) : nullptr;
    return ToLevelDB(status);
  }
  void RunScheduled() {
    for (;;) {
      std::unique_lock<std::mutex> lock(mutex_);
      changed_.wait(lock, [&] { return !scheduled_.empty(); });
      const auto [function, arg] = scheduled_.front();
      scheduled_.pop_front();
      lock.unlock();
      function(arg);
    }
  }

  const std::shared_ptr<FileSystem> fs_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool started_ = false;
  std::deque<std::pair<void (*)(void*), void*>> scheduled_;
};

}  // namespace

// Bindings look for this text to tell a locked database from other errors.
leveldb::Status LockError(const std::string& path, const Status& status) {
  const std::string& text = status.message();
  return text.find("locked: ") == std::string::npos
             ? ToLevelDB(status)
             : leveldb::Status::IOError("lock " + path,
                                        "already held by process");
}

const std::shared_ptr<FileSystem>& PosixFileSystem() {
  static const auto* const fs =
      new std::shared_ptr<FileSystem>(NewPosixFileSystem());
  return *fs;
}

}  // namespace tamis::facade

namespace leveldb {

Env* Env::Default() {
  static auto* const env =
      new tamis::facade::PosixEnv(tamis::facade::PosixFileSystem());
  return env;
}

}  // namespace leveldb
