// SPDX-License-Identifier: Apache-2.0
#include "util/jobs/handoff.h"

#include <exception>
#include <utility>

#include "util/base/check.h"
#include "util/base/exceptions.h"
#include "util/base/mutex.h"

namespace tamis {

// Shared with the helper, which may begin when all is long over: `work_` is
// called for pieces that wait alone, and the pusher waits for, or drops, those.
class Handoff::Ring {
 public:
  Ring(JobRunner* runner, size_t slots, std::function<void(size_t)> work)
      : runner_(runner), slots_(slots), work_(std::move(work)) {}

  // True: it is time for a helper, and none is called.
  bool Push() EXCLUDES(mutex_) {
    MutexLock lock(&mutex_);
    if (++waiting_ == slots_) MakeRoom();
    Rethrow();
    // A thread that is woken finds work for a while.
    if (helper_called_ || waiting_ == 0 || waiting_ < slots_ / 2) return false;
    helper_called_ = true;
    return true;
  }

  void Help() EXCLUDES(mutex_) {
    MutexLock lock(&mutex_);
    helper_is_here_ = true;
    mutex_.Wait(runner_, turn_, [this] {
      mutex_.AssertHeld();
      return !working_;
    });
    while (waiting_ > 0) WorkOne();
    helper_is_here_ = false;
    helper_called_ = false;
  }

  void Drain() EXCLUDES(mutex_) {
    MutexLock lock(&mutex_);
    while (waiting_ > 0 && !helper_is_here_) WorkOne();
    WaitUntilAtMost(0);
    Rethrow();
  }

  void Drop() EXCLUDES(mutex_) {
    MutexLock lock(&mutex_);
    waiting_ = working_ ? 1 : 0;
    WaitUntilAtMost(0);
  }

 private:
  // A helper goes on until nothing waits, and has the right of way: else one
  // that is slow to wake would never find nobody at work. It is let come half
  // way, so that neither wakes the other for each piece.
  void MakeRoom() REQUIRES(mutex_) {
    if (helper_is_here_) {
      WaitUntilAtMost(slots_ / 2);
    } else {
      WorkOne();
    }
  }

  // REQUIRES: no more are waiting, or a helper is here, or at work.
  void WaitUntilAtMost(size_t n) REQUIRES(mutex_) {
    mutex_.Wait(runner_, fewer_, [this, n] {
      mutex_.AssertHeld();
      return waiting_ <= n;
    });
  }

  void WorkOne() REQUIRES(mutex_) {
    working_ = true;
    if (thrown_ == nullptr) {
      try {
        MutexUnlock unlock(&mutex_);
        work_(first_);
      } catch (...) {
        thrown_ = std::current_exception();
      }
    }
    working_ = false;
    first_ = (first_ + 1) % slots_;
    --waiting_;
    if (waiting_ == slots_ / 2 || waiting_ == 0) fewer_.notify_one();
    turn_.notify_one();
  }

  void Rethrow() REQUIRES(mutex_) {
    if (thrown_ != nullptr) std::rethrow_exception(thrown_);
  }

  JobRunner* const runner_;
  const size_t slots_;
  const std::function<void(size_t)> work_;
  Mutex mutex_;
  CondVar fewer_;                          // for the pusher
  CondVar turn_;                           // for the helper
  size_t waiting_ GUARDED_BY(mutex_) = 0;  // the one being done included
  bool working_ GUARDED_BY(mutex_) = false;
  bool helper_called_ GUARDED_BY(mutex_) = false;
  bool helper_is_here_ GUARDED_BY(mutex_) = false;
  std::exception_ptr thrown_ GUARDED_BY(mutex_);
  size_t first_ = 0;  // of those that wait; whoever is at work has it
};

Handoff::Handoff(Helpers helpers, size_t slots,
                 std::function<void(size_t)> work)
    : helpers_(std::move(helpers)),
      slots_(slots),
      ring_(std::make_shared<Ring>(helpers_.runner, slots, std::move(work))) {
  TAMIS_CHECK(slots > 0);
  TAMIS_CHECK(slots == 1 || helpers_.schedule);
}

Handoff::~Handoff() { Drop(); }

void Handoff::Push() {
  slot_ = (slot_ + 1) % slots_;
  if (ring_->Push()) {
    // Without it the pusher does all.
    IgnoreExceptions(
        [this] { helpers_.schedule([ring = ring_] { ring->Help(); }); });
  }
}

void Handoff::Drain() { ring_->Drain(); }

void Handoff::Drop() { ring_->Drop(); }

}  // namespace tamis
