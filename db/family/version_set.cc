// SPDX-License-Identifier: Apache-2.0
#include "db/family/version_set.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "db/base/file_names.h"
#include "db/manifest/manifest_writer.h"
#include "db/version/version_builder.h"
#include "util/base/exceptions.h"
#include "util/stats/histogram_timer.h"

namespace tamis {

namespace {

std::string Encode(const VersionEdit& edit) {
  std::string bytes;
  edit.EncodeTo(&bytes);
  TAMIS_DCHECK(VersionEdit::Decode(bytes).ok());
  return bytes;
}

// Other readers of the directory rely on this; see FORMAT.md, "Version edits".
// A violation is a bug here.
void CheckCounters(const VersionEdit& edit) {
  TAMIS_CHECK(edit.next_file_number);
  TAMIS_CHECK(edit.last_sequence);
  TAMIS_CHECK(*edit.last_sequence <= kMaxSequenceNumber);
  for (const auto& [level, file] : edit.new_files) {
    TAMIS_CHECK(IsLevel(level));
    TAMIS_CHECK(file.number < *edit.next_file_number);
    TAMIS_CHECK(file.smallest_seqno <= file.largest_seqno);
    TAMIS_CHECK(file.largest_seqno <= *edit.last_sequence);
    TAMIS_CHECK(file.epoch_number != kUnknownEpoch);
    TAMIS_CHECK(file.size > 0);
  }
  if (edit.log_number) {
    TAMIS_CHECK(*edit.log_number < *edit.next_file_number);
  }
  if (edit.min_log_number_to_keep) {
    TAMIS_CHECK(*edit.min_log_number_to_keep <= *edit.next_file_number);
  }
}

// Returns Corruption if a table exceeds the last sequence number: it was made
// from tables with sequence numbers that the MANIFEST does not list.
Status CheckSequenceNumbers(const std::string& directory,
                            const VersionEdit& edit) {
  for (const auto& [level, file] : edit.new_files) {
    if (file.largest_seqno <= *edit.last_sequence) continue;
    return Status::Corruption(
        directory,
        "table " + file.number.ToString() + " would have sequence number " +
            std::to_string(file.largest_seqno) + ", expected at most " +
            std::to_string(*edit.last_sequence) +
            ": a table that it is made from exceeds what the MANIFEST lists "
            "for it; repair the database");
  }
  return Status::OK();
}

void NameFamily(const ColumnFamily& family, VersionEdit* edit) {
  edit->column_family = family.id();
  edit->comparator = family.fixed_options().comparator->Name();
  if (family.id() != kDefaultFamilyId) edit->column_family_add = family.name();
}

}  // namespace

// REQUIRES: the database's mutex is held, here and in the destructor.
class VersionSet::ManifestTurn {
 public:
  explicit ManifestTurn(VersionSet* versions) : versions_(*versions) {
    versions_.mutex_.AssertHeld();
    versions_.mutex_.Wait(versions_.context_.runner(), versions_.writing_done_,
                          [this] { return !versions_.writing_; });
    TAMIS_CHECK(!versions_.writing_);
    versions_.writing_ = true;
  }
  ~ManifestTurn() {
    versions_.mutex_.AssertHeld();
    TAMIS_CHECK(versions_.writing_);
    versions_.writing_ = false;
    versions_.writing_done_.notify_all();
  }
  ManifestTurn(const ManifestTurn&) = delete;
  ManifestTurn& operator=(const ManifestTurn&) = delete;

