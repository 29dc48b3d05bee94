// SPDX-License-Identifier: Apache-2.0
//
// Writes DBOptions::statistics to LOG every stats_dump_period_sec seconds, by a
// timer of the JobRunner:
//
//   event=statistics name=rocksdb.number.keys.read count=1000
//   event=statistics name=rocksdb.db.get.micros p50=3 p95=5 p99=9 ...
#pragma once

#include "db/base/auto_resume.h"
#include "db/base/db_context.h"

namespace tamis {

// Any thread.
class StatsDump {
 public:
  // `context` must outlive *this.
  explicit StatsDump(const DBContext& context)
      : context_(context), timer_([this] { DumpAndRepeat(); }) {}

  // Starts the timer, unless there are no statistics or the interval is 0.
  void Begin() noexcept;
  // Waits for a dump that is under way; there is none afterwards.
  void Stop() { timer_.Stop(); }

 private:
  void DumpAndRepeat() noexcept;
  void Dump() const;

  const DBContext& context_;
  AutoResume timer_;  // calls once, after an interval
};

}  // namespace tamis
