// SPDX-License-Identifier: Apache-2.0
//
// The operating system's files, through POSIX calls. Writes are buffered; reads
// are in random_access_posix.cc. Interrupted calls are repeated, and short ones
// continued.
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <filesystem>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "tamis/file_system.h"

#include "util/base/process.h"
#include "util/base/result.h"
#include "util/io/async_reads.h"
#include "util/io/direct_writable_posix.h"
#include "util/io/file_io.h"
#include "util/io/lock_holder.h"
#include "util/io/mapped_tail.h"
#include "util/io/posix_io.h"
#include "util/io/random_access_posix.h"

namespace tamis {

namespace {

constexpr size_t kWriteBufferBytes = 64 * 1024;
// Mapping the end of a file takes six system calls, unmapping included. Logs of
// databases that are opened for a few writes have no more records than this.
constexpr int kUnmappedCommits = 8;
constexpr mode_t kDirectoryMode = 0755;
constexpr int kLockAttemptsMax = 100;

class PosixSequentialFile final : public SequentialFile {
 public:
  PosixSequentialFile(std::string path, Descriptor fd)
      : path_(std::move(path)), fd_(std::move(fd)) {}

  Status Read(size_t n, Slice* result, char* scratch) override {
    return ReadFully(path_, n, result, scratch,
                     [this](char* p, size_t bytes, size_t) {
                       return ::read(fd_.get(), p, bytes);
                     });
  }

  Status Skip(uint64_t n) override {
    if (::lseek(fd_.get(), static_cast<off_t>(n), SEEK_CUR) < 0) {
      return ErrorFromErrno(path_, "skip");
    }
    return Status::OK();
  }

  Status Seek(uint64_t offset) override {
    if (::lseek(fd_.get(), static_cast<off_t>(offset), SEEK_SET) < 0) {
      return ErrorFromErrno(path_, "seek");
    }
    return Status::OK();
  }

 private:
  const std::string path_;
  const Descriptor fd_;
};

// After a failure, the state of the file is unknown: how much of the buffer was
// written and, after a failed sync, how much is on the device. Every later call
// therefore repeats the first failure.
//
// What Reserve returns is the buffer, which Commit writes, for the first
// kUnmappedCommits, and then the mapped end of the file, until the first sync:
// syncing mapped files is slow, and a file that was synced once is usually
// synced again.
class PosixWritableFile final : public WritableFile {
 public:
  PosixWritableFile(std::string path, Descriptor fd)
      : path_(std::move(path)), fd_(std::move(fd)) {}

  Status Append(const Slice& data) override {
    TAMIS_RETURN_IF_ERROR(LeaveMemory());
    if (data.size() > kWriteBufferBytes - buffered_) {
      TAMIS_RETURN_IF_ERROR(Flush());
      if (data.size() >= kWriteBufferBytes) {
        TAMIS_RETURN_IF_ERROR(Write(data.data(), data.size(), size_));
        size_ += data.size();
        return Status::OK();
      }
    }
    std::memcpy(buffer_.get() + buffered_, data.data(), data.size());
    buffered_ += data.size();
    size_ += data.size();
    return Status::OK();
  }

  Status Flush() override {
    TAMIS_RETURN_IF_ERROR(failure_);
    const size_t n = std::exchange(buffered_, 0);
    return Write(buffer_.get(), n, size_ - n);
  }

  char* Reserve(size_t n) override {
    if (!may_be_memory_ || buffered_ > 0 || !failure_.ok()) return nullptr;
    if (commits_ < kUnmappedCommits && n <= kWriteBufferBytes) {
      std::memset(buffer_.get(), 0, n);
      return buffer_.get();
    }
    commits_ = kUnmappedCommits;
    in_memory_ = true;
    char* const room = tail_.Reserve(fd_.get(), size_, n);
    if (room == nullptr) LeaveMemory().PermitUncheckedError();  // sets failure_
    return room;
  }

  void Commit(size_t n) override {
    if (!in_memory_) {
      // A failure stays in failure_.
      WriteCommitted(n).PermitUncheckedError();
    } else if (!tail_.intact()) [[unlikely]] {
      failure_ = WasCut();
    }
    size_ += n;
  }

  Status Sync() override {
    TAMIS_RETURN_IF_ERROR(LeaveMemory());
    TAMIS_RETURN_IF_ERROR(Flush());
    may_be_memory_ = false;
    if (SyncDescriptor(fd_.get()) != 0)
      failure_ = ErrorFromErrno(path_, "sync");
    return failure_;
  }

