// SPDX-License-Identifier: Apache-2.0
//
// The fault that a history arms. At a call of the file system it cuts the
// power, kills the process (all later calls fail, but nothing is lost), or
// fails the call, once or three times in a row.
#pragma once

#include <string>

#include "tests/model/history.h"
#include "tests/support/simulated_file_system.h"

namespace tamis::model {

class Faults {
 public:
  // `fs` must outlive the object, or get no more calls.
  explicit Faults(SimulatedFileSystem* fs) : fs_(*fs) {
    fs_.SetFaultHook(
        [this](const SimulatedFileSystem::Call& call) { return Meet(call); });
  }
  ~Faults() { fs_.SetFaultHook(nullptr); }
  Faults(const Faults&) = delete;
  Faults& operator=(const Faults&) = delete;

  // Replaces a fault that has not happened. REQUIRES: arm.act == Act::kArm.
  void Arm(const Operation& arm);
  void Disarm() { left_ = 0; }

  // The number of calls that failed, and the last one as text.
  uint64_t fired() const { return fired_; }
  const std::string& last() const { return last_; }

  bool power_is_cut() const { return power_is_cut_; }
  // Whether the power is off or the process is killed.
  bool down() const { return power_is_cut_ || killed_; }
  // REQUIRES: down(), and no database is open.
  void Restart(uint64_t seed) {
    if (power_is_cut_) fs_.Restart(seed);
    power_is_cut_ = false;
    killed_ = false;
  }

 private:
  Status Meet(const SimulatedFileSystem::Call& call);
  bool IsTarget(const SimulatedFileSystem::Call& call) const;

  SimulatedFileSystem& fs_;
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
