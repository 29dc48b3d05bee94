// SPDX-License-Identifier: Apache-2.0
#include "util/jobs/ordered_pipeline.h"

#include <exception>
#include <utility>

#include "util/base/check.h"
#include "util/base/exceptions.h"
#include "util/base/mutex.h"

namespace tamis {

// Outlives the pipeline, because a helper job may start after it is destroyed.
// That job finds no items: the pusher has waited for them or dropped them, so
// work_ is not called any more.
class OrderedPipeline::Ring {
 public:
  Ring(JobRunner* runner, size_t slots, std::function<void(size_t)> work,
       std::function<bool()> other_work)
      : runner_(runner),
        slots_(slots),
        work_(std::move(work)),
        other_work_(std::move(other_work)) {}

  // Returns true if the caller should schedule a helper.
  bool Push() EXCLUDES(mutex_) {
    MutexLock lock(&mutex_);
    TAMIS_CHECK(waiting_ < slots_);
    if (++waiting_ == slots_) MakeRoom();
    Rethrow();
    // Waits for half the slots, so that a helper that is woken stays busy.
    if (helper_called_ || waiting_ == 0 || waiting_ < slots_ / 2) return false;
    helper_called_ = true;
    return true;
  }

  void Help() EXCLUDES(mutex_) {
    MutexLock lock(&mutex_);
    TAMIS_CHECK(!helper_active_);
    helper_active_ = true;
    mutex_.Wait(runner_, idle_, [this] {
      mutex_.AssertHeld();
      return !working_;
    });
    while (waiting_ > 0) ProcessOne();
    helper_active_ = false;
    helper_called_ = false;
  }

  void Drain() EXCLUDES(mutex_) {
    MutexLock lock(&mutex_);
    while (waiting_ > 0 && !helper_active_) ProcessOne();
    WaitUntilAtMost(0);
    Rethrow();
  }

  void Drop() EXCLUDES(mutex_) {
    MutexLock lock(&mutex_);
    waiting_ = working_ ? 1 : 0;
    WaitUntilAtMost(0);
  }

 private:
  // An active helper has priority and runs until no items are left. Otherwise a
  // helper that wakes slowly would always find the pusher processing. The
  // pusher waits until half the slots are free, so that the two do not wake
  // each other for every item.
  void MakeRoom() REQUIRES(mutex_) {
    if (helper_active_) {
      while (waiting_ > slots_ / 2 && DoOtherWork()) {
      }
      WaitUntilAtMost(slots_ / 2);
    } else {
      ProcessOne();
    }
  }

  bool DoOtherWork() REQUIRES(mutex_) {
    if (!other_work_) return false;
    MutexUnlock unlock(&mutex_);
    return other_work_();
  }

  // REQUIRES: waiting_ <= n already, or a helper is active, or work_ is
  // running.
  void WaitUntilAtMost(size_t n) REQUIRES(mutex_) {
    mutex_.Wait(runner_, drained_, [this, n] {
      mutex_.AssertHeld();
      return waiting_ <= n;
    });
  }

  void ProcessOne() REQUIRES(mutex_) {
    TAMIS_CHECK(!working_);
    TAMIS_CHECK(waiting_ > 0);
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
    if (waiting_ == slots_ / 2 || waiting_ == 0) drained_.notify_one();
    idle_.notify_one();
  }

  void Rethrow() REQUIRES(mutex_) {
    if (thrown_ != nullptr) std::rethrow_exception(thrown_);
  }

  JobRunner* const runner_;
  const size_t slots_;
  const std::function<void(size_t)> work_;
  const std::function<bool()> other_work_;
  Mutex mutex_;
  CondVar drained_;                        // wakes the pusher
  CondVar idle_;                           // wakes the helper
  size_t waiting_ GUARDED_BY(mutex_) = 0;  // including the one being processed
  bool working_ GUARDED_BY(mutex_) = false;
  bool helper_called_ GUARDED_BY(mutex_) = false;
  bool helper_active_ GUARDED_BY(mutex_) = false;
  std::exception_ptr thrown_ GUARDED_BY(mutex_);
  size_t first_ = 0;  // the oldest item; used by the thread that set working_
};

OrderedPipeline::OrderedPipeline(Helpers helpers, size_t slots,
                                 std::function<void(size_t)> work,
                                 std::function<bool()> other_work)
    : helpers_(std::move(helpers)),
      slots_(slots),
      ring_(std::make_shared<Ring>(helpers_.runner, slots, std::move(work),
                                   std::move(other_work))) {
  TAMIS_CHECK(slots > 0);
  TAMIS_CHECK(slots == 1 || helpers_.schedule);
}

OrderedPipeline::~OrderedPipeline() { Drop(); }

void OrderedPipeline::Push() {
  slot_ = (slot_ + 1) % slots_;
  if (ring_->Push()) {
    // Without a helper, the pusher processes everything.
    IgnoreExceptions(
        [this] { helpers_.schedule([ring = ring_] { ring->Help(); }); });
  }
}

void OrderedPipeline::Drain() { ring_->Drain(); }

void OrderedPipeline::Drop() { ring_->Drop(); }

}  // namespace tamis
