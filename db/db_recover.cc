// SPDX-License-Identifier: Apache-2.0
//
// DBImpl::Recover prepares and locks the directory (db_directory.cc), recovers
// the state, starts a log and, unless the old one may stay, a MANIFEST, and
// only then removes obsolete files. A database that is opened for reading only
// recovers the state; a secondary instance also keeps what follows the primary.
#include <algorithm>
#include <utility>

#include "db/base/db_options.h"
#include "db/base/file_names.h"
#include "db/base/numbers.h"
#include "db/base/table_paths.h"
#include "db/compaction/job_directory.h"
#include "db/db_impl.h"
#include "db/recovery/create_database.h"
#include "db/recovery/log_replay.h"
#include "db/recovery/recovery.h"
#include "db/recovery/wal_directory.h"
#include "db/wal/write_batch_internal.h"
#include "table/unique_id.h"
#include "util/coding/printable.h"
#include "util/io/file_io.h"

namespace tamis {

// Creates the database if there is none, or if its creation was interrupted.
// `listing` gets what is new.
Status DBImpl::CreateIfNew(const std::vector<ColumnFamilyDescriptor>& families,
                           DirectoryListing* listing) {
  if (listing->has_current &&
      (!listing->manifests.empty() || !context_.options.create_if_missing)) {
    return Status::OK();
  }
  DirectoryListing here = *listing;
  // Other directories are judged below.
  if (!context_.wal_dir.empty()) here.logs.clear();
  std::erase_if(here.tables, [&here](FileNumber number) {
    return here.table_directories.contains(number);
  });
  if (!IsInterruptedCreation(context_, here)) {
    if (here.has_current) return Status::OK();  // what it names is missing
    return Status::Corruption(
        CurrentFileName(context_.directory),
        "it is missing, but the directory contains tables, logs, MANIFESTs or "
        "OPTIONS files; "
        "restore it or repair the database");
  }
  TAMIS_RETURN_IF_ERROR(CheckWalDirectoryIsUnused(context_));
  if (here.has_current) {
    // Before what it names is there again, and perhaps torn.
    TAMIS_RETURN_IF_ERROR(
        context_.fs()->RemoveFile(CurrentFileName(context_.directory)));
    TAMIS_RETURN_IF_ERROR(
        file_io::SyncDirectory(context_.fs(), context_.directory));
  }
  for (const FileNumber number : here.stray_logs) {
    TAMIS_RETURN_IF_ERROR(
        context_.fs()->RemoveFile(LogFileName(context_.directory, number)));
  }
  // A power cut during an earlier creation may have left anything in IDENTITY,
  // which was not synced.
  if (!context_.stored_id.empty()) context_.db_id = NewDatabaseId();
  const auto main =
      std::find_if(families.begin(), families.end(), [](const auto& family) {
        return family.name == kDefaultColumnFamilyName;
      });
  TAMIS_RETURN_IF_ERROR(table_directories_.Use(context_.table_directories, {}));
  TAMIS_RETURN_IF_ERROR(ClaimWalDirectory(context_));
  TAMIS_RETURN_IF_ERROR(StoreIdentity(&context_, /*sync=*/false));
  return CreateDatabase(context_, *main->options.comparator, listing);
}

// Creates the log of events, and what tells listeners of them.
void DBImpl::BeginEventLog(
    const DirectoryListing& listing,
    const std::vector<ColumnFamilyDescriptor>& families) {
  const bool is_secondary = access_.kind == DBAccess::kSecondary;
  context_.event_log = std::make_unique<EventLog>(
      context_.options,
      is_secondary ? access_.secondary_path : context_.directory,
      /*silent=*/context_.read_only && !is_secondary,
      is_secondary ? nullptr : &listing.names);
  if (!context_.options.listeners.empty()) {
    context_.listeners =
        std::make_unique<Listeners>(context_.options, context_.event_log.get());
  }
  context_.session_id = NewSessionId();
  context_.event_log->Event("open_start")
      .Add("directory", Slice(context_.directory))
      .Add("session", Slice(context_.session_id))
      .Add("flushed_at_risk", context_.fs()->FlushedBytesAtRisk());
  LogDBOptions(context_.event_log.get(), context_.options);
  for (const ColumnFamilyDescriptor& family : families) {
    LogFamilyOptions(context_.event_log.get(), family.name,
                     WithDatabaseDefaults(family.options, context_.options));
  }
}

Status DBImpl::Recover(const std::vector<ColumnFamilyDescriptor>& given) {
  std::vector<ColumnFamilyDescriptor> families = given;
  for (ColumnFamilyDescriptor& family : families) {
    family.options = CompleteOptions(
        WithDatabaseDefaults(std::move(family.options), context_.options));
  }
  context_.table_directories =
      SeparateTableDirectories(context_.directory, context_.options, families);
  TAMIS_RETURN_IF_ERROR(PrepareDirectory());
  DirectoryListing listing;
  if (context_.read_only) {
    TAMIS_RETURN_IF_ERROR(LoadIdentity(&context_));
  } else {
    auto listed = ListDirectory(context_);
    if (!listed.ok()) return listed.status();
    listing = std::move(listed).value();
    if (listing.has_identity) {
      TAMIS_RETURN_IF_ERROR(LoadIdentity(&context_));
    } else {
      context_.db_id = NewDatabaseId();
    }
    TAMIS_RETURN_IF_ERROR(CreateIfNew(families, &listing));
  }
  // No existing file has been changed yet, nor is it if the checks here fail.
  auto manifest = ReadManifest(context_.fs(), context_.directory);
  if (!manifest.ok()) return manifest.status();
  history_ = HistoryOf(*manifest);
  TAMIS_RETURN_IF_ERROR(CheckFileReads(
      context_.options,
      context_.read_only ? FileOptionsForReads(context_.options)
                         : FileOptionsForCompaction(context_.options),
      CurrentFileName(context_.directory)));
  if (!context_.read_only) {
    TAMIS_RETURN_IF_ERROR(
        CheckFileTimes(context_.options, CurrentFileName(context_.directory)));
    TAMIS_RETURN_IF_ERROR(CheckTableWrites(
        context_.options, TempFileName(context_.directory, kNoFile)));
  }
  TAMIS_RETURN_IF_ERROR(CheckManifest(context_, *manifest, families));
  if (context_.read_only) {
    // After the MANIFEST was read: if a log that it needs is missing, a writer
    // has removed the log since, and later edits name tables with its entries.
    auto listed = ListForReading(context_);
    if (!listed.ok()) return listed.status();
    listing = std::move(listed).value();
  }

  BeginEventLog(listing, given);
  const Status status = RecoverState(listing, *manifest, families);
  context_.event_log->Event("open_end").Add("status", status);
  if (status.ok()) {
    state_.store(State::kOpen, std::memory_order_release);
    for (FileLock* held : {lock_file_.get(), wal_lock_file_.get()}) {
      if (held == nullptr) continue;
      held->WhenLost([this](const Status& why) { Fence(why); });
    }
    MutexLock lock(&mutex_);
    if (!context_.read_only) {
      scheduler_.MaybeSchedule();
      scheduler_.OpenTables();
    }
    stats_dump_.Begin();
  }
  if (status.ok() && access_.follows) {
    follower_ = std::make_unique<Follower>(context_, primary_.get());
  }
  return status;
}

Status DBImpl::RecoverState(
    const DirectoryListing& listing, const ManifestState& manifest,
    const std::vector<ColumnFamilyDescriptor>& families) {
  if (manifest.torn_tail) {
    context_.event_log->Event("manifest_torn_tail")
        .Add("file", Slice(manifest.name))
        .Add("offset", manifest.torn_offset)
        .Add("bytes", manifest.torn_bytes);
  }
  if (!manifest.db_id.empty()) {
    // The MANIFEST's id takes precedence over IDENTITY's.
    context_.db_id = manifest.db_id;
    versions_.set_manifest_db_id(manifest.db_id);
  }
  const auto recorded = RecordedWalDir(listing);
  if (!recorded.ok()) return recorded.status();
  TAMIS_RETURN_IF_ERROR(
      CheckWalDirectory(context_, manifest, listing, *recorded));
  TAMIS_RETURN_IF_ERROR(
      InstallManifest(context_, manifest, listing, families, &versions_));
  const bool sync_identity = manifest.db_id.empty();
  if (!context_.read_only && !context_.table_directories.empty()) {
    // Before there is a table whose owner it tells.
    TAMIS_RETURN_IF_ERROR(StoreIdentity(&context_, sync_identity));
    TAMIS_RETURN_IF_ERROR(table_directories_.Use(
        context_.table_directories,
        ListedInPaths(context_.directory, context_.options, families,
                      manifest)));
  }
  default_handle_ = std::make_unique<ColumnFamilyHandleImpl>(
      this, versions_.families().default_family_ptr());
  if (access_.kind == DBAccess::kSecondary) {
    primary_ = std::make_unique<PrimaryTail>(context_, &versions_, &mutex_);
    return primary_->CatchUp();
  }
  const bool manifest_may_stay = !context_.read_only && manifest.closed &&
                                 !manifest.torn_tail && !manifest.leveldb;
  auto logs = ReplayLogs(context_, listing, manifest_may_stay, &versions_);
  if (!logs.ok()) return logs.status();
  has_first_log_ = logs->has_first;
  if (access_.kind == DBAccess::kReadOnlyWithoutLogs && logs->records > 0) {
    return Status::Corruption(context_.directory,
                              "its logs contain writes that no table has, and "
                              "error_if_wal_file_exists is set");
  }
  if (context_.read_only) {
    BeginMemTables(0, kNoFile, &*logs);
    return Status::OK();
  }
  for (const std::string& name : listing.job_directories) {
    RemoveJobDirectory(context_.fs(), context_.directory + "/" + name);
  }
  return CompleteOpen(listing, manifest, *recorded, families, &*logs);
}

bool DBImpl::ReadAPointOfHistory() const {
  // A secondary instance has caught up, and has seen to it.
  return access_.kind == DBAccess::kSecondary ||
         (has_first_log_ &&
          IsOfHistory(context_.fs(), context_.directory, history_));
}

// Makes a recovered database writable. `recorded_wal_dir`: of the newest
// OPTIONS file.
Status DBImpl::CompleteOpen(const DirectoryListing& listing,
                            const ManifestState& manifest,
                            const std::string& recorded_wal_dir,
                            const std::vector<ColumnFamilyDescriptor>& families,
                            RecoveredLogs* logs) {
  const bool sync_identity = manifest.db_id.empty();
  if (!context_.wal_dir.empty()) {
    // Before there is a log whose owner it tells.
    TAMIS_RETURN_IF_ERROR(StoreIdentity(&context_, sync_identity));
    TAMIS_RETURN_IF_ERROR(ClaimWalDirectory(context_));
  }
  TAMIS_RETURN_IF_ERROR(BeginWriting(manifest, logs));
  OptionsChange change = OptionsChange::kValues;
  {
    MutexLock lock(&mutex_);
    for (const ColumnFamilyDescriptor& family : families) {
      if (versions_.families().Find(family.name) == nullptr) {
        TAMIS_RETURN_IF_ERROR(AddFamily(family));
        change = OptionsChange::kFamilies;
      }
    }
  }
  TAMIS_RETURN_IF_ERROR(StoreIdentity(&context_, sync_identity));
  TAMIS_RETURN_IF_ERROR(
      SetAsideUnlistedFiles(listing.names, manifest.torn_tail, logs->lost));
  // The process may have ended before it stored a change of families. A change
  // of wal_dir counts as one.
  if (OptionsFileIsStale()) change = OptionsChange::kFamilies;
  MutexLock lock(&mutex_);
  const Status stored = StoreOptions(change);
  // Without this record of wal_dir, a later open might not miss the logs.
  const bool is_needed =
      !context_.wal_dir.empty() ||
      !SeparateDirectory(context_.directory, recorded_wal_dir).empty();
  return is_needed ? stored : Status::OK();
}

// Opens the first log and creates memtables for it. If the old logs remain, so
// does the MANIFEST, and so do their memtables: nothing is written but the name
// of the log. Otherwise there is a new MANIFEST, which lists the tables made
// from the old logs.
Status DBImpl::BeginWriting(const ManifestState& manifest,
                            RecoveredLogs* logs) {
  const FileNumber log_number =
      logs->unused != kNoFile ? logs->unused : versions_.NewFileNumber();
  TAMIS_RETURN_IF_ERROR(wal_.Open(log_number));
  if (logs->as_it_is || !context_.wal_dir.empty() || !logs->prepared.empty()) {
    TAMIS_RETURN_IF_ERROR(
        file_io::SyncDirectory(context_.fs(), context_.log_directory()));
  }
  TAMIS_RETURN_IF_ERROR(KeepPrepared(log_number, &logs->prepared));
  MutexLock lock(&mutex_);
  wal_.AddKept(logs->kept);
  write_path_.Begin();
  if (logs->as_it_is) {
    versions_.KeepManifest(manifest.number);
  } else {
    TAMIS_RETURN_IF_ERROR(BeginManifest(log_number, logs));
  }
  BeginMemTables(write_path_.last_allocated() + 1, log_number, logs);
  return Status::OK();
}

// Gives each family what it has from the logs, or a memtable for what comes.
void DBImpl::BeginMemTables(SequenceNumber earliest, FileNumber log_number,
                            RecoveredLogs* logs) {
  for (RecoveredFamily& recovered : logs->families) {
    ColumnFamily& family = *recovered.family;
    family.SwitchMemTable(recovered.memtable != nullptr
                              ? std::move(recovered.memtable)
                              : family.NewMemTable(earliest, log_number));
  }
}

// Copies prepared sections to the new log, before the MANIFEST replaces those
// that have them.
Status DBImpl::KeepPrepared(FileNumber log_number,
                            PreparedSections::ById* sections) {
  prepared_ = std::move(*sections);
  for (const auto& [id, changes] : prepared_) {
    TAMIS_RETURN_IF_ERROR(
        wal_.AppendPrepared(id, changes, versions_.last_sequence() + 1));
    versions_.prepared_logs()->Add(id, changes, log_number);
    context_.event_log->Event("prepared_kept")
        .Add("id", Slice(Printable(id)))
        .Add("changes", uint64_t{WriteBatchInternal::Count(changes)})
        .Add("file", log_number.value());
  }
  return Status::OK();
}

// The directory sync of the new MANIFEST, before CURRENT names it, also makes
// the names of the tables durable, and of a log beside them.
Status DBImpl::BeginManifest(FileNumber log_number, RecoveredLogs* logs) {
  std::vector<FamilyEdit> edits;
  for (RecoveredFamily& recovered : logs->families) {
    recovered.edit.log_number = log_number;
    edits.push_back({recovered.family, &recovered.edit});
  }
  const Status applied = versions_.LogAndApply(edits);
  if (!applied.IsCorruption()) return applied;
  // The tables made from the logs conflict with those of the MANIFEST. Nothing
  // was written to it; the directory is left as it was.
  MutexUnlock unlock(&mutex_);
  wal_.Abandon();
  obsolete_.Delete({LogFileName(context_.log_directory(), log_number)});
  RemoveTablesOf(context_, *logs);
  return Status::Corruption(context_.directory, applied.message());
}

}  // namespace tamis
