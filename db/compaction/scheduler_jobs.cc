// SPDX-License-Identifier: Apache-2.0
//
// The part of the scheduler that passes jobs other than flushes and compactions
// to the runner, and that waits for all jobs.
#include <utility>

#include "tamis/compaction_service.h"

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
      if (jobs_ > 0) return;
      FailIfStuck();
      changed_.notify_all();
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

void Scheduler::Cancel() {
  mutex_.AssertHeld();
  stopping_.store(true, std::memory_order_relaxed);
  changed_.notify_all();
  // Those that wait for a thread end at once.
  MutexUnlock unlock(&mutex_);
  own_jobs_.End();
  CompactionService* const service = context_.options.compaction_service.get();
  if (service == nullptr) return;
  IgnoreExceptions([service] { service->CancelAwaitingJobs(); });
}

void Scheduler::Stop() {
  mutex_.AssertHeld();
  Cancel();
  mutex_.Wait(context_.runner(), changed_, [this] {
    mutex_.AssertHeld();
    return jobs_ == 0 && manual_.empty();
  });
  TAMIS_CHECK(!flushing_);
  TAMIS_CHECK(compactions_ == 0);
  TAMIS_CHECK(busy_.empty());
  rewrites_.clear();
  to_open_.clear();
}

void Scheduler::WaitForJobs() {
  mutex_.AssertHeld();
  TAMIS_CHECK(!MayStart());
  waiting_for_jobs_.store(true, std::memory_order_relaxed);
  {
    MutexUnlock unlock(&mutex_);
    own_jobs_.RunWaiting();
  }
  mutex_.Wait(context_.runner(), changed_, [this] {
    mutex_.AssertHeld();
    return jobs_ == 0;
  });
  waiting_for_jobs_.store(false, std::memory_order_relaxed);
}

void Scheduler::SchedulePurge() noexcept {
  mutex_.AssertHeld();
  if (purging_) return;
  bool scheduled = false;
  IgnoreExceptions([&] {
    scheduled =
        own_jobs_.Schedule(context_.runner(), JobPriority::kLow, [this] {
          MutexLock lock(&mutex_);
          purging_ = false;
          PurgeObsoleteFiles();
          TAMIS_CHECK(jobs_ > 0);
          --jobs_;
          FailIfStuck();
          changed_.notify_all();
        });
  });
  // The job acquires the mutex before it uses these.
  if (scheduled) {
    purging_ = true;
    ++jobs_;
  }
}

void Scheduler::OpenTables() noexcept {
  mutex_.AssertHeld();
  if (context_.open_tables != nullptr) return;
  // If memory or threads are short, reads open the tables.
  IgnoreExceptions([this] {
    mutex_.AssertHeld();
    std::deque<ColumnFamilyPtr> families;
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
    to_open_ = std::move(families);
    ScheduleOpenTables();
  });
}

void Scheduler::ScheduleOpenTables() noexcept {
  TAMIS_CHECK(!opening_);
  IgnoreExceptions([this] {
    mutex_.AssertHeld();
    opening_ = own_jobs_.Schedule(context_.runner(), JobPriority::kLow,
                                  [this] { OpenTablesJob(); });
    if (opening_) ++jobs_;
  });
  if (!opening_) to_open_.clear();
}

// Opens some tables and schedules itself again, behind the jobs of other
// databases. After an error, does that only when jobs may start again.
void Scheduler::OpenTablesJob() {
  MutexLock lock(&mutex_);
  if (MayStart() && !to_open_.empty()) {
    ColumnFamilyPtr family = to_open_.front();
    OpenedTables opened = std::move(opened_);
    bool done = true;
    {
      MutexUnlock unlock(&mutex_);
      IgnoreExceptions([&] { done = OpenTablesOf(*family, &opened); });
    }
    opened_ = std::move(opened);
    if (done) {
      opened_ = {};
      to_open_.pop_front();
    }
  }
  opening_ = false;
  EndJob();
}

bool Scheduler::OpenTablesOf(const ColumnFamily& family, OpenedTables* opened) {
  constexpr int kOpenedMax = 64;  // takes about 2 ms
  int tries = 0;
  const ReadStatePtr state = family.AcquireReadState();
  for (const Level level : kLevels) {
    for (const TableFilePtr& file : state->version->files(level)) {
      if (file->reader_if_open() != nullptr ||
          opened->failed.contains(file->meta.number)) {
        continue;
      }
      if (family.dropped()) return true;
      if (stopping() || waiting_for_jobs_.load(std::memory_order_relaxed) ||
          tries == kOpenedMax) {
        return false;
      }
      // Other databases may have opened theirs meanwhile.
      if (tries == 0 && OpenDescriptors() > DescriptorLimit() / 2) {
        context_.event_log->Event("tables_not_opened")
            .Add("family", Slice(family.name()))
            .Add("descriptor_limit", DescriptorLimit());
        return true;
      }
      ++tries;
      const Status status = family.tables().Reader(*file).status();
      if (status.ok()) {
        ++opened->opened;
        continue;
      }
      opened->failed.insert(file->meta.number);
      context_.event_log->Event("table_open_failed")
          .Add("file", file->meta.number.value())
          .Add("status", status);
      // Nor would others be opened, as when there are no more descriptors.
      if (status.IsIOError()) return true;
    }
  }
  context_.event_log->Event("tables_opened")
      .Add("family", Slice(family.name()))
      .Add("tables", opened->opened)
      .Add("failed", opened->failed.size());
  return true;
}

}  // namespace tamis
