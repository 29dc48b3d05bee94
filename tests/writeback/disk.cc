// SPDX-License-Identifier: Apache-2.0
#include "tests/writeback/disk.h"

#include <algorithm>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <map>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include <gtest/gtest.h>

#include "tests/writeback/pages.h"

namespace tamis::writeback {

namespace fs = std::filesystem;

namespace {

class File {
 public:
  File(const std::string& path, int flags)
      : fd_(::open(path.c_str(), flags | O_CLOEXEC, 0644)) {
    EXPECT_GE(fd_, 0) << path;
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() { ::close(fd_); }
  int get() const { return fd_; }

 private:
  const int fd_;
};

uint64_t NumberOf(const std::string& path) {
  struct stat info = {};
  EXPECT_EQ(::stat(path.c_str(), &info), 0) << path;
  return info.st_ino;
}

}  // namespace

Disk::Disk(std::string root) : root_(std::move(root)) {
  fs::create_directory(live());
  Settle();
}

void Disk::Settle() {
  for (const std::string& old : {inodes(), safe()}) {
    fs::remove_all(old);
    fs::create_directory(old);
  }
  std::ofstream trace(this->trace(), std::ios::trunc);
  for (const auto& entry : fs::recursive_directory_iterator(live())) {
    const std::string path = fs::relative(entry.path(), live()).string();
    if (entry.is_directory()) {
      trace << "mkdir " << path << "\n";
      continue;
    }
    const std::string number = std::to_string(NumberOf(entry.path().string()));
    trace << "create " << number << " " << path << "\n";
    if (fs::exists(inodes() + "/" + number)) continue;  // another link
    fs::create_hard_link(entry.path(), inodes() + "/" + number);
    fs::copy_file(entry.path(), safe() + "/" + number);
  }
  trace << "settled\n";
  EXPECT_TRUE(trace.flush());
}

Names Disk::ReadTrace() const {
  Names names;
  std::ifstream trace(this->trace());
  std::string line;
  while (std::getline(trace, line)) {
    if (line == "settled") {
      names.Settle();
    } else {
      EXPECT_TRUE(names.Note(line)) << line;
    }
  }
  return names;
}

void Disk::CutPower(const std::string& to, Random* luck) const {
  fs::remove_all(to);
  fs::create_directory(to);
  const uint64_t pages_of_16 = luck->Uniform(kAllPages + 1);
  std::map<uint64_t, std::string> made;
  for (const auto& [path, number] : ReadTrace().AfterPowerCut(luck)) {
    const std::string left = to + "/" + path;
    if (number == Names::kDirectory) {
      fs::create_directory(left);
      continue;
    }
    const auto [first, is_first] = made.try_emplace(number, left);
    if (!is_first) {
      fs::create_hard_link(first->second, left);
      continue;
    }
    const std::string name = "/" + std::to_string(number);
    fs::copy_file(safe() + name, left);
    const File file(left, O_RDWR);
    const File current(inodes() + name, O_RDONLY);
    const uint64_t lengths[] = {LengthOf(file.get()), LengthOf(current.get())};
    WriteBack(current.get(), file.get(), 0, lengths[1], pages_of_16, luck);
    EXPECT_EQ(::ftruncate(file.get(),
                          static_cast<off_t>(
                              lengths[luck->Uniform(kAllPages) < pages_of_16])),
              0);
  }
}

void Disk::ReplaceBy(const std::string& left) {
  fs::remove_all(live());
  fs::rename(left, live());
  Settle();
}

bool Disk::HasReserved() const {
  const fs::directory_iterator files(inodes());
  return std::any_of(begin(files), end(files), [](const auto& entry) {
    return entry.file_size() >= kReservedMin;
  });
}

std::string Disk::TraceDifference() const {
  Names::Paths paths = ReadTrace().Now();
  for (const auto& entry : fs::recursive_directory_iterator(live())) {
    const std::string path = fs::relative(entry.path(), live()).string();
    const auto found = paths.find(path);
    if (found == paths.end()) return path + " is not in the trace";
    const uint64_t number = entry.is_directory()
                                ? Names::kDirectory
                                : NumberOf(entry.path().string());
    if (found->second != number) return path + " is another in the trace";
    paths.erase(found);
  }
  return paths.empty() ? "" : paths.begin()->first + " is in the trace alone";
}

}  // namespace tamis::writeback
