// SPDX-License-Identifier: Apache-2.0
#include "tests/writeback/calls.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <mutex>
#include <string_view>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "tests/writeback/pages.h"

namespace tamis::writeback {

namespace {

constexpr mode_t kMode = 0644;

// The calls of the kernel, which are not interposed.
int Open(const std::string& path, int flags) {
  return static_cast<int>(
      ::syscall(SYS_openat, AT_FDCWD, path.c_str(), flags | O_CLOEXEC, kMode));
}
int Link(const std::string& from, const std::string& to) {
  return static_cast<int>(
      ::syscall(SYS_linkat, AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), 0));
}
bool Exists(const std::string& path) {
  return ::syscall(SYS_faccessat, AT_FDCWD, path.c_str(), F_OK) == 0;
}

struct stat InfoOf(int fd) {
  struct stat info = {};
  if (::fstat(fd, &info) != 0) std::abort();
  return info;
}
bool IsDirectory(int fd) { return S_ISDIR(InfoOf(fd).st_mode); }
std::string NumberOf(int fd) { return std::to_string(InfoOf(fd).st_ino); }
std::string PathOf(int fd) {
  char path[4096];
  const ssize_t n = ::readlink(("/proc/self/fd/" + std::to_string(fd)).c_str(),
                               path, sizeof(path));
  return std::string(path, n < 0 ? 0 : static_cast<size_t>(n));
}
bool IsForgotten(int fd, const std::string& forgotten) {
  if (forgotten.empty()) return false;
  if (IsDirectory(fd)) return forgotten == "directory";
  return PathOf(fd).find(forgotten) != std::string::npos;
}

class File {
 public:
  File(const std::string& path, int flags) : fd_(Open(path, flags)) {}
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() { ::close(fd_); }
  bool ok() const { return fd_ >= 0; }
  int get() const { return fd_; }

 private:
  const int fd_;
};

// Set within a watched call, whose own calls are not watched.
thread_local bool looking = false;

class Watcher {
 public:
  Watcher(const Disk& disk, const Watch& watch)
      : live_(disk.live() + "/"),
        inodes_(disk.inodes() + "/"),
        safe_(disk.safe() + "/"),
        forgotten_(watch.forgotten),
        trace_(Open(disk.trace(), O_WRONLY | O_APPEND)),
        luck_(watch.seed) {}

  bool Watches(std::string_view path) const {
    return path.starts_with(live_) ||
           path == std::string_view(live_).substr(0, live_.size() - 1);
  }

  // Returns the path relative to the top.
  std::string Name(std::string_view path) const {
    if (path.size() < live_.size()) return ".";
    path.remove_prefix(live_.size());
    while (path.ends_with('/')) path.remove_suffix(1);
    return std::string(path);
  }

  // One call of the kernel, so that a kill leaves the whole line or nothing.
  void Note(const std::string& line) {
    const std::string ended = line + "\n";
    if (::syscall(SYS_write, trace_, ended.data(), ended.size()) !=
        static_cast<long>(ended.size())) {
      std::abort();
    }
  }

  void Created(const char* path, int fd) {
    const std::string number = NumberOf(fd);
    if (Link(path, inodes_ + number) != 0) std::abort();
    if (!File(safe_ + number, O_WRONLY | O_CREAT | O_TRUNC).ok()) std::abort();
    Note("create " + number + " " + Name(path));
    files_.push_back(number);
  }

  void Sync(int fd) {
    if (IsForgotten(fd, forgotten_)) return;
    if (IsDirectory(fd)) {
      const std::string path = PathOf(fd);
      if (Watches(path)) Note("sync " + Name(path));
      return;
    }
    const std::string number = NumberOf(fd);
    const File from(inodes_ + number, O_RDONLY);
    const File to(safe_ + number, O_RDWR);
    if (from.ok() && to.ok()) WriteBackAll(from.get(), to.get());
  }

