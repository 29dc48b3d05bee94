// SPDX-License-Identifier: Apache-2.0
//
// The part of the scheduler that tells listeners of flushes, compactions and
// stalls.
#include <utility>

#include "db/compaction/compaction_job.h"
#include "db/compaction/compaction_style.h"
#include "db/compaction/scheduler.h"
#include "db/manifest/table_path.h"
#include "util/base/exceptions.h"

namespace tamis {

namespace {

WriteStallCondition StallConditionOf(const ColumnFamily& family) {
  const ColumnFamilyOptions& options = family.options();
  StallCause cause = StallCause::kLevel0;
  const CompactionLag lag =
      LagOf(*family.version(), options, family.LowestUnflushed(), &cause);
  const bool memtables_full =
      static_cast<int>(family.immutables().size()) + 1 >=
          options.max_write_buffer_number &&
      family.memtable()->ApproximateMemoryUsage() >= options.write_buffer_size;
  if (memtables_full || lag == CompactionLag::kStops) {
    return WriteStallCondition::kStopped;
  }
  return lag == CompactionLag::kSlows ? WriteStallCondition::kDelayed
                                      : WriteStallCondition::kNormal;
}

}  // namespace

void Scheduler::TellStalls() const noexcept {
  if (context_.listeners == nullptr) return;
  IgnoreExceptions([this] { TellStallsOrThrow(); });
}

void Scheduler::TellStallsOrThrow() const {
  mutex_.AssertHeld();
  for (const ColumnFamilyPtr& family : *versions_.families().view()) {
    WriteStallInfo info;
    info.condition.prev = family->stall_condition();
    info.condition.cur = StallConditionOf(*family);
    if (info.condition.cur == info.condition.prev) continue;
    info.cf_name = family->name();
    family->set_stall_condition(info.condition.cur);
    context_.listeners->Post(
        [info = std::move(info)](EventListener* listener, DB*) {
          listener->OnStallConditionsChanged(info);
        });
  }
}

std::shared_ptr<const TableProperties> Scheduler::PropertiesOf(
    const ColumnFamily& family, FileNumber number) {
  const auto place = family.version()->Find(number);
  if (!place) return nullptr;
  TableFilePtr found = family.version()->files(place->level)[place->index];
  MutexUnlock unlock(&mutex_);
  const auto reader = family.tables().Reader(*found);
  std::shared_ptr<const TableProperties> properties;
  if (reader.ok()) properties = (*reader)->properties();
  found.reset();
  return properties;
}

void Scheduler::TellFlush(const FamilyFlush& flush, bool completed) noexcept {
  if (context_.listeners == nullptr) return;
  ++telling_;
  IgnoreExceptions([&] {
    mutex_.AssertHeld();
    TellFlushOrThrow(flush, completed);
  });
  EndTelling();
}

void Scheduler::EndTelling() {
  if (--telling_ == 0) changed_.notify_all();
}

void Scheduler::DeliverEvents() {
  {
    MutexLock lock(&mutex_);
    mutex_.Wait(context_.runner(), changed_, [this] {
      mutex_.AssertHeld();
      return telling_ == 0;
    });
  }
  context_.listeners->DeliverPosted();
}

void Scheduler::TellFlushOrThrow(const FamilyFlush& flush, bool completed) {
  FlushJobInfo info;
  info.cf_id = flush.family->id().value();
  info.cf_name = flush.family->name();
  info.job_id = static_cast<int>(flush.inputs.job);
  info.flush_reason = flush.family->flush_reason();
  if (completed) {
    const WriteStallCondition stall = StallConditionOf(*flush.family);
    info.triggered_writes_slowdown = stall == WriteStallCondition::kDelayed;
    info.triggered_writes_stop = stall == WriteStallCondition::kStopped;
  }
  for (const auto& [level, file] : flush.edit.new_files) {
    info.file_path = TablePath(context_, file);
    info.file_number = file.number.value();
    info.smallest_seqno = file.smallest_seqno;
    info.largest_seqno = file.largest_seqno;
    const auto properties = PropertiesOf(*flush.family, file.number);
    if (properties != nullptr) info.table_properties = *properties;
  }
  context_.listeners->Post(
      [completed, info = std::move(info)](EventListener* listener, DB* db) {
        if (completed) {
          listener->OnFlushCompleted(db, info);
        } else {
          listener->OnFlushBegin(db, info);
        }
      });
}

void Scheduler::TellCompaction(uint64_t job, const ColumnFamily& family,
                               const ColumnFamilyOptions& options,
                               const Compaction& plan,
                               const CompactionResult* result,
                               const Status& status) noexcept {
  if (context_.listeners == nullptr) return;
  ++telling_;
  IgnoreExceptions([&] {
    mutex_.AssertHeld();
    TellCompactionOrThrow(job, family, options, plan, result, status);
  });
  EndTelling();
}

CompactionJobInfo Scheduler::InfoOf(uint64_t job, const ColumnFamily& family,
                                    const ColumnFamilyOptions& options,
                                    const Compaction& plan,
                                    const CompactionResult* result,
                                    const Status& status) {
  CompactionJobInfo info;
  info.cf_id = family.id().value();
  info.cf_name = family.name();
  info.status = status;
  info.job_id = static_cast<int>(job);
  info.base_input_level = plan.level.value();
  info.output_level = plan.output_level.value();
  info.compaction_reason = ReasonOf(plan, options.compaction_style);
  info.compression = plan.compression.value_or(options.compression);
  const auto add = [&](const FileMetaData& meta, Level level,
                       std::vector<std::string>* paths,
                       std::vector<CompactionFileInfo>* files) {
    paths->push_back(TablePath(context_, meta));
    files->push_back({level.value(), meta.number.value()});
  };
  plan.ForEachInputLevel([&](Level level, const LevelFiles& files) {
    for (const TableFilePtr& file : files) {
      add(file->meta, level, &info.input_files, &info.input_file_infos);
    }
  });
  if (result != nullptr) {
    info.stats.total_input_bytes = result->stats.read();
    info.stats.total_output_bytes = result->stats.written;
    info.stats.num_input_records = result->counts.entries_read;
    for (const auto& [level, meta] : result->edit.new_files) {
      add(meta, level, &info.output_files, &info.output_file_infos);
      info.stats.num_output_records += meta.num_entries;
      if (plan.trivial_move || !status.ok()) continue;
      auto properties = PropertiesOf(family, meta.number);
      if (properties == nullptr) continue;
      info.table_properties[info.output_files.back()] = std::move(properties);
    }
  }
  return info;
}

void Scheduler::TellCompactionOrThrow(uint64_t job, const ColumnFamily& family,
                                      const ColumnFamilyOptions& options,
                                      const Compaction& plan,
                                      const CompactionResult* result,
                                      const Status& status) {
  CompactionJobInfo info = InfoOf(job, family, options, plan, result, status);
  const bool completed = result != nullptr;
  context_.listeners->Post(
      [completed, info = std::move(info)](EventListener* listener, DB* db) {
        if (completed) {
          listener->OnCompactionCompleted(db, info);
        } else {
          listener->OnCompactionBegin(db, info);
        }
      });
}

}  // namespace tamis
