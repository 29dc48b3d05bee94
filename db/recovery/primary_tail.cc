// SPDX-License-Identifier: Apache-2.0
#include "db/recovery/primary_tail.h"

#include <algorithm>
#include <utility>

#include "db/base/file_names.h"
#include "db/recovery/one_moment.h"
#include "db/recovery/recovery.h"
#include "db/wal/write_batch_internal.h"

namespace tamis {

PrimaryTail::PrimaryTail(const DBContext& context, VersionSet* versions,
                         Mutex* db_mutex)
    : context_(context),
      versions_(*versions),
      db_mutex_(*db_mutex),
      probe_(context.fs(), &context.directory),
      min_log_(versions->min_log_number_to_keep()) {
  MutexLock lock(&db_mutex_);
  for (const ColumnFamilyPtr& family : *versions_.families().view()) {
    family->SwitchMemTable(family->NewMemTable(0, kNoFile));
    Family& tail = families_.try_emplace(family->id(), family).first->second;
    tail.newest = family->memtable().get();
    tail.version = family->version();
    tail.log_number = family->log_number();
  }
}

Status PrimaryTail::CatchUp() {
  MutexLock lock(&mutex_);
  TAMIS_RETURN_IF_ERROR(broken_);
  const uint64_t begun_at = context_.clock()->NowNanos();
  if (!LookAtLogs()) {
    TAMIS_RETURN_IF_ERROR(broken_);
    const auto complete = AtOneMoment(
        context_.fs(), context_.directory,
        [this](const DirectoryMoment& moment) {
          mutex_.AssertHeld();
          return Look(moment);
        },
        [this](bool has_first_log) {
          mutex_.AssertHeld();
          return has_first_log &&
                 IsOfHistory(context_.fs(), context_.directory, history_);
        });
    if (!complete.ok()) {
      probe_.Forget();
      return complete.status();
    }
  }
  Install();
  caught_up_at_.store(begun_at, std::memory_order_relaxed);
  return Status::OK();
}

// Logs are read first: in the state that is found unchanged afterwards.
bool PrimaryTail::LookAtLogs() {
  return probe_.is_set() && ReadLogs().ok() && probe_.IsUnchanged();
}

Result<bool> PrimaryTail::Look(const DirectoryMoment& moment) {
  probe_.Begin(moment);
  TAMIS_RETURN_IF_ERROR(ReadNewManifest(moment));
  // The directory is listed after the MANIFEST was read: see DBImpl::Recover.
  const auto listing = ListForReading(context_);
  if (!listing.ok()) return listing.status();
  TAMIS_RETURN_IF_ERROR(OpenLogs(*listing));
  // Logs are removed oldest first. So if this one is there, or was read, none
  // is missing.
  const FileNumber first = FirstLog();
  const bool has_first =
      first <= read_ ||
      std::any_of(logs_.begin(), logs_.end(),
                  [&](const Log& log) { return log.number == first; });
  TAMIS_RETURN_IF_ERROR(ReadLogs());
  return has_first;
}

Status PrimaryTail::ReadNewManifest(const DirectoryMoment& moment) {
  if (moment == manifest_moment_) return Status::OK();
  const auto manifest = ReadManifest(context_.fs(), context_.directory);
  if (!manifest.ok()) return manifest.status();
  // Versions replace those of the last look together, or not at all.
  std::vector<std::pair<Family*, VersionPtr>> versions;
  for (auto& [id, tail] : families_) {
    const auto listed = manifest->families.find(id);
    if (listed == manifest->families.end()) {
      tail.dropped = true;
      continue;
    }
    auto version = NextVersion(context_, *manifest, *tail.family,
                               listed->second, *tail.version);
    if (!version.ok()) return version.status();
    versions.emplace_back(&tail, std::move(version).value());
  }
  for (auto& [tail, version] : versions) {
    const ManifestFamily& listed = manifest->families.at(tail->family->id());
    tail->version = std::move(version);
    tail->largest = LargestSequence(*tail->version);
    tail->log_number =
        std::max(tail->log_number, listed.log_number.value_or(kNoFile));
  }
  min_log_ = std::max(min_log_, manifest->min_log_number_to_keep);
  manifest_moment_ = moment;
  history_ = HistoryOf(*manifest);
  return Status::OK();
}

FileNumber PrimaryTail::FirstLog() const {
  if (min_log_ != kNoFile) return min_log_;
  FileNumber first = kFileNumberMax;
  for (const auto& [id, tail] : families_) {
    if (!tail.dropped) first = std::min(first, tail.log_number);
  }
  return first;
}

// Logs that no family needs may have prepared transactions. RocksDB keeps such
// logs before its MANIFEST says from which one on.
Status PrimaryTail::OpenLogs(const DirectoryListing& listing) {
  while (!logs_.empty() && logs_.front().number < min_log_) {
    read_ = logs_.front().number;
    logs_.pop_front();
  }
  for (const FileNumber number : listing.logs) {
    if (number < min_log_ || number <= read_) continue;
    if (!logs_.empty() && number <= logs_.back().number) continue;
    auto reader = LogReader::Open(context_.fs(),
                                  LogFileName(context_.log_directory(), number),
                                  number, LogKind::kWal);
    // Its primary removed an obsolete log meanwhile.
    if (reader.status().IsPathNotFound() && number < FirstLog()) continue;
    if (!reader.ok()) return reader.status();
    logs_.push_back(
        {number, std::move(reader).value(), FaultRecheck(context_)});
  }
  return Status::OK();
}

// A writer completes a log before it writes to the next. So what is read of a
// log is all of it if the next one was seen to have a record before.
Status PrimaryTail::ReadLogs() {
  TAMIS_RETURN_IF_ERROR(broken_);
  while (!logs_.empty()) {
    TAMIS_RETURN_IF_ERROR(ReadLog(&logs_.front()));
    std::string record;
    size_t next = 1;
    for (; next < logs_.size(); ++next) {
      const auto has_record = ReadRecord(&logs_[next], &record);
      if (!has_record.ok()) return has_record.status();
      if (*has_record) break;
    }
    if (next == logs_.size()) break;
    // It is read again, in its turn.
    logs_[next].at_end = true;
    for (; next > 0; --next) {
      TAMIS_RETURN_IF_ERROR(ReadLog(&logs_.front()));
      read_ = logs_.front().number;
      logs_.pop_front();
      sections_.ForgetEnded();
    }
  }
  return Status::OK();
}

Status PrimaryTail::ReadLog(Log* log) {
  for (;;) {
    std::string record;
    const auto has_record = ReadRecord(log, &record);
    if (!has_record.ok()) return has_record.status();
    if (!*has_record) return Status::OK();
    const Status applied = Apply(*log, std::move(record));
    if (!applied.ok()) {
      // The next look reads the record again.
      log->at_end = true;
      return WithPlace(LogFileName(context_.log_directory(), log->number) +
                           ": record at offset " +
                           std::to_string(log->reader->record_offset()),
                       applied);
    }
  }
}

Result<bool> PrimaryTail::ReadRecord(Log* log, std::string* record) {
  using Outcome = LogReader::Outcome;
  using Mode = WALRecoveryMode;
  LogReader& reader = *log->reader;
  if (std::exchange(log->at_end, false)) reader.Reread();
  for (;;) {
    const Outcome outcome = reader.ReadRecord(record);
    const auto verdict = log->recheck.Judge(outcome, reader);
    if (verdict == FaultRecheck::Verdict::kReread) {
      reader.Reread();
      continue;
    }
    if (verdict == FaultRecheck::Verdict::kFinal) {
      if (outcome == Outcome::kRecord) return true;
      const Mode mode = context_.options.wal_recovery_mode;
      const bool is_tail =
          outcome == Outcome::kTornTail || outcome == Outcome::kBadTail;
      if (outcome == Outcome::kCorrupt && reader.status().IsCorruption() &&
          mode == Mode::kSkipAnyCorruptedRecords && reader.Resume()) {
        continue;
      }
      if (outcome != Outcome::kEnd &&
          (!is_tail || mode == Mode::kAbsoluteConsistency)) {
        log->at_end = true;
        return reader.status();
      }
    }
    log->at_end = true;
    return false;
  }
}

MemTable* PrimaryTail::MemTableOf(Family* family, FileNumber log) {
  if (family->dropped || log < family->log_number) return nullptr;
  TAMIS_CHECK(family->newest->log_number() <= log);
  if (family->newest->log_number() < log) {
    MutexLock lock(&db_mutex_);
    family->fresh.push_back(family->family->NewMemTable(0, log));
    family->newest = family->fresh.back().get();
  }
  return family->newest;
}

Status PrimaryTail::Apply(const Log& log, std::string record) {
  if (record.size() < WriteBatchInternal::kHeaderBytes) {
    return Status::Corruption("a batch of " + std::to_string(record.size()) +
                              " bytes, expected at least 12");
  }
  const WriteBatch batch(std::move(record));
  const SequenceNumber first = WriteBatchInternal::Sequence(batch);
  const auto used = sections_.Check(batch);
  if (!used.ok()) return used.status();
  if (*used > 0 &&
      (first <= last_sequence_ || first > kMaxSequenceNumber - *used)) {
    return Status::Corruption("expected a sequence number above " +
                              std::to_string(last_sequence_) +
                              " and below 2^56, got " + std::to_string(first));
  }
  if (*used > 0 && log.reader->after_zeros() && last_sequence_ != 0 &&
      first != last_sequence_ + 1) {
    return Status::Corruption("behind zeros, expected sequence number " +
                              std::to_string(last_sequence_ + 1) + ", got " +
                              std::to_string(first) + ": records are missing");
  }
  broken_ = Status::MemoryLimit(
      context_.directory,
      "memory ran out within a batch: open the secondary instance anew");
  broken_ = sections_.Apply(
      batch, [&](SequenceNumber sequence, FamilyId id, ValueType type,
                 const Slice& key, const Slice& value) {
        mutex_.AssertHeld();
        const auto tail = families_.find(id);
        if (tail == families_.end()) return Status::OK();
        MemTable* const memtable = MemTableOf(&tail->second, log.number);
        if (memtable == nullptr) return Status::OK();
        if (type == kTypeMerge &&
            tail->second.family->fixed_options().merge_operator == nullptr) {
          return WriteBatchInternal::NoMergeOperator();
        }
        memtable->Add(sequence, type, key, value);
        return Status::OK();
      });
  if (broken_.ok() && *used > 0) last_sequence_ = first + *used - 1;
  return broken_;
}

bool PrimaryTail::HasNews(SequenceNumber last) const {
  return !installed_ || last > versions_.last_sequence() ||
         std::any_of(families_.begin(), families_.end(), [](const auto& one) {
           const Family& tail = one.second;
           return !tail.fresh.empty() ||
                  tail.version != tail.family->version() ||
                  tail.log_number != tail.family->log_number() ||
                  tail.dropped != tail.family->dropped();
         });
}

// Prepares all changes before the first takes effect. The memtables come
// before, one by one: readers see nothing in them.
void PrimaryTail::Install() {
  MutexLock lock(&db_mutex_);
  SequenceNumber last = std::max(versions_.last_sequence(), last_sequence_);
  for (auto& [id, tail] : families_) last = std::max(last, tail.largest);
  if (!HasNews(last)) return;
  std::vector<ColumnFamily::Change> changes;
  changes.reserve(families_.size());
  for (auto& [id, tail] : families_) {
    ColumnFamily& family = *tail.family;
    for (; !tail.fresh.empty(); tail.fresh.pop_front()) {
      family.SwitchMemTable(tail.fresh.front());
    }
    if (family.memtable()->log_number() < tail.log_number) {
      family.SwitchMemTable(family.NewMemTable(0, tail.log_number));
    }
    tail.newest = family.memtable().get();
    tail.newest->Charge();
    const auto& immutables = family.immutables();
    const auto flushed =
        std::count_if(immutables.begin(), immutables.end(),
                      [log = tail.log_number](const auto& memtable) {
                        return memtable->log_number() < log;
                      });
    changes.push_back(
        family.PrepareVersion(tail.version, static_cast<size_t>(flushed)));
    changes.back().state->get()->readable_to = last;
  }
  // A reader loads the state first, and can then read a new one.
  versions_.PublishSequence(last);
  auto change = changes.begin();
  for (auto& [id, tail] : families_) {
    tail.family->Take(std::move(*change++));
    tail.family->set_log_number(tail.log_number);
    if (tail.dropped) tail.family->set_dropped();
    tail.family->epochs()->Reclaim();
  }
  installed_ = true;
}

}  // namespace tamis
