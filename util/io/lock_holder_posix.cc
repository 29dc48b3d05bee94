// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdlib>
#include <dirent.h>
#include <fcntl.h>
#include <fstream>
#include <memory>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

#include "util/coding/printable.h"
#include "util/io/lock_holder.h"

namespace tamis {

namespace {

using Pids = std::vector<long>;

// Longer lists add nothing to the message.
constexpr size_t kNamedMax = 4;

// fcntl reports the owner of a process's lock, and -1 for a lock of an open
// file description.
Pids HolderByLock([[maybe_unused]] int fd) {
#if defined(F_OFD_GETLK)
  struct flock range = {};
  range.l_type = F_WRLCK;
  range.l_whence = SEEK_SET;
  if (::fcntl(fd, F_OFD_GETLK, &range) == 0 && range.l_type != F_UNLCK &&
      range.l_pid > 0) {
    return {range.l_pid};
  }
#endif
  return {};
}

std::vector<std::string> Names(const std::string& directory) {
  std::vector<std::string> names;
  const auto close = [](DIR* dir) { ::closedir(dir); };
  const std::unique_ptr<DIR, decltype(close)> dir(::opendir(directory.c_str()),
                                                  close);
  if (dir == nullptr) return names;
  while (const struct dirent* entry = ::readdir(dir.get())) {
    if (entry->d_name[0] != '.') names.emplace_back(entry->d_name);
  }
  return names;
}

// A descriptor with a lock has a line "lock:" in /proc/<pid>/fdinfo/<fd>.
bool HasLock(const std::string& fdinfo) {
  std::ifstream in(fdinfo);
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("lock:")) return true;
  }
  return false;
}

Pids HoldersByDescriptor(int fd) {
  Pids pids;
  struct stat wanted;
  if (::fstat(fd, &wanted) != 0) return pids;
  for (const std::string& process : Names("/proc")) {
    const long pid = std::strtol(process.c_str(), nullptr, 10);
    if (pid <= 0) continue;
    const std::string directory = "/proc/" + process;
    const std::vector<std::string> descriptors = Names(directory + "/fd");
    if (std::any_of(descriptors.begin(), descriptors.end(),
                    [&](const std::string& descriptor) {
                      struct stat info;
                      return ::stat((directory + "/fd/" + descriptor).c_str(),
                                    &info) == 0 &&
                             info.st_dev == wanted.st_dev &&
                             info.st_ino == wanted.st_ino &&
                             HasLock(directory + "/fdinfo/" + descriptor);
                    })) {
      pids.push_back(pid);
    }
  }
  return pids;
}

std::string Describe(long pid) {
  if (pid == ::getpid()) return "this process (" + std::to_string(pid) + ")";
  std::string text = "process " + std::to_string(pid);
  std::ifstream in("/proc/" + std::to_string(pid) + "/comm");
  std::string name;
  if (std::getline(in, name)) text += " (" + Printable(name) + ")";
  return text;
}

}  // namespace

std::string LockHolder(int fd) {
  Pids pids = HolderByLock(fd);
  if (pids.empty()) pids = HoldersByDescriptor(fd);
  if (pids.empty()) return "another opener holds it";
  std::string text;
  for (size_t i = 0; i < std::min(pids.size(), kNamedMax); ++i) {
    if (i > 0) text += ", ";
    text += Describe(pids[i]);
  }
  if (pids.size() > kNamedMax) {
    text += " and " + std::to_string(pids.size() - kNamedMax) + " more";
  }
  return text + (pids.size() == 1 ? " holds it" : " hold it");
}

}  // namespace tamis