 private:
  VersionSet& versions_;
};

template <typename Take>
Status VersionSet::TakeEffect(const Take& take) {
  const Status status = CatchExceptions([&] {
    take();
    return Status::OK();
  });
  if (!status.ok()) AbandonManifest();
  return status;
}

uint64_t VersionSet::ManifestBytes() {
  mutex_.AssertHeld();
  const ManifestTurn turn(this);
  return manifest_ != nullptr ? manifest_->size() : 0;
}

Status VersionSet::CloseManifest() {
  mutex_.AssertHeld();
  const ManifestTurn turn(this);
  Status status;
  if (manifest_ != nullptr) {
    MutexUnlock unlock(&mutex_);
    status = CatchExceptions([this] {
      TAMIS_RETURN_IF_ERROR(manifest_->AddRecord(Slice()));
      return manifest_->Close();
    });
  }
  manifest_.reset();
  return status;
}

std::vector<FileNumber> VersionSet::TakeObsoleteManifests() {
  mutex_.AssertHeld();
  // CURRENT may still name one of the later ones.
  std::vector<FileNumber> taken;
  std::erase_if(old_manifests_, [&](FileNumber number) {
    if (number >= manifest_number_) return false;
    taken.push_back(number);
    return true;
  });
  return taken;
}

void VersionSet::StampCounters(VersionEdit* edit) const {
  edit->prev_log_number = kNoFile;
  edit->next_file_number = next_file_number_;
  edit->last_sequence = std::max(last_sequence(), pending_sequence_);
}

class VersionSet::PendingSequence {
 public:
  PendingSequence(VersionSet* versions, std::span<const FamilyEdit> edits)
      : versions_(*versions) {
    for (const FamilyEdit& one : edits) {
      versions_.pending_sequence_ =
          std::max(versions_.pending_sequence_,
                   one.edit->last_sequence.value_or(SequenceNumber{0}));
    }
  }
  ~PendingSequence() { versions_.pending_sequence_ = 0; }
  PendingSequence(const PendingSequence&) = delete;
  PendingSequence& operator=(const PendingSequence&) = delete;

