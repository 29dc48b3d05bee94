// SPDX-License-Identifier: Apache-2.0
//
// The part of the scheduler that runs one compaction: its tables, the edit that
// installs them, and what listeners, LOG and GetThreadList are told of it.
#include <utility>

#include "db/compaction/compaction_job.h"
#include "db/compaction/filter_rewrite.h"
#include "db/compaction/job_meter.h"
#include "db/compaction/manual_request.h"
#include "db/compaction/remote_compaction.h"
#include "db/compaction/scheduler.h"
#include "db/compaction/trivial_move.h"
#include "db/family/level_shapes.h"
#include "util/base/exceptions.h"
#include "util/stats/histogram_timer.h"
#include "util/stats/perf_counters.h"

namespace tamis {

namespace {

void TellOperation(const Compaction& plan, uint64_t job,
                   TrackedOperation* operation) {
  if (!operation->is_listed()) return;
  operation->SetStage(ThreadStatus::STAGE_COMPACTION_PREPARE);
  operation->Set(ThreadStatus::COMPACTION_JOB_ID, job);
  operation->Set(ThreadStatus::COMPACTION_INPUT_OUTPUT_LEVEL,
                 static_cast<uint64_t>(plan.level.value()) << 32 |
                     static_cast<uint64_t>(plan.output_level.value()));
  operation->Set(ThreadStatus::COMPACTION_PROP_FLAGS,
                 (plan.manual ? 2u : 0u) | (plan.deletes_inputs ? 4u : 0u) |
                     (plan.trivial_move ? 8u : 0u));
  operation->Set(ThreadStatus::COMPACTION_TOTAL_INPUT_BYTES, plan.InputBytes());
}

// REQUIRES: plan.NeedsNoTables()
CompactionResult ResultWithoutTables(const Compaction& plan) {
  CompactionResult result;
  result.edit = EditWithoutTables(plan);
  if (plan.trivial_move) {
    plan.ForEachInput([&result](const TableFilePtr& file) {
      result.stats.moved += file->meta.size;
    });
  }
  return result;
}

// Has the CompactionService carry out the plan or, if that fails, does so here.
Result<CompactionResult> RunSomewhere(const Compaction& plan,
                                      const CompactionInputs& in) {
  bool declined = false;
  auto remote = RunRemoteCompaction(plan, in, &declined);
  if (remote.ok()) return remote;
  EventLog& log = *in.context->event_log;
  if (declined) {
    log.Event("compaction_remote_declined").Add("job", in.job);
  } else {
    log.Event("compaction_remote_failed")
        .Add("job", in.job)
        .Add("status", remote.status());
  }
  return RunCompaction(plan, in);
}

}  // namespace

Result<CompactionResult> Scheduler::RunPlan(
    uint64_t job, const ColumnFamilyPtr& family,
    const FamilyOptionsPtr& options, const Compaction& plan,
    const std::vector<SequenceNumber>& snapshots,
    const ManualCompaction* manual, SpaceUse* space, JobStats* times,
    TrackedOperation* operation) {
  CompactionInputs in;
  in.context = &context_;
  in.family = family.get();
  in.job = job;
  in.operation = operation;
  in.reason = TableFileCreationReason::kCompaction;
  in.options = options;
  in.snapshots = snapshots;
  in.levels = LevelsOf(family.get());
  in.space = space;
  in.new_file_number = [this] { return NewFileNumber(); };
  const CompactRangeOptions none;
  const CompactRangeOptions& asked =
      manual != nullptr ? *manual->options : none;
  in.parts_max = asked.max_subcompactions;
  in.cancelled = [this, &family, &asked, manual] {
    return stopping() || family->dropped() || IsCanceled(asked) ||
           (manual != nullptr && manual_disabled());
  };
  MutexUnlock unlock(&mutex_);
  auto ran = [&] {
    const JobMeter meter(context_.clock(), times);
    in.schedule = meter.Counted(ForHelpers(JobPriority::kLow));
    if (plan.rewrite_filters) return RunFilterRewrite(plan, in);
    return context_.options.compaction_service == nullptr
               ? RunCompaction(plan, in)
               : RunSomewhere(plan, in);
  }();
  // A user's Statistics may throw, which must not drop the result.
  IgnoreExceptions([&] {
    if (ran.ok() && !plan.rewrite_filters) {
      RecordTimeToHistogram(context_.statistics(), COMPACTION_CPU_TIME,
                            times->cpu_micros);
    }
    const Status& status = ran.status();
    if (status.IsShutdownInProgress() || status.IsColumnFamilyDropped()) {
      RecordTick(context_.statistics(), COMPACTION_CANCELLED);
    }
  });
  return ran;
}

Status Scheduler::Compact(const ColumnFamilyPtr& family, const Compaction& plan,
                          const std::vector<SequenceNumber>& snapshots,
                          ManualCompaction* manual, SpaceUse* space) {
  const uint64_t job = context_.event_log->NextJob();
  TrackedOperation operation(
      TrackedFacts(ThreadStatus::OP_COMPACTION, *family));
  TellOperation(plan, job, &operation);
  const FamilyOptionsPtr options = family->options_ptr();  // those of the job
  context_.event_log->Event("compaction_start")
      .Add("job", job)
      .Add("family", Slice(family->name()))
      .Add("level", static_cast<uint64_t>(plan.level.value()))
      .Add("output_level", static_cast<uint64_t>(plan.output_level.value()))
      .Add("files", plan.AllInputs().size())
      .Add("move", plan.trivial_move ? "yes" : "no")
      .Add("filters_only", plan.rewrite_filters ? "yes" : "no")
      .Add("deletes", plan.deletes_inputs ? "yes" : "no")
      .Add("reason", Slice(plan.reason));
  CompactionResult result;
  JobRecord record(&family->stats(), plan.output_level, JobThreads::kLow);
  TellCompaction(job, *family, *options, plan, nullptr, Status::OK());
  Status status;
  if (plan.NeedsNoTables()) {
    result = ResultWithoutTables(plan);
  } else {
    auto ran = RunPlan(job, family, options, plan, snapshots, manual, space,
                       &record.stats, &operation);
    status = ran.status();
    if (ran.ok()) result = std::move(ran).value();
  }
  operation.SetStage(ThreadStatus::STAGE_COMPACTION_INSTALL);
  const bool changes = !result.edit.deleted_files.empty();
  if (status.ok() && changes) {
    status = versions_.LogAndApply(family, &result.edit);
  }
  if (status.ok()) record.stats += result.stats;
  if (status.IsColumnFamilyDropped() && !plan.NeedsNoTables()) {
    DiscardTables(result.edit);
  }
  if (status.ok() && changes && !plan.trivial_move) {
    plan.ForEachInput(
        [this](const TableFilePtr& file) { obsolete_.AddTable(file); });
  }
  TellCompaction(job, *family, *options, plan, &result, status);
  if (manual != nullptr && manual->info != nullptr) {
    IgnoreExceptions([&] {
      mutex_.AssertHeld();
      *manual->info = InfoOf(job, *family, *options, plan, &result, status);
    });
  }
  context_.event_log->Event("compaction_end")
      .Add("job", job)
      .Add("family", Slice(family->name()))
      .Add("entries", result.counts.entries_read)
      .Add("dropped", result.counts.dropped())
      .Add("filtered", result.counts.removed_by_filter)
      .Add("bytes_read", result.stats.read())
      .Add("bytes_written", result.stats.written)
      .Add("micros", record.stats.micros)
      .Add("tables", Slice(TablesByLevel(*family->version())))
      .Add("level_bytes", Slice(BytesByLevel(*family->version())))
      .Add("status", status);
  if (result.scheduled_job_id) {
    MutexUnlock unlock(&mutex_);
    TellInstallation(context_, result, status);
  }
  return status;
}

}  // namespace tamis
