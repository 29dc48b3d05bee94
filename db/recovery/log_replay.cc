// SPDX-License-Identifier: Apache-2.0
#include "db/recovery/log_replay.h"

#include <algorithm>
#include <map>
#include <memory>
#include <span>
#include <utility>

#include "db/base/file_names.h"
#include "db/compaction/flush_job.h"
#include "db/compaction/job_meter.h"
#include "db/family/level_shapes.h"
#include "db/manifest/table_path.h"
#include "db/version/obsolete_files.h"
#include "db/wal/fault_recheck.h"
#include "db/wal/log_reader.h"
#include "db/wal/write_batch_internal.h"
#include "util/coding/printable.h"

namespace tamis {

namespace {

// A LogReplay replays logs in order. The WALRecoveryMode decides about
// unreadable records. In PointInTime mode, records after an unreadable one
// count only if they continue with exactly the next sequence number, so that
// the history has no gaps. Calls: FindPrepared* ReplayLog* Finish TakeResult;
// after an error only TakeResult.
class LogReplay {
 public:
  // Another process may be writing to the log live_log. If it is 0, no process
  // is writing.
  LogReplay(const DBContext& context, VersionSet* versions, FileNumber live_log)
      : context_(context),
        live_log_(live_log),
        mode_(context.options.wal_recovery_mode),
        versions_(*versions),
        families_(versions->families().view()) {
    for (const ColumnFamilyPtr& family : *families_) {
      result_.families.push_back({family, {}});
      memory_limit_ = std::max(memory_limit_, family->write_buffer_size());
    }
  }

  // Looks for prepared sections in a log that no family needs: whatever else is
  // in it is in tables. Reads up to the first damage.
  Status FindPrepared(FileNumber number);
  Status ReplayLog(FileNumber number);
  Status Finish();
  RecoveredLogs TakeResult() {
    result_.prepared = sections_.Take();
    return std::move(result_);
  }

 private:
  // The end of the replay of one log, for LOG.
  struct End {
    const char* how = "clean";
    uint64_t offset = 0;
    uint64_t bytes = 0;
    std::string reason;
  };
  struct Filled {
    ColumnFamily* family = nullptr;
    std::shared_ptr<MemTable> memtable;
    size_t bytes = 0;  // of memory
  };

  Status ReadRecords(FileNumber number, LogReader* reader, End* end);
  Status Judge(FileNumber number, LogReader::Outcome outcome,
               const LogReader& reader, bool* may_continue);
  Status ReplayRecord(FileNumber number, std::string record, bool* log_ended);
  Status Insert(FileNumber number, const WriteBatch& batch);
  Filled* MemTableOf(FamilyId id, FileNumber number);
  Status KeepWithinMemory();
  Status FlushMemTable(Filled* filled);
  // Notes that records may be missing; PointInTime mode then accepts no gap.
  void Fault(FileNumber number, bool may_be_data);
  Status CheckNoneIsAhead() const;
  Status CheckNoneIsPrepared() const;

