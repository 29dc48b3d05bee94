// SPDX-License-Identifier: Apache-2.0
//
// The part of the Scheduler that rewrites filters. A request lists the tables
// that there are; each becomes a job of its own, after the compactions that are
// due. A table that a compaction has replaced meanwhile needs no rewrite, and
// one that a compaction reads has to wait for its end.
#include <algorithm>
#include <utility>

#include "db/compaction/filter_rewrite.h"
#include "db/compaction/scheduler.h"

namespace tamis {

Status Scheduler::RewriteFilters(const ColumnFamilyPtr& family,
                                 const RewriteFiltersOptions& options,
                                 const Slice* begin, const Slice* end) {
  mutex_.AssertHeld();
  if (!MayStart()) return WhyStopped();
  const auto rewrite = std::make_shared<FilterRewrite>();
  rewrite->family = family;
  rewrite->size_factor = options.size_factor;
  {
    // Not kept: it would keep the replaced tables on disk.
    const VersionPtr version = family->version();
    for (const Level level : kLevels) {
      for (const TableFilePtr& file : version->Overlapping(level, begin, end)) {
        rewrite->files.push_back(file->meta.number);
      }
    }
  }
  if (rewrite->done()) return Status::OK();
  rewrites_.push_back(rewrite);
  MaybeSchedule();
  if (!options.wait) return Status::OK();
  mutex_.Wait(context_.runner(), changed_, [this, &rewrite] {
    mutex_.AssertHeld();
    // After !MayStart(), no other job gets scheduled.
    return rewrite->done() || (compactions_ == 0 && !MayStart());
  });
  if (rewrite->done()) return rewrite->status;
  std::erase(rewrites_, rewrite);
  return rewrite->status.ok() ? WhyStopped() : rewrite->status;
}

bool Scheduler::ScheduleAnyRewrite() {
  const bool scheduled = std::any_of(rewrites_.begin(), rewrites_.end(),
                                     [this](const FilterRewritePtr& rewrite) {
                                       mutex_.AssertHeld();
                                       return ScheduleRewriteOf(rewrite);
                                     });
  ForgetEndedRewrites();
  return scheduled;
}

bool Scheduler::ScheduleRewriteOf(const FilterRewritePtr& rewrite) {
  const ColumnFamilyPtr& family = rewrite->family;
  if (family->dropped()) {
    rewrite->files.clear();
    if (rewrite->status.ok()) {
      rewrite->status = Status::ColumnFamilyDropped(family->name());
    }
    return false;
  }
  if (WaitsForManual(*family)) return false;
  // A compaction that is due but was not started may need tables that are being
  // rewritten: it must get them before others are taken.
  const bool rewriting = std::any_of(
      rewrites_.begin(), rewrites_.end(), [&family](const auto& other) {
        return other->family == family && other->running > 0;
      });
  if (rewriting && CompactionPending(*family)) return false;
  for (auto next = rewrite->files.begin(); next != rewrite->files.end();) {
    if (busy_.contains(*next)) {
      ++next;
      continue;
    }
    auto plan =
        PlanFilterRewrite(family->version(), *next, rewrite->size_factor);
    SpaceReservation room;
    if (plan && !room.Take(context_, plan->BytesToWrite())) {
      if (rewrite->status.ok()) rewrite->status = NoRoom(*plan);
      rewrite->files.clear();
      return false;
    }
    if (plan) {
      ScheduleCompaction(family, *std::move(plan), std::move(room), nullptr,
                         rewrite);
      ++rewrite->running;
      rewrite->files.erase(next);
      return true;
    }
    next = rewrite->files.erase(next);
  }
  return false;
}

void Scheduler::EndRewriteOfTable(FilterRewrite* rewrite,
                                  const Status& status) {
  TAMIS_CHECK(rewrite->running > 0);
  --rewrite->running;
  if (!status.ok() && rewrite->status.ok()) rewrite->status = status;
  // The others may be rewritten even if this one cannot be.
  if (!status.ok() && !status.IsNotSupported()) rewrite->files.clear();
  ForgetEndedRewrites();
}

void Scheduler::ForgetEndedRewrites() {
  const auto ended = [](const FilterRewritePtr& rewrite) {
    return rewrite->done();
  };
  if (std::erase_if(rewrites_, ended) > 0) changed_.notify_all();
}

}  // namespace tamis
