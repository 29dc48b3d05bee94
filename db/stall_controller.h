// SPDX-License-Identifier: Apache-2.0
//
// The StallController makes writes wait for background work. The leader of the
// write queue calls it, so that a wait delays the writes of all families.
//
//   delay   A family has level0_slowdown_writes_trigger tables in level 0, or
//           soft_pending_compaction_bytes_limit bytes to compact. Each write
//           group waits up to 1 ms (or by delayed_write_rate), so that none has
//           to wait for seconds later.
//   stop    A family whose memtable is due for a switch has
//           max_write_buffer_number memtables, level0_stop_writes_trigger
//           tables in level 0, or hard_pending_compaction_bytes_limit bytes to
//           compact. Writes wait until jobs have removed some.
//
// Compactions count only where they are automatic. LOG has a pair of
// events for each: write_delay_* (by the Scheduler) and write_stop_*.
//
//   low_pri Writes with that option wait before they join the write queue,
//   while
//           compactions are less far behind than that.
//
// REQUIRES, for every call but DelayLowPriority: the database's mutex is held.
// Waits release it.
#pragma once

#include <span>

#include "db/compaction/scheduler.h"

namespace tamis {

class StallController {
 public:
  // All arguments must outlive the controller.
  StallController(const DBContext& context, Mutex* db_mutex,
                  const VersionSet* versions, Scheduler* scheduler,
                  const ErrorHandler* errors)
      : context_(context),
        mutex_(*db_mutex),
        versions_(*versions),
        scheduler_(*scheduler),
        errors_(*errors) {}

  // Returns whether a write group must call Delay.
  bool MustDelay() const { return scheduler_.compaction_is_behind(); }
  // Returns after 1 ms, or with delayed_write_rate after the time of `bytes`;
  // earlier if MustDelay becomes false, after an error, or on Close.
  void Delay(uint64_t bytes, const bool& closed);

  // Waits, without the mutex, as WriteOptions::low_pri says, or returns
  // Incomplete.
  Status DelayLowPriority(uint64_t bytes, bool no_slowdown) EXCLUDES(mutex_);

  // Returns whether the write_buffer_manager wants a flush or a wait.
  bool BuffersAreOver() const {
    const auto* const manager = context_.options.write_buffer_manager.get();
    return manager != nullptr &&
           (manager->ShouldFlush() || manager->ShouldStall());
  }
  // Returns whether a write must call WaitForBuffers: the manager allows
  // stalls, and memtables of this database are being flushed.
  bool MustWaitForBuffers() const;
  // Waits until MustWaitForBuffers is false, there is a background error, or
  // the database is being closed, as in WaitUntilMaySwitch.
  void WaitForBuffers(const bool& closed);

  // Returns whether each of the families may have another memtable. A dropped
  // family may.
  bool MaySwitch(std::span<const ColumnFamilyPtr> families) const;
  // Waits until MaySwitch is true, there is a background error, or the database
  // is being closed: the scheduler stops, or `closed` is true. A caller
  // that sets `closed` must notify scheduler->changed().
  void WaitUntilMaySwitch(std::span<const ColumnFamilyPtr> families,
                          const bool& closed);

 private:
  void CountStop(ColumnFamily* family, StallCause cause) const;
  // Counts a wait.
  void Count(uint64_t micros) const;

  const DBContext& context_;
  Mutex& mutex_;
  const VersionSet& versions_;
  Scheduler& scheduler_;
  const ErrorHandler& errors_;
  // When the next write of low priority may go on, in microseconds.
  uint64_t next_low_ GUARDED_BY(mutex_) = 0;
};

}  // namespace tamis
