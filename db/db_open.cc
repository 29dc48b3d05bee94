// SPDX-License-Identifier: Apache-2.0
//
// DB::Open prepares and locks the directory (db_directory.cc), recovers the
// state, starts a new log and a new MANIFEST, and only then removes obsolete
// files. DB::OpenForReadOnly only recovers the state.
#include <algorithm>
#include <utility>

#include "db/base/db_options.h"
#include "db/base/file_names.h"
#include "db/base/numbers.h"
#include "db/base/table_paths.h"
#include "db/db_facade.h"
#include "db/recovery/create_database.h"
#include "db/recovery/log_replay.h"
#include "db/recovery/recovery.h"
#include "db/recovery/wal_directory.h"
#include "table/unique_id.h"
#include "util/base/exceptions.h"
#include "util/base/random.h"
#include "util/io/file_io.h"
#include "util/jobs/tracked_operation.h"
#include "util/stats/perf_counters.h"

namespace tamis {

namespace {

constexpr size_t kDefaultBlockCacheBytes = 32 * 1024 * 1024;
constexpr int kReadOnlyAttempts = 20;

using Descriptors = std::vector<ColumnFamilyDescriptor>;
using Handles = std::vector<ColumnFamilyHandle*>;

// Returns a string of CURRENT and the MANIFEST's size. A writer changes one of
// them before it removes a file. If both are unchanged by the end, all that was
// read is of one state.
std::string MomentOf(FileSystem* fs, const std::string& directory) {
  std::string current;
  const Status status =
      ReadFileToString(fs, CurrentFileName(directory), &current);
  if (!status.ok() || current.empty()) return status.ToString();
  uint64_t bytes = 0;
  const Status sized = fs->GetFileSize(
      directory + "/" + current.substr(0, current.size() - 1), &bytes);
  return current + sized.ToString() + std::to_string(bytes);
}

// Repeats an attempt to read the directory until its result is of one state: a
// writer in another process may remove tables and logs meanwhile. A result is
// final if it lacks nothing, or if nothing changed meanwhile. An error is also
// final if it occurs twice in succession, because the second attempt needs no
// file that was removed during the first. Returns TryAgain after
// kReadOnlyAttempts.
template <typename Attempt, typename LacksNothing>
auto AtOneMoment(FileSystem* fs, const std::string& directory,
                 const Attempt& attempt, const LacksNothing& lacks_nothing)
    -> decltype(attempt()) {
  std::string last_error;
  for (int n = 1;; ++n) {
    const std::string before = MomentOf(fs, directory);
    auto result = attempt();
    if (result.ok() && lacks_nothing(*result)) return result;
    if (MomentOf(fs, directory) == before) return result;
    std::string error = result.status().ToString();
    if (!result.ok() && error == last_error) return result;
    if (n == kReadOnlyAttempts) {
      return Status::TryAgain(
          directory, "a writer changed it during each of " + std::to_string(n) +
                         " attempts; the last failed with: " + error);
    }
    last_error = std::move(error);
  }
}

Result<std::unique_ptr<DBImpl>> Recover(DBImpl::Access access,
                                        const DBOptions& options,
                                        const std::string& name,
                                        const Descriptors& families) {
  auto impl = std::make_unique<DBImpl>(options, name, access);
  TAMIS_RETURN_IF_ERROR(impl->Recover(families));
  return impl;
}

Result<std::unique_ptr<DBImpl>> RecoverAs(DBImpl::Access access,
                                          const DBOptions& options,
                                          const std::string& name,
                                          const Descriptors& families) {
  if (access == DBImpl::Access::kReadWrite) {
    return Recover(access, options, name, families);
  }
  const std::shared_ptr<FileSystem> fs = options.file_system != nullptr
                                             ? options.file_system
                                             : NewPosixFileSystem();
  return AtOneMoment(
      fs.get(), name, [&] { return Recover(access, options, name, families); },
      [](const auto& impl) { return impl->has_first_log(); });
}

std::optional<TrackedOperation::Facts> TrackedOpen(const DBOptions& options,
                                                   const std::string& name) {
  if (!options.enable_thread_tracking) return std::nullopt;
  return TrackedOperation::Facts{
      .thread = ThreadStatus::USER,
      .operation = ThreadStatus::OP_DBOPEN,
      .db_name = WithoutTrailingSlashes(name),
      .family = "",
      .clock = options.clock != nullptr ? options.clock : NewSystemClock()};
}

Status OpenOrThrow(DBImpl::Access access, const DBOptions& options,
                   const std::string& name, const Descriptors& families,
                   Handles* handles, std::unique_ptr<DB>* db) {
  TAMIS_RETURN_IF_ERROR(CheckOptions(options, families));
  const TrackedOperation operation(TrackedOpen(options, name));
  auto recovered = RecoverAs(access, options, name, families);
  if (!recovered.ok()) return recovered.status();
  std::unique_ptr<DBImpl> impl = std::move(recovered).value();
  auto opened = std::make_unique<DBFacade>(std::move(impl));
  if (handles != nullptr) {
    handles->reserve(families.size());
    try {
      for (const ColumnFamilyDescriptor& family : families) {
        handles->push_back(opened->NewHandle(family.name));
      }
    } catch (...) {
      for (ColumnFamilyHandle* handle : *handles) delete handle;
      handles->clear();
      throw;
    }
  }
  *db = std::move(opened);
  return Status::OK();
}

Status OpenAs(DBImpl::Access access, const DBOptions& options,
              const std::string& name, const Descriptors& families,
              Handles* handles, std::unique_ptr<DB>* db) {
  db->reset();
  if (handles != nullptr) handles->clear();
  return CatchExceptions([&] {
    return OpenOrThrow(access, options, name, families, handles, db);
  });
}

Status OpenDefault(DBImpl::Access access, const Options& options,
                   const std::string& name, std::unique_ptr<DB>* db) {
  return CatchExceptions([&] {
    return OpenAs(access, options, name, {{kDefaultColumnFamilyName, options}},
                  nullptr, db);
  });
}

// For the overloads that return a raw pointer.
template <typename Open>
Status Released(DB** db, const Open& open) {
  std::unique_ptr<DB> owned;
  const Status status = open(&owned);
  *db = owned.release();
  return status;
}

DBContext ContextOf(const DBOptions& options, const std::string& name,
                    DBImpl::Access access) {
  DBContext context;
  context.directory = WithoutTrailingSlashes(name);
  context.options = CompleteOptions(options);
  context.wal_dir = SeparateDirectory(context.directory, options.wal_dir);
  context.options.wal_dir = context.wal_dir;
  context.shared_runner = options.job_runner == nullptr;
  context.read_only = access != DBImpl::Access::kReadWrite;
  context.block_cache = std::make_shared<BlockCache>(kDefaultBlockCacheBytes);
  if (options.max_open_files > 0) {
    context.open_tables = std::make_unique<OpenTables>(
        static_cast<size_t>(options.max_open_files));
  }
  return context;
}

DBImpl::Access ReadOnly(bool error_if_wal_file_exists) {
  return error_if_wal_file_exists ? DBImpl::Access::kReadOnlyWithoutLogs
                                  : DBImpl::Access::kReadOnly;
}

}  // namespace

DBImpl::DBImpl(const DBOptions& options, const std::string& name, Access access)
    : access_(access),
      context_(ContextOf(options, name, access)),
      mutex_(&kDBMutexTimes),
      versions_(context_, &mutex_),
      stats_dump_(context_, [this] { return StatsForLog(); }),
      auto_resume_([this] { ResumeByTimer(); }),
      errors_(context_, &auto_resume_),
      wal_archive_(context_),
      obsolete_(context_, &wal_archive_),
      options_files_(context_),
      wal_(context_, &mutex_),
      scheduler_(context_, &mutex_, &versions_, &snapshots_, &errors_,
                 &obsolete_, &wal_),
      write_path_(context_, &mutex_, &versions_, &scheduler_, &errors_, &wal_) {
}

Status DB::Open(const Options& options, const std::string& name,
                std::unique_ptr<DB>* db) {
  return OpenDefault(DBImpl::Access::kReadWrite, options, name, db);
}

Status DB::Open(const Options& options, const std::string& name, DB** db) {
  return Released(db, [&](auto* owned) { return Open(options, name, owned); });
}

Status DB::Open(const DBOptions& options, const std::string& name,
                const Descriptors& families, Handles* handles,
                std::unique_ptr<DB>* db) {
  return OpenAs(DBImpl::Access::kReadWrite, options, name, families, handles,
                db);
}

Status DB::Open(const DBOptions& options, const std::string& name,
                const Descriptors& families, Handles* handles, DB** db) {
  return Released(db, [&](auto* owned) {
    return Open(options, name, families, handles, owned);
  });
}

Status DB::OpenForReadOnly(const Options& options, const std::string& name,
                           std::unique_ptr<DB>* db,
                           bool error_if_wal_file_exists) {
  return OpenDefault(ReadOnly(error_if_wal_file_exists), options, name, db);
}

Status DB::OpenForReadOnly(const Options& options, const std::string& name,
                           DB** db, bool error_if_wal_file_exists) {
  return Released(db, [&](auto* owned) {
    return OpenForReadOnly(options, name, owned, error_if_wal_file_exists);
  });
}

Status DB::OpenForReadOnly(const DBOptions& options, const std::string& name,
                           const Descriptors& families, Handles* handles,
                           std::unique_ptr<DB>* db,
                           bool error_if_wal_file_exists) {
  return OpenAs(ReadOnly(error_if_wal_file_exists), options, name, families,
                handles, db);
}

Status DB::OpenForReadOnly(const DBOptions& options, const std::string& name,
                           const Descriptors& families, Handles* handles,
                           DB** db, bool error_if_wal_file_exists) {
  return Released(db, [&](auto* owned) {
    return OpenForReadOnly(options, name, families, handles, owned,
                           error_if_wal_file_exists);
  });
}

Status DB::ListColumnFamilies(const DBOptions& options, const std::string& name,
                              std::vector<std::string>* families) {
  families->clear();
  return CatchExceptions([&] {
    TAMIS_RETURN_IF_ERROR(CheckDBOptions(options));
    const std::shared_ptr<FileSystem> fs = options.file_system != nullptr
                                               ? options.file_system
                                               : NewPosixFileSystem();
    // A MANIFEST that was read to its end is of one state.
    const auto manifest = AtOneMoment(
        fs.get(), name, [&] { return ReadManifest(fs.get(), name); },
        [](const ManifestState&) { return true; });
    if (!manifest.ok()) return manifest.status();
    for (const auto& [id, family] : manifest->families) {
      families->push_back(family.name);
    }
    return Status::OK();
  });
}

// Creates the database if there is none, or if its creation was interrupted.
Status DBImpl::CreateIfNew(
    const std::vector<ColumnFamilyDescriptor>& families) {
  const auto listing = ListDirectory(context_);
  if (!listing.ok()) return listing.status();
  if (listing->has_current) return Status::OK();
  DirectoryListing here = *listing;
  // Other directories are judged below.
  if (!context_.wal_dir.empty()) here.logs.clear();
  std::erase_if(here.tables, [&here](FileNumber number) {
    return here.table_directories.contains(number);
  });
  if (!IsInterruptedCreation(context_, here)) {
    return Status::Corruption(
        CurrentFileName(context_.directory),
        "it is missing, but the directory contains tables, logs or MANIFESTs; "
        "restore it or repair the database");
  }
  TAMIS_RETURN_IF_ERROR(CheckWalDirectoryIsUnused(context_));
  // A power cut during an earlier creation may have left anything in IDENTITY,
  // which was not synced.
  context_.db_id =
      MakeDatabaseId(RandomSeedFromSystem(), RandomSeedFromSystem());
  const auto main =
      std::find_if(families.begin(), families.end(), [](const auto& family) {
        return family.name == kDefaultColumnFamilyName;
      });
  TAMIS_RETURN_IF_ERROR(table_directories_.Use(context_.table_directories, {}));
  TAMIS_RETURN_IF_ERROR(ClaimWalDirectory(context_));
  return CreateDatabase(context_, *main->options.comparator);
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
  TAMIS_RETURN_IF_ERROR(LoadIdentity(&context_));
  if (!context_.read_only) TAMIS_RETURN_IF_ERROR(CreateIfNew(families));
  // No existing file has been changed yet, nor is it if the checks here fail.
  auto manifest = ReadManifest(context_.fs(), context_.directory);
  if (!manifest.ok()) return manifest.status();
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
  // The directory is listed after the MANIFEST was read. If a log that the
  // MANIFEST needs is missing, the log was removed since, and later edits name
  // tables with its entries.
  const auto listing =
      context_.read_only ? ListForReading(context_) : ListDirectory(context_);
  if (!listing.ok()) return listing.status();

  context_.event_log = std::make_unique<EventLog>(
      context_.options, context_.directory, context_.read_only);
  if (!context_.options.listeners.empty()) {
    context_.listeners =
        std::make_unique<Listeners>(context_.options, context_.event_log.get());
  }
  context_.session_id =
      MakeSessionId(RandomSeedFromSystem(), RandomSeedFromSystem());
  context_.event_log->Event("open_start")
      .Add("directory", Slice(context_.directory))
      .Add("session", Slice(context_.session_id));
  LogDBOptions(context_.event_log.get(), context_.options);
  for (const ColumnFamilyDescriptor& family : given) {
    LogFamilyOptions(context_.event_log.get(), family.name,
                     WithDatabaseDefaults(family.options, context_.options));
  }
  const Status status = RecoverState(*listing, *manifest, families);
  context_.event_log->Event("open_end").Add("status", status);
  if (status.ok()) {
    closed_.store(false, std::memory_order_release);
    MutexLock lock(&mutex_);
    if (!context_.read_only) {
      scheduler_.MaybeSchedule();
      scheduler_.OpenTables();
    }
    stats_dump_.Begin();
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
  const auto recorded = RecordedWalDir();
  if (!recorded.ok()) return recorded.status();
  TAMIS_RETURN_IF_ERROR(
      CheckWalDirectory(context_, manifest, listing, *recorded));
  TAMIS_RETURN_IF_ERROR(
      InstallManifest(context_, manifest, listing, families, &versions_));
  const bool sync_identity = manifest.db_id.empty();
  if (!context_.read_only && !context_.table_directories.empty()) {
    // Before there is a table whose owner it tells.
    TAMIS_RETURN_IF_ERROR(StoreIdentity(context_, sync_identity));
    TAMIS_RETURN_IF_ERROR(table_directories_.Use(
        context_.table_directories,
        ListedInPaths(context_.directory, context_.options, families,
                      manifest)));
  }
  default_handle_ = std::make_unique<ColumnFamilyHandleImpl>(
      this, versions_.families().default_family_ptr());
  auto logs = ReplayLogs(context_, listing, &versions_);
  if (!logs.ok()) return logs.status();
  has_first_log_ = logs->has_first;
  if (access_ == Access::kReadOnlyWithoutLogs && logs->records > 0) {
    return Status::Corruption(context_.directory,
                              "its logs contain writes that no table has, and "
                              "error_if_wal_file_exists is set");
  }
  if (context_.read_only) return Status::OK();
  if (!context_.wal_dir.empty()) {
    // Before there is a log whose owner it tells.
    TAMIS_RETURN_IF_ERROR(StoreIdentity(context_, sync_identity));
    TAMIS_RETURN_IF_ERROR(ClaimWalDirectory(context_));
  }
  TAMIS_RETURN_IF_ERROR(BeginWriting(manifest, &*logs));
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
  TAMIS_RETURN_IF_ERROR(StoreIdentity(context_, sync_identity));
  TAMIS_RETURN_IF_ERROR(SetAsideUnlistedFiles(manifest.torn_tail, logs->lost));
  // The process may have ended before it stored a change of families. A change
  // of wal_dir counts as one.
  if (OptionsFileIsStale()) change = OptionsChange::kFamilies;
  MutexLock lock(&mutex_);
  const Status stored = StoreOptions(change);
  // Without this record of wal_dir, a later open might not miss the logs.
  const bool is_needed =
      !context_.wal_dir.empty() ||
      !SeparateDirectory(context_.directory, *recorded).empty();
  return is_needed ? stored : Status::OK();
}

// Opens the first log and creates memtables for it. If the last process left an
// empty log that the MANIFEST names, and closed the MANIFEST, writing continues
// in that log, whose name is made durable, and nothing else is written.
// Otherwise the log is new, and so is the MANIFEST, which lists the
// tables made from the old logs.
Status DBImpl::BeginWriting(const ManifestState& manifest,
                            RecoveredLogs* logs) {
  const bool as_it_is = logs->unused != kNoFile && manifest.closed &&
                        !manifest.torn_tail && !manifest.leveldb;
  const FileNumber log_number =
      as_it_is ? logs->unused : versions_.NewFileNumber();
  TAMIS_RETURN_IF_ERROR(wal_.Open(log_number));
  if (as_it_is || !context_.wal_dir.empty()) {
    TAMIS_RETURN_IF_ERROR(
        file_io::SyncDirectory(context_.fs(), context_.log_directory()));
  }
  MutexLock lock(&mutex_);
  write_path_.Begin();
  if (as_it_is) {
    versions_.KeepManifest(manifest.number);
  } else {
    TAMIS_RETURN_IF_ERROR(BeginManifest(log_number, logs));
  }
  for (const RecoveredLogs::Family& recovered : logs->families) {
    ColumnFamily& family = *recovered.family;
    family.SwitchMemTable(
        family.NewMemTable(write_path_.last_allocated() + 1, log_number));
  }
  return Status::OK();
}

// The directory sync of the new MANIFEST, before CURRENT names it, also makes
// the names of the tables durable, and of a log beside them.
Status DBImpl::BeginManifest(FileNumber log_number, RecoveredLogs* logs) {
  std::vector<FamilyEdit> edits;
  for (RecoveredLogs::Family& recovered : logs->families) {
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
