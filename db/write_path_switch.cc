// SPDX-License-Identifier: Apache-2.0
//
// The part of the write path that replaces memtables and log: switch, flush,
// resume.
#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "db/base/numbers.h"
#include "db/compaction/compaction_style.h"
#include "db/write_path.h"
#include "util/base/exceptions.h"

namespace tamis {

// Starts a new log, then new memtables. With atomic_flush, switches all
// families, so that their flushes cover the same writes.
Status WritePath::SwitchMemTables(const Families& families,
                                  FlushReason reason) {
  const FileNumber number = versions_.NewFileNumber();
  const bool had_failed = wal_.failed();
  Status status = wal_.Switch(number, last_allocated_);
  if (status.ok() && had_failed) status = CopyPrepared(number);
  if (!status.ok()) {
    errors_.Set("wal", status);
    return status;
  }

  // Switches all of them, or none if an allocation fails.
  const ColumnFamilySet::ViewPtr all = versions_.families().view();
  std::vector<std::pair<ColumnFamily*, ColumnFamily::Change>> changes;
  for (const ColumnFamilyPtr& family :
       context_.options.atomic_flush ? *all : families) {
    if (family->memtable()->empty()) continue;
    changes.emplace_back(family.get(),
                         family->PrepareMemTable(
                             family->NewMemTable(last_allocated_ + 1, number)));
  }
  for (auto& [family, change] : changes) {
    family->Take(std::move(change));
    family->set_flush_reason(reason);
    TellSealed(*family);
  }
  for (const ColumnFamilyPtr& family : *all) {
    family->LogWasBegun(number, last_allocated_ + 1);
  }
  scheduler_.MaybeSchedule();
  return Status::OK();
}

// Must come before a flush lets the failed log go: that log may end with a
// commit that was reported as failed.
Status WritePath::CopyPrepared(FileNumber log) {
  const MutexUnlock unlock(&mutex_);
  Status status = CatchExceptions([&] {
    return versions_.prepared_logs()->MoveTo(
        log, [this](const std::string& id, const WriteBatch& changes) {
          return wal_.AppendPrepared(id, changes, last_allocated_ + 1);
        });
  });
  if (!status.ok()) wal_.MarkFailed();
  return status;
}

void WritePath::TellSealed(const ColumnFamily& family) noexcept {
  if (context_.listeners == nullptr) return;
  IgnoreExceptions([&] {
    const MemTable& memtable = *family.immutables().back();
    MemTableInfo info;
    info.cf_name = family.name();
    info.earliest_seqno = memtable.earliest();
    info.num_entries = memtable.num_entries();
    info.num_deletes = memtable.num_deletes();
    context_.listeners->Post(
        [info = std::move(info)](EventListener* listener, DB*) {
          listener->OnMemTableSealed(info);
        });
  });
}

Status WritePath::WaitForFlushes(const Families& families) {
  mutex_.AssertHeld();
  // Does not wait for memtables that become immutable later.
  std::map<const ColumnFamily*, std::shared_ptr<const MemTable>> newest;
  for (const ColumnFamilyPtr& family : families) {
    if (!family->immutables().empty()) {
      newest[family.get()] = family->immutables().back();
    }
  }
  mutex_.Wait(context_.runner(), scheduler_.changed(), [&] {
    mutex_.AssertHeld();
    std::erase_if(newest, [](const auto& waited) {
      const auto& [family, memtable] = waited;
      const auto& left = family->immutables();
      return family->dropped() ||
             std::find(left.begin(), left.end(), memtable) == left.end();
    });
    return newest.empty() || !errors_.ok() || scheduler_.stopping();
  });
  if (!errors_.ok()) return errors_.error();
  return newest.empty() ? Status::OK() : CheckNotStopping();
}

Status WritePath::SwitchUnflushed(const Families& families,
                                  FlushReason reason) {
  mutex_.AssertHeld();
  Families due;
  std::copy_if(families.begin(), families.end(), std::back_inserter(due),
               [](const ColumnFamilyPtr& family) {
                 return !family->dropped() && !family->memtable()->empty();
               });
  if (!due.empty()) TAMIS_RETURN_IF_ERROR(SwitchMemTables(due, reason));
  scheduler_.FlushImmutablesOf(families);
  return Status::OK();
}

Status WritePath::Flush(const Families& families, bool wait,
                        FlushReason reason) {
  mutex_.AssertHeld();
  const Families all =
      context_.options.atomic_flush ? *versions_.families().view() : families;
  {
    WriteBarrier barrier(&queue_, context_.runner());
    TAMIS_RETURN_IF_ERROR(ResumeIfDue());
    TAMIS_RETURN_IF_ERROR(SwitchUnflushed(all, reason));
  }
  return wait ? WaitForFlushes(all) : Status::OK();
}

Status WritePath::FlushUnlogged() {
  mutex_.AssertHeld();
  const ColumnFamilySet::ViewPtr all = versions_.families().view();
  TAMIS_RETURN_IF_ERROR(ResumeIfDue());
  TAMIS_RETURN_IF_ERROR(SwitchUnflushed(*all, FlushReason::kShutDown));
  TAMIS_RETURN_IF_ERROR(WaitForFlushes(*all));
  unlogged_ = false;
  return Status::OK();
}

Status WritePath::FlushForClose() {
  mutex_.AssertHeld();
  if (!errors_.ok() && !errors_.at_space_limit()) return errors_.error();
  errors_.IgnoreSpaceLimit();
  {
    // A resume that runs ends first, and knows whether the log is sound.
    WriteBarrier barrier(&queue_, context_.runner());
    if (errors_.at_space_limit() && !wal_.failed()) errors_.Clear();
  }
  if (!errors_.ok()) return errors_.error();
  return Flush(*versions_.families().view(), /*wait=*/true,
               FlushReason::kShutDown);
}

// Counts the immutable memtable and the table that the flush would add.
bool WritePath::FlushIsQuiet(const ColumnFamily& family) const {
  const ColumnFamilyOptions& options = family.options();
  const int tables = Level0TablesThatStall(*family.version(), options,
                                           family.LowestUnflushed());
  return family.dropped() || family.memtable()->empty() ||
         (static_cast<int>(family.immutables().size()) + 1 <
              options.max_write_buffer_number &&
          (!Level0StallsWrites(options) ||
           tables + 1 < options.level0_slowdown_writes_trigger));
}

Status WritePath::WaitUntilFlushIsQuiet(const ColumnFamilyPtr& family) {
  mutex_.AssertHeld();
  if (!FlushIsQuiet(*family) && !family->immutables().empty()) {
    RequestFlush(family.get());
  }
  mutex_.Wait(context_.runner(), scheduler_.changed(), [&] {
    mutex_.AssertHeld();
    // If nothing is left to do, nothing will change.
    return FlushIsQuiet(*family) || !errors_.ok() || scheduler_.stopping() ||
           scheduler_.IsIdle(*family);
  });
  if (!errors_.ok()) return errors_.error();
  return CheckNotStopping();
}

Status WritePath::ResumeIfDue() {
  mutex_.AssertHeld();
  if (!scheduler_.stopping() && errors_.MayRetry()) {
    Resume(/*automatic=*/true).PermitUncheckedError();
  }
  if (!errors_.ok()) return errors_.error();
  return CheckNotStopping();
}

Status WritePath::ResumeIfDueForEdit() {
  mutex_.AssertHeld();
  const Status status = ResumeIfDue();
  return errors_.at_space_limit() && !wal_.failed() ? CheckNotStopping()
                                                    : status;
}

Status WritePath::CheckNotStopping() const {
  if (!scheduler_.stopping()) return Status::OK();
  return Status::ShutdownInProgress(context_.directory,
                                    "the database is being closed");
}

// The contents of a failed log or MANIFEST are unknown. Resume replaces both
// and flushes all entries that only the old log has. Writes wait until then: a
// crash would lose them, because they follow a hole in the old log. The tables
// take effect together: otherwise one family could be ahead of what a power
// failure leaves of that log for the others. The space limit is no failure:
// writes merely continue.
Status WritePath::Resume(bool automatic) {
  mutex_.AssertHeld();
  // Close may have ended while the caller waited to lead.
  TAMIS_RETURN_IF_ERROR(CheckNotStopping());
  if (errors_.ok()) return Status::OK();
  if (!errors_.HasRoom()) return errors_.error();
  const WriteStall stall(&queue_);
  context_.event_log->Event("resume_start").Add("error", errors_.error());
  const bool log_had_failed = wal_.failed();
  const bool nothing_failed = errors_.at_space_limit() && !log_had_failed;
  // A running job could fail for the same cause, which would count as a new
  // error, or write to the MANIFEST that is abandoned below.
  if (!nothing_failed) scheduler_.WaitForJobs();
  const Status cause = errors_.error();
  if (context_.listeners != nullptr) {
    context_.listeners->Post([reason = errors_.reason(), cause, automatic](
                                 EventListener* listener, DB*) {
      bool auto_recovery = automatic;
      listener->OnErrorRecoveryBegin(reason, cause, &auto_recovery);
    });
  }
  const Families all = *versions_.families().view();
  // Nothing below may throw, or the error would stay cleared.
  errors_.Clear();
  const Status status = nothing_failed ? Status::OK() : ReplaceLog(all);
  if (status.ok()) {
    errors_.Recovered();
    scheduler_.DropObsoleteLogs();
  } else {
    // Close ended the wait: the error is restored.
    if (errors_.ok()) errors_.Set("resume", cause);
    if (log_had_failed) wal_.MarkFailed();
  }
  context_.event_log->Event("resume_end").Add("status", status);
  if (context_.listeners != nullptr) {
    context_.listeners->Post([cause, status](EventListener* listener, DB*) {
      if (status.ok()) listener->OnErrorRecoveryCompleted(cause);
      listener->OnErrorRecoveryEnd({cause, status});
    });
  }
  scheduler_.MaybeSchedule();
  return status;
}

// The error was cleared. If this fails before a job fails, and sets it again,
// the caller does.
Status WritePath::ReplaceLog(const Families& all) {
  versions_.AbandonManifest();
  scheduler_.set_flush_together(true);
  Status status = CatchExceptions([&] {
    mutex_.AssertHeld();
    TAMIS_RETURN_IF_ERROR(SwitchMemTables(all, FlushReason::kErrorRecovery));
    return WaitForFlushes(all);
  });
  scheduler_.set_flush_together(false);
  if (!status.ok()) return status;
  status = CatchExceptions([&] {
    mutex_.AssertHeld();
    std::vector<VersionEdit> edits(all.size());
    std::vector<FamilyEdit> steps;
    for (size_t i = 0; i < all.size(); ++i) {
      edits[i].log_number = wal_.number();
      steps.push_back({all[i], &edits[i]});
    }
    return versions_.LogAndApply(steps);
  });
  if (!status.ok()) errors_.Set("resume", status);
  return status;
}

// Sets the default limit of the logs: four times the bytes that all memtables
// may have.
void WritePath::UpdateLogLimit() {
  uint64_t limit = 0;
  for (const ColumnFamilyPtr& family : *versions_.families().view()) {
    const ColumnFamilyOptions& options = family->options();
    limit += 4 * uint64_t{options.write_buffer_size} *
             static_cast<uint64_t>(options.max_write_buffer_number);
  }
  wal_.set_default_limit(limit);
}

void WritePath::FamiliesChanged() {
  UpdateLogLimit();
  // Otherwise full_ would keep the tables of dropped families.
  std::erase_if(full_, [](const auto& family) { return family->dropped(); });
}

}  // namespace tamis