  // Does not write the buffer.
  void RangeSync([[maybe_unused]] uint64_t offset,
                 [[maybe_unused]] uint64_t n) override {
#if defined(SYNC_FILE_RANGE_WRITE)
    ::sync_file_range(fd_.get(), static_cast<off64_t>(offset),
                      static_cast<off64_t>(n), SYNC_FILE_RANGE_WRITE);
#endif
  }

  Status Close() override {
    Status status = LeaveMemory();
    if (status.ok()) status = Flush();
    const int fd = fd_.Release();
    // After EINTR the descriptor is closed, too.
    if (fd >= 0 && ::close(fd) != 0 && errno != EINTR && status.ok()) {
      status = ErrorFromErrno(path_, "close");
    }
    return status;
  }

  uint64_t GetFileSize() const override { return size_; }

 private:
  Status WriteCommitted(size_t n) {
    const IOTimer timer(&tls_iostats_context.write_nanos);
    // Behind a cut, the bytes would follow zeros.
    if (tail_.WasCut(fd_.get(), size_)) {
      failure_ = WasCut();
      return failure_;
    }
    ++commits_;
    return Write(buffer_.get(), n, size_);
  }

  // Switches to system calls, from the end of the committed bytes on.
  Status LeaveMemory() {
    if ((commits_ == 0 && !in_memory_) || !failure_.ok()) return failure_;
    commits_ = 0;
    in_memory_ = may_be_memory_ = false;
    if (tail_.WasCut(fd_.get(), size_)) {
      failure_ = WasCut();
      return failure_;
    }
    errno = tail_.Finish(fd_.get(), size_);
    if (errno != 0) failure_ = ErrorFromErrno(path_, "truncate");
    return failure_;
  }

  Status WasCut() const {
    return Status::IOError(
        path_,
        "it was truncated while it was written, or its device failed: the "
        "bytes stored up to offset " +
            std::to_string(size_) + " are incomplete");
  }

  // Uses explicit offsets: the descriptor's own is shared with forked
  // processes.
  Status Write(const char* data, size_t n, uint64_t offset) {
    while (n > 0) {
      const ssize_t written = Uninterrupted([&] {
        return ::pwrite(fd_.get(), data, n, static_cast<off_t>(offset));
      });
      if (written < 0) {
        failure_ = ErrorFromErrno(path_, "write");
        return failure_;
      }
      data += written;
      n -= static_cast<size_t>(written);
      offset += static_cast<uint64_t>(written);
    }
    return Status::OK();
  }

  const std::string path_;
  Descriptor fd_;
  const std::unique_ptr<char[]> buffer_ =
      std::make_unique_for_overwrite<char[]>(kWriteBufferBytes);
  size_t buffered_ = 0;
  uint64_t size_ = 0;
  MappedTail tail_;
  bool may_be_memory_ = true;
  bool in_memory_ = false;
  int commits_ = 0;  // until the end is mapped
  Status failure_;
};

// Locks of open file descriptions, so that a second open in this process fails
// too; on Linux they also conflict with the fcntl locks of other stores. A copy
// of the descriptor in a forked process would keep such a lock alive, so it is
// released explicitly.
int SetLock(int fd, bool locked) {
#if defined(F_OFD_SETLK)
  struct flock range = {};  // all of the file; l_pid must be 0
  range.l_type = locked ? F_WRLCK : F_UNLCK;
  range.l_whence = SEEK_SET;
  return Uninterrupted([&] { return ::fcntl(fd, F_OFD_SETLK, &range); });
#else
  const int operation = locked ? LOCK_EX | LOCK_NB : LOCK_UN;
  return Uninterrupted([&] { return ::flock(fd, operation); });
#endif
}

// 1: locked; 0: not locked; -1: error in errno. Closing a descriptor does not
// release locks taken by SetLock.
int TestLock([[maybe_unused]] int fd) {
#if defined(F_OFD_GETLK)
  struct flock range = {};
  range.l_type = F_WRLCK;
  range.l_whence = SEEK_SET;
  const int result =
      Uninterrupted([&] { return ::fcntl(fd, F_OFD_GETLK, &range); });
  return result != 0 ? result : range.l_type != F_UNLCK ? 1 : 0;
#else
  errno = EOPNOTSUPP;
  return -1;
#endif
}

class PosixFileLock final : public FileLock {
 public:
  explicit PosixFileLock(Descriptor fd) : fd_(std::move(fd)) {}
  // A forked process does not release it.
  ~PosixFileLock() override {
    if (owner_.IsCurrent()) SetLock(fd_.get(), /*locked=*/false);
  }

