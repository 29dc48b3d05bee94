// SPDX-License-Identifier: Apache-2.0
#include "db/recovery/log_replay.h"

#include <algorithm>
#include <memory>
#include <span>
#include <utility>

#include "db/base/file_names.h"
#include "db/manifest/table_path.h"
#include "db/recovery/kept_logs.h"
#include "db/recovery/recovered_memtables.h"
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
  LogReplay(const DBContext& context, VersionSet* versions, FileNumber live_log,
            bool manifest_may_stay)
      : context_(context),
        live_log_(live_log),
        mode_(context.options.wal_recovery_mode),
        versions_(*versions),
        families_(versions->families().view()),
        memtables_(context, versions),
        kept_(context, manifest_may_stay) {}

  // Looks for prepared sections in a log that no family needs: whatever else is
  // in it is in tables. Reads up to the first damage.
  Status FindPrepared(FileNumber number);
  Status ReplayLog(FileNumber number);
  Status Finish();
  RecoveredLogs TakeResult() {
    result_.prepared = sections_.Take();
    result_.families = memtables_.TakeFamilies();
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
  Status ReadRecords(FileNumber number, LogReader* reader, End* end);
  Status Judge(FileNumber number, LogReader::Outcome outcome,
               const LogReader& reader, bool* may_continue);
  Status ReplayRecord(FileNumber number, std::string record, bool* log_ended);
  void KeepLogs();
  // Notes that records may be missing; PointInTime mode then accepts no gap.
  void Fault(FileNumber number, bool may_be_data);
  Status CheckNoneIsAhead() const;
  Status CheckNoneIsPrepared() const;

  const DBContext& context_;
  const FileNumber live_log_;
  const WALRecoveryMode mode_;
  VersionSet& versions_;
  const ColumnFamilySet::ViewPtr families_;
  RecoveredMemTables memtables_;
  KeptLogs kept_;
  // Of the log being read: whether the last record was a clean-close marker.
  bool closed_ = false;
  SequenceNumber next_sequence_ = 0;  // 0 before the first record
  bool fault_ = false;  // records may be missing before this point
  FileNumber faulty_log_;
  PreparedSections sections_;
  RecoveredLogs result_;
};

void LogReplay::Fault(FileNumber number, bool may_be_data) {
  if (may_be_data && (result_.lost.empty() || result_.lost.back() != number)) {
    result_.lost.push_back(number);
    kept_.Refuse();
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
  closed_ = false;
  TAMIS_RETURN_IF_ERROR(ReadRecords(number, reader->get(), &end));
  kept_.Note(number, (*reader)->bytes_read(),
             closed_ && end.reason.empty() && !(*reader)->after_zeros());
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
  closed_ = record.size() == WriteBatchInternal::kHeaderBytes;
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
  TAMIS_RETURN_IF_ERROR(sections_.Apply(
      batch, [&](SequenceNumber sequence, FamilyId id, ValueType type,
                 const Slice& key, const Slice& value) {
        return memtables_.Add(number, sequence, id, type, key, value);
      }));
  next_sequence_ = first + *used;
  return memtables_.KeepWithinMemory();
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
  // What is prepared is copied to the next log, and only a new MANIFEST lets
  // the old copy go.
  if (memtables_.wrote_tables() || !sections_.unresolved().empty()) {
    kept_.Refuse();
  }
  if (context_.read_only) {
    memtables_.TakeAll();
  } else if (kept_.MayStay() && memtables_.FitIntoBudget() && kept_.Sync()) {
    KeepLogs();
  } else {
    TAMIS_RETURN_IF_ERROR(memtables_.Flush());
  }
  if (next_sequence_ > versions_.last_sequence() + 1) {
    versions_.PublishSequence(next_sequence_ - 1);
  }
  return Status::OK();
}

void LogReplay::KeepLogs() {
  const uint64_t entries = memtables_.TakeAll();
  result_.as_it_is = true;
  result_.kept = kept_.files();
  result_.unused = kept_.unused();
  if (result_.kept.empty()) return;
  context_.event_log->Event("logs_kept")
      .Add("logs", result_.kept.size())
      .Add("entries", entries);
}

}  // namespace

namespace {

// Returns whether these logs begin with the oldest that the MANIFEST names, and
// reach the newest that it names.
bool HasNamedLogs(std::span<const FileNumber> logs, FileNumber first,
                  const VersionSet& versions) {
  if (logs.empty() || logs.front() != first) return false;
  FileNumber newest = kNoFile;
  for (const ColumnFamilyPtr& family : *versions.families().view()) {
    newest = std::max(newest, family->log_number());
  }
  return newest <= logs.back();
}

}  // namespace

Result<RecoveredLogs> ReplayLogs(const DBContext& context,
                                 const DirectoryListing& listing,
                                 bool manifest_may_stay, VersionSet* versions) {
  FileNumber first = kFileNumberMax;
  for (const ColumnFamilyPtr& family : *versions->families().view()) {
    first = std::min(first, family->log_number());
  }
  first = std::max(first, versions->min_log_number_to_keep());
  const bool may_be_live = context.read_only && !listing.logs.empty();
  const auto begin =
      std::lower_bound(listing.logs.begin(), listing.logs.end(), first);
  const std::span<const FileNumber> needed(begin, listing.logs.end());
  // Older ones that prepared transactions needed. Only a new MANIFEST lets them
  // go.
  const bool has_older =
      begin != std::lower_bound(listing.logs.begin(), listing.logs.end(),
                                versions->min_log_number_to_keep());
  const bool is_new = listing.first_log != kNoFile;
  LogReplay replay(context, versions,
                   may_be_live ? listing.logs.back() : kNoFile,
                   manifest_may_stay && !has_older &&
                       (is_new || HasNamedLogs(needed, first, *versions)));
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
  if (is_new) result.unused = listing.first_log;
  result.has_first =
      std::binary_search(listing.logs.begin(), listing.logs.end(), first);
  return result;
}

void RemoveTablesOf(const DBContext& context, const RecoveredLogs& logs) {
  std::vector<std::string> paths;
  for (const RecoveredFamily& family : logs.families) {
    for (const auto& [level, file] : family.edit.new_files) {
      paths.push_back(TablePath(context, file));
    }
  }
  ObsoleteFiles(context).Delete(paths);
}

}  // namespace tamis
