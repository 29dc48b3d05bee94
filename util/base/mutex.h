// SPDX-License-Identifier: Apache-2.0
//
// A mutex with Clang's thread-safety annotations. Waiting under it goes through
// the JobRunner, which keeps deterministic runs deterministic.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>

#include "tamis/job_runner.h"

#include "util/base/thread_annotations.h"

namespace tamis {

using CondVar = std::condition_variable;

class CAPABILITY("mutex") Mutex {
 public:
  Mutex() = default;
  Mutex(const Mutex&) = delete;
  Mutex& operator=(const Mutex&) = delete;

  void Lock() ACQUIRE() { mutex_.lock(); }
  void Unlock() RELEASE() { mutex_.unlock(); }
  // For code that cannot be annotated: a lambda that runs under the lock.
  void AssertHeld() const ASSERT_CAPABILITY(this) {}

  // Releases the lock until predicate(), called with the lock held, is true.
  // Whoever makes it true notifies `changed`.
  void Wait(JobRunner* runner, CondVar& changed,
            const std::function<bool()>& predicate) REQUIRES(this) {
    if (predicate()) return;
    std::unique_lock<std::mutex> lock(mutex_, std::adopt_lock);
    runner->Wait(lock, changed, predicate);
    lock.release();
  }

 private:
  std::mutex mutex_;
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

// Releases a held lock for the duration of a scope.
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