  // Writes back some pages of a file, the last ones most often, and sometimes
  // its length.
  void WriteSomeBack() {
    if (files_.empty()) return;
    const uint64_t n = files_.size();
    const uint64_t back =
        luck_.Uniform(luck_.OneIn(2) ? n : std::min<uint64_t>(n, 8));
    const std::string& number = files_[n - 1 - back];
    const File from(inodes_ + number, O_RDONLY);
    const File to(safe_ + number, O_RDWR);
    if (!from.ok() || !to.ok()) return;
    const uint64_t length = LengthOf(from.get());
    const uint64_t begin = luck_.OneIn(2) ? 0 : luck_.Uniform(length + 1);
    WriteBack(from.get(), to.get(), begin, begin + kMostAtOnce,
              luck_.Uniform(kAllPages + 1), &luck_);
    if (luck_.OneIn(4) &&
        ::ftruncate(to.get(), static_cast<off_t>(length)) != 0) {
      std::abort();
    }
  }

  bool OneIn(uint64_t n) { return luck_.OneIn(n); }
  std::mutex& mutex() { return mutex_; }

 private:
  static constexpr uint64_t kMostAtOnce = 256 * 1024;

  const std::string live_;
  const std::string inodes_;
  const std::string safe_;
  const std::string forgotten_;
  const int trace_;
  std::mutex mutex_;
  Random luck_;
  std::vector<std::string> files_;  // numbers
};

// Set once, while there is one thread.
Watcher* watcher = nullptr;

// A watched call. Only one runs at a time.
class Look {
 public:
  // nullptr: the call concerns no watched path.
  explicit Look(const char* path = nullptr, const char* other = nullptr) {
    if (watcher == nullptr || looking) return;
    if (path != nullptr && !watcher->Watches(path) &&
        (other == nullptr || !watcher->Watches(other))) {
      return;
    }
    looking = true;
    watcher_ = watcher;
    watcher_->mutex().lock();
  }
  Look(const Look&) = delete;
  Look& operator=(const Look&) = delete;
  ~Look() {
    if (watcher_ == nullptr) return;
    watcher_->mutex().unlock();
    looking = false;
  }
  explicit operator bool() const { return watcher_ != nullptr; }
  Watcher* operator->() const { return watcher_; }

 private:
  Watcher* watcher_ = nullptr;
};

// Writes some pages back in one of eight calls, at random.
void WriteSomeBack() {
  const int error = errno;
  const Look look;
  if (look && look->OneIn(8)) look->WriteSomeBack();
  errno = error;
}

int Renamed(const char* from, const char* to) {
  const Look look(from, to);
  const auto result = static_cast<int>(
      ::syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0));
  if (look && result == 0) {
    look->Note("rename " + look->Name(from) + " " + look->Name(to));
  }
  return result;
}

int Removed(const char* path, int flags) {
  const Look look(path);
  const auto result =
      static_cast<int>(::syscall(SYS_unlinkat, AT_FDCWD, path, flags));
  if (look && result == 0) look->Note("remove " + look->Name(path));
  return result;
}

// Delays a sync, so that many cuts come before its effect.
void PauseSometimes() {
  thread_local Random luck(static_cast<uint64_t>(::gettid()));
  if (!luck.OneIn(16)) return;
  std::this_thread::sleep_for(std::chrono::microseconds(luck.Uniform(5000)));
}

// Set while there is one thread.
bool syncs_for_real = false;
std::string& forgotten_for_real = *new std::string;

int Synced(int fd, long call) {
  if (syncs_for_real) {
    const bool forgets = IsForgotten(fd, forgotten_for_real);
    return forgets ? 0 : static_cast<int>(::syscall(call, fd));
  }
  if (watcher != nullptr) PauseSometimes();
  if (const Look look; look) {
    if (look->OneIn(4)) look->WriteSomeBack();
    look->Sync(fd);
  }
  return 0;
}

template <typename... Arguments>
int Unknown(const char* name, long call, Arguments... arguments) {
  if (watcher != nullptr && !looking) {
    std::fprintf(stderr, "tests/writeback/calls.cc does not know %s\n", name);
    std::abort();
  }
  return static_cast<int>(::syscall(call, arguments...));
}

}  // namespace

void WatchCalls(const Disk& disk, const Watch& watch) {
  watcher = new Watcher(disk, watch);
  std::thread([] {
    for (Random pause(0);;) {
      std::this_thread::sleep_for(
          std::chrono::microseconds(pause.Uniform(2000)));
      const Look look;
      look->WriteSomeBack();
    }
  }).detach();
}

