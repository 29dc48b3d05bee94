// SPDX-License-Identifier: Apache-2.0
//
// A mutex with Clang's thread-safety annotations. A thread that waits for a
// condition under it waits through the JobRunner, so that deterministic runs
// stay deterministic.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>

#include "tamis/job_runner.h"

#include "util/base/check.h"
#include "util/base/nanos_timer.h"
#include "util/base/thread_annotations.h"

namespace tamis {

using CondVar = std::condition_variable;

// Where the time that a thread spends on a mutex is added. Both functions
// return a counter of the calling thread, or nullptr if it counts no such time.
struct MutexTimes {
  uint64_t* (*locking)();  // acquiring the mutex
  uint64_t* (*waiting)();  // waiting for a condition
};

class CAPABILITY("mutex") Mutex {
 public:
  Mutex() = default;
  // `times` must outlive the mutex.
  explicit Mutex(const MutexTimes* times) : times_(times) {}
  Mutex(const Mutex&) = delete;
  Mutex& operator=(const Mutex&) = delete;

  void Lock() ACQUIRE() {
    TAMIS_DCHECK(!holder_.IsThisThread());
    {
      const NanosTimer timer(times_ != nullptr ? times_->locking() : nullptr);
      mutex_.lock();
    }
    holder_.Set();
  }
  void Unlock() RELEASE() {
    TAMIS_DCHECK(holder_.IsThisThread());
    holder_.Clear();
    mutex_.unlock();
  }
  // Tells Clang that this thread holds the mutex, in code that cannot be
  // annotated, such as a lambda. Debug builds check it.
  void AssertHeld() const ASSERT_CAPABILITY(this) {
    TAMIS_DCHECK(holder_.IsThisThread());
  }

  // Waits until predicate() is true. Calls predicate() with the mutex held and
  // releases the mutex while waiting. A thread that makes predicate() true must
  // notify `changed`.
  void Wait(JobRunner* runner, CondVar& changed,
            const std::function<bool()>& predicate) REQUIRES(this) {
    AssertHeld();
    if (predicate()) return;
    const NanosTimer timer(times_ != nullptr ? times_->waiting() : nullptr);
    Lent lent(this);
    runner->Wait(lent.lock(), changed, [&] { return lent.Check(predicate); });
  }
  // Waits as Wait does, for about `micros` microseconds at most, and returns
  // predicate(); see JobRunner::WaitFor.
  bool WaitFor(JobRunner* runner, CondVar& changed, Clock& clock,
               uint64_t micros, const std::function<bool()>& predicate)
      REQUIRES(this) {
    AssertHeld();
    if (predicate()) return true;
    const NanosTimer timer(times_ != nullptr ? times_->waiting() : nullptr);
    Lent lent(this);
    return runner->WaitFor(lent.lock(), changed, clock, micros,
                           [&] { return lent.Check(predicate); });
  }

 private:
  // Lends the held mutex to a runner's wait. The destructor takes it back, also
  // when an exception leaves the wait.
  class Lent {
   public:
    explicit Lent(Mutex* mutex)
        : mutex_(*mutex), lock_(mutex->mutex_, std::adopt_lock) {
      mutex_.holder_.Clear();
    }
    ~Lent() {
      if (!lock_.owns_lock()) lock_.lock();
      mutex_.holder_.Set();
      lock_.release();
    }
    Lent(const Lent&) = delete;
    Lent& operator=(const Lent&) = delete;

    std::unique_lock<std::mutex>& lock() { return lock_; }
    bool Check(const std::function<bool()>& predicate) {
      mutex_.holder_.Set();
      const bool done = predicate();
      mutex_.holder_.Clear();
      return done;
    }

   private:
    Mutex& mutex_;
    std::unique_lock<std::mutex> lock_;
  };

  // The thread that holds the mutex, in debug builds.
  class Holder {
   public:
#ifdef NDEBUG
    void Set() {}
    void Clear() {}
    bool IsThisThread() const { return true; }
#else
    void Set() { thread_.store(std::this_thread::get_id()); }
    void Clear() { thread_.store(std::thread::id()); }
    bool IsThisThread() const {
      return thread_.load() == std::this_thread::get_id();
    }

   private:
    std::atomic<std::thread::id> thread_;
#endif
  };

  std::mutex mutex_;
  [[no_unique_address]] Holder holder_;
  const MutexTimes* const times_ = nullptr;
};

class SCOPED_CAPABILITY MutexLock {
 public:
  explicit MutexLock(Mutex* mutex) ACQUIRE(mutex) : mutex_(mutex) {
    mutex_->Lock();
  }
  ~MutexLock() RELEASE() { mutex_->Unlock(); }
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

 private:
  Mutex* const mutex_;
};

// Releases a held mutex for the duration of a scope.
class SCOPED_CAPABILITY MutexUnlock {
 public:
  explicit MutexUnlock(Mutex* mutex) RELEASE(mutex) : mutex_(mutex) {
    mutex_->Unlock();
  }
  // Clang reads RELEASE on a scope that released the lock as "reacquires".
  ~MutexUnlock() RELEASE() { mutex_->Lock(); }
  MutexUnlock(const MutexUnlock&) = delete;
  MutexUnlock& operator=(const MutexUnlock&) = delete;

 private:
  Mutex* const mutex_;
};

}  // namespace tamis
