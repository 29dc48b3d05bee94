// SPDX-License-Identifier: Apache-2.0
//
// A directory under which the power can go off. One keeps beside its files
// what is safe of them (disk.h) and needs nothing of the machine; one is a real
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

  // Where the process works.
  virtual std::string live() const = 0;
  // In the process, before anything else.
  virtual void Enter(const Watch& watch) = 0;
  // The power goes off, which the process does not survive.
  virtual void PowerOff(pid_t process) = 0;
  // A directory with what one cut may have left; that of the last call goes.
  virtual std::string Survivor(Random* luck) = 0;
  // live() is what Survivor left last, and durable.
  virtual void GoOn() = 0;
  // Something was reserved for stores to memory when the power went off: also
  // in what it left, where only that can be seen.
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

// ext4. The process that works writes pages of its files back by luck, and the
// device writes some at once, others at a flush. REQUIRES: Device::Missing()
// is empty
class DeviceStorage : public Storage {
 public:
  // `options`: of the mount.
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
