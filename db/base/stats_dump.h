// SPDX-License-Identifier: Apache-2.0
//
// Writes statistics to LOG every stats_dump_period_sec seconds, by a timer of
// the JobRunner: the database's own, line by line, and DBOptions::statistics.
//
//   ------- DUMPING STATS -------
//   ** Compaction Stats [default] **
//   ...
//   event=statistics name=rocksdb.number.keys.read count=1000
//   event=statistics name=rocksdb.db.get.micros p50=3 p95=5 p99=9 ...
#pragma once

#include <functional>
#include <string>
#include <utility>

#include "db/base/auto_resume.h"
#include "db/base/db_context.h"

namespace tamis {

// Any thread.
class StatsDump {
 public:
  // `text` returns what RocksDB writes: a table for each family, and so on.
  // `context` must outlive *this.
  StatsDump(const DBContext& context, std::function<std::string()> text)
      : context_(context),
        text_(std::move(text)),
        timer_([this] { DumpAndRepeat(); }) {}

  // Starts the timer, unless there are no statistics or the interval is 0.
  void Begin() noexcept;
  // Waits for a dump that is under way; there is none afterwards.
  void Stop() { timer_.Stop(); }

 private:
  void DumpAndRepeat() noexcept;
  void Dump() const;

  const DBContext& context_;
  const std::function<std::string()> text_;
  AutoResume timer_;  // calls once, after an interval
};

}  // namespace tamis
