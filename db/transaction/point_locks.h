// SPDX-License-Identifier: Apache-2.0
//
// The locks of keys: exclusive, of one owner, or shared by several.
//
//   family ─▶ stripe, by the key's hash ─▶ key ─▶ owners
//              its own mutex
//
// A lock whose owners have expired may be taken from them.
//
// Any thread. In a forked process, Lock fails and Unlock does nothing: a thread
// that does not exist there may hold a mutex.
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "tamis/clock.h"
#include "tamis/job_runner.h"
#include "tamis/utilities/transaction_db.h"

#include "db/base/numbers.h"
#include "db/transaction/wait_graph.h"
#include "util/base/mutex.h"
#include "util/base/process.h"
#include "util/base/string_map.h"

namespace tamis {

// < 0, which means no limit, stays so.
inline int64_t MillisToMicros(int64_t millis) {
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  if (millis < 0) return -1;
  return millis <= kMax / 1000 ? millis * 1000 : kMax;
}

// Who may own locks. Must have released them all when it is destroyed.
class LockOwner {
 public:
  // What it wants, while it waits.
  struct Wait {
    FamilyId family;
    std::string key;
    std::vector<TransactionID> holders;
  };

  virtual TransactionID lock_id() const = 0;
  // In microseconds, by the clock; 0 means never.
  virtual uint64_t expires_at() const { return 0; }
  // Called after that time, when another wants one of its locks. Returns
  // whether it may have all of them.
  virtual bool GiveUpLocks() noexcept { return false; }

  Wait waiting_for() const EXCLUDES(mutex_) {
    MutexLock lock(&mutex_);
    return wait_;
  }
  void set_waiting_for(Wait wait) EXCLUDES(mutex_) {
    MutexLock lock(&mutex_);
    wait_ = std::move(wait);
  }

 protected:
  LockOwner() = default;
  ~LockOwner() = default;

 private:
  mutable Mutex mutex_;
  Wait wait_ GUARDED_BY(mutex_);
};

class PointLocks {
 public:
  // Both must outlive *this. REQUIRES: num_stripes > 0.
  PointLocks(const TransactionDBOptions& options, JobRunner* runner,
             Clock* clock)
      : max_num_locks_(options.max_num_locks),
        num_stripes_(options.num_stripes),
        runner_(*runner),
        clock_(*clock) {}

  struct Request {
    FamilyId family;
    Slice key;
    bool exclusive;
    int64_t timeout_micros;  // < 0: none
    int64_t deadlock_depth;  // 0: deadlocks are not looked for
  };
  // Gives the owner the lock. It may own it already, also shared, which then
  // becomes exclusive. Returns TimedOut, Busy with the subcodes kDeadlock and
  // kLockLimit, or the error of CheckProcess. Throws what allocation and Clock
  // throw, and then has changed nothing.
  Status Lock(LockOwner* owner, const Request& request);
  // Does nothing if the owner does not own the lock.
  void Unlock(const LockOwner& owner, FamilyId family,
              const Slice& key) noexcept;

  // Returns all locks; none in a forked process.
  std::unordered_multimap<uint32_t, KeyLockInfo> All() const;

  // Returns NotSupported in a forked process.
  Status CheckProcess() const {
    return owner_process_.IsCurrent()
               ? Status::OK()
               : OfOtherProcess("the transactions", owner_process_);
  }

 private:
  struct Entry {
    bool exclusive = false;
    std::vector<LockOwner*> owners;
  };
  struct Stripe {
    mutable Mutex mutex;
    CondVar changed;
    StringMap<Entry> locks GUARDED_BY(mutex);
  };
  struct OfFamily {
    explicit OfFamily(size_t num_stripes) : stripes(num_stripes) {}
    std::vector<Stripe> stripes;
    std::atomic<int64_t> count{0};
  };
  enum class Taken : uint8_t { kYes, kNo, kLimit };

  std::shared_ptr<OfFamily> Of(FamilyId family) EXCLUDES(mutex_);
  Stripe& StripeOf(OfFamily* of_family, const Slice& key) const;
  // Takes the lock if that is possible now.
  Taken Take(LockOwner* owner, const Request& request, OfFamily* of_family,
             Stripe* stripe) const REQUIRES(stripe->mutex);
  bool TakeFromExpired(const LockOwner& owner, Entry* entry) const;
  // Waits for it. REQUIRES: Take returned kNo.
  Status Await(LockOwner* owner, const Request& request, OfFamily* of_family,
               Stripe* stripe) REQUIRES(stripe->mutex);
  // What keeps the owner from the lock, and the first time at which one of them
  // expires; 0 for never.
  LockOwner::Wait Obstacles(const LockOwner& owner, const Request& request,
                            const Stripe& stripe, uint64_t* expires_at) const
      REQUIRES(stripe.mutex);

  const OwnerProcess owner_process_;
  const int64_t max_num_locks_;
  const size_t num_stripes_;
  JobRunner& runner_;
  Clock& clock_;
  WaitGraph waits_;
  mutable Mutex mutex_;
  std::map<FamilyId, std::shared_ptr<OfFamily>> families_ GUARDED_BY(mutex_);
};

}  // namespace tamis
