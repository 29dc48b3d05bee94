// SPDX-License-Identifier: Apache-2.0
#include "tests/writeback/storage.h"

#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace tamis::writeback {

namespace fs = std::filesystem;

void ShadowStorage::PowerOff(pid_t process) { ::kill(process, SIGKILL); }

DeviceStorage::DeviceStorage(std::string options, uint64_t seed)
    : options_(std::move(options)), device_(temporary_.path(), kBytes, seed) {
  SyncForReal(true);
  fs::create_directory(live());
  EXPECT_EQ(device_.MakeFileSystem("mkfs.ext4 -q -F -b 4096"), "");
  Mount();
}

DeviceStorage::~DeviceStorage() {
  Unmount();
  SyncForReal(false);
}

void DeviceStorage::Mount() {
  EXPECT_EQ(device_.Mount(live(), "ext4", options_), "");
}

void DeviceStorage::Unmount() { EXPECT_EQ(device_.Unmount(), ""); }

// Requests a write-back, which a kernel otherwise starts only after seconds.
void DeviceStorage::Enter(const Watch& watch) {
  SyncForReal(true, watch.forgotten);
  std::thread([this, seed = watch.seed] {
    for (Random luck(seed);;) {
      std::this_thread::sleep_for(
          std::chrono::microseconds(luck.Uniform(5000)));
      std::error_code ignored;
      std::vector<std::string> paths;
      for (fs::directory_iterator it(live() + "/db", ignored), last;
           !ignored && it != last; it.increment(ignored)) {
        paths.push_back(it->path().string());
      }
      if (paths.empty()) continue;
      const int file = ::open(paths[luck.Uniform(paths.size())].c_str(),
                              O_RDONLY | O_CLOEXEC);
      if (file < 0) continue;
      ::sync_file_range(file, 0, 0, SYNC_FILE_RANGE_WRITE);
      ::close(file);
    }
  }).detach();
}

// While requests remain unanswered, no sync returns without its data being
// kept.
void DeviceStorage::PowerOff(pid_t process) {
  device_.Hold();
  ::kill(process, SIGKILL);
  std::this_thread::sleep_for(std::chrono::milliseconds(1));
  device_.PowerOff();
  is_wreck_ = true;
  has_reserved_ = false;
}

std::string DeviceStorage::Survivor(Random* luck) {
  Unmount();
  if (std::exchange(is_wreck_, false)) device_.KeepWreck();
  device_.Survive(luck);
  Mount();
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(live() + "/db", ignored)) {
    has_reserved_ = has_reserved_ || (entry.is_regular_file() &&
                                      entry.file_size() >= Disk::kReservedMin);
  }
  return live();
}

void DeviceStorage::GoOn() {
  const int top = ::open(live().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  EXPECT_EQ(::syncfs(top), 0);
  ::close(top);
}

}  // namespace tamis::writeback
