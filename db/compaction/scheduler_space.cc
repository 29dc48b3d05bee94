// SPDX-License-Identifier: Apache-2.0
//
// The part of the scheduler that keeps to the limit of the SstFileManager.
//
//   a flush reached the limit       ─▶ background error
//   a compaction reached it         ─▶ its tables are discarded, the same error
//   a request has no room           ─▶ it ends with CompactionTooLarge
//   a compaction that is due has    ─▶ a timer looks again; if writes would
//   none                               wait for it: the same error
//
// So no call waits for room, and the timer, or the next write, finds it.
#include "db/compaction/compaction_style.h"
#include "db/compaction/scheduler.h"
#include "util/base/exceptions.h"
#include "util/stats/perf_counters.h"

namespace tamis {

void Scheduler::StopAtSpaceLimit() noexcept {
  SstFileManagerImpl* const manager = context_.sst_file_manager();
  if (manager == nullptr || !manager->IsMaxAllowedSpaceReached()) return;
  errors_.SetSpaceLimit("flush", SpaceLimitReached(), /*wanted=*/0);
}

Status Scheduler::NoRoom(const Compaction& plan) {
  const uint64_t bytes = plan.BytesToWrite();
  context_.event_log->Event("compaction_without_room")
      .Add("bytes", bytes)
      .Add("total_bytes", context_.sst_file_manager()->GetTotalSize());
  IgnoreExceptions(
      [&] { RecordTick(context_.statistics(), COMPACTION_CANCELLED); });
  return Status::CompactionTooLarge(
      context_.directory,
      "its inputs have " + std::to_string(bytes) +
          " bytes, for which the SstFileManager has no room");
}

bool Scheduler::TakeRoom(const ColumnFamily& family, const Compaction& plan,
                         SpaceReservation* room) {
  const uint64_t bytes = plan.BytesToWrite();
  if (room->Take(context_, bytes)) return true;
  // The timer asks often.
  if (no_room_.insert_or_assign(family.id(), bytes).second) {
    NoRoom(plan).PermitUncheckedError();
  }
  errors_.ArmTimer();
  return false;
}

// Called whenever the last job has ended, or something changed while none ran.
void Scheduler::FailIfStuck() noexcept {
  if (no_room_.empty() || jobs_ > 0 || holds_ > 0 || pauses_ > 0 ||
      !MayStart()) {
    return;
  }
  for (const ColumnFamilyPtr& family : *versions_.families().view()) {
    const auto refused = no_room_.find(family->id());
    StallCause cause = StallCause::kLevel0;
    if (refused == no_room_.end() ||
        LagOf(*family->version(), family->options(), family->LowestUnflushed(),
              &cause) != CompactionLag::kStops) {
      continue;
    }
    // Compactions of other databases have the room, and will end.
    if (context_.sst_file_manager()->files().HasRoomFor(refused->second) &&
        errors_.ArmTimer()) {
      continue;
    }
    errors_.SetSpaceLimit("compaction", SpaceLimitReached(), refused->second);
    changed_.notify_all();
    return;
  }
}

}  // namespace tamis
