// SPDX-License-Identifier: Apache-2.0
#include "tests/crash/database.h"

#include <utility>
#include <vector>

#include "tamis/sst_file_writer.h"
#include "tamis/utilities/checkpoint.h"
#include "tamis/utilities/merge_operators.h"

#include "tests/crash/forgetful_file_system.h"
#include "tests/crash/refusing_job_runner.h"
#include "tests/failures/quiet_file_system.h"
#include "tests/support/databases.h"
#include "tests/support/worker_service.h"
#include "util/base/check.h"
#include "util/base/fake_clock.h"
#include "util/base/result.h"

namespace tamis::crash {

namespace {

using model::Change;
using model::ChangeKind;
using model::Shown;
using model::State;

constexpr char kDirectory[] = "/db";
constexpr char kWalDirectory[] = "/logs";
constexpr char kFastTables[] = "/fast";
constexpr char kSlowTables[] = "/slow";

// Calls the engine.
template <typename Call>
auto Engine(Call&& call) {
  const Failures::Unpause unpause;
  return call();
}

std::string CheckpointDirectory(const std::string& name) { return "/" + name; }

// To a WriteBatch, or to an SstFileWriter, for which there is no family.
template <typename Target, typename... Family>
Status AddTo(Target* target, const Change& change, Family... family) {
  const std::string key = PlainKey(change.key);
  const std::string end =
      change.kind == ChangeKind::kDeleteRange ? PlainKey(change.value) : "";
  const Failures::Unpause engine;
  switch (change.kind) {
    case ChangeKind::kPut:
      return target->Put(family..., key, change.value);
    case ChangeKind::kDelete:
      return target->Delete(family..., key);
    case ChangeKind::kSingleDelete:
      return target->SingleDelete(family..., key);
    case ChangeKind::kMerge:
      return target->Merge(family..., key, change.value);
    case ChangeKind::kDeleteRange:
      return target->DeleteRange(family..., key, end);
  }
  return Status::InvalidArgument("no such change");
}

std::shared_ptr<TableFactory> MakeTables(bool partitions, bool callbacks) {
  BlockBasedTableOptions options;
  options.block_size = 512;
  options.metadata_block_size = 128;
  options.no_block_cache = true;
  options.filter_policy.reset(NewBloomFilterPolicy(10, false));
  if (callbacks) {
    options.filter_policy = std::make_shared<ThrowingFilterPolicy>();
  }
  if (partitions) {
    options.index_type = BlockBasedTableOptions::kTwoLevelIndexSearch;
    options.partition_filters = true;
  }
  return std::shared_ptr<TableFactory>(NewBlockBasedTableFactory(options));
}

uint64_t Setting(const Script& script, const char* name, uint64_t otherwise) {
  const auto at = script.settings.find(name);
  return at != script.settings.end() ? at->second : otherwise;
}

// All of a family, forward and backward.
std::string ScanBothWays(DB* db, ColumnFamilyHandle* family, State* state,
                         Status* status) {
  const std::unique_ptr<Iterator> it(
      Engine([&] { return db->NewIterator(ReadOptions(), family); }));
  const auto go = [&it](void (Iterator::*move)()) {
    const Failures::Unpause engine;
    (it.get()->*move)();
  };
  for (go(&Iterator::SeekToFirst); it->Valid(); go(&Iterator::Next)) {
    if (!state->emplace(it->key().ToString(), it->value().ToString()).second) {
      return "a scan shows key " + Shown(it->key().ToString()) + " twice";
    }
  }
  *status = it->status();
  if (!status->ok()) return "";
  auto expected = state->crbegin();
  for (go(&Iterator::SeekToLast); it->Valid();
       go(&Iterator::Prev), ++expected) {
    if (expected == state->crend() || it->key() != Slice(expected->first) ||
        it->value() != Slice(expected->second)) {
      return "a backward scan shows " + Shown(it->key().ToString());
    }
  }
  *status = it->status();
  if (status->ok() && expected != state->crend()) {
    return "a backward scan lacks " + Shown(expected->first);
  }
  return "";
}

// Checks that a point read shows what the scan did.
std::string Get(DB* db, ColumnFamilyHandle* family, const std::string& key,
                const State& state, Status* status) {
  const auto at = state.find(key);
  std::string got;
  const Status read =
      Engine([&] { return db->Get(ReadOptions(), family, key, &got); });
  const bool right =
      at == state.end() ? read.IsNotFound() : read.ok() && got == at->second;
  if (right) return "";
  if (!read.ok() && !read.IsNotFound()) {
    *status = read;
    return "";
  }
  return "Get(" + Shown(key) + ") is not what a scan shows";
}

}  // namespace

Database::Database(const Script& script, uint64_t seed,
                   std::shared_ptr<SimulatedFileSystem> fs)
    : script_(script),
      fs_(std::move(fs)),
      clock_(std::make_shared<FakeClock>()),
      runner_(std::make_shared<RefusingJobRunner>(seed)),
      tables_(MakeTables(Setting(script, "partitions", 0) != 0,
                         Setting(script, "callbacks", 0) != 0)),
      merge_(MergeOperators::CreateStringAppendOperator(",")),
      order_(BytewiseComparator()->Name()) {
  fs_->SetStoresInPlace(Setting(script, "in_place", 0) != 0);
}

Options Database::MakeOptions() const {
  const auto get = [this](const char* name, uint64_t otherwise) {
    return Setting(script_, name, otherwise);
  };
  Options o;
  o.file_system =
      std::make_shared<QuietFileSystem>(std::make_shared<ForgetfulFileSystem>(
          fs_, Forgotten{static_cast<uint8_t>(get("forget", 0))}));
  o.clock = clock_;
  o.job_runner = runner_;
  o.table_factory = tables_;
  o.merge_operator = merge_;
  if (get("callbacks", 0) != 0) {
    o.comparator = &order_;
    o.merge_operator = std::make_shared<ThrowingAppend>();
    o.prefix_extractor = std::make_shared<ThrowingPrefix>(2);
  }
  o.compression = kNoCompression;
  if (get("dictionary", 0) != 0) {
    o.compression = kZSTD;
    o.compression_opts.max_dict_bytes = 1000;
  }
  if (get("zstd_log", 0) != 0) o.wal_compression = kZSTD;
  o.write_buffer_size = get("write_buffer", 1 << 20);
  o.max_write_buffer_number = static_cast<int>(get("memtables", 2));
  o.level0_file_num_compaction_trigger = static_cast<int>(get("trigger", 4));
  o.max_bytes_for_level_base = get("level_base", 1 << 20);
  o.max_bytes_for_level_multiplier = static_cast<double>(get("multiplier", 10));
  o.target_file_size_base = get("file_size", 1 << 20);
  o.max_subcompactions = static_cast<uint32_t>(get("parts", 1));
  o.max_log_file_size = get("event_log", 1 << 20);
  o.keep_log_file_num = 2;
  o.max_manifest_file_size = get("manifest", 1 << 20);
  o.max_total_wal_size = get("wal_limit", 0);
  o.atomic_flush = get("atomic_flush", 0) != 0;
  o.avoid_flush_during_recovery = get("keep_logs", 0) != 0;
  o.bgerror_resume_retry_interval = get("resume_interval", 1'000'000'000);
  if (get("worker", 0) != 0) o.compaction_service = MakeWorker(o);
  return o;
}

std::shared_ptr<CompactionService> Database::MakeWorker(
    const Options& options) const {
  auto worker = std::make_shared<WorkerService>();
  worker->overrides = WorkerObjectsOf(options);
  worker->overrides.table_factory = options.table_factory;
  auto* const others = dynamic_cast<HasWorkers*>(fs_.get());
  if (others != nullptr) worker->overrides.file_system = others->OfWorker();
  return worker;
}

bool Database::Stopped() {
  uint64_t errors = 0;
  return !opened_.db->GetIntProperty(DB::Properties::kBackgroundErrors,
                                     &errors) ||
         errors != 0;
}

Status Database::OpenIn(const std::string& directory, bool create_if_missing,
                        Opened* opened) {
  Options options = MakeOptions();
  options.create_if_missing = create_if_missing;
  // A checkpoint has its logs and tables with it.
  if (Setting(script_, "wal_dir", 0) != 0 && directory == kDirectory) {
    options.wal_dir = kWalDirectory;
  }
  if (Setting(script_, "paths", 0) != 0 && directory == kDirectory) {
    options.db_paths = {{kFastTables, 3000}, {kSlowTables, 1 << 30}};
  }
  std::vector<std::string> names = {kDefaultColumnFamilyName};
  if (!create_if_missing) {
    TAMIS_RETURN_IF_ERROR(Engine(
        [&] { return DB::ListColumnFamilies(options, directory, &names); }));
  }
  std::vector<ColumnFamilyDescriptor> families;
  for (const std::string& name : names) families.emplace_back(name, options);
  std::vector<ColumnFamilyHandle*> handles;
  TAMIS_RETURN_IF_ERROR(Engine([&] {
    return DB::Open(options, directory, families, &handles, &opened->db);
  }));
  for (ColumnFamilyHandle* handle : handles) {
    const std::string& name = handle->GetName();
    opened->handles[name == kDefaultColumnFamilyName ? "" : name] = handle;
  }
  return Status::OK();
}

void Database::CloseIn(Opened* opened) {
  const Failures::Unpause engine;
  for (const auto& [name, handle] : opened->handles) delete handle;
  opened->handles.clear();
  opened->db.reset();
}

Status Database::Open(bool create_if_missing) {
  return OpenIn(kDirectory, create_if_missing, &opened_);
}

Status Database::Close() {
  const Status status = Engine([this] {
    for (const auto& [name, handle] : opened_.handles) delete handle;
    opened_.handles.clear();
    return opened_.db->Close();
  });
  Drop();
  return status;
}

void Database::Drop() {
  CloseIn(&opened_);
  // Close ran those that the runner still lists.
  const uint64_t calls = fs()->calls();
  runner_->RunUntilIdle();
  TAMIS_CHECK(fs()->calls() == calls && "jobs outlive their database");
}

std::set<std::string> Database::families() const {
  std::set<std::string> names;
  for (const auto& [name, handle] : opened_.handles) {
    if (!name.empty()) names.insert(name);
  }
  return names;
}

Status Database::CreateFamily(const std::string& name) {
  ColumnFamilyHandle* handle = nullptr;
  const Options options = MakeOptions();
  const Status status = Engine(
      [&] { return opened_.db->CreateColumnFamily(options, name, &handle); });
  if (status.ok()) opened_.handles[name] = handle;
  return status;
}

Status Database::DropFamily(const std::string& name) {
  const auto at = opened_.handles.find(name);
  const Status status = Engine([&] {
    Status dropped = opened_.db->DropColumnFamily(at->second);
    delete at->second;
    return dropped;
  });
  opened_.handles.erase(at);
  return status;
}

Status Database::Write(const model::Changes& changes, bool sync, bool nowal) {
  WriteBatch batch;
  for (const Change& change : changes) {
    TAMIS_RETURN_IF_ERROR(
        AddTo(&batch, change, opened_.handles.at(FamilyOf(change.key))));
  }
  WriteOptions options;
  options.sync = sync;
  options.disableWAL = nowal;
  return Engine([&] { return opened_.db->Write(options, &batch); });
}

// One file for each family, under names that are never used again: a moved file
// is the database's.
Status Database::Ingest(const model::Changes& changes, bool move) {
  std::map<std::string, model::Changes> by_family;
  for (const Change& change : changes) {
    by_family[FamilyOf(change.key)].push_back(change);
  }
  std::vector<IngestExternalFileArg> args;
  for (const auto& [family, of_family] : by_family) {
    const std::string path = "/new" + std::to_string(++files_) + ".sst";
    SstFileWriter writer(MakeOptions());
    TAMIS_RETURN_IF_ERROR(Engine([&] { return writer.Open(path); }));
    for (const Change& change : of_family) {
      TAMIS_RETURN_IF_ERROR(AddTo(&writer, change));
    }
    TAMIS_RETURN_IF_ERROR(Engine([&] { return writer.Finish(); }));
    args.push_back({opened_.handles.at(family), {path}, {}});
    args.back().options.move_files = move;
  }
  return Engine([&] { return opened_.db->IngestExternalFiles(args); });
}

Status Database::Flush(const std::vector<std::string>& families, bool wait) {
  FlushOptions options;
  options.wait = wait;
  if (families.empty()) {
    return Engine([&] { return opened_.db->Flush(options); });
  }
  std::vector<ColumnFamilyHandle*> handles;
  for (const std::string& name : families) {
    handles.push_back(opened_.handles.at(name));
  }
  return Engine([&] { return opened_.db->Flush(options, handles); });
}

Status Database::Compact(const std::string& family, bool force) {
  CompactRangeOptions options;
  if (force) {
    options.bottommost_level_compaction = BottommostLevelCompaction::kForce;
  }
  ColumnFamilyHandle* const handle = opened_.handles.at(family);
  return Engine([&] {
    return opened_.db->CompactRange(options, handle, nullptr, nullptr);
  });
}

Status Database::RewriteFilters(const std::string& family, bool wait) {
  ColumnFamilyHandle* const handle = opened_.handles.at(family);
  return Engine([&] {
    return opened_.db->RewriteFilters({.wait = wait}, handle, nullptr, nullptr);
  });
}

Status Database::MakeCheckpoint(const std::string& name) {
  const std::string directory = CheckpointDirectory(name);
  const Failures::Unpause engine;
  std::unique_ptr<Checkpoint> checkpoint;
  TAMIS_RETURN_IF_ERROR(Checkpoint::Create(opened_.db.get(), &checkpoint));
  return checkpoint->CreateCheckpoint(directory);
}

Status Database::Resume() {
  const Failures::Unpause engine;
  return opened_.db->Resume();
}

Status Database::SyncLog() {
  const Failures::Unpause engine;
  return opened_.db->FlushWAL(/*sync=*/true);
}

void Database::RunAllJobs() {
  const Failures::Unpause engine;
  runner_->RunUntilIdle();
}

void Database::RunJobs(uint64_t count) {
  const Failures::Unpause engine;
  for (uint64_t i = 0; i < count && runner_->RunOne(); ++i) {
  }
}

std::string Database::Read(const std::set<std::string>& keys, State* state,
                           Status* status) {
  return ReadIn(opened_, keys, state, status);
}

std::string Database::ReadIn(const Opened& opened,
                             const std::set<std::string>& keys, State* state,
                             Status* status) {
  for (const auto& [name, handle] : opened.handles) {
    State family(state->key_comp());
    std::string problem =
        ScanBothWays(opened.db.get(), handle, &family, status);
    for (const std::string& key : keys) {
      if (!problem.empty() || !status->ok()) return problem;
      if (FamilyOf(key) != name) continue;
      problem = Get(opened.db.get(), handle, PlainKey(key), family, status);
    }
    if (!problem.empty() || !status->ok()) return problem;
    for (auto& [key, value] : family) {
      state->emplace(InFamily(name, key), std::move(value));
    }
  }
  return "";
}

std::string Database::ReadCheckpoint(const std::string& name,
                                     const std::set<std::string>& keys,
                                     State* state, bool* exists) {
  const std::string directory = CheckpointDirectory(name);
  Status status = fs_->FileExists(directory);
  *exists = status.ok();
  if (!*exists) return "";
  Opened opened;
  status = OpenIn(directory, /*create_if_missing=*/false, &opened);
  if (!status.ok()) return "open: " + status.ToString();
  const std::string problem = ReadIn(opened, keys, state, &status);
  CloseIn(&opened);
  return status.ok() ? problem : "a read: " + status.ToString();
}

std::string Database::CheckTables() {
  std::vector<LiveFileMetaData> live;
  opened_.db->GetLiveFilesMetaData(&live);
  for (size_t i = 0; i < live.size(); ++i) {
    const LiveFileMetaData& file = live[i];
    uint64_t size = 0;
    const Status status = fs_->GetFileSize(file.db_path + file.name, &size);
    if (!status.ok() || size != file.size) {
      return file.name + " is not what the MANIFEST says: " + status.ToString();
    }
    for (size_t j = 0; j < i; ++j) {
      if (live[j].column_family_name == file.column_family_name &&
          live[j].level == file.level && file.level > 0 &&
          live[j].smallestkey < file.largestkey &&
          file.smallestkey < live[j].largestkey) {
        return file.name + " overlaps " + live[j].name;
      }
    }
  }
  return DifferenceOnDisk(fs_.get(), {kDirectory, kFastTables, kSlowTables},
                          opened_.db.get());
}

}  // namespace tamis::crash
