// SPDX-License-Identifier: Apache-2.0
//
// A directory whose power can be cut. ShadowStorage keeps the durable state
// beside the files (disk.h), and needs no privileges. DeviceStorage is a real
// file system on a device that is cut (device.h).
#pragma once

#include <memory>
#include <string>
#include <sys/types.h>

#include "tests/support/directories.h"
#include "tests/writeback/calls.h"
#include "tests/writeback/device.h"
#include "tests/writeback/disk.h"
#include "util/base/random.h"

namespace tamis::writeback {

class Storage {
 public:
  virtual ~Storage() = default;

  // Returns the directory in which the process works.
  virtual std::string live() const = 0;
  // Prepares the process. REQUIRES: the process has done nothing else.
  virtual void Enter(const Watch& watch) = 0;
  // Cuts the power and kills the process.
  virtual void PowerOff(pid_t process) = 0;
  // Returns a directory with what a cut may leave, and removes that of the last
  // call.
  virtual std::string Survivor(Random* luck) = 0;
  // Makes the last survivor the durable contents of live().
  virtual void GoOn() = 0;
  // Returns whether file space was reserved for mapped stores when the power
  // failed, and remained so in the survivor where only that is visible.
  virtual bool HasReserved() const = 0;
};

class ShadowStorage : public Storage {
 public:
  std::string live() const override { return disk_.live(); }
  void Enter(const Watch& watch) override { WatchCalls(disk_, watch); }
  void PowerOff(pid_t process) override;
  std::string Survivor(Random* luck) override {
    disk_.CutPower(left_, luck);
    return left_;
  }
  void GoOn() override { disk_.ReplaceBy(left_); }
  bool HasReserved() const override { return disk_.HasReserved(); }
  std::string TraceDifference() const { return disk_.TraceDifference(); }

 private:
  const TemporaryDirectory temporary_;
  const std::string left_ = temporary_.Path("left");
  Disk disk_{temporary_.path()};
};

// An ext4. The working process writes pages of its files back at random, and
// the device writes some at once and others at a flush. REQUIRES:
// Device::Missing() is empty.
class DeviceStorage : public Storage {
 public:
  // `options`: those of the mount.
  DeviceStorage(std::string options, uint64_t seed);
  ~DeviceStorage() override;

  std::string live() const override { return temporary_.Path("mount"); }
  void Enter(const Watch& watch) override;
  void PowerOff(pid_t process) override;
  std::string Survivor(Random* luck) override;
  void GoOn() override;
  bool HasReserved() const override { return has_reserved_; }

 private:
  static constexpr uint64_t kBytes = uint64_t{48} << 20;

  void Mount();
  void Unmount();

  const std::string options_;
  const TemporaryDirectory temporary_;
  Device device_;
  bool is_wreck_ = false;
  bool has_reserved_ = false;
};

}  // namespace tamis::writeback