  const DBContext& context_;
  const FileNumber live_log_;
  const WALRecoveryMode mode_;
  VersionSet& versions_;
  const ColumnFamilySet::ViewPtr families_;
  std::map<FamilyId, Filled> filled_;  // by id of the family
  size_t memory_ = 0;
  size_t memory_limit_ = 0;
  SequenceNumber next_sequence_ = 0;  // 0 before the first record
  bool fault_ = false;  // records may be missing before this point
  FileNumber faulty_log_;
  PreparedSections sections_;
  RecoveredLogs result_;
};

void LogReplay::Fault(FileNumber number, bool may_be_data) {
  if (may_be_data && (result_.lost.empty() || result_.lost.back() != number)) {
    result_.lost.push_back(number);
  }
  if (mode_ != WALRecoveryMode::kPointInTimeRecovery || fault_) return;
  fault_ = true;
  faulty_log_ = number;
}

// Decides about an unreadable record. Returns an error if the open must fail.
// Otherwise sets *may_continue to whether the rest of this log may be read.
Status LogReplay::Judge(FileNumber number, LogReader::Outcome outcome,
                        const LogReader& reader, bool* may_continue) {
  using Mode = WALRecoveryMode;
  *may_continue = false;
  if (!reader.status().IsCorruption()) return reader.status();
  if (mode_ == Mode::kAbsoluteConsistency) return reader.status();
  if (outcome == LogReader::Outcome::kTornTail) return Status::OK();
  if (outcome == LogReader::Outcome::kBadTail) {
    return mode_ == Mode::kTolerateCorruptedTailRecords && !reader.recycled()
               ? reader.status()
               : Status::OK();
  }
  if (mode_ == Mode::kTolerateCorruptedTailRecords) return reader.status();
  if (mode_ == Mode::kSkipAnyCorruptedRecords) {
    *may_continue = true;
    return Status::OK();
  }
  // No crash can damage a log that was synced and then closed.
  auto closed = IsCleanlyClosed(context_.fs(),
                                LogFileName(context_.log_directory(), number));
  if (!closed.ok()) return closed.status();
  return *closed ? reader.status() : Status::OK();
}

Status LogReplay::ReadRecords(FileNumber number, LogReader* reader, End* end) {
  const auto ended = [&](const char* how) {
    *end = {how, reader->record_offset(), reader->bytes_dropped(),
            reader->reason()};
  };
  std::string record;
  FaultRecheck recheck(context_);
  for (;;) {
    const LogReader::Outcome outcome = reader->ReadRecord(&record);
    if (number == live_log_) {
      const auto verdict = recheck.Judge(outcome, *reader);
      if (verdict == FaultRecheck::Verdict::kInFlight) return Status::OK();
      if (verdict == FaultRecheck::Verdict::kReread) {
        reader->Reread();
        continue;
      }
    }
    if (outcome == LogReader::Outcome::kEnd) {
      if (reader->after_zeros()) Fault(number, /*may_be_data=*/false);
      return Status::OK();
    }
    if (outcome != LogReader::Outcome::kRecord) {
      bool may_continue = false;
      TAMIS_RETURN_IF_ERROR(Judge(number, outcome, *reader, &may_continue));
      const bool torn = outcome == LogReader::Outcome::kTornTail;
      // A crash leaves an incomplete record. A complete one with a wrong
      // checksum may be data that repair can recover.
      Fault(number, /*may_be_data=*/!torn);
      ended(torn ? "torn" : "damaged");
      if (may_continue && reader->Resume()) continue;
      return Status::OK();
    }
    if (reader->after_zeros()) Fault(number, /*may_be_data=*/false);
    bool log_ended = false;
    const Status status = ReplayRecord(number, record, &log_ended);
    if (!status.ok()) {
      return WithPlace(LogFileName(context_.log_directory(), number) +
                           ": record at offset " +
                           std::to_string(reader->record_offset()),
                       status);
    }
    if (log_ended) {
      Fault(number, /*may_be_data=*/true);
      ended("hole");
      return Status::OK();
    }
  }
}

Status LogReplay::FindPrepared(FileNumber number) {
  const auto reader = LogReader::Open(
      context_.fs(), LogFileName(context_.log_directory(), number), number,
      LogKind::kWal);
  if (!reader.ok()) return reader.status();
  std::string record;
  while ((*reader)->ReadRecord(&record) == LogReader::Outcome::kRecord) {
    if (record.size() < WriteBatchInternal::kHeaderBytes) break;
    const WriteBatch batch(std::move(record));
    if (!sections_.Check(batch).ok()) break;
    TAMIS_RETURN_IF_ERROR(sections_.Apply(
        batch, [](SequenceNumber, FamilyId, ValueType, const Slice&,
                  const Slice&) { return Status::OK(); }));
    record.clear();
  }
  const Status& status = (*reader)->status();
  return status.IsIOError() ? status : Status::OK();
}

Status LogReplay::ReplayLog(FileNumber number) {
  const auto reader = LogReader::Open(
      context_.fs(), LogFileName(context_.log_directory(), number), number,
      LogKind::kWal);
  if (!reader.ok()) return reader.status();
  const uint64_t records_before = result_.records;
  End end;
  TAMIS_RETURN_IF_ERROR(ReadRecords(number, reader->get(), &end));
  auto line = context_.event_log->Event("log_replayed");
  line.Add("file", number.value())
      .Add("records", result_.records - records_before)
      .Add("end", Slice(end.how));
  if (end.reason.empty()) return Status::OK();
  line.Add("offset", end.offset)
      .Add("bytes", end.bytes)
      .Add("reason", Slice(end.reason));
  return Status::OK();
}

Status LogReplay::ReplayRecord(FileNumber number, std::string record,
                               bool* log_ended) {
  if (record.size() < WriteBatchInternal::kHeaderBytes) {
    if (mode_ == WALRecoveryMode::kSkipAnyCorruptedRecords) {
      Fault(number, /*may_be_data=*/true);
      return Status::OK();
    }
    *log_ended = mode_ == WALRecoveryMode::kPointInTimeRecovery;
    if (*log_ended) return Status::OK();
    return Status::Corruption("a batch of " + std::to_string(record.size()) +
                              " bytes, expected at least 12");
  }
  const WriteBatch batch(std::move(record));
  const SequenceNumber first = WriteBatchInternal::Sequence(batch);
  const uint32_t count = WriteBatchInternal::Count(batch);
  const SequenceNumber expected =
      next_sequence_ != 0 ? next_sequence_ : versions_.last_sequence() + 1;
  if (fault_ && first != expected) {
    *log_ended = true;
    return Status::OK();
  }
  fault_ = false;
  if (first < next_sequence_) {
    return Status::Corruption("sequence numbers decrease: expected " +
                              std::to_string(next_sequence_) +
                              " or more, got " + std::to_string(first));
  }
  const auto used = sections_.Check(batch);
  if (!used.ok()) return used.status();
  if (first > kMaxSequenceNumber - *used) {
    return Status::Corruption("sequence number " + std::to_string(first) +
                              " is beyond 2^56");
  }
  if (count > 0) ++result_.records;
  TAMIS_RETURN_IF_ERROR(Insert(number, batch));
  next_sequence_ = first + *used;
  return KeepWithinMemory();
}

// Returns the memtable for the family's entries in this log, or nullptr if they
// must be skipped: tables already contain them, the family was dropped, or it
// is not being opened.
LogReplay::Filled* LogReplay::MemTableOf(FamilyId id, FileNumber number) {
  const auto found = filled_.find(id);
  ColumnFamily* const family = found != filled_.end()
                                   ? found->second.family
                                   : ColumnFamilySet::Find(*families_, id);
  if (family == nullptr || number < family->log_number()) return nullptr;
  Filled& filled = filled_[id];
  if (filled.memtable == nullptr) {
    filled.family = family;
    filled.memtable = family->NewMemTable(0, number);
    filled.bytes = 0;
  }
  return &filled;
}

Status LogReplay::Insert(FileNumber number, const WriteBatch& batch) {
  return sections_.Apply(
      batch, [&](SequenceNumber sequence, FamilyId id, ValueType type,
                 const Slice& key, const Slice& value) {
        Filled* const filled = MemTableOf(id, number);
        if (filled == nullptr) return Status::OK();
        if (type == kTypeMerge &&
            filled->family->fixed_options().merge_operator == nullptr) {
          return WriteBatchInternal::NoMergeOperator();
        }
        filled->memtable->Add(sequence, type, key, value);
        const size_t bytes = filled->memtable->ApproximateMemoryUsage();
        memory_ += bytes - filled->bytes;
        filled->bytes = bytes;
        return Status::OK();
      });
}

// Keeps the sum of the memtables below the largest write_buffer_size, however
// long the logs are. Flushes those at least half as large as the largest
// memtable: flushing the small ones too would make many small tables, which
// slow reads.
Status LogReplay::KeepWithinMemory() {
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
      TAMIS_RETURN_IF_ERROR(FlushMemTable(&at->second));
      at = filled_.erase(at);
    }
  }
  return Status::OK();
}

