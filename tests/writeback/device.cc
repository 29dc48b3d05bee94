// SPDX-License-Identifier: Apache-2.0
#include "tests/writeback/device.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <linux/fuse.h>
#include <linux/loop.h>
#include <new>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <system_error>
#include <thread>
#include <unistd.h>

#include "tests/support/directories.h"

namespace tamis::writeback {

namespace {

constexpr uint64_t kFileNumber = 2;  // the top is FUSE_ROOT_ID
constexpr uint64_t kBlockBytes = 4096;
constexpr size_t kMostBytes = 128 * 1024;
constexpr size_t kRequestBytes = kMostBytes + 4096;

std::string Failed(const std::string& what) {
  return what + ": " + std::generic_category().message(errno);
}

void* Shared(uint64_t bytes) {
  void* const memory =
      ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
             MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) std::abort();
  return memory;
}

// One request of the kernel, and its answers.
class Request {
 public:
  explicit Request(int fuse) : fuse_(fuse) {}

  // Returns false if the file system was unmounted.
  bool Read() {
    while (true) {
      const ssize_t got = ::read(fuse_, bytes_.data(), bytes_.size());
      if (got >= static_cast<ssize_t>(sizeof(fuse_in_header))) return true;
      if (got < 0 && (errno == EINTR || errno == EAGAIN || errno == ENOENT)) {
        continue;
      }
      return false;
    }
  }
  const fuse_in_header& header() const {
    return *reinterpret_cast<const fuse_in_header*>(bytes_.data());
  }
  template <typename Body>
  const Body& body() const {
    return *reinterpret_cast<const Body*>(bytes_.data() +
                                          sizeof(fuse_in_header));
  }
  template <typename Body>
  const char* behind() const {
    return bytes_.data() + sizeof(fuse_in_header) + sizeof(Body);
  }
  void Fail(int error) { Answer(nullptr, 0, -error); }
  template <typename Body>
  void Answer(const Body& body) {
    Answer(&body, sizeof(body), 0);
  }
  void Answer(const void* body, size_t n, int error) {
    fuse_out_header out = {};
    out.len = static_cast<uint32_t>(sizeof(out) + n);
    out.error = error;
    out.unique = header().unique;
    std::array<iovec, 2> parts = {
        {{&out, sizeof(out)}, {const_cast<void*>(body), n}}};
    if (::writev(fuse_, parts.data(), n > 0 ? 2 : 1) < 0 && errno != ENOENT) {
      std::perror("fuse");
    }
  }

 private:
  const int fuse_;
  alignas(8) std::array<char, kRequestBytes> bytes_{};
};

fuse_attr AttributesOf(uint64_t node, uint64_t bytes) {
  fuse_attr attributes = {};
  attributes.ino = node;
  attributes.nlink = 1;
  attributes.mode = node == kFileNumber ? (S_IFREG | 0600) : (S_IFDIR | 0700);
  attributes.size = node == kFileNumber ? bytes : 0;
  attributes.blksize = 4096;
  return attributes;
}

}  // namespace

std::string Device::Missing() {
  if (::geteuid() != 0) return "it needs root";
  for (const char* name : {"/dev/fuse", "/dev/loop-control"}) {
    if (::access(name, R_OK | W_OK) != 0)
      return std::string(name) + " is missing";
  }
  return RunCommand("command -v mkfs.ext4").exit_code == 0
             ? ""
             : "mkfs.ext4 is missing";
}

