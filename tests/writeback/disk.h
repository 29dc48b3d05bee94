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

  // All that live() holds is safe. Nothing is left of what was before.
  void Settle();
  // What is left if the power goes off now. `to` is made anew. REQUIRES: the
  // process ended
  void CutPower(const std::string& to, Random* luck) const;
  // As if the power had gone off, and come back: live() is what was left.
  void ReplaceBy(const std::string& left);

  // Some file is longer than it would be without that.
  bool HasReserved() const;
  // Empty: the trace tells of the names that there are.
  std::string TraceDifference() const;

 private:
  Names ReadTrace() const;

  const std::string root_;
};

}  // namespace tamis::writeback