 private:
  const OwnerProcess owner_;
  const Descriptor fd_;
};

// True if the path still refers to the open file.
bool IsStillAt(const std::string& path, int fd) {
  struct stat opened;
  struct stat named;
  return ::fstat(fd, &opened) == 0 && ::stat(path.c_str(), &named) == 0 &&
         opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
}

class PosixFileSystem final : public FileSystem {
 public:
  const char* Name() const override { return "PosixFileSystem"; }

  Status NewSequentialFile(const std::string& path,
                           std::unique_ptr<SequentialFile>* file) override {
    return NewFile<PosixSequentialFile>(path, O_RDONLY, file);
  }
  Status NewRandomAccessFile(const std::string& path,
                             std::unique_ptr<RandomAccessFile>* file) override {
    return OpenRandomAccessFile(path, FileOptions(), file);
  }
  Status OpenRandomAccessFile(
      const std::string& path, const FileOptions& options,
      std::unique_ptr<RandomAccessFile>* file) override {
    return OpenPosixRandomAccessFile(path, options, reads_, file);
  }
  Status NewWritableFile(const std::string& path,
                         std::unique_ptr<WritableFile>* file) override {
    return NewFile<PosixWritableFile>(path, O_RDWR | O_CREAT | O_TRUNC, file);
  }

  Status OpenWritableFile(const std::string& path, const FileOptions& options,
                          std::unique_ptr<WritableFile>* file) override {
    return options.use_direct_writes ? OpenDirectWritableFile(path, file)
                                     : NewWritableFile(path, file);
  }

  Status FileExists(const std::string& path) override {
    struct stat info;
    if (::stat(path.c_str(), &info) == 0) return Status::OK();
    return ErrorFromErrno(path, "stat");
  }

  Status GetChildren(const std::string& directory,
                     std::vector<std::string>* names) override {
    names->clear();
    const auto close = [](DIR* dir) { ::closedir(dir); };
    const std::unique_ptr<DIR, decltype(close)> dir(
        ::opendir(directory.c_str()), close);
    if (dir == nullptr) return ErrorFromErrno(directory, "open directory");
    for (;;) {
      errno = 0;
      // readdir is safe: one thread per DIR.
      const struct dirent* entry = ::readdir(dir.get());
      if (entry == nullptr) break;
      const std::string_view name = entry->d_name;
      if (name != "." && name != "..") names->emplace_back(name);
    }
    return errno == 0 ? Status::OK()
                      : ErrorFromErrno(directory, "read directory");
  }

  Status GetFileSize(const std::string& path, uint64_t* size) override {
    struct stat info;
    if (::stat(path.c_str(), &info) != 0) return ErrorFromErrno(path, "stat");
    *size = static_cast<uint64_t>(info.st_size);
    return Status::OK();
  }

  Status GetFileModificationTime(const std::string& path,
                                 uint64_t* seconds) override {
    struct stat info;
    if (::stat(path.c_str(), &info) != 0) return ErrorFromErrno(path, "stat");
    *seconds =
        info.st_mtime > 0 ? static_cast<uint64_t>(info.st_mtime) : uint64_t{0};
    return Status::OK();
  }

  Status RemoveFile(const std::string& path) override {
    return Done(::unlink(path.c_str()), path, "remove");
  }

  Status NumFileLinks(const std::string& path, uint64_t* links) override {
    struct stat info;
    if (::stat(path.c_str(), &info) != 0) return ErrorFromErrno(path, "stat");
    *links = static_cast<uint64_t>(info.st_nlink);
    return Status::OK();
  }

  Status Truncate(const std::string& path, uint64_t size) override {
    return Done(Uninterrupted([&] {
                  return ::truncate(path.c_str(), static_cast<off_t>(size));
                }),
                path, "truncate");
  }

  Status RenameFile(const std::string& from, const std::string& to) override {
    if (::rename(from.c_str(), to.c_str()) == 0) return Status::OK();
    return ErrorFromErrno(from, ("rename to " + to).c_str());
  }

  Status LinkFile(const std::string& from, const std::string& to) override {
    if (::link(from.c_str(), to.c_str()) == 0) return Status::OK();
    const int error = errno;
    const std::string what = "link to " + to;
    if (error == EXDEV || error == EPERM || error == EOPNOTSUPP ||
        error == EMLINK) {
      return Status::NotSupported(
          from, what + ": " + std::generic_category().message(error));
    }
    errno = error;
    return ErrorFromErrno(from, what.c_str());
  }

