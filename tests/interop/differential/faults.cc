// SPDX-License-Identifier: Apache-2.0
#include "tests/interop/differential/faults.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <sys/mount.h>
#include <unistd.h>
#include <utility>

namespace tamis::differential {

namespace {

constexpr uint64_t kMostDescriptorsLeft = 6;
constexpr uint64_t kMostBytesLeft = 96 * 1024;

// A driver that believes in faults which do not happen would test nothing.
void Require(bool ok, const char* what) {
  if (ok) return;
  std::perror(what);
  std::abort();
}

rlimit LimitOfDescriptors() {
  rlimit limit;
  Require(::getrlimit(RLIMIT_NOFILE, &limit) == 0, "getrlimit");
  return limit;
}

}  // namespace

Faults::Faults(std::optional<std::string> disk, uint64_t seed)
    : disk_(std::move(disk)),
      bytes_(disk_ ? Disk().f_blocks * Disk().f_bsize : 0),
      descriptors_(LimitOfDescriptors()),
      random_(seed) {}

void Faults::Take() {
  const uint64_t choice = random_.Uniform(6);
  if (disk_ && (choice == 1 || choice == 2)) TakeSpace();
  if (choice == 0 || choice == 2) TakeDescriptors();
}

void Faults::TakeDescriptors() {
  // The limit is of the highest number, not of how many there are; the lowest
  // free ones are found by taking them.
  int free[kMostDescriptorsLeft + 1];
  const uint64_t left = random_.Uniform(kMostDescriptorsLeft + 1);
  for (uint64_t i = 0; i <= left; ++i) {
    free[i] = ::dup(STDERR_FILENO);
    Require(free[i] >= 0, "dup");
  }
  rlimit limit = descriptors_;
  limit.rlim_cur = static_cast<rlim_t>(free[left]);
  for (uint64_t i = 0; i <= left; ++i) ::close(free[i]);
  Require(::setrlimit(RLIMIT_NOFILE, &limit) == 0, "setrlimit");
}

void Faults::TakeSpace() {
  const struct statvfs now = Disk();
  const uint64_t used = (now.f_blocks - now.f_bfree) * now.f_bsize;
  Resize(used + (random_.OneIn(3) ? 0 : random_.Uniform(kMostBytesLeft)));
}

struct statvfs Faults::Disk() const {
  struct statvfs disk;
  Require(::statvfs(disk_->c_str(), &disk) == 0, "statvfs");
  return disk;
}

void Faults::Resize(uint64_t bytes) const {
  // Not below what background jobs have used by now; and 0 would be no limit.
  const std::string size =
      "size=" + std::to_string(std::max<uint64_t>(bytes, 4096));
  const bool done =
      ::mount(nullptr, disk_->c_str(), nullptr, MS_REMOUNT, size.c_str()) == 0;
  Require(done || errno == EINVAL, "mount");
}

void Faults::GiveBack() {
  Require(::setrlimit(RLIMIT_NOFILE, &descriptors_) == 0, "setrlimit");
  if (disk_) Resize(bytes_);
}

}  // namespace tamis::differential