Device::Device(const std::string& root, uint64_t bytes, uint64_t seed)
    : directory_(root + "/fuse"),
      file_(directory_ + "/disk"),
      bytes_(bytes),
      seed_(seed),
      state_(new (Shared(sizeof(std::atomic<State>))) std::atomic<State>(kOn)),
      current_(static_cast<char*>(Shared(bytes))),
      safe_(static_cast<char*>(Shared(bytes))) {
  std::filesystem::create_directory(directory_);
  const int fuse = ::open("/dev/fuse", O_RDWR | O_CLOEXEC);
  const std::string options =
      "fd=" + std::to_string(fuse) + ",rootmode=40000,user_id=0,group_id=0";
  static const bool apart =
      ::unshare(CLONE_NEWNS) == 0 &&
      ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0;
  if (!apart ||
      ::mount("tamis", directory_.c_str(), "fuse", 0, options.c_str()) != 0) {
    std::perror("mount");
    std::abort();
  }
  process_ = ::fork();
  if (process_ == 0) Serve(fuse);
  ::close(fuse);
}

Device::~Device() {
  const std::string problem = Unmount();
  if (!problem.empty()) std::fprintf(stderr, "%s\n", problem.c_str());
  ::umount2(directory_.c_str(), MNT_DETACH);
  ::kill(process_, SIGKILL);
  ::waitpid(process_, nullptr, 0);
  ::munmap(current_, bytes_);
  ::munmap(safe_, bytes_);
  ::munmap(state_, sizeof(*state_));
}

void Device::MakeSafe(uint64_t block) {
  const uint64_t at = block * kBlockBytes;
  std::memcpy(safe_ + at, current_ + at, kBlockBytes);
}

void Device::Serve(int fuse) {
  Random luck(seed_);
  Request request(fuse);
  // A pending write reaches the disk at the next flush or, at random, at once.
  std::vector<bool> dirty(bytes_ / kBlockBytes);
  while (request.Read()) {
    const auto is_on = [this] {
      while (*state_ == kHeld) {
        std::this_thread::sleep_for(std::chrono::microseconds(50));
      }
      return *state_ == kOn || *state_ == kUnreadable;
    };
    switch (request.header().opcode) {
      case FUSE_INIT: {
        fuse_init_out out = {};
        out.major = FUSE_KERNEL_VERSION;
        out.minor = FUSE_KERNEL_MINOR_VERSION;
        out.flags = FUSE_BIG_WRITES;
        out.max_write = kMostBytes;
        out.max_readahead = kMostBytes;
        out.max_background = 64;
        out.congestion_threshold = 48;
        request.Answer(out);
        break;
      }
      case FUSE_LOOKUP: {
        fuse_entry_out out = {};
        out.nodeid = kFileNumber;
        out.attr = AttributesOf(kFileNumber, bytes_);
        request.Answer(out);
        break;
      }
      case FUSE_GETATTR: {
        fuse_attr_out out = {};
        out.attr = AttributesOf(request.header().nodeid, bytes_);
        request.Answer(out);
        break;
      }
      case FUSE_OPEN: {
        fuse_open_out out = {};
        out.open_flags = FOPEN_DIRECT_IO;
        request.Answer(out);
        break;
      }
      case FUSE_READ: {
        if (*state_ == kUnreadable) {
          request.Fail(EIO);
          break;
        }
        const auto& read = request.body<fuse_read_in>();
        const uint64_t begin = std::min(read.offset, bytes_);
        const uint64_t n = std::min<uint64_t>(read.size, bytes_ - begin);
        request.Answer(current_ + begin, n, 0);
        break;
      }
      case FUSE_WRITE: {
        const auto& write = request.body<fuse_write_in>();
        if (write.offset + write.size > bytes_) {
          request.Fail(ENOSPC);
          break;
        }
        if (is_on()) {
          const char* const bytes = request.behind<fuse_write_in>();
          std::memcpy(current_ + write.offset, bytes, write.size);
          const bool at_once = luck.OneIn(4);
          for (uint64_t block = write.offset / kBlockBytes;
               block * kBlockBytes < write.offset + write.size; ++block) {
            dirty[block] = true;
            if (at_once) MakeSafe(block);
          }
        }
        fuse_write_out out = {};
        out.size = write.size;
        request.Answer(out);
        break;
      }
      case FUSE_FSYNC:
        if (is_on()) {
          for (uint64_t block = 0; block < dirty.size(); ++block) {
            if (dirty[block]) MakeSafe(block);
            dirty[block] = false;
          }
        }
        request.Fail(0);
        break;
      case FUSE_FLUSH:
      case FUSE_RELEASE:
        request.Fail(0);
        break;
      case FUSE_FORGET:
      case FUSE_BATCH_FORGET:
      case FUSE_INTERRUPT:
        break;
      default:
        request.Fail(ENOSYS);
    }
  }
  ::_exit(0);
}

