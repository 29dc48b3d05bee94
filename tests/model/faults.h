// SPDX-License-Identifier: Apache-2.0
//
// The fault a history armed: it waits for its call of the file system, then
// cuts the power, kills the process (every call fails from then on, but nothing
// is lost), or fails the call, once or three times in a row.
#pragma once

#include <string>

#include "tests/model/history.h"
#include "util/io/file_system_memory.h"

namespace tamis::model {

class Faults {
 public:
  // `fs` outlives the object, or is told no more calls.
  explicit Faults(MemoryFileSystem* fs) : fs_(*fs) {
    fs_.SetFaultHook(
        [this](const MemoryFileSystem::Call& call) { return Meet(call); });
  }
  ~Faults() { fs_.SetFaultHook(nullptr); }
  Faults(const Faults&) = delete;
  Faults& operator=(const Faults&) = delete;

  // REQUIRES: arm.act == Act::kArm. Takes the place of one that still waits.
  void Arm(const Operation& arm);
  void Disarm() { left_ = 0; }

  // How many calls failed so far, and the last of them in words.
  uint64_t fired() const { return fired_; }
  const std::string& last() const { return last_; }

  bool power_is_cut() const { return power_is_cut_; }
  // Without power, or killed.
  bool down() const { return power_is_cut_ || killed_; }
  // REQUIRES: down(), and no open database.
  void Restart(uint64_t seed) {
    if (power_is_cut_) fs_.Restart(seed);
    power_is_cut_ = false;
    killed_ = false;
  }

 private:
  Status Meet(const MemoryFileSystem::Call& call);
  bool IsTarget(const MemoryFileSystem::Call& call) const;

  MemoryFileSystem& fs_;
  Fault fault_ = Fault::kPowerCut;
  Target target_ = Target::kAny;
  uint64_t wait_ = 0;
  int left_ = 0;
  uint64_t fired_ = 0;
  std::string last_;
  bool power_is_cut_ = false;
  bool killed_ = false;
};

}  // namespace tamis::model
