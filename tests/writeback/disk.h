// SPDX-License-Identifier: Apache-2.0
//
// A disk below the kernel's page cache, so that a power cut can be told from a
// kill.
//
//   the process that is cut off              the test
//   ───────────────────────────              ────────
//   engine ── open, pwrite, stores ──▶ live/      what the page cache shows
//     │        (calls.h looks on)      inodes/N   each file of it, also those
//     │                                           that were removed since
//     ├─ fsync, fdatasync ───────────▶ safe/N     what stands on the disk
//     ├─ written back by luck ───────▶ safe/N
//     └─ names that change ──────────▶ trace      names.h
//
//   SIGKILL, and then, as often as wanted:
//
//   safe/N + some pages of inodes/N ┐
//   names that are durable + some   ┴──────▶ what a power cut leaves
//
// A page may be written back at any moment between two syncs, so the process
// writes some back while it runs, and the cut some in their last state. A
// length is that of a moment when the process ran, or the last one.
#pragma once

#include <cstdint>
#include <string>

#include "tests/writeback/names.h"
#include "util/base/random.h"

namespace tamis::writeback {

class Disk {
 public:
  // The least that util/io/mapped_tail.h reserves for stores to memory.
  static constexpr uint64_t kReservedMin = uint64_t{1} << 20;

  // `root`: an empty directory.
  explicit Disk(std::string root);

  std::string live() const { return root_ + "/live"; }
  std::string inodes() const { return root_ + "/inodes"; }
  std::string safe() const { return root_ + "/safe"; }
  std::string trace() const { return root_ + "/trace"; }

  // Makes all of live() durable, and forgets the earlier state.
  void Settle();
  // Writes to `to`, which it replaces, what a power failure now may leave.
  // REQUIRES: the process has ended.
  void CutPower(const std::string& to, Random* luck) const;
  // Makes `left` the contents of live(), as after a restart.
  void ReplaceBy(const std::string& left);

  // Returns whether some file is longer because of such a reservation.
  bool HasReserved() const;
  // Returns how the trace differs from the existing names; empty: not at all.
  std::string TraceDifference() const;

 private:
  Names ReadTrace() const;

  const std::string root_;
};

}  // namespace tamis::writeback
