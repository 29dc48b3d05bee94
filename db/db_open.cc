// SPDX-License-Identifier: Apache-2.0
//
// Opening: directory, lock, recovery, a new log, a new MANIFEST, and only then
// the removal of what is no longer needed. For reading only: recovery alone.
#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <utility>

#include "db/db_impl.h"
#include "db/file_names.h"
#include "db/recovery.h"
#include "table/unique_id.h"
#include "util/random.h"

namespace tamis {

namespace {

constexpr size_t kDefaultBlockCacheBytes = 32 * 1024 * 1024;

// A random UUID (RFC 4122, version 4), in lower case.
std::string NewIdentity() {
  uint64_t high = RandomSeedFromSystem();
  uint64_t low = RandomSeedFromSystem();
  high = (high & ~uint64_t{0xf000}) | 0x4000;
  low = (low & ~(uint64_t{3} << 62)) | (uint64_t{2} << 62);
  char text[40];
  std::snprintf(text, sizeof(text),
                "%08" PRIx64 "-%04" PRIx64 "-%04" PRIx64 "-%04" PRIx64
                "-%012" PRIx64,
                high >> 32, (high >> 16) & 0xffff, high & 0xffff, low >> 48,
                low & 0xffffffffffff);
  return text;
}

using Descriptors = std::vector<ColumnFamilyDescriptor>;
using Handles = std::vector<ColumnFamilyHandle*>;

Status OpenAs(DBImpl::Access access, const DBOptions& options,
              const std::string& name, Descriptors families, Handles* handles,
              std::unique_ptr<DB>* db) {
  db->reset();
  if (handles != nullptr) handles->clear();
  TAMIS_RETURN_IF_ERROR(CheckOptions(options, families));
  for (ColumnFamilyDescriptor& family : families) {
    family.options = CompleteOptions(std::move(family.options));
  }
  auto impl = std::make_unique<DBImpl>(options, name, access);
  TAMIS_RETURN_IF_ERROR(impl->Recover(families));
  if (handles != nullptr) {
    for (const ColumnFamilyDescriptor& family : families) {
      handles->push_back(impl->NewHandle(family.name));
    }
  }
  *db = std::move(impl);
  return Status::OK();
}

// For the forms that hand out a raw pointer.
template <typename Open>
Status Released(DB** db, const Open& open) {
  std::unique_ptr<DB> owned;
  const Status status = open(&owned);
  *db = owned.release();
  return status;
}

DBImpl::Access ReadOnly(bool error_if_wal_file_exists) {
  return error_if_wal_file_exists ? DBImpl::Access::kReadOnlyWithoutLogs
                                  : DBImpl::Access::kReadOnly;
}

}  // namespace

DBImpl::DBImpl(const DBOptions& options, const std::string& name, Access access)
    : access_(access),
      versions_(context_, &mutex_),
      errors_(context_),
      obsolete_(context_),
      scheduler_(context_, &mutex_, &versions_, &snapshots_, &errors_,
                 &obsolete_),
      write_queue_(&mutex_) {
  context_.directory = name;
  while (context_.directory.size() > 1 && context_.directory.back() == '/') {
    context_.directory.pop_back();
  }
  context_.options = CompleteOptions(options);
  context_.read_only = access != Access::kReadWrite;
  context_.block_cache = std::make_shared<BlockCache>(kDefaultBlockCacheBytes);
  if (options.max_open_files > 0) {
    context_.open_tables = std::make_unique<OpenTables>(
        static_cast<size_t>(options.max_open_files));
  }
}

Status DB::Open(const Options& options, const std::string& name,
                std::unique_ptr<DB>* db) {
  return OpenAs(DBImpl::Access::kReadWrite, options, name,
                {{kDefaultColumnFamilyName, options}}, nullptr, db);
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
  return OpenAs(ReadOnly(error_if_wal_file_exists), options, name,
                {{kDefaultColumnFamilyName, options}}, nullptr, db);
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
  const DBOptions complete = CompleteOptions(options);
  auto manifest = ReadManifest(complete.file_system.get(), name);
  if (!manifest.ok()) return manifest.status();
  for (const auto& [id, family] : manifest->families) {
    families->push_back(family.name);
  }
  return Status::OK();
}

// Finds or makes the directory and takes it for this process.
Status DBImpl::PrepareDirectory() {
  const DBOptions& options = context_.options;
  FileSystem* fs = context_.fs();
  const std::string& directory = context_.directory;
  const Status current = fs->FileExists(CurrentFileName(directory));
  if (!current.ok() && !current.IsPathNotFound()) return current;
  if (current.ok() && options.error_if_exists && !context_.read_only) {
    return Status::InvalidArgument(directory,
                                   "exists, and error_if_exists is set");
  }
  if (current.IsPathNotFound()) {
    if (!options.create_if_missing || context_.read_only) {
      return Status::InvalidArgument(
          CurrentFileName(directory),
          "does not exist, and create_if_missing is not set");
    }
    TAMIS_RETURN_IF_ERROR(fs->CreateDirIfMissing(directory));
    TAMIS_RETURN_IF_ERROR(fs->SyncDirectory(ParentDirectory(directory)));
  }
  if (context_.read_only) return Status::OK();
  return fs->LockFile(LockFileName(directory), &lock_file_);
}

// IDENTITY is made when it is missing or empty.
Status DBImpl::LoadIdentity() {
  auto identity = ReadIdentityFile(context_.fs(), context_.directory);
  if (identity.ok() && !identity->empty()) {
    context_.db_id = *identity;
    return Status::OK();
  }
  if (!identity.ok() && !identity.status().IsPathNotFound()) {
    return identity.status();
  }
  context_.db_id = NewIdentity();
  return Status::OK();
}

Status DBImpl::Recover(const std::vector<ColumnFamilyDescriptor>& families) {
  TAMIS_RETURN_IF_ERROR(PrepareDirectory());
  TAMIS_RETURN_IF_ERROR(LoadIdentity());
  auto listing = ListDirectory(context_);
  if (!listing.ok()) return listing.status();
  if (!listing->has_current) {
    if (!IsInterruptedCreation(context_, *listing)) {
      return Status::Corruption(
          CurrentFileName(context_.directory),
          "it is missing beside tables, logs or MANIFESTs; such a directory is "
          "not taken for a new database");
    }
    const auto main =
        std::find_if(families.begin(), families.end(), [](const auto& family) {
          return family.name == kDefaultColumnFamilyName;
        });
    TAMIS_RETURN_IF_ERROR(CreateDatabase(context_, *main->options.comparator));
    listing = ListDirectory(context_);
    if (!listing.ok()) return listing.status();
  }
  // Up to here, and if this refuses it, nothing was changed that was there.
  auto manifest = ReadManifest(context_.fs(), context_.directory);
  if (!manifest.ok()) return manifest.status();
  TAMIS_RETURN_IF_ERROR(CheckManifest(context_, *manifest, families));

  context_.event_log = std::make_unique<EventLog>(
      context_.options, context_.directory, context_.read_only);
  context_.session_id =
      MakeSessionId(RandomSeedFromSystem(), RandomSeedFromSystem());
  context_.event_log->Event("open_start")
      .Add("directory", Slice(context_.directory))
      .Add("session", Slice(context_.session_id));
  const Status status = RecoverState(*listing, *manifest, families);
  context_.event_log->Event("open_end").Add("status", status);
  if (status.ok()) {
    closed_.store(false, std::memory_order_release);
    MutexLock lock(&mutex_);
    if (!context_.read_only) scheduler_.MaybeSchedule();
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
    // The MANIFEST's word counts.
    context_.db_id = manifest.db_id;
    versions_.set_manifest_db_id(manifest.db_id);
  }
  TAMIS_RETURN_IF_ERROR(
      InstallManifest(context_, manifest, listing, families, &versions_));
  default_handle_ = std::make_unique<ColumnFamilyHandleImpl>(
      this, versions_.families().default_family_ptr());
  auto logs = ReplayLogs(context_, listing, &versions_);
  if (!logs.ok()) return logs.status();
  if (access_ == Access::kReadOnlyWithoutLogs && logs->records > 0) {
    return Status::Corruption(context_.directory,
                              "its logs hold writes that no table has, and "
                              "error_if_wal_file_exists is set");
  }
  if (context_.read_only) return Status::OK();
  TAMIS_RETURN_IF_ERROR(BeginWriting(&*logs));
  {
    MutexLock lock(&mutex_);
    for (const ColumnFamilyDescriptor& family : families) {
      if (ColumnFamilySet::Find(*versions_.families().view(), family.name) ==
          nullptr) {
        TAMIS_RETURN_IF_ERROR(AddFamily(family));
      }
    }
    UpdateLogLimit();
  }
  TAMIS_RETURN_IF_ERROR(StoreIdentity());
  return SetAsideUnlistedFiles(manifest.torn_tail, logs->lost);
}

// A new log, a new MANIFEST with what the old logs became, and memtables.
Status DBImpl::BeginWriting(RecoveredLogs* logs) {
  const uint64_t log_number = versions_.NewFileNumber();
  TAMIS_RETURN_IF_ERROR(OpenLog(log_number, &log_));
  std::vector<FamilyEdit> edits;
  for (RecoveredLogs::Family& recovered : logs->families) {
    recovered.edit.log_number = log_number;
    edits.push_back({recovered.family, &recovered.edit});
  }
  MutexLock lock(&mutex_);
  scheduler_.live_logs().push_back({log_number, 0});
  last_allocated_ = versions_.last_sequence();
  TAMIS_RETURN_IF_ERROR(versions_.LogAndApply(edits));
  for (const RecoveredLogs::Family& recovered : logs->families) {
    ColumnFamily& family = *recovered.family;
    family.SwitchMemTable(family.NewMemTable(last_allocated_ + 1, log_number));
  }
  return Status::OK();
}

Status DBImpl::StoreIdentity() {
  auto stored = ReadIdentityFile(context_.fs(), context_.directory);
  if (stored.ok() && *stored == context_.db_id) return Status::OK();
  return SetIdentityFile(context_.fs(), context_.directory, context_.db_id);
}

Status DBImpl::MoveToLost(const std::string& path) {
  const std::string lost = context_.directory + "/lost";
  TAMIS_RETURN_IF_ERROR(context_.fs()->CreateDirIfMissing(lost));
  const std::string to = lost + path.substr(path.rfind('/'));
  const Status status = context_.fs()->RenameFile(path, to);
  context_.event_log->Event("file_moved")
      .Add("path", Slice(path))
      .Add("to", Slice(to))
      .Add("status", status);
  return status;
}

// What nothing refers to goes. Where the MANIFEST's tail was torn, a table
// that only the lost record knew may be all that is left of somebody's data:
// it is moved to lost/, and so are logs whose records were left out.
Status DBImpl::SetAsideUnlistedFiles(bool manifest_was_torn,
                                     const std::vector<uint64_t>& lost_logs) {
  std::vector<std::string> names;
  TAMIS_RETURN_IF_ERROR(context_.fs()->GetChildren(context_.directory, &names));
  std::vector<uint64_t> live;
  for (const ColumnFamilyPtr& family : *versions_.families().view()) {
    for (int level = 0; level < kNumLevels; ++level) {
      for (const TableFilePtr& file : family->version()->files(level)) {
        live.push_back(file->meta.number);
      }
    }
  }
  std::sort(live.begin(), live.end());

  std::vector<std::string> obsolete;
  for (const std::string& name : names) {
    const auto file = ParseFileName(name);
    if (!file) continue;
    const std::string path = context_.directory + "/" + name;
    switch (file->type) {
      case FileType::kTable:
        if (std::binary_search(live.begin(), live.end(), file->number)) break;
        if (manifest_was_torn) {
          TAMIS_RETURN_IF_ERROR(MoveToLost(path));
        } else {
          obsolete.push_back(path);
        }
        break;
      case FileType::kLog:
        if (file->number >= versions_.min_log_number_to_keep()) break;
        if (std::binary_search(lost_logs.begin(), lost_logs.end(),
                               file->number)) {
          TAMIS_RETURN_IF_ERROR(MoveToLost(path));
        } else {
          obsolete.push_back(path);
        }
        break;
      case FileType::kDescriptor:
        if (file->number < versions_.manifest_number()) {
          obsolete.push_back(path);
        }
        break;
      case FileType::kTemp:
        obsolete.push_back(path);
        break;
      default:
        break;
    }
  }
  obsolete_.Delete(obsolete);
  return Status::OK();
}

}  // namespace tamis