 private:
  VersionSet& versions_;
};

std::vector<VersionSet::FamilyState> VersionSet::CurrentState() const {
  std::vector<FamilyState> states;
  for (const ColumnFamilyPtr& family : *families_.view()) {
    states.push_back(
        {family.get(), family->version().get(), family->log_number()});
  }
  return states;
}

std::vector<std::string> VersionSet::EncodeSnapshot(
    std::span<const FamilyState> states, FileNumber min_log_to_keep,
    const std::string& db_id, bool is_copy) const {
  std::vector<std::string> records;
  for (const FamilyState& state : states) {
    VersionEdit identity;
    NameFamily(*state.family, &identity);
    VersionEdit content;
    content.column_family = state.family->id();
    StampCounters(&content);
    content.log_number = state.log_number;
    if (state.family->id() == kDefaultFamilyId) {
      if (!db_id.empty()) identity.db_id = db_id;
      if (families_.max_id() > kDefaultFamilyId) {
        identity.max_column_family = families_.max_id();
      }
      content.min_log_number_to_keep = min_log_to_keep;
    }
    ForEachFile(*state.version, [&](Level level, const TableFilePtr& file) {
      FileMetaData& meta =
          content.new_files.emplace_back(level, file->meta).second;
      if (is_copy) meta.path_id = 0;
    });
    records.push_back(Encode(identity));
    records.push_back(Encode(content));
  }
  return records;
}

std::vector<std::string> VersionSet::SnapshotForCopy() const {
  mutex_.AssertHeld();
  return EncodeSnapshot(CurrentState(), min_log_number_to_keep_, "",
                        /*is_copy=*/true);
}

// By the option, but not before the edits outgrow the initial snapshot.
bool VersionSet::ManifestIsFull() const {
  return manifest_->size() >
             context_.Live<&DBOptions::max_manifest_file_size>() &&
         manifest_->size() > 2 * manifest_began_with_;
}

template <typename After>
Status VersionSet::WriteRecords(std::span<const std::string> records,
                                const After& after,
                                FileNumber min_log_to_keep) {
  const Status status = CatchExceptions([&] {
    mutex_.AssertHeld();
    return manifest_ != nullptr && !ManifestIsFull()
               ? AppendToManifest(records)
               : BeginManifest(after(), min_log_to_keep);
  });
  if (!status.ok()) AbandonManifest();
  return status;
}

// Syncs each record. A power failure may then damage only the last one, so that
// readers can tell it from a flipped bit.
Status VersionSet::AppendToManifest(std::span<const std::string> records) {
  TAMIS_CHECK(writing_);
  TAMIS_CHECK(manifest_ != nullptr);
  MutexUnlock unlock(&mutex_);
  for (const std::string& record : records) {
    const HistogramTimer timing(context_.statistics(),
                                MANIFEST_FILE_SYNC_MICROS);
    TAMIS_RETURN_IF_ERROR(manifest_->AddRecord(record));
    TAMIS_RETURN_IF_ERROR(manifest_->Sync());
  }
  return Status::OK();
}

Status VersionSet::BeginManifest(std::span<const FamilyState> states,
                                 FileNumber min_log_to_keep) {
  TAMIS_CHECK(writing_);
  // manifest_number_ is the old one until CURRENT is known to name the new one,
  // so that neither is deleted.
  const FileNumber number = NewFileNumber();
  TAMIS_CHECK(number > manifest_number_);
  const std::vector<std::string> snapshot = EncodeSnapshot(
      states, min_log_to_keep, manifest_db_id_.empty() ? "" : context_.db_id,
      /*is_copy=*/false);
  old_manifests_.push_back(number);
  auto log = Result<std::unique_ptr<LogWriter>>(Status::Aborted("not run"));
  {
    MutexUnlock unlock(&mutex_);
    log = StartManifest(context_.fs(), context_.directory, number, snapshot);
  }
  if (!log.ok()) return log.status();
  manifest_ = std::move(log).value();
  manifest_number_ = number;
  manifest_began_with_ = manifest_->size();
  TAMIS_CHECK(manifest_began_with_ > 0);
  return Status::OK();
}

FileNumber VersionSet::MinLogToKeep(std::span<const FamilyEdit> edits) const {
  std::unordered_map<const ColumnFamily*, FileNumber> edited;
  for (const FamilyEdit& one : edits) {
    if (one.edit->log_number) edited[one.family.get()] = *one.edit->log_number;
  }
  FileNumber oldest = kFileNumberMax;
  FileNumber open = kNoFile;
  for (const ColumnFamilyPtr& family : *families_.view()) {
    const auto at = edited.find(family.get());
    oldest = std::min(
        oldest, at != edited.end() ? at->second : family->OldestLogToKeep());
    if (family->memtable() == nullptr) continue;  // during an open
    open = std::max(open, family->memtable()->log_number());
  }
  oldest = std::min(oldest, prepared_logs_.Oldest(open));
  return std::max(oldest, min_log_number_to_keep_);
}

std::vector<VersionSet::FamilyState> VersionSet::StateAfter(
    std::span<const FamilyEdit> edits,
    std::span<const VersionPtr> versions) const {
  TAMIS_CHECK(versions.size() == edits.size());
  std::vector<FamilyState> states = CurrentState();
  for (size_t i = 0; i < edits.size(); ++i) {
    const auto state = std::lower_bound(
        states.begin(), states.end(), edits[i].family->id(),
        [](const FamilyState& s, FamilyId id) { return s.family->id() < id; });
    TAMIS_CHECK(state != states.end());
    TAMIS_CHECK(state->family == edits[i].family.get());
    state->version = versions[i].get();
    if (edits[i].edit->log_number) {
      state->log_number = *edits[i].edit->log_number;
    }
  }
  return states;
}

Status VersionSet::LogAndApplyLocked(std::span<const FamilyEdit> edits) {
  const ColumnFamilySet::ViewPtr view = families_.view();
  const PendingSequence pending(this, edits);
  std::vector<VersionPtr> versions;
  FileNumber min_log = min_log_number_to_keep_;
  if (std::any_of(edits.begin(), edits.end(), [](const FamilyEdit& one) {
        return one.edit->log_number.has_value();
      })) {
    min_log = MinLogToKeep(edits);
    edits.back().edit->min_log_number_to_keep = min_log;
  }
  std::vector<std::string> records;
  for (const FamilyEdit& one : edits) {
    const ColumnFamily& family = *one.family;
    TAMIS_CHECK(ColumnFamilySet::Find(*view, family.id()) == &family);
    // What leaves the logs is in the tables of the same edit.
    TAMIS_CHECK(one.flushed == 0 || one.edit->log_number);
    TAMIS_CHECK(!one.edit->log_number ||
                *one.edit->log_number >= family.log_number());
    VersionBuilder builder(family.order(), &family.tables(),
                           family.version().get());
    TAMIS_RETURN_IF_ERROR(builder.Apply(*one.edit));
    auto next = builder.Build();
    if (!next.ok()) return next.status();
    versions.push_back(std::move(next).value());
    one.edit->column_family = family.id();
    if (edits.size() > 1) {
      one.edit->atomic_group_remaining =
          static_cast<uint32_t>(edits.size() - versions.size());
    }
    StampCounters(one.edit);
    TAMIS_RETURN_IF_ERROR(CheckSequenceNumbers(context_.directory, *one.edit));
    CheckCounters(*one.edit);
    records.push_back(Encode(*one.edit));
  }
  const auto after = [&] {
    mutex_.AssertHeld();
    return StateAfter(edits, versions);
  };
  TAMIS_RETURN_IF_ERROR(WriteRecords(records, after, min_log));
  return TakeEffect([&] {
    TAMIS_CHECK(min_log >= min_log_number_to_keep_);
    std::vector<ColumnFamily::Change> changes;
    for (size_t i = 0; i < edits.size(); ++i) {
      changes.push_back(edits[i].family->PrepareVersion(std::move(versions[i]),
                                                        edits[i].flushed));
    }
    set_min_log_number_to_keep(min_log);
    for (size_t i = 0; i < edits.size(); ++i) {
      ColumnFamily& family = *edits[i].family;
      if (edits[i].edit->log_number) {
        family.set_log_number(*edits[i].edit->log_number);
      }
      family.Take(std::move(changes[i]));
    }
  });
}

Status VersionSet::LogAndApply(std::span<const FamilyEdit> edits) {
  mutex_.AssertHeld();
  TAMIS_CHECK(!edits.empty());
  const ManifestTurn turn(this);
  return CatchExceptions([&] {
    mutex_.AssertHeld();
    std::vector<FamilyEdit> live;
    std::copy_if(edits.begin(), edits.end(), std::back_inserter(live),
                 [](const FamilyEdit& one) { return !one.family->dropped(); });
    return live.empty() ? Status::ColumnFamilyDropped(edits[0].family->name())
                        : LogAndApplyLocked(live);
  });
}

Status VersionSet::AddFamily(const ColumnFamilyPtr& family,
                             SequenceNumber last_sequence) {
  mutex_.AssertHeld();
  const ManifestTurn turn(this);
  TAMIS_CHECK(family->id() > families_.max_id());
  TAMIS_CHECK(family->log_number() < next_file_number_);
  VersionEdit edit;
  NameFamily(*family, &edit);
  edit.log_number = family->log_number();
  edit.max_column_family = std::max(families_.max_id(), family->id());
  VersionEdit tables;
  tables.column_family = family->id();
  tables.last_sequence = last_sequence;
  ForEachFile(*family->version(), [&](Level level, const TableFilePtr& file) {
    tables.new_files.emplace_back(level, file->meta);
  });
  const FamilyEdit content{family, &tables};
  const PendingSequence pending(this, {&content, 1});
  StampCounters(&edit);
  std::vector<std::string> records;
  if (tables.new_files.empty()) {
    records = {Encode(edit)};
  } else {
    // RocksDB expects the two in edits of their own.
    StampCounters(&tables);
    edit.atomic_group_remaining = 1;
    tables.atomic_group_remaining = 0;
    records = {Encode(edit), Encode(tables)};
  }
  // The id counts as used even if this fails.
  families_.RaiseMaxId(family->id());
  const auto after = [&] {
    mutex_.AssertHeld();
    std::vector<FamilyState> states = CurrentState();
    states.push_back(
        {family.get(), family->version().get(), family->log_number()});
    return states;
  };
  TAMIS_RETURN_IF_ERROR(WriteRecords(records, after, min_log_number_to_keep_));
  return TakeEffect([&] { families_.Add({family}); });
}

Status VersionSet::DropFamily(const ColumnFamilyPtr& family) {
  mutex_.AssertHeld();
  const ManifestTurn turn(this);
  TAMIS_CHECK(family->id() != kDefaultFamilyId);
  TAMIS_CHECK(!family->dropped());
  VersionEdit edit;
  edit.column_family = family->id();
  edit.column_family_drop = true;
  edit.max_column_family = families_.max_id();
  StampCounters(&edit);
  const std::string record = Encode(edit);
  const auto after = [&] {
    mutex_.AssertHeld();
    std::vector<FamilyState> states = CurrentState();
    std::erase_if(states, [&](const FamilyState& state) {
      return state.family == family.get();
    });
    return states;
  };
  TAMIS_RETURN_IF_ERROR(
      WriteRecords({&record, 1}, after, min_log_number_to_keep_));
  return TakeEffect([&] {
    families_.Remove(*family);
    family->set_dropped();
  });
}

}  // namespace tamis