void SyncForReal(bool for_real, const std::string& forgotten) {
  syncs_for_real = for_real;
  forgotten_for_real = forgotten;
}

}  // namespace tamis::writeback

extern "C" {

int open(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  const auto call = [&] {
    return static_cast<int>(::syscall(SYS_openat, AT_FDCWD, path, flags, mode));
  };
  if ((flags & O_CREAT) == 0) return call();
  const tamis::writeback::Look look(path);
  const bool existed = look && tamis::writeback::Exists(path);
  const int fd = call();
  if (look && fd >= 0 && !existed) look->Created(path, fd);
  return fd;
}

int rename(const char* from, const char* to) noexcept {
  return tamis::writeback::Renamed(from, to);
}

int link(const char* from, const char* to) noexcept {
  const tamis::writeback::Look look(from, to);
  const int result = tamis::writeback::Link(from, to);
  if (look && result == 0) {
    look->Note("link " + look->Name(from) + " " + look->Name(to));
  }
  return result;
}

int unlink(const char* path) noexcept {
  return tamis::writeback::Removed(path, 0);
}

int rmdir(const char* path) noexcept {
  return tamis::writeback::Removed(path, AT_REMOVEDIR);
}

int mkdir(const char* path, mode_t mode) noexcept {
  const tamis::writeback::Look look(path);
  const auto result =
      static_cast<int>(::syscall(SYS_mkdirat, AT_FDCWD, path, mode));
  if (look && result == 0) look->Note("mkdir " + look->Name(path));
  return result;
}

int fsync(int fd) { return tamis::writeback::Synced(fd, SYS_fsync); }
int fdatasync(int fd) { return tamis::writeback::Synced(fd, SYS_fdatasync); }

// These calls change only bytes and lengths, which the file itself shows.
ssize_t pwrite(int fd, const void* bytes, size_t n, off_t offset) {
  const ssize_t result = ::syscall(SYS_pwrite64, fd, bytes, n, offset);
  tamis::writeback::WriteSomeBack();
  return result;
}
int ftruncate(int fd, off_t length) noexcept {
  tamis::writeback::WriteSomeBack();
  return static_cast<int>(::syscall(SYS_ftruncate, fd, length));
}
int fallocate(int fd, int mode, off_t offset, off_t n) {
  const auto result =
      static_cast<int>(::syscall(SYS_fallocate, fd, mode, offset, n));
  tamis::writeback::WriteSomeBack();
  return result;
}

int openat(int directory, const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  return tamis::writeback::Unknown("openat", SYS_openat, directory, path, flags,
                                   mode);
}
int creat(const char* path, mode_t mode) {
  return tamis::writeback::Unknown("creat", SYS_openat, AT_FDCWD, path,
                                   O_CREAT | O_WRONLY | O_TRUNC, mode);
}
int renameat(int from_in, const char* from, int to_in,
             const char* to) noexcept {
  return tamis::writeback::Unknown("renameat", SYS_renameat2, from_in, from,
                                   to_in, to, 0);
}
int renameat2(int from_in, const char* from, int to_in, const char* to,
              unsigned flags) noexcept {
  return tamis::writeback::Unknown("renameat2", SYS_renameat2, from_in, from,
                                   to_in, to, flags);
}
int linkat(int from_in, const char* from, int to_in, const char* to,
           int flags) noexcept {
  return tamis::writeback::Unknown("linkat", SYS_linkat, from_in, from, to_in,
                                   to, flags);
}
int unlinkat(int directory, const char* path, int flags) noexcept {
  return tamis::writeback::Unknown("unlinkat", SYS_unlinkat, directory, path,
                                   flags);
}
int mkdirat(int directory, const char* path, mode_t mode) noexcept {
  return tamis::writeback::Unknown("mkdirat", SYS_mkdirat, directory, path,
                                   mode);
}
int msync(void* memory, size_t n, int flags) {
  return tamis::writeback::Unknown("msync", SYS_msync, memory, n, flags);
}
int syncfs(int fd) noexcept {
  return tamis::writeback::Unknown("syncfs", SYS_syncfs, fd);
}
void sync() noexcept { tamis::writeback::Unknown("sync", SYS_sync); }

}  // extern "C"