Status LogReplay::FlushMemTable(Filled* filled) {
  memory_ -= std::exchange(filled->bytes, 0);
  if (filled->memtable == nullptr || filled->memtable->empty()) {
    return Status::OK();
  }
  FlushInputs in;
  in.context = &context_;
  in.family = filled->family;
  in.options = filled->family->options_ptr();
  in.memtables = {std::move(filled->memtable)};
  in.levels = LevelsOf(filled->family);
  in.epoch_number = filled->family->NewEpoch();
  in.new_file_number = [this] { return versions_.NewFileNumber(); };
  in.caller_syncs_directory = true;  // the new MANIFEST does
  in.reason = TableFileCreationReason::kRecovery;
  filled->memtable = nullptr;
  FamilyStats& stats = filled->family->stats();
  JobRecord record(&stats, kLevelZero, JobThreads::kUser);
  Result<VersionEdit> edit = [&] {
    const JobMeter meter(context_.clock(), &record.stats);
    return RunFlush(in);
  }();
  if (!edit.ok()) return edit.status();
  const auto result = std::lower_bound(
      result_.families.begin(), result_.families.end(), filled->family->id(),
      [](const auto& one, FamilyId id) { return one.family->id() < id; });
  for (auto& added : edit->new_files) {
    record.stats.written += added.second.size;
    stats.flushed_bytes += added.second.size;
    result->edit.new_files.push_back(std::move(added));
  }
  return Status::OK();
}

