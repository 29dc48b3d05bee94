// SPDX-License-Identifier: Apache-2.0
//
// A FileSystem in memory that behaves like a disk on a bad day. It keeps apart
// what the process sees and what would survive a power cut, and it fails calls
// on request. The same seed and the same calls give the same outcome.
//
// What survives a power cut:
//   a file's bytes     up to the last Sync for certain (the last before one
//                      failed); behind that, a part: see power_cut.h
//   a directory entry  (creation, link, rename, removal) for certain once its
//                      directory was synced; before that, per entry, by luck
//
// Any thread, under one mutex, but for SetStoresInPlace.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "tamis/file_system.h"

#include "util/io/power_cut.h"

namespace tamis {

class MemoryFileSystem : public FileSystem {
 public:
  // Every call that changes something has a number, from 1 on, and passes by
  // the hook before it takes effect. Operations: create, append, reserve,
  // flush, sync, close, rename and link (path: the old name), remove,
  // create_dir, remove_dir, sync_dir, lock. The hook may call the file system,
  // CutPower above all.
  struct Call {
    uint64_t number;
    std::string operation;
    std::string path;
    size_t bytes;  // append: how many
  };
  // A Status that is not OK becomes the call's result, and the call changes
  // nothing; but of an append, so many bytes are in the file nevertheless.
  struct Fault {
    // NOLINTNEXTLINE(google-explicit-constructor): most faults are a Status.
    Fault(Status call_status, size_t kept = 0)
        : status(std::move(call_status)), bytes_kept(kept) {}

    Status status;
    size_t bytes_kept;
  };
  using FaultHook = std::function<Fault(const Call&)>;

  // Whether files give WritableFile::Reserve, up to their first sync. Not at
  // first: Append is what can fail. REQUIRES: no file is being written.
  virtual void SetStoresInPlace(bool in_place) = 0;

  virtual void SetFaultHook(FaultHook hook) = 0;
  virtual uint64_t calls() const = 0;
  // The same for calls that only look, which have numbers of their own.
  // Operations: open, read, list, size, exists, locked. Not for GetContents.
  virtual void SetReadHook(FaultHook hook) = 0;

  // From now on every call that changes something fails, as for a process
  // whose machine lost its power: what is still running can do no more harm.
  virtual void CutPower() = 0;
  // The machine starts again: locks are gone, files hold what survived, as
  // `seed` decides where luck does. REQUIRES: CutPower(), and no open database.
  virtual void Restart(uint64_t seed, CrashStyle style) = 0;
  void Restart(uint64_t seed) { Restart(seed, CrashStyle::kMixed); }

  // For corruption tests: what the file holds, and its replacement.
  virtual Status GetContents(const std::string& path,
                             std::string* contents) = 0;
  virtual Status SetContents(const std::string& path, std::string contents) = 0;
};

std::shared_ptr<MemoryFileSystem> NewMemoryFileSystem();

}  // namespace tamis
