// SPDX-License-Identifier: Apache-2.0
#include "db/recovery/recovered_memtables.h"

#include <algorithm>
#include <utility>

#include "db/compaction/flush_job.h"
#include "db/compaction/job_meter.h"
#include "db/family/level_shapes.h"
#include "db/wal/write_batch_internal.h"

namespace tamis {

RecoveredMemTables::RecoveredMemTables(const DBContext& context,
                                       VersionSet* versions)
    : context_(context), versions_(*versions) {
  for (const ColumnFamilyPtr& family : *versions->families().view()) {
    families_.push_back({family, {}, nullptr});
    memory_limit_ = std::max(memory_limit_, family->write_buffer_size());
  }
}

// Returns the memtable for the family's entries in this log, or nullptr if they
// must be skipped: tables already contain them, the family was dropped, or it
// is not being opened.
RecoveredMemTables::Filled* RecoveredMemTables::MemTableOf(
    FamilyId id, FileNumber log, SequenceNumber sequence) {
  const auto found = filled_.find(id);
  RecoveredFamily* const of =
      found != filled_.end() ? found->second.of : FamilyOf(id);
  if (of == nullptr || log < of->family->log_number()) return nullptr;
  Filled& filled = filled_[id];
  if (filled.memtable == nullptr) {
    filled.of = of;
    filled.memtable = of->family->NewMemTable(sequence, log);
    filled.bytes = 0;
  }
  return &filled;
}

Status RecoveredMemTables::Add(FileNumber log, SequenceNumber sequence,
                               FamilyId id, ValueType type, const Slice& key,
                               const Slice& value) {
  Filled* const filled = MemTableOf(id, log, sequence);
  if (filled == nullptr) return Status::OK();
  if (type == kTypeMerge &&
      filled->of->family->fixed_options().merge_operator == nullptr) {
    return WriteBatchInternal::NoMergeOperator();
  }
  filled->memtable->Add(sequence, type, key, value);
  const size_t bytes = filled->memtable->ApproximateMemoryUsage();
  memory_ += bytes - filled->bytes;
  filled->bytes = bytes;
  return Status::OK();
}

// Keeps the sum of the memtables below the largest write_buffer_size, however
// long the logs are. Flushes those at least half as large as the largest
// memtable: flushing the small ones too would make many small tables, which
// slow reads.
Status RecoveredMemTables::KeepWithinMemory() {
  if (context_.read_only) return Status::OK();
  while (memory_ >= memory_limit_) {
    size_t largest = 0;
    for (const auto& [id, filled] : filled_) {
      largest = std::max(largest, filled.bytes);
    }
    for (auto at = filled_.begin(); at != filled_.end();) {
      if (at->second.bytes < largest / 2) {
        ++at;
        continue;
      }
      TAMIS_RETURN_IF_ERROR(FlushOne(&at->second));
      at = filled_.erase(at);
    }
  }
  return Status::OK();
}

Status RecoveredMemTables::Flush() {
  for (auto& [id, filled] : filled_) {
    TAMIS_RETURN_IF_ERROR(FlushOne(&filled));
  }
  return Status::OK();
}

Status RecoveredMemTables::FlushOne(Filled* filled) {
  memory_ -= std::exchange(filled->bytes, 0);
  if (filled->memtable == nullptr || filled->memtable->empty()) {
    return Status::OK();
  }
  ColumnFamily* const family = filled->of->family.get();
  FlushInputs in;
  in.context = &context_;
  in.family = family;
  in.options = family->options_ptr();
  in.memtables = {std::move(filled->memtable)};
  in.levels = LevelsOf(family);
  in.epoch_number = family->NewEpoch();
  in.new_file_number = [this] { return versions_.NewFileNumber(); };
  in.caller_syncs_directory = true;  // the new MANIFEST does
  in.reason = TableFileCreationReason::kRecovery;
  filled->memtable = nullptr;
  wrote_tables_ = true;
  FamilyStats& stats = family->stats();
  JobRecord record(&stats, kLevelZero, JobThreads::kUser);
  Result<VersionEdit> edit = [&] {
    const JobMeter meter(context_.clock(), &record.stats);
    return RunFlush(in);
  }();
  if (!edit.ok()) return edit.status();
  for (auto& added : edit->new_files) {
    record.stats.written += added.second.size;
    stats.flushed_bytes += added.second.size;
    filled->of->edit.new_files.push_back(std::move(added));
  }
  return Status::OK();
}

// Returns nullptr if the family was dropped, or is not being opened.
RecoveredFamily* RecoveredMemTables::FamilyOf(FamilyId id) {
  const auto found = std::lower_bound(families_.begin(), families_.end(), id,
                                      [](const auto& one, FamilyId wanted) {
                                        return one.family->id() < wanted;
                                      });
  return found != families_.end() && found->family->id() == id ? &*found
                                                               : nullptr;
}

bool RecoveredMemTables::FitIntoBudget() {
  const auto& manager = context_.options.write_buffer_manager;
  if (manager == nullptr) return true;
  for (auto& [id, filled] : filled_) {
    if (filled.memtable != nullptr) filled.memtable->Charge();
  }
  return !manager->ShouldFlush();
}

uint64_t RecoveredMemTables::TakeAll() {
  uint64_t entries = 0;
  for (auto& [id, filled] : filled_) {
    if (filled.memtable == nullptr || filled.memtable->empty()) continue;
    entries += filled.memtable->num_entries();
    filled.of->memtable = std::move(filled.memtable);
  }
  filled_.clear();
  return entries;
}

}  // namespace tamis
