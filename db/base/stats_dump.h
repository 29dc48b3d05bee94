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
#include <memory>
#include <string>
#include <utility>

#include "db/base/auto_resume.h"
#include "db/base/db_context.h"
#include "util/base/mutex.h"

namespace tamis {

// Any thread.
class StatsDump {
 public:
  // `text` returns what RocksDB writes: a table for each family, and so on.
  // `context` must outlive *this.
  StatsDump(const DBContext& context, std::function<std::string()> text)
      : context_(context), text_(std::move(text)), timer_(NewTimer()) {}

  // Starts the timer, unless there are no statistics or the interval is 0.
  void Begin() noexcept EXCLUDES(mutex_);
  // Starts the timer anew, with the interval in use, and waits for a dump that
  // is under way. May throw std::bad_alloc. REQUIRES: the caller holds no lock
  // that text() acquires.
  void BeginAnew() EXCLUDES(mutex_);
  // Waits for a dump that is under way; there is none afterwards. REQUIRES: as
  // BeginAnew.
  void Stop() noexcept EXCLUDES(mutex_);

 private:
  // Its call comes once, after an interval.
  std::unique_ptr<AutoResume> NewTimer() {
    return std::make_unique<AutoResume>([this] { DumpAndRepeat(); });
  }
  // Ends the timer in use. `fresh` replaces it, unless there was a Stop.
  void Replace(std::unique_ptr<AutoResume> fresh) noexcept EXCLUDES(mutex_);
  void DumpAndRepeat() noexcept;
  void Dump() const;

  const DBContext& context_;
  const std::function<std::string()> text_;
  Mutex mutex_;  // not held during a dump
  std::unique_ptr<AutoResume> timer_ GUARDED_BY(mutex_);  // nullptr: stopped
};

}  // namespace tamis
