// SPDX-License-Identifier: Apache-2.0
//
// A SimulatedFileSystem is a FileSystem in memory that simulates power failures
// and I/O errors. It tracks separately the state that the process sees and the
// state that would survive a power failure, and fails calls on request. The
// same seed and the same calls give the same result.
//
// A power failure leaves:
//   file contents      up to the last Sync (before the first failed one) for
//                      certain; after that, a random part: see power_cut.h
//   directory entries  creations, links, renames and removals for certain once
//                      the directory was synced; before that, each at random
//
// Any thread, except SetStoresInPlace.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "tamis/file_system.h"

#include "tests/support/power_cut.h"

namespace tamis {

class SimulatedFileSystem : public FileSystem {
 public:
  // Mutating calls are numbered from 1, and each invokes the hook before it
  // takes effect. Operations: create, append, reserve, flush, sync, close,
  // rename and link (path: the old name), truncate, remove, create_dir,
  // remove_dir, sync_dir, lock. The hook may call the file system, for example
  // CutPower.
  struct Call {
    uint64_t number;
    std::string operation;
    std::string path;
    size_t bytes;  // of an append
  };
  // If the status is not OK, the call returns it and changes nothing, except
  // that a failed append still appends bytes_kept bytes.
  struct Fault {
    // NOLINTNEXTLINE(google-explicit-constructor): most faults are a Status.
    Fault(Status call_status, size_t kept = 0)
        : status(std::move(call_status)), bytes_kept(kept) {}

    Status status;
    size_t bytes_kept;
  };
  using FaultHook = std::function<Fault(const Call&)>;

  // Sets whether new files support WritableFile::Reserve, until their first
  // Append or Sync. By default they do not, because stores in place cannot fail
  // as Append can. REQUIRES: no file is open for writing.
  virtual void SetStoresInPlace(bool in_place) = 0;

  virtual void SetFaultHook(FaultHook hook) = 0;
  virtual uint64_t calls() const = 0;
  // Sets the hook of read-only calls, which are numbered separately.
  // Operations: open, read, list, size, exists, locked. GetContents does not
  // invoke the hook.
  virtual void SetReadHook(FaultHook hook) = 0;

  // Simulates a power failure: from now on every mutating call fails, so code
  // that still runs can do no further harm.
  virtual void CutPower() = 0;
  // Simulates a reboot: locks are released, and files hold what survived,
  // chosen by `seed` where it is random. REQUIRES: CutPower() was called; no
  // database is open.
  virtual void Restart(uint64_t seed, CrashStyle style) = 0;
  void Restart(uint64_t seed) { Restart(seed, CrashStyle::kMixed); }

  // Read and replace a file's contents, without a hook, for corruption tests.
  // The new contents count as synced.
  virtual Status GetContents(const std::string& path,
                             std::string* contents) = 0;
  virtual Status SetContents(const std::string& path, std::string contents) = 0;
};

std::shared_ptr<SimulatedFileSystem> NewSimulatedFileSystem();

}  // namespace tamis