  Status CreateDirIfMissing(const std::string& path) override {
    if (::mkdir(path.c_str(), kDirectoryMode) == 0) return Status::OK();
    if (errno != EEXIST) return ErrorFromErrno(path, "create directory");
    struct stat info;
    if (::stat(path.c_str(), &info) != 0) return ErrorFromErrno(path, "stat");
    if (S_ISDIR(info.st_mode)) return Status::OK();
    return Status::IOError(path, "create directory: a file has this name");
  }

  Status IsSymbolicLink(const std::string& path, bool* link) override {
    struct stat info;
    const bool found = ::lstat(path.c_str(), &info) == 0;
    if (!found && errno != ENOENT) return ErrorFromErrno(path, "stat");
    *link = found && S_ISLNK(info.st_mode);
    return Status::OK();
  }

  Status GetAbsolutePath(const std::string& path,
                         std::string* absolute) override {
    std::error_code error;
    *absolute = std::filesystem::absolute(path, error);
    if (!error) return Status::OK();
    return Status::IOError(path, "absolute path: " + error.message());
  }

  Status RemoveDir(const std::string& path) override {
    return Done(::rmdir(path.c_str()), path, "remove directory");
  }

  Status SyncFile(const std::string& path) override {
    const Descriptor fd = OpenDescriptor(path, O_RDONLY);
    if (!fd.ok()) return ErrorFromErrno(path, "open");
    return Done(SyncDescriptor(fd.get()), path, "sync");
  }

  Status SyncDirectory(const std::string& path) override {
    const Descriptor fd = OpenDescriptor(path, O_RDONLY | O_DIRECTORY);
    if (!fd.ok()) return ErrorFromErrno(path, "open directory");
    return Done(Uninterrupted([&fd] { return ::fsync(fd.get()); }), path,
                "sync directory");
  }

  Status LockFile(const std::string& path,
                  std::unique_ptr<FileLock>* lock) override {
    lock->reset();
    for (int attempt = 0; attempt < kLockAttemptsMax; ++attempt) {
      Descriptor fd = OpenDescriptor(path, O_RDWR | O_CREAT);
      if (!fd.ok()) return ErrorFromErrno(path, "open lock file");
      if (SetLock(fd.get(), /*locked=*/true) != 0) {
        if (errno == EACCES || errno == EAGAIN) {
          return Status::IOError(path, "locked: " + LockHolder(fd.get()));
        }
        return ErrorFromErrno(path, "lock");
      }
      // The holder may have removed the file before releasing the lock. Then
      // nobody else would ever see this lock.
      if (IsStillAt(path, fd.get())) {
        *lock = std::make_unique<PosixFileLock>(std::move(fd));
        return Status::OK();
      }
    }
    return Status::IOError(path,
                           "locked: other processes keep replacing the file");
  }

  Status IsLocked(const std::string& path, bool* locked) override {
    *locked = false;
    const Descriptor fd = OpenDescriptor(path, O_RDONLY);
    if (!fd.ok()) {
      return errno == ENOENT ? Status::OK()
                             : ErrorFromErrno(path, "open lock file");
    }
    const int held = TestLock(fd.get());
    if (held < 0 && (errno == EOPNOTSUPP || errno == EINVAL)) {
      return FileSystem::IsLocked(path, locked);
    }
    *locked = held > 0;
    return held < 0 ? ErrorFromErrno(path, "test lock") : Status::OK();
  }

 private:
  static Status Done(int result, const std::string& path, const char* what) {
    return result == 0 ? Status::OK() : ErrorFromErrno(path, what);
  }

  template <typename File, typename Base>
  static Status NewFile(const std::string& path, int flags,
                        std::unique_ptr<Base>* file) {
    file->reset();
    Descriptor fd = OpenDescriptor(path, flags);
    if (!fd.ok()) return ErrorFromErrno(path, "open");
    *file = std::make_unique<File>(path, std::move(fd));
    return Status::OK();
  }

  const std::shared_ptr<AsyncReadPool> reads_ =
      MakeSharedInProcess<AsyncReadPool>();
};

}  // namespace

std::shared_ptr<FileSystem> NewPosixFileSystem() {
  return std::make_shared<PosixFileSystem>();
}

}  // namespace tamis
