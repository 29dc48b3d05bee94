// SPDX-License-Identifier: Apache-2.0
#include "db/base/auto_resume.h"

#include <atomic>
#include <utility>

#include "util/base/exceptions.h"
#include "util/base/mutex.h"

namespace tamis {

class AutoResume::State {
 public:
  explicit State(std::function<void()> resume) : resume_(std::move(resume)) {}

  // Returns false if it was armed already.
  bool TryArm() { return !armed_.exchange(true); }
  void Disarm() { armed_.store(false); }

  // Returns whether a call is pending or runs.
  bool IsBusy() const { return armed_.load() || resuming_.load() > 0; }

  void Resume() EXCLUDES(mutex_) {
    ++resuming_;
    Disarm();  // another error in resume_ arms it again
    {
      MutexLock lock(&mutex_);
      if (!stopped_) resume_();
    }
    --resuming_;
  }

  void Stop() EXCLUDES(mutex_) {
    MutexLock lock(&mutex_);
    stopped_ = true;
  }

 private:
  const std::function<void()> resume_;
  std::atomic<bool> armed_{false};
  std::atomic<int> resuming_{0};  // calls that have begun
  Mutex mutex_;                   // held while resume_ runs
  bool stopped_ GUARDED_BY(mutex_) = false;
};

AutoResume::AutoResume(std::function<void()> resume)
    : state_(std::make_shared<State>(std::move(resume))) {}

bool AutoResume::Arm(JobRunner* runner, uint64_t micros) noexcept {
  if (!state_->TryArm()) return true;
  bool scheduled = false;
  IgnoreExceptions([&] {
    scheduled =
        runner->ScheduleAfter(micros, [state = state_] { state->Resume(); });
  });
  if (!scheduled) state_->Disarm();
  return scheduled;
}

bool AutoResume::EnsureArmed(JobRunner* runner) noexcept {
  if (!state_->IsBusy()) Arm(runner, 0);
  return state_->IsBusy();
}

void AutoResume::Stop() { state_->Stop(); }

}  // namespace tamis
