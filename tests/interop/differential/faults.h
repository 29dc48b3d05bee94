// SPDX-License-Identifier: Apache-2.0
//
// Faults takes resources from the process and gives them back: descriptors, by
// the limit of the process, and space, by the size of a tmpfs. Calls of the
// database then really fail with EMFILE and ENOSPC.
//
// One thread takes and gives back. Any thread may meet the fault.
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

  // Leaves no or few descriptors, no or little space, or both. Often takes
  // nothing.
  void Take();
  void GiveBack();

 private:
  void TakeDescriptors();
  void TakeSpace();
  struct statvfs Disk() const;
  void Resize(uint64_t bytes) const;

  const std::optional<std::string> disk_;
  // The limits before the first Take.
  const uint64_t bytes_;
  const rlimit descriptors_;
  Random random_;
};

}  // namespace tamis::differential
