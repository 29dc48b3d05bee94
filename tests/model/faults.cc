// SPDX-License-Identifier: Apache-2.0
#include "tests/model/faults.h"

namespace tamis::model {

void Faults::Arm(const Operation& arm) {
  fault_ = arm.fault;
  target_ = arm.target;
  wait_ = arm.number;
  const bool ends = arm.fault == Fault::kPowerCut || arm.fault == Fault::kKill;
  left_ = !ends && arm.flag ? 3 : 1;
}

bool Faults::IsTarget(const SimulatedFileSystem::Call& call) const {
  const auto names = [&call](const char* part) {
    return call.path.find(part) != std::string::npos;
  };
  const bool is_event_log = names("/LOG");
  switch (target_) {
    case Target::kAny:
      return true;
    case Target::kWal:
      return names(".log");
    case Target::kManifest:
      return names("/MANIFEST");
    case Target::kCurrent:
      return names("/CURRENT") || names(".dbtmp");
    case Target::kTable:
      return names(".sst");
    case Target::kSync:
      return call.operation == "sync" && !is_event_log;
    case Target::kRename:
      return call.operation == "rename" && !is_event_log;
    case Target::kDirectory:
      return call.operation == "sync_dir";
    case Target::kRemove:
      return call.operation == "remove";
  }
  return false;
}

Status Faults::Meet(const SimulatedFileSystem::Call& call) {
  if (killed_) return Status::IOError(call.path, "the process is killed");
  if (left_ == 0 || !IsTarget(call)) return Status::OK();
  if (wait_ > 0) {
    --wait_;
    return Status::OK();
  }
  --left_;
  ++fired_;
  last_ = call.operation + " " + call.path;
  if (fault_ == Fault::kPowerCut) {
    power_is_cut_ = true;
    fs_.CutPower();
    return Status::IOError(call.path, "the power goes off");
  }
  if (fault_ == Fault::kKill) {
    killed_ = true;
    return Status::IOError(call.path, "the process is being killed");
  }
  return fault_ == Fault::kNoSpace ? Status::NoSpace(call.path, "full")
                                   : Status::IOError(call.path, "broken");
}

}  // namespace tamis::model
