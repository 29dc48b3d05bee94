// SPDX-License-Identifier: Apache-2.0
//
// Faults takes from the process what a database needs of the system, and gives
// it back: descriptors, by the limit of the process, and space, by the size of
// a tmpfs. Both are the real thing: calls fail with EMFILE and ENOSPC.
//
// Threads: one takes and gives back; any may meet what is missing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <sys/resource.h>
#include <sys/statvfs.h>

#include "util/base/random.h"

namespace tamis::differential {

class Faults {
 public:
  // `disk`: where a tmpfs is mounted that the process may remount; none: only
  // descriptors are taken.
  Faults(std::optional<std::string> disk, uint64_t seed);
  ~Faults() { GiveBack(); }
  Faults(const Faults&) = delete;
  Faults& operator=(const Faults&) = delete;

  // Leaves none, or a few, of one or both. Often takes nothing.
  void Take();
  void GiveBack();

 private:
  void TakeDescriptors();
  void TakeSpace();
  struct statvfs Disk() const;
  void Resize(uint64_t bytes) const;

  const std::optional<std::string> disk_;
  // As they were before.
  const uint64_t bytes_;
  const rlimit descriptors_;
  Random random_;
};

}  // namespace tamis::differential
