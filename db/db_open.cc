// SPDX-License-Identifier: Apache-2.0
//
// The calls that open a database, or look into its directory.
#include <utility>

#include "db/base/db_options.h"
#include "db/base/file_names.h"
#include "db/db_facade.h"
#include "db/recovery/one_moment.h"
#include "db/recovery/separate_directory.h"
#include "util/base/exceptions.h"
#include "util/io/chosen_file_system.h"
#include "util/jobs/tracked_operation.h"
#include "util/stats/perf_counters.h"

namespace tamis {

namespace {

constexpr size_t kDefaultBlockCacheBytes = 32 * 1024 * 1024;

using Descriptors = std::vector<ColumnFamilyDescriptor>;
using Handles = std::vector<ColumnFamilyHandle*>;

Result<std::unique_ptr<DBImpl>> Recover(const DBAccess& access,
                                        const DBOptions& options,
                                        const std::string& name,
                                        const Descriptors& families) {
  auto impl = std::make_unique<DBImpl>(options, name, access);
  TAMIS_RETURN_IF_ERROR(impl->Recover(families));
  return impl;
}

Result<std::unique_ptr<DBImpl>> RecoverAs(const DBAccess& access,
                                          const DBOptions& options,
                                          const std::string& name,
                                          const Descriptors& families) {
  if (access.kind == DBAccess::kReadWrite) {
    return Recover(access, options, name, families);
  }
  const std::shared_ptr<FileSystem> fs =
      ChosenFileSystem(options.file_system, options.env);
  return AtOneMoment(
      fs.get(), name,
      [&](const DirectoryMoment& /*moment*/) {
        return Recover(access, options, name, families);
      },
      [](const auto& impl) { return impl->ReadAPointOfHistory(); });
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

Status OpenOrThrow(const DBAccess& access, const DBOptions& options,
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

Status OpenAs(const DBAccess& access, const DBOptions& options,
              const std::string& name, const Descriptors& families,
              Handles* handles, std::unique_ptr<DB>* db) {
  db->reset();
  if (handles != nullptr) handles->clear();
  return CatchExceptions([&] {
    return OpenOrThrow(access, options, name, families, handles, db);
  });
}

Status OpenDefault(const DBAccess& access, const Options& options,
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
                    const DBAccess& access) {
  DBContext context;
  context.directory = WithoutTrailingSlashes(name);
  context.options = CompleteOptions(options);
  context.wal_dir = SeparateDirectory(context.directory, options.wal_dir);
  context.options.wal_dir = context.wal_dir;
  context.shared_runner = options.job_runner == nullptr;
  context.read_only = access.kind != DBAccess::kReadWrite;
  context.block_cache = std::make_shared<BlockCache>(kDefaultBlockCacheBytes);
  if (options.max_open_files > 0) {
    context.open_tables = std::make_unique<OpenTables>(
        static_cast<size_t>(options.max_open_files));
  }
  return context;
}

DBAccess ReadOnly(bool error_if_wal_file_exists) {
  return {error_if_wal_file_exists ? DBAccess::kReadOnlyWithoutLogs
                                   : DBAccess::kReadOnly};
}

}  // namespace

DBImpl::DBImpl(const DBOptions& options, const std::string& name,
               const DBAccess& access)
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
  return OpenDefault({DBAccess::kReadWrite}, options, name, db);
}

Status DB::Open(const Options& options, const std::string& name, DB** db) {
  return Released(db, [&](auto* owned) { return Open(options, name, owned); });
}

Status DB::Open(const DBOptions& options, const std::string& name,
                const Descriptors& families, Handles* handles,
                std::unique_ptr<DB>* db) {
  return OpenAs({DBAccess::kReadWrite}, options, name, families, handles, db);
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

namespace {

Status OpenSecondary(const DBOptions& options, const std::string& name,
                     const std::string& secondary_path, bool follows,
                     const Descriptors& families, Handles* handles,
                     std::unique_ptr<DB>* db) {
  return CatchExceptions([&] {
    const std::string path = WithoutTrailingSlashes(secondary_path);
    if (path.empty() || path == WithoutTrailingSlashes(name)) {
      return Status::InvalidArgument(
          follows ? "name" : "secondary_path",
          "expected a directory for LOG that is not the "
          "primary's, got \"" +
              secondary_path + "\"");
    }
    return OpenAs({DBAccess::kSecondary, path, follows}, options, name,
                  families, handles, db);
  });
}

}  // namespace

Status DB::OpenAsSecondary(const Options& options, const std::string& name,
                           const std::string& secondary_path,
                           std::unique_ptr<DB>* db) {
  return CatchExceptions([&] {
    return OpenSecondary(options, name, secondary_path, /*follows=*/false,
                         {{kDefaultColumnFamilyName, options}}, nullptr, db);
  });
}

Status DB::OpenAsSecondary(const Options& options, const std::string& name,
                           const std::string& secondary_path, DB** db) {
  return Released(db, [&](auto* owned) {
    return OpenAsSecondary(options, name, secondary_path, owned);
  });
}

Status DB::OpenAsSecondary(const DBOptions& options, const std::string& name,
                           const std::string& secondary_path,
                           const Descriptors& families, Handles* handles,
                           std::unique_ptr<DB>* db) {
  return OpenSecondary(options, name, secondary_path, /*follows=*/false,
                       families, handles, db);
}

Status DB::OpenAsSecondary(const DBOptions& options, const std::string& name,
                           const std::string& secondary_path,
                           const Descriptors& families, Handles* handles,
                           DB** db) {
  return Released(db, [&](auto* owned) {
    return OpenAsSecondary(options, name, secondary_path, families, handles,
                           owned);
  });
}

Status DB::OpenAsFollower(const Options& options, const std::string& name,
                          const std::string& leader_path,
                          std::unique_ptr<DB>* db) {
  return CatchExceptions([&] {
    return OpenSecondary(options, leader_path, name, /*follows=*/true,
                         {{kDefaultColumnFamilyName, options}}, nullptr, db);
  });
}

Status DB::OpenAsFollower(const DBOptions& options, const std::string& name,
                          const std::string& leader_path,
                          const Descriptors& families, Handles* handles,
                          std::unique_ptr<DB>* db) {
  return OpenSecondary(options, leader_path, name, /*follows=*/true, families,
                       handles, db);
}

Status DBImpl::CheckSecondary() const {
  TAMIS_RETURN_IF_ERROR(CheckOpen());
  return primary_ != nullptr
             ? Status::OK()
             : Status::NotSupported(
                   context_.directory,
                   "it was not opened by OpenAsSecondary or OpenAsFollower");
}

Status DBImpl::TryCatchUpWithPrimary() {
  TAMIS_RETURN_IF_ERROR(CheckSecondary());
  TAMIS_RETURN_IF_ERROR(primary_->CatchUp());
  context_.event_log->Event("caught_up")
      .Add("last_sequence", versions_.last_sequence());
  return Status::OK();
}

Status DBImpl::Promote(std::unique_ptr<DB>* writer, Handles* handles) {
  writer->reset();
  if (handles != nullptr) handles->clear();
  TAMIS_RETURN_IF_ERROR(CheckSecondary());
  Descriptors families;
  for (const ColumnFamilyPtr& family : *versions_.families().view()) {
    families.emplace_back(family->name(), *family->AcquireReadState()->options);
  }
  DBOptions options = GetDBOptions();
  options.create_if_missing = false;
  options.error_if_exists = false;
  return DB::Open(options, context_.directory, families, handles, writer);
}

Status DB::ListColumnFamilies(const DBOptions& options, const std::string& name,
                              std::vector<std::string>* families) {
  families->clear();
  return CatchExceptions([&] {
    TAMIS_RETURN_IF_ERROR(CheckDBOptions(options));
    const std::shared_ptr<FileSystem> fs =
        ChosenFileSystem(options.file_system, options.env);
    // A MANIFEST that was read to its end is of one state.
    const auto manifest = AtOneMoment(
        fs.get(), name,
        [&](const DirectoryMoment& /*moment*/) {
          return ReadManifest(fs.get(), name);
        },
        [](const ManifestState&) { return true; });
    if (!manifest.ok()) return manifest.status();
    for (const auto& [id, family] : manifest->families) {
      families->push_back(family.name);
    }
    return Status::OK();
  });
}

}  // namespace tamis
