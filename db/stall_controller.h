// SPDX-License-Identifier: Apache-2.0
//
// Makes writes wait for background work.
//
//   delay   Compaction is behind in level 0. Every write waits 1 ms, so that
//           none has to wait for seconds.
//   stop    A family has max_write_buffer_number memtables, or
//           level0_stop_writes_trigger tables in level 0. Its memtable is not
//           switched until a job removes some.
//
// LOG has both as pairs of events, write_delay_* (the Scheduler's) and
// write_stop_*.
//
// REQUIRES, for every call: the database's mutex is held; waits give it up.
#pragma once

#include <span>

#include "db/compaction/scheduler.h"

namespace tamis {

class StallController {
 public:
  // All outlive the controller.
  StallController(const DBContext& context, Mutex* db_mutex,
                  Scheduler* scheduler, const ErrorHandler* errors)
      : context_(context),
        mutex_(*db_mutex),
        scheduler_(*scheduler),
        errors_(*errors) {}

  bool MustDelay() const { return scheduler_.compaction_is_behind(); }
  void Delay();

  // Whether each of the families may have one more memtable.
  bool MaySwitch(std::span<const ColumnFamilyPtr> families) const;
  // Returns when they may, or at an error or a Close.
  void WaitUntilMaySwitch(std::span<const ColumnFamilyPtr> families);

 private:
  const DBContext& context_;
  Mutex& mutex_;
  Scheduler& scheduler_;
  const ErrorHandler& errors_;
};

}  // namespace tamis
