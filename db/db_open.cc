// SPDX-License-Identifier: Apache-2.0
//
// Opening: options, directory, lock, recovery, a new log, a new MANIFEST, and
// only then the removal of what is no longer needed.
#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <utility>

#include "db/db_impl.h"
#include "db/file_names.h"
#include "db/recovery.h"
#include "filter/filter_placement.h"
#include "table/table_builder.h"
#include "table/unique_id.h"
#include "util/compression.h"
#include "util/random.h"

namespace tamis {

namespace {

constexpr size_t kDefaultBlockCacheBytes = 32 * 1024 * 1024;

// What the user left to us.
Options Complete(Options options) {
  if (options.file_system == nullptr) {
    options.file_system = NewPosixFileSystem();
  }
  if (options.clock == nullptr) options.clock = NewSystemClock();
  if (options.job_runner == nullptr) {
    const int compactions = std::max(1, options.max_background_jobs - 1);
    options.job_runner =
        NewThreadJobRunner(1, static_cast<size_t>(compactions));
  }
  if (options.table_factory == nullptr) {
    options.table_factory.reset(NewBlockBasedTableFactory());
  }
  options.max_write_buffer_number =
      std::max(2, options.max_write_buffer_number);
  // Writes that stop before a compaction is due would wait forever.
  options.level0_file_num_compaction_trigger =
      std::max(1, options.level0_file_num_compaction_trigger);
  options.level0_slowdown_writes_trigger =
      std::max(options.level0_file_num_compaction_trigger,
               options.level0_slowdown_writes_trigger);
  options.level0_stop_writes_trigger =
      std::max(options.level0_slowdown_writes_trigger,
               options.level0_stop_writes_trigger);
  return options;
}

std::shared_ptr<BlockCache> CacheOf(const BlockBasedTableOptions& table) {
  auto given = std::dynamic_pointer_cast<BlockCache>(table.block_cache);
  if (given != nullptr) return given;
  return std::make_shared<BlockCache>(kDefaultBlockCacheBytes);
}

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

std::string ParentOf(const std::string& directory) {
  const size_t slash = directory.find_last_not_of('/');
  const size_t cut =
      slash == std::string::npos ? slash : directory.rfind('/', slash);
  if (cut == std::string::npos) return ".";
  return cut == 0 ? "/" : directory.substr(0, cut);
}

}  // namespace

Status CheckOptions(const Options& options) {
  if (options.comparator == nullptr) {
    return Status::InvalidArgument("Options::comparator", "it is nullptr");
  }
  if (options.write_buffer_size == 0) {
    return Status::InvalidArgument("Options::write_buffer_size", "it is 0");
  }
  if (options.max_open_files != -1 && options.max_open_files < 1) {
    return Status::InvalidArgument(
        "DBOptions::max_open_files",
        "it is " + std::to_string(options.max_open_files) +
            "; allowed are -1 (no limit) and 1 or more");
  }
  if (options.max_bytes_for_level_multiplier < 1) {
    return Status::InvalidArgument("Options::max_bytes_for_level_multiplier",
                                   "it is below 1");
  }
  if (!(options.memtable_prefix_bloom_size_ratio >= 0 &&
        options.memtable_prefix_bloom_size_ratio <= 0.25)) {
    return Status::InvalidArgument("Options::memtable_prefix_bloom_size_ratio",
                                   "it is not in [0, 0.25]");
  }
  if (!CompressionSupported(options.compression)) {
    return Status::NotSupported("Options::compression",
                                std::string("this build cannot write ") +
                                    CompressionTypeName(options.compression));
  }
  const TableFactory* factory = options.table_factory.get();
  const BlockBasedTableOptions table = factory != nullptr
                                           ? factory->block_based_options()
                                           : BlockBasedTableOptions();
  if (table.block_cache != nullptr &&
      std::dynamic_pointer_cast<BlockCache>(table.block_cache) == nullptr) {
    return Status::NotSupported("BlockBasedTableOptions::block_cache",
                                "only a cache of NewLRUCache is accepted");
  }
  TableBuildOptions build{KeyOrder(options.comparator)};
  build.table = table;
  build.compression = options.compression;
  build.file_name = "BlockBasedTableOptions";
  TAMIS_RETURN_IF_ERROR(CheckTableOptions(build));
  return PlanFilter(FilterBuildingContext(table), options.prefix_extractor)
      .status();
}

DBImpl::DBImpl(const Options& options, const std::string& name)
    : versions_(context_, &mutex_),
      errors_(context_),
      obsolete_(context_),
      scheduler_(context_, &mutex_, &versions_, &snapshots_, &errors_,
                 &obsolete_),
      write_queue_(&mutex_) {
  context_.directory = name;
  while (context_.directory.size() > 1 && context_.directory.back() == '/') {
    context_.directory.pop_back();
  }
  context_.options = Complete(options);
  context_.block_cache =
      CacheOf(context_.options.table_factory->block_based_options());
  if (options.max_open_files > 0) {
    context_.open_tables = std::make_unique<OpenTables>(
        static_cast<size_t>(options.max_open_files));
  }
}

Status DB::Open(const Options& options, const std::string& name,
                std::unique_ptr<DB>* db) {
  db->reset();
  TAMIS_RETURN_IF_ERROR(CheckOptions(options));
  auto impl = std::make_unique<DBImpl>(options, name);
  TAMIS_RETURN_IF_ERROR(impl->Recover());
  *db = std::move(impl);
  return Status::OK();
}

Status DB::Open(const Options& options, const std::string& name, DB** db) {
  std::unique_ptr<DB> owned;
  const Status status = Open(options, name, &owned);
  *db = owned.release();
  return status;
}

// Finds or makes the directory and takes it for this process.
Status DBImpl::PrepareDirectory() {
  const Options& options = context_.options;
  FileSystem* fs = context_.fs();
  const std::string& directory = context_.directory;
  const Status current = fs->FileExists(CurrentFileName(directory));
  if (!current.ok() && !current.IsPathNotFound()) return current;
  if (current.ok() && options.error_if_exists) {
    return Status::InvalidArgument(directory,
                                   "exists, and error_if_exists is set");
  }
  if (current.IsPathNotFound()) {
    if (!options.create_if_missing) {
      return Status::InvalidArgument(
          CurrentFileName(directory),
          "does not exist, and create_if_missing is not set");
    }
    TAMIS_RETURN_IF_ERROR(fs->CreateDirIfMissing(directory));
    TAMIS_RETURN_IF_ERROR(fs->SyncDirectory(ParentOf(directory)));
  }
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

Status DBImpl::Recover() {
  TAMIS_RETURN_IF_ERROR(PrepareDirectory());
  context_.event_log =
      std::make_unique<EventLog>(context_.options, context_.directory);
  context_.session_id =
      MakeSessionId(RandomSeedFromSystem(), RandomSeedFromSystem());
  context_.event_log->Event("open_start")
      .Add("directory", Slice(context_.directory))
      .Add("session", Slice(context_.session_id));
  const Status status = RecoverState();
  context_.event_log->Event("open_end").Add("status", status);
  if (status.ok()) {
    closed_.store(false, std::memory_order_release);
    MutexLock lock(&mutex_);
    scheduler_.MaybeSchedule();
  }
  return status;
}

Status DBImpl::RecoverState() {
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
    TAMIS_RETURN_IF_ERROR(CreateDatabase(context_));
    listing = ListDirectory(context_);
    if (!listing.ok()) return listing.status();
  }

  versions_.set_default_family(
      std::make_unique<ColumnFamily>(context_, 0, "default", context_.options));
  ColumnFamily& family = versions_.default_family();
  default_handle_ = std::make_unique<ColumnFamilyHandleImpl>(family);
  auto manifest = ReplayManifest(context_, *listing, &versions_);
  if (!manifest.ok()) return manifest.status();
  if (!manifest->db_id.empty()) {
    // The MANIFEST's word counts.
    context_.db_id = manifest->db_id;
    versions_.set_manifest_db_id(manifest->db_id);
  }
  auto logs = ReplayLogs(context_, *listing, &versions_);
  if (!logs.ok()) return logs.status();

  const uint64_t log_number = versions_.NewFileNumber();
  TAMIS_RETURN_IF_ERROR(OpenLog(log_number, &log_));
  VersionEdit edit = std::move(logs->edit);
  edit.log_number = log_number;
  edit.min_log_number_to_keep = log_number;
  {
    MutexLock lock(&mutex_);
    scheduler_.live_logs().push_back(log_number);
    last_allocated_ = versions_.last_sequence();
    TAMIS_RETURN_IF_ERROR(versions_.LogAndApply(&family, &edit));
    family.SwitchMemTable(family.NewMemTable(last_allocated_ + 1, log_number));
  }
  auto stored = ReadIdentityFile(context_.fs(), context_.directory);
  if (!stored.ok() || *stored != context_.db_id) {
    TAMIS_RETURN_IF_ERROR(
        SetIdentityFile(context_.fs(), context_.directory, context_.db_id));
  }
  return SetAsideUnlistedFiles(manifest->torn_tail, logs->lost);
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
  const VersionPtr& version = versions_.default_family().version();
  for (int level = 0; level < kNumLevels; ++level) {
    for (const TableFilePtr& file : version->files(level)) {
      live.push_back(file->meta.number);
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
