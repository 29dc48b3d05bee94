// SPDX-License-Identifier: Apache-2.0
//
// Makes writes wait for background work.
//
//   delay   A family has level0_slowdown_writes_trigger tables in level 0.
//           Every write waits 1 ms, so that none has to wait for seconds later.
//   stop    A family has max_write_buffer_number memtables, or
//           level0_stop_writes_trigger tables in level 0. Its memtable is not
//           switched until a job has removed some.
//
// Both are logged as pairs of events in LOG: write_delay_* (by the Scheduler)
// and write_stop_*.
//
// REQUIRES, for every call: the database's mutex is held; waits release it.
#pragma once

#include <span>

#include "db/compaction/scheduler.h"

namespace tamis {

class StallController {
 public:
  // All must outlive the controller.
  StallController(const DBContext& context, Mutex* db_mutex,
                  Scheduler* scheduler, const ErrorHandler* errors)
      : context_(context),
        mutex_(*db_mutex),
        scheduler_(*scheduler),
        errors_(*errors) {}

  bool MustDelay() const { return scheduler_.compaction_is_behind(); }
  void Delay();

  // Whether every one of the families may have another memtable.
  bool MaySwitch(std::span<const ColumnFamilyPtr> families) const;
  // Returns when MaySwitch is true, or after an error or Close.
  void WaitUntilMaySwitch(std::span<const ColumnFamilyPtr> families);

 private:
  const DBContext& context_;
  Mutex& mutex_;
  Scheduler& scheduler_;
  const ErrorHandler& errors_;
};

}  // namespace tamis