std::string Device::Attach() {
  const int control = ::open("/dev/loop-control", O_RDWR | O_CLOEXEC);
  const int file = ::open(file_.c_str(), O_RDWR | O_CLOEXEC);
  std::string problem;
  if (control < 0 || file < 0) problem = Failed(file_);
  // Another process may take the number in between.
  for (int attempt = 0; problem.empty() && attempt < 20; ++attempt) {
    loop_path_ =
        "/dev/loop" + std::to_string(::ioctl(control, LOOP_CTL_GET_FREE));
    loop_ = ::open(loop_path_.c_str(), O_RDWR | O_CLOEXEC);
    loop_config config = {};
    config.fd = static_cast<uint32_t>(file);
    config.info.lo_flags = LO_FLAGS_AUTOCLEAR | LO_FLAGS_DIRECT_IO;
    if (loop_ >= 0 && ::ioctl(loop_, LOOP_CONFIGURE, &config) == 0) break;
    if (errno != EBUSY) problem = Failed(loop_path_);
    if (loop_ >= 0) ::close(std::exchange(loop_, -1));
  }
  if (control >= 0) ::close(control);
  if (file >= 0) ::close(file);
  return problem;
}

std::string Device::MakeFileSystem(const std::string& mkfs) {
  std::string problem = Attach();
  if (!problem.empty()) return problem;
  const CommandResult made = RunCommand(mkfs + " " + loop_path_);
  ::close(std::exchange(loop_, -1));
  return made.exit_code == 0 ? "" : mkfs + ": " + made.output;
}

std::string Device::Mount(const std::string& where, const std::string& type,
                          const std::string& options) {
  std::string problem = Attach();
  if (!problem.empty()) return problem;
  if (::mount(loop_path_.c_str(), where.c_str(), type.c_str(), 0,
              options.c_str()) != 0) {
    problem = Failed("mount " + loop_path_);
  } else {
    mounted_ = where;
  }
  ::close(std::exchange(loop_, -1));  // the mount holds it
  return problem;
}

std::string Device::Unmount() {
  if (mounted_.empty()) return "";
  for (int attempt = 0; ::umount(mounted_.c_str()) != 0; ++attempt) {
    if (errno != EBUSY || attempt == 100) return Failed("umount " + mounted_);
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  mounted_.clear();
  // The loop device releases the file after that.
  for (int attempt = 0; attempt < 200; ++attempt) {
    const int loop = ::open(loop_path_.c_str(), O_RDONLY | O_CLOEXEC);
    loop_info64 info = {};
    const bool gone = loop < 0 || ::ioctl(loop, LOOP_GET_STATUS64, &info) != 0;
    if (loop >= 0) ::close(loop);
    if (gone) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return "";
}

void Device::KeepWreck() {
  wreck_current_.assign(current_, current_ + bytes_);
  wreck_safe_.assign(safe_, safe_ + bytes_);
}

void Device::Survive(Random* luck) {
  std::memcpy(safe_, wreck_safe_.data(), bytes_);
  const uint64_t kept_of_16 = luck->Uniform(17);
  for (uint64_t at = 0; at < bytes_; at += kBlockBytes) {
    const char* const written = wreck_current_.data() + at;
    if (std::memcmp(safe_ + at, written, kBlockBytes) != 0 &&
        luck->Uniform(16) < kept_of_16) {
      std::memcpy(safe_ + at, written, kBlockBytes);
    }
  }
  std::memcpy(current_, safe_, bytes_);
  *state_ = kOn;
}

}  // namespace tamis::writeback
