// SPDX-License-Identifier: Apache-2.0
//
// An Ownership is the right to change a volume. One client at a time has it.
//
//   the lease says who is alive: only when it has ended, or is broken, does
//     another client try to become the owner
//   the epoch says who is right: a new owner raises it, and every change is
//     refused by the cluster unless it comes from the epoch that it names
//
// No clock decides what may be written: a client that believes that it still
// has the lease is refused like any other.
//
// Threads: any.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>

#include "tamis/status.h"

#include "rados/object_store.h"

namespace tamis::rados {

class Ownership {
 public:
  struct Options {
    uint32_t lease_seconds = 10;
    bool take_over = false;
    bool blocklist = true;
  };
  // `store` must outlive the object. `wake` is called, by any thread, when the
  // ownership was lost: TellLost is due.
  Ownership(ObjectStore* store, std::string volume, const Options& options,
            std::function<void()> wake);
  Ownership(const Ownership&) = delete;
  Ownership& operator=(const Ownership&) = delete;

  // Creates the volume if there is none.
  Status CreateVolume(const std::string& path);
  // Takes the lease, and raises the epoch. Returns IOError, which names the
  // holder, if another client has the lease. REQUIRES: it is not held
  Status Acquire(const std::string& path);
  // Ends the lease, unless the ownership was lost.
  void Release();
  // Renews the lease. Takes it anew if it has ended and the epoch is still
  // ours. Finds out if it is not. Returns OK if the lease began anew with this
  // call, and the epoch was ours then.
  StoreResult Renew();

  // Between Acquire and Release, also if it was lost.
  bool held() const { return epoch() != 0; }
  // 0: not held.
  uint64_t epoch() const { return epoch_.load(std::memory_order_acquire); }
  std::string epoch_text() const;

  // OK if it is held and not known to be lost. IOFenced if it was lost, IOError
  // if it is not held.
  Status Check(const std::string& path, const std::string& what) const;
  bool lost() const { return lost_.load(std::memory_order_acquire); }
  // The error of a change that failed. If a condition of it did not hold, looks
  // whether that is because another epoch has begun: the ownership is lost
  // then.
  Status ErrorOf(const std::string& path, const std::string& what,
                 const StoreResult& result);

  // See FileLock::WhenLost. `key` is that of the caller.
  void WhenLost(const void* key, std::function<void(const Status&)> lost);
  // Makes the calls that are due. Not to be called from within a call of the
  // database, as these take its lock.
  void TellLost();

 private:
  Status TakeLease(const std::string& path);
  Status RaiseEpoch(const std::string& path);
  // Raises it once. kUnequal: another client raised it first.
  StoreResult TryToRaiseEpoch(uint64_t* epoch, std::string* owner_before);
  void Lose(const std::string& why);
  StoreResult ReadEpoch(uint64_t* epoch) const;
  Status lost_status() const;

  ObjectStore* const store_;
  const std::string volume_;
  const ObjectName names_object_;
  const Options options_;
  const std::function<void()> wake_;
  const std::string cookie_;
  std::atomic<uint64_t> epoch_{0};
  std::atomic<bool> lost_{false};

  mutable std::mutex lost_mutex_;
  std::string lost_why_;

  std::mutex listeners_mutex_;
  struct Listener {
    std::function<void(const Status&)> lost;
    bool told = false;
  };
  std::map<const void*, Listener> listeners_;
};

}  // namespace tamis::rados
