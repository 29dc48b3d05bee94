// SPDX-License-Identifier: Apache-2.0
//
// The part of the scheduler that runs the steps of CompactRange, and the
// compactions of CompactFiles and PromoteL0, one after the other. While one
// waits or runs, no automatic compaction of its family starts; if it is
// exclusive, none of any family.
#include <algorithm>
#include <utility>

#include "db/compaction/level_targets.h"
#include "db/compaction/manual_request.h"
#include "db/compaction/scheduler.h"

namespace tamis {

bool Scheduler::WaitsForManual(const ColumnFamily& family) const {
  if (manual_.empty()) return false;
  const ManualCompaction& first = *manual_.front();
  return first.options->exclusive_manual_compaction ||
         first.family.get() == &family;
}

Status Scheduler::PickLevelChange(const ColumnFamily& family,
                                  const CompactRangeOptions& asked,
                                  std::optional<Compaction>* plan) {
  const VersionPtr& version = family.version();
  const std::optional<Level> from = OnlyLevel(*version);
  if (!from) {
    if (asked.target_level < 0 || version->NumFiles() == 0) return Status::OK();
    return Status::NotSupported(
        "CompactRangeOptions::target_level",
        "several levels hold tables, or writes have added some to level 0");
  }
  // Files of ingest_behind stay where they are.
  if (*from > LastLevelOf(family.options())) return Status::OK();
  const Level to = asked.target_level < 0
                       ? LowestFitting(*version, family.options(), *from)
                       : Level{asked.target_level};
  if (to != *from) *plan = PlanMove(version, family.options(), *from, to);
  return Status::OK();
}

bool Scheduler::FindManual() {
  if (manual_.empty() || manual_.front()->running) return false;
  if (pauses_ == 0) return true;
  const auto found =
      std::find_if(manual_.begin(), manual_.end(),
                   [](const auto* manual) { return !manual->can_pause; });
  if (found == manual_.end()) return false;
  std::rotate(manual_.begin(), found, found + 1);
  return true;
}

bool Scheduler::StartManual() {
  ManualCompaction* const manual = manual_.front();
  TAMIS_CHECK(!manual->done);
  TAMIS_CHECK(!manual->running);
  const ColumnFamilyPtr family = manual->family;
  if (manual->options->exclusive_manual_compaction
          ? compactions_ != 0
          : family->running_compactions() != 0) {
    return true;
  }
  std::optional<Compaction> plan;
  manual->status =
      IsCanceled(*manual->options) ? Canceled() : manual->pick(&plan);
  SpaceReservation room;
  if (plan && !room.Take(context_, plan->BytesToWrite())) {
    manual->status = NoRoom(*plan);
    plan.reset();
  }
  if (!plan) {
    manual->done = true;
    manual_.pop_front();
    changed_.notify_all();
    return false;
  }
  plan->manual = true;
  ScheduleCompaction(family, *std::move(plan), std::move(room), manual);
  return false;
}

Status Scheduler::RunManual(ManualCompaction* manual) {
  if (manual->can_disable && manual_disabled()) return Canceled();
  manual_.push_back(manual);
  MaybeSchedule();
  mutex_.Wait(context_.runner(), changed_, [this, manual] {
    mutex_.AssertHeld();
    // A scheduled job sets done. After !MayStart(), no other gets scheduled.
    return manual->done || (compactions_ == 0 && !MayStart());
  });
  if (manual->done) {
    if (!manual->status.IsShutdownInProgress()) return manual->status;
    return stopping() ? WhyStopped() : Canceled();
  }
  std::erase(manual_, manual);
  changed_.notify_all();
  return WhyStopped();
}

Status Scheduler::CompactStep(const ColumnFamilyPtr& family,
                              const CompactRangeOptions& options,
                              const ManualStep& step) {
  mutex_.AssertHeld();
  ManualStep in_path = step;
  in_path.path_id = static_cast<uint8_t>(options.target_path_id);
  ManualCompaction manual{
      .family = family, .options = &options, .pick = [&](auto* plan) {
        mutex_.AssertHeld();
        *plan = PickManual(family->version(), busy_, family->options(), in_path,
                           family->LowestUnflushed());
        return Status::OK();
      }};
  return RunManual(&manual);
}

Status Scheduler::ChangeLevel(const ColumnFamilyPtr& family,
                              const CompactRangeOptions& options) {
  mutex_.AssertHeld();
  ManualCompaction manual{
      .family = family, .options = &options, .pick = [&](auto* plan) {
        mutex_.AssertHeld();
        return PickLevelChange(*family, options, plan);
      }};
  return RunManual(&manual);
}

Status Scheduler::CompactFiles(const ColumnFamilyPtr& family,
                               const FilesRequest& request,
                               uint32_t max_subcompactions,
                               CompactionJobInfo* info) {
  mutex_.AssertHeld();
  const auto pick = [&](std::optional<Compaction>* plan) {
    mutex_.AssertHeld();
    auto picked = PickFiles(family->version(), busy_, family->options(),
                            request, family->LowestUnflushed());
    if (!picked.ok()) return picked.status();
    *plan = std::move(picked).value();
    return Status::OK();
  };
  // At once, since the files may be gone after a wait.
  std::optional<Compaction> plan;
  TAMIS_RETURN_IF_ERROR(pick(&plan));
  plan.reset();
  CompactRangeOptions options;
  options.exclusive_manual_compaction = false;
  options.max_subcompactions = max_subcompactions;
  ManualCompaction manual{.family = family,
                          .options = &options,
                          .pick = pick,
                          .info = info,
                          .can_pause = false};
  return RunManual(&manual);
}

Status Scheduler::PromoteLevel0(const ColumnFamilyPtr& family, Level target) {
  mutex_.AssertHeld();
  CompactRangeOptions options;
  options.exclusive_manual_compaction = false;
  ManualCompaction manual{
      .family = family, .options = &options, .pick = [&](auto* plan) {
        mutex_.AssertHeld();
        auto picked =
            PickPromotion(family->version(), busy_, family->options(), target);
        if (!picked.ok()) return picked.status();
        *plan = std::move(picked).value();
        return Status::OK();
      }};
  manual.can_pause = false;
  manual.can_disable = false;
  return RunManual(&manual);
}

Status Scheduler::WhyStopped() const {
  return errors_.ok() ? Status::ShutdownInProgress(context_.directory,
                                                   "it is being closed")
                      : errors_.error();
}

}  // namespace tamis
