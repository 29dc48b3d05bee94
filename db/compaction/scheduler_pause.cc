// SPDX-License-Identifier: Apache-2.0
//
// The part of the scheduler that holds work back, and waits for its end.
#include <algorithm>

#include "db/compaction/scheduler.h"

namespace tamis {

void Scheduler::HoldCompactions(int change) noexcept {
  mutex_.AssertHeld();
  holds_ += change;
  TAMIS_CHECK(holds_ >= 0);
  if (holds_ == 0) MaybeSchedule();
}

void Scheduler::Pause() {
  mutex_.AssertHeld();
  ++pauses_;
  changed_.notify_all();
  mutex_.Wait(context_.runner(), changed_, [this] {
    mutex_.AssertHeld();
    return (!flushing_ && compactions_ == 0) || pauses_ == 0;
  });
}

bool Scheduler::Continue() {
  mutex_.AssertHeld();
  if (pauses_ == 0) return false;
  if (--pauses_ == 0) MaybeSchedule();
  changed_.notify_all();
  return true;
}

void Scheduler::EndPauses() {
  mutex_.AssertHeld();
  if (pauses_ == 0) return;
  pauses_ = 1;
  Continue();
}

bool Scheduler::Idle() const {
  if (flushing_ || compactions_ > 0 || !manual_.empty() || !rewrites_.empty() ||
      !DueForFlush().empty()) {
    return false;
  }
  // Whatever is due has started, unless it is held back.
  if (pauses_ == 0 && holds_ == 0) return true;
  const ColumnFamilySet::ViewPtr families = versions_.families().view();
  return std::none_of(families->begin(), families->end(),
                      [this](const ColumnFamilyPtr& family) {
                        return CompactionPending(*family);
                      });
}

Status Scheduler::WaitUntilIdle(bool abort_on_pause, uint64_t micros) {
  mutex_.AssertHeld();
  MaybeSchedule();  // there may be room for what had none
  const auto ended = [&] {
    mutex_.AssertHeld();
    return !MayStart() || (abort_on_pause && pauses_ > 0) || Idle();
  };
  if (micros == 0) {
    mutex_.Wait(context_.runner(), changed_, ended);
  } else if (!mutex_.WaitFor(context_.runner(), changed_, *context_.clock(),
                             micros, ended)) {
    return Status::TimedOut("background work is not done");
  }
  if (!MayStart()) return WhyStopped();
  if (abort_on_pause && pauses_ > 0) {
    return Status::Aborted("background work is paused");
  }
  for (const ColumnFamilyPtr& family : *versions_.families().view()) {
    if (no_room_.contains(family->id())) {
      return Status::CompactionTooLarge(
          context_.directory,
          "a compaction of '" + family->name() + "' is due, and has no room");
    }
  }
  return Status::OK();
}

void Scheduler::DisableManual() {
  mutex_.AssertHeld();
  manual_disabled_.fetch_add(1, std::memory_order_relaxed);
  // Ends those that have not started. A running compaction polls the count.
  std::erase_if(manual_, [](ManualCompaction* manual) {
    if (manual->running || !manual->can_disable) return false;
    manual->status = Status::Incomplete(Status::kManualCompactionPaused);
    manual->done = true;
    return true;
  });
  changed_.notify_all();
  mutex_.Wait(context_.runner(), changed_, [this] {
    mutex_.AssertHeld();
    return !manual_disabled() ||
           std::none_of(manual_.begin(), manual_.end(),
                        [](const auto* manual) { return manual->can_disable; });
  });
}

void Scheduler::EnableManual() {
  mutex_.AssertHeld();
  if (!manual_disabled()) return;
  manual_disabled_.fetch_sub(1, std::memory_order_relaxed);
  changed_.notify_all();
}

}  // namespace tamis