// Returns Corruption if recovery stopped in a log, but a family's tables
// contain later writes: the result would not be a point in history.
Status LogReplay::CheckNoneIsAhead() const {
  if (!fault_) return Status::OK();
  for (const ColumnFamilyPtr& family : *families_) {
    if (family->log_number() <= faulty_log_ ||
        family->version()->NumFiles() == 0) {
      continue;
    }
    return Status::Corruption(
        LogFileName(context_.log_directory(), faulty_log_),
        "it is not readable to its end, but the tables of column family " +
            Printable(family->name()) + " reach log " +
            family->log_number().ToString() +
            ": set DBOptions::wal_recovery_mode to kSkipAnyCorruptedRecords, "
            "or repair");
  }
  return Status::OK();
}

// Otherwise the next log would replace those that have the transactions.
Status LogReplay::CheckNoneIsPrepared() const {
  const PreparedSections::ById& all = sections_.unresolved();
  if (all.empty() || context_.read_only || context_.options.allow_2pc) {
    return Status::OK();
  }
  return Status::NotSupported(
      context_.directory,
      "its logs have " + std::to_string(all.size()) +
          " prepared transactions, which are neither committed nor rolled "
          "back, as " +
          Printable(all.begin()->first) +
          ": open it with TransactionDB::Open, or set DBOptions::allow_2pc, "
          "which keeps them");
}

Status LogReplay::Finish() {
  TAMIS_RETURN_IF_ERROR(CheckNoneIsAhead());
  TAMIS_RETURN_IF_ERROR(CheckNoneIsPrepared());
  for (auto& [id, filled] : filled_) {
    if (!context_.read_only) TAMIS_RETURN_IF_ERROR(FlushMemTable(&filled));
  }
  if (next_sequence_ > versions_.last_sequence() + 1) {
    versions_.PublishSequence(next_sequence_ - 1);
  }
  if (!context_.read_only) return Status::OK();
  for (const ColumnFamilyPtr& family : *families_) {
    const auto found = filled_.find(family->id());
    family->SwitchMemTable(found != filled_.end()
                               ? found->second.memtable
                               : family->NewMemTable(0, kNoFile));
  }
  return Status::OK();
}

}  // namespace

namespace {

// Returns RecoveredLogs::unused. `needed` are the logs from the oldest that the
// MANIFEST needs.
FileNumber UnusedLog(const DBContext& context,
                     std::span<const FileNumber> needed,
                     const VersionSet& versions) {
  if (needed.size() != 1) return kNoFile;
  FileNumber named = kNoFile;
  for (const ColumnFamilyPtr& family : *versions.families().view()) {
    named = std::max(named, family->log_number());
  }
  uint64_t bytes = 0;
  const Status status = context.fs()->GetFileSize(
      LogFileName(context.log_directory(), needed.front()), &bytes);
  return needed.front() == named && status.ok() && bytes == 0 ? named : kNoFile;
}

}  // namespace

Result<RecoveredLogs> ReplayLogs(const DBContext& context,
                                 const DirectoryListing& listing,
                                 VersionSet* versions) {
  FileNumber first = kFileNumberMax;
  for (const ColumnFamilyPtr& family : *versions->families().view()) {
    first = std::min(first, family->log_number());
  }
  first = std::max(first, versions->min_log_number_to_keep());
  const bool may_be_live = context.read_only && !listing.logs.empty();
  LogReplay replay(context, versions,
                   may_be_live ? listing.logs.back() : kNoFile);
  const std::span<const FileNumber> needed(
      std::lower_bound(listing.logs.begin(), listing.logs.end(), first),
      listing.logs.end());
  Status status;
  for (const FileNumber number : listing.logs) {
    if (number < versions->min_log_number_to_keep()) continue;
    if (number >= first || !status.ok()) break;
    status = replay.FindPrepared(number);
  }
  for (const FileNumber number : needed) {
    if (status.ok()) status = replay.ReplayLog(number);
  }
  if (status.ok()) status = replay.Finish();
  if (!status.ok()) {
    RemoveTablesOf(context, replay.TakeResult());
    return status;
  }
  RecoveredLogs result = replay.TakeResult();
  result.has_first =
      std::binary_search(listing.logs.begin(), listing.logs.end(), first);
  if (result.prepared.empty()) {
    result.unused = UnusedLog(context, needed, *versions);
  }
  return result;
}

void RemoveTablesOf(const DBContext& context, const RecoveredLogs& logs) {
  std::vector<std::string> paths;
  for (const RecoveredLogs::Family& family : logs.families) {
    for (const auto& [level, file] : family.edit.new_files) {
      paths.push_back(TablePath(context, file));
    }
  }
  ObsoleteFiles(context).Delete(paths);
}

}  // namespace tamis
