// SPDX-License-Identifier: Apache-2.0
//
// Describes the operations of a History for its log.
#include <array>

#include "tests/model/history.h"

namespace tamis::model {

std::string Describe(const Operation& o) {
  static constexpr std::array<const char*, 13> kActs = {"write",
                                                        "take_snapshot",
                                                        "release_snapshot",
                                                        "open_iterator",
                                                        "close_iterator",
                                                        "flush",
                                                        "compact_range",
                                                        "sync_log",
                                                        "run_jobs",
                                                        "check",
                                                        "resume",
                                                        "reopen",
                                                        "arm"};
  static constexpr std::array<const char*, 9> kTargets = {
      "any",  "wal",    "manifest",  "current", "table",
      "sync", "rename", "directory", "remove"};
  static constexpr std::array<const char*, 4> kFaults = {
      "power_cut", "kill", "io_error", "no_space"};
  std::string line = kActs[static_cast<size_t>(o.act)];
  if (o.flag) line += "!";
  if (o.act == Act::kArm) {
    line += std::string(" ") + kFaults[static_cast<size_t>(o.fault)] + " " +
            kTargets[static_cast<size_t>(o.target)];
  }
  if (o.act == Act::kArm || o.act == Act::kRunJobs) {
    line += " " + std::to_string(o.number);
  }
  if (o.act == Act::kCompactRange)
    line += " " + Shown(o.begin) + ".." + Shown(o.end);
  static constexpr std::array<const char*, 5> kChanges = {
      " +", " -", " single-", " merge+", " range-"};
  size_t bytes = 0;
  for (const Change& change : o.changes) {
    line += kChanges[static_cast<size_t>(change.kind)] + Shown(change.key);
    if (change.kind == ChangeKind::kDeleteRange) {
      line += ".." + Shown(change.value);
    } else {
      bytes += change.value.size();
    }
  }
  if (bytes > 0) line += " bytes " + std::to_string(bytes);
  return line;
}

}  // namespace tamis::model
