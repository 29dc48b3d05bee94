// SPDX-License-Identifier: Apache-2.0
//
// Helpers that the POSIX files share: they own descriptors, repeat interrupted
// calls, and turn errno into a Status.
#pragma once

#include <cerrno>
#include <fcntl.h>
#include <pthread.h>
#include <string>
#include <sys/stat.h>
#include <sys/types.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "tamis/slice.h"
#include "tamis/status.h"

namespace tamis {

// Returns "<path>: <what>: <errno in words>", as PathNotFound, NoSpace or
// IOError. REQUIRES: errno is that of the failed call.
inline Status ErrorFromErrno(const std::string& path, const char* what) {
  const int error = errno;
  const std::string detail =
      std::string(what) + ": " + std::generic_category().message(error);
  if (error == ENOENT) return Status::PathNotFound(path, detail);
  if (error == ENOSPC || error == EDQUOT) return Status::NoSpace(path, detail);
  return Status::IOError(path, detail);
}

// Repeats `call` while signals interrupt it.
template <typename Call>
auto Uninterrupted(Call call) {
  auto result = call();
  while (result < 0 && errno == EINTR) result = call();
  return result;
}

// While it exists, pthread_cancel does not end the calling thread, but waits.
// For noexcept functions that call what may be a cancellation point: unwinding
// cannot leave them.
class NoCancellation {
 public:
  NoCancellation() { ::pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old_); }
  ~NoCancellation() { ::pthread_setcancelstate(old_, nullptr); }
  NoCancellation(const NoCancellation&) = delete;
  NoCancellation& operator=(const NoCancellation&) = delete;

 private:
  int old_ = PTHREAD_CANCEL_ENABLE;
};

// Owns a file descriptor, or none (-1).
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&&) = delete;
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  int get() const { return fd_; }
  bool ok() const { return fd_ >= 0; }
  int Release() { return std::exchange(fd_, -1); }

 private:
  int fd_;
};

// Opens the path, with close-on-exec. A file that it creates has mode 0644,
// less the umask.
inline Descriptor OpenDescriptor(const std::string& path, int flags) {
  constexpr mode_t kFileMode = 0644;
  return Descriptor(Uninterrupted(
      [&] { return ::open(path.c_str(), flags | O_CLOEXEC, kFileMode); }));
}

// Waits until the device has the data of the file. Returns as fsync does.
inline int SyncDescriptor(int fd) {
#if defined(__linux__)
  // fdatasync covers the length; timestamps are not worth another write.
  return Uninterrupted([fd] { return ::fdatasync(fd); });
#elif defined(F_FULLFSYNC)
  return Uninterrupted([fd] { return ::fcntl(fd, F_FULLFSYNC); });
#else
  return Uninterrupted([fd] { return ::fsync(fd); });
#endif
}

// Calls read_some(buffer, bytes, done) until n bytes are read or the file ends.
// `bytes` are still missing, and `done` were read before. read_some returns as
// pread does.
template <typename ReadSome>
Status ReadFully(const std::string& path, size_t n, Slice* result,
                 char* scratch, ReadSome read_some) {
  size_t done = 0;
  while (done < n) {
    const ssize_t got = Uninterrupted(
        [&] { return read_some(scratch + done, n - done, done); });
    if (got < 0) {
      *result = Slice();
      return ErrorFromErrno(path, "read");
    }
    if (got == 0) break;
    done += static_cast<size_t>(got);
  }
  *result = Slice(scratch, done);
  return Status::OK();
}

}  // namespace tamis
