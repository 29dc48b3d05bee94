// SPDX-License-Identifier: Apache-2.0
//
// The job that writes immutable memtables to tables.
#include <algorithm>
#include <utility>

#include "db/compaction/entry_filter.h"
#include "db/compaction/job_meter.h"
#include "db/compaction/scheduler.h"
#include "db/family/level_shapes.h"
#include "util/base/exceptions.h"
#include "util/stats/histogram_timer.h"

namespace tamis {

void Scheduler::FlushImmutablesOf(
    const std::vector<ColumnFamilyPtr>& families) {
  mutex_.AssertHeld();
  for (const ColumnFamilyPtr& family : families) {
    if (!family->immutables().empty()) family->RequestFlush();
  }
  MaybeSchedule();
}

void Scheduler::FlushJob() {
  MutexLock lock(&mutex_);
  if (MayStart()) {
    const Status status = CatchExceptions([this] {
      mutex_.AssertHeld();
      return FlushImmutables();
    });
    if (!status.ok()) errors_.Set("flush", status);
  }
  TAMIS_CHECK(flushing_);
  flushing_ = false;
  EndJob();
}

Status Scheduler::FlushImmutables() {
  std::vector<FamilyFlush> flushes = PrepareFlushes();
  if (flushes.empty()) return Status::OK();
  const uint64_t job = context_.event_log->NextJob();
  // PrepareFlushes took the snapshots.
  const bool may_filter =
      std::any_of(flushes.begin(), flushes.end(), [](const FamilyFlush& flush) {
        return HasCompactionFilter(*flush.inputs.options);
      });
  filtering_jobs_ += may_filter ? 1 : 0;
  const Status status = CatchExceptions([&] {
    mutex_.AssertHeld();
    TrackedOperation operation(
        TrackedFacts(ThreadStatus::OP_FLUSH, *flushes.front().family));
    return FlushAndApply(job, &flushes, &operation);
  });
  filtering_jobs_ -= may_filter ? 1 : 0;
  EndFlushes(job, flushes, status);
  if (status.IsColumnFamilyDropped()) return Status::OK();
  if (status.ok()) {
    // Before TellFlush releases the mutex: those that wait see the error.
    StopAtSpaceLimit();
    for (const FamilyFlush& flush : flushes) TellFlush(flush, true);
    DropObsoleteLogs();
    Prepopulate(flushes);
  }
  return status;
}

Status Scheduler::FlushAndApply(uint64_t job, std::vector<FamilyFlush>* flushes,
                                TrackedOperation* operation) {
  operation->SetStage(ThreadStatus::STAGE_FLUSH_RUN);
  operation->Set(ThreadStatus::FLUSH_JOB_ID, job);
  for (const FamilyFlush& flush : *flushes) {
    for (const auto& memtable : flush.inputs.memtables) {
      operation->Add(ThreadStatus::FLUSH_BYTES_MEMTABLES,
                     memtable->ApproximateMemoryUsage());
    }
  }
  TAMIS_RETURN_IF_ERROR(RunFlushes(job, flushes, operation));
  operation->SetStage(ThreadStatus::STAGE_MEMTABLE_INSTALL_FLUSH_RESULTS);
  return ApplyFlushes(flushes);
}

std::vector<Scheduler::FamilyFlush> Scheduler::PrepareFlushes() {
  std::vector<FamilyFlush> flushes;
  for (const ColumnFamilyPtr& family : DueForFlush()) {
    FlushInputs& in = flushes.emplace_back(FamilyFlush{family, {}, {}}).inputs;
    in.context = &context_;
    in.family = family.get();
    in.reason = TableFileCreationReason::kFlush;
    in.options = family->options_ptr();
    in.memtables.assign(family->immutables().begin(),
                        family->immutables().end());
    in.snapshots = snapshots_.All();
    in.levels = LevelsOf(family.get());
    in.epoch_number = family->NewEpoch();
    family->FlushBegins();
    TAMIS_CHECK(family->memtable()->log_number() >
                in.memtables.back()->log_number());
    // Only the active memtable is newer than these. Its entries are in the log
    // that was opened with it, or in later ones.
    in.log_number_after = family->memtable()->log_number();
    in.new_file_number = [this] { return NewFileNumber(); };
  }
  return flushes;
}

// Writes all tables, or none on an error.
Status Scheduler::RunFlushes(uint64_t job, std::vector<FamilyFlush>* flushes,
                             TrackedOperation* operation) {
  for (FamilyFlush& flush : *flushes) {
    flush.inputs.job = job;
    flush.inputs.operation = operation;
    TellFlush(flush, /*completed=*/false);
    context_.event_log->Event("flush_start")
        .Add("job", job)
        .Add("family", Slice(flush.family->name()))
        .Add("memtables", flush.inputs.memtables.size());
  }
  Status status;
  {
    MutexUnlock unlock(&mutex_);
    for (FamilyFlush& flush : *flushes) {
      const HistogramTimer timing(context_.statistics(), FLUSH_TIME);
      operation->SetFamily(flush.family->name());
      const JobMeter meter(context_.clock(), &flush.stats);
      flush.inputs.schedule = meter.Counted(ForHelpers(JobPriority::kHigh));
      auto edit = RunFlush(flush.inputs);
      status = edit.status();
      if (!status.ok()) break;
      flush.edit = std::move(edit).value();
    }
  }
  if (!status.ok()) {
    for (const FamilyFlush& flush : *flushes) DiscardTables(flush.edit);
  }
  return status;
}

Status Scheduler::ApplyFlushes(std::vector<FamilyFlush>* flushes) {
  std::vector<FamilyEdit> edits;
  for (FamilyFlush& flush : *flushes) {
    edits.push_back({flush.family, &flush.edit, flush.inputs.memtables.size()});
  }
  return versions_.LogAndApply(edits);
}

// Reads new tables into the block cache, as their families want it. What cannot
// be read is reported by the reads that need it.
void Scheduler::Prepopulate(const std::vector<FamilyFlush>& flushes) {
  using Prepopulate = BlockBasedTableOptions::PrepopulateBlockCache;
  for (const FamilyFlush& flush : flushes) {
    const TableFactory& factory = *flush.inputs.options->table_factory;
    if (flush.family->dropped() ||
        factory.block_based_options().prepopulate_block_cache ==
            Prepopulate::kDisable) {
      continue;
    }
    const ReadStatePtr state = flush.family->AcquireReadState();
    const MutexUnlock unlock(&mutex_);
    for (const TableFilePtr& file : state->version->files(kLevelZero)) {
      const bool is_new =
          std::any_of(flush.edit.new_files.begin(), flush.edit.new_files.end(),
                      [&file](const auto& added) {
                        return added.second.number == file->meta.number;
                      });
      if (!is_new) continue;
      IgnoreExceptions([&] { FillCache(flush.family->tables(), *file); });
    }
  }
}

void Scheduler::FillCache(const TableCache& tables,
                          const TableFile& file) const {
  const auto reader = tables.Reader(file);
  if (!reader.ok()) return;
  ReadContext context;
  context.fill = CacheFill::kAlways;
  context.reads_ahead = true;
  context.readahead_size =
      context_.Live<&DBOptions::compaction_readahead_size>();
  const auto entries = (*reader)->NewIterator(context);
  for (entries->SeekToFirst(); entries->Valid() && !stopping();) {
    entries->Next();
  }
}

void Scheduler::EndFlushes(uint64_t job,
                           const std::vector<FamilyFlush>& flushes,
                           const Status& status) {
  for (const FamilyFlush& flush : flushes) {
    // At most one table; none if the entries cancel out.
    FileNumber number;
    uint64_t bytes = 0;
    for (const auto& [level, file] : flush.edit.new_files) {
      number = file.number;
      bytes = file.size;
    }
    if (flush.family->dropped()) DiscardTables(flush.edit);
    context_.event_log->Event("flush_end")
        .Add("job", job)
        .Add("family", Slice(flush.family->name()))
        .Add("file", number.value())
        .Add("bytes", bytes)
        .Add("micros", flush.stats.micros)
        .Add("tables", Slice(TablesByLevel(*flush.family->version())))
        .Add("level_bytes", Slice(BytesByLevel(*flush.family->version())))
        .Add("status", status);
    FamilyStats& stats = flush.family->stats();
    stats.Add(kLevelZero, JobThreads::kHigh, flush.stats);
    if (!status.ok()) continue;
    IgnoreExceptions([&] {  // a user's Statistics may throw
      RecordTick(context_.statistics(), FLUSH_WRITE_BYTES, bytes);
    });
    stats.Add(kLevelZero, JobThreads::kHigh, {.written = bytes});
    stats.flushed_bytes += bytes;
  }
}

}  // namespace tamis
