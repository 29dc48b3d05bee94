// SPDX-License-Identifier: Apache-2.0
//
// The part of the scheduler that passes jobs other than flushes and compactions
// to the runner, and that waits for all jobs.
#include <utility>

#include "db/compaction/scheduler.h"
#include "util/base/exceptions.h"
#include "util/io/descriptor_limit.h"

namespace tamis {

ScheduleJob Scheduler::ForHelpers(JobPriority priority) {
  return [this, priority](std::function<void()> help) {
    const auto count = [this](int change) {
      MutexLock lock(&mutex_);
      jobs_ += change;
      TAMIS_CHECK(jobs_ >= 0);
      // Stop waits only for the last job, so others need not notify.
      if (jobs_ == 0) changed_.notify_all();
    };
    count(1);
    try {
      const bool scheduled = own_jobs_.Schedule(
          context_.runner(), priority, [count, help = std::move(help)] {
            help();
            count(-1);
          });
      if (!scheduled) count(-1);
    } catch (...) {
      count(-1);
      throw;
    }
  };
}

void Scheduler::Stop() {
  mutex_.AssertHeld();
  stopping_.store(true, std::memory_order_relaxed);
  changed_.notify_all();
  {
    // Those that wait for a thread end at once.
    MutexUnlock unlock(&mutex_);
    own_jobs_.End();
  }
  mutex_.Wait(context_.runner(), changed_, [this] {
    mutex_.AssertHeld();
    return jobs_ == 0 && manual_.empty();
  });
  TAMIS_CHECK(!flushing_);
  TAMIS_CHECK(compactions_ == 0);
  TAMIS_CHECK(busy_.empty());
  rewrites_.clear();
}

void Scheduler::WaitForJobs() {
  mutex_.AssertHeld();
  TAMIS_CHECK(!MayStart());
  {
    MutexUnlock unlock(&mutex_);
    own_jobs_.RunWaiting();
  }
  mutex_.Wait(context_.runner(), changed_, [this] {
    mutex_.AssertHeld();
    return jobs_ == 0;
  });
}

void Scheduler::OpenTables() noexcept {
  mutex_.AssertHeld();
  if (context_.open_tables != nullptr) return;
  // If memory or threads are short, reads open the tables.
  IgnoreExceptions([this] {
    mutex_.AssertHeld();
    std::vector<ColumnFamilyPtr> families;
    size_t tables = 0;
    size_t closed = 0;
    for (const ColumnFamilyPtr& family : *versions_.families().view()) {
      ForEachFile(*family->version(), [&](Level, const TableFilePtr& file) {
        ++tables;
        if (file->reader_if_open() == nullptr) ++closed;
      });
      families.push_back(family);
    }
    // Not worth a thread.
    constexpr size_t kLeftToReads = 16;
    if (closed <= kLeftToReads) return;
    // The rest of the process needs some, too.
    if (tables > DescriptorLimit() / 2) {
      context_.event_log->Event("tables_not_opened")
          .Add("tables", tables)
          .Add("descriptor_limit", DescriptorLimit());
      return;
    }
    own_jobs_.Schedule(context_.runner(), JobPriority::kLow,
                       [this, families = std::move(families)]() mutable {
                         OpenTablesJob(std::move(families));
                       });
    ++jobs_;
  });
}

void Scheduler::OpenTablesJob(std::vector<ColumnFamilyPtr> families) {
  IgnoreExceptions([&] {
    for (const ColumnFamilyPtr& family : families) OpenTablesOf(*family);
  });
  MutexLock lock(&mutex_);
  families.clear();  // they must not outlive the database
  EndJob();
}

void Scheduler::OpenTablesOf(const ColumnFamily& family) {
  const ReadStatePtr state = family.AcquireReadState();
  uint64_t opened = 0;
  uint64_t failed = 0;
  for (const Level level : kLevels) {
    for (const TableFilePtr& file : state->version->files(level)) {
      if (stopping() || family.dropped()) return;
      if (file->reader_if_open() != nullptr) continue;
      const Status status = family.tables().Reader(*file).status();
      ++(status.ok() ? opened : failed);
      if (status.ok()) continue;
      context_.event_log->Event("table_open_failed")
          .Add("file", file->meta.number.value())
          .Add("status", status);
      // Nor would others be opened, as when there are no more descriptors.
      if (status.IsIOError()) return;
    }
  }
  context_.event_log->Event("tables_opened")
      .Add("family", Slice(family.name()))
      .Add("tables", opened)
      .Add("failed", failed);
}

}  // namespace tamis
