// SPDX-License-Identifier: Apache-2.0
#include "db/compaction/compaction_worker.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "tamis/convenience.h"

#include "db/base/db_options.h"
#include "db/base/file_names.h"
#include "db/compaction/compaction_job.h"
#include "db/compaction/compaction_message.h"
#include "db/family/column_family.h"
#include "db/version/version_builder.h"
#include "table/unique_id.h"
#include "util/base/exceptions.h"

namespace tamis {

namespace {

// Of the caches that readers of tables want; compactions read past them.
constexpr size_t kCacheBytes = 1 << 20;

// Returns those of the request, with what its text cannot say, and with what
// the worker's user wants. `directory`: the database's.
Status OptionsOf(const std::string& directory, const CompactionRequest& request,
                 const CompactionServiceOptionsOverride& overrides,
                 Options* options) {
  // Objects that are not built in are left to CheckObjects.
  ConfigOptions config;
  config.ignore_unsupported_options = true;
  DBOptions database;
  TAMIS_RETURN_IF_ERROR(GetDBOptionsFromString(
      config, DBOptions(), request.database_options, &database));
  ColumnFamilyOptions family;
  TAMIS_RETURN_IF_ERROR(GetColumnFamilyOptionsFromString(
      config, ColumnFamilyOptions(), request.family_options, &family));
  const auto replace = [](auto* option, const auto& by) {
    if (by != nullptr) *option = by;
  };
  database.env = overrides.env;
  database.file_system = overrides.file_system;
  database.job_runner = overrides.job_runner;
  database.listeners = overrides.listeners;
  database.statistics = overrides.statistics;
  database.rate_limiter = overrides.rate_limiter;
  database.info_log = overrides.info_log;
  replace(&database.file_checksum_gen_factory,
          overrides.file_checksum_gen_factory);
  replace(&family.comparator, overrides.comparator);
  replace(&family.merge_operator, overrides.merge_operator);
  replace(&family.compaction_filter, overrides.compaction_filter);
  replace(&family.compaction_filter_factory,
          overrides.compaction_filter_factory);
  replace(&family.sst_partitioner_factory, overrides.sst_partitioner_factory);
  replace(&family.prefix_extractor, overrides.prefix_extractor);
  replace(&family.table_factory, overrides.table_factory);
  family.table_properties_collector_factories =
      overrides.table_properties_collector_factories;
  for (const std::string& path : request.table_directories) {
    family.cf_paths.emplace_back(path.empty() ? directory : path, 0);
  }
  std::string changes;
  for (const auto& [name, value] : overrides.options_map) {
    changes += name + "={" + value + "};";
  }
  return GetOptionsFromString(Options(database, family), changes, options);
}

// Returns InvalidArgument, which names the object, unless the worker has all
// objects of the owner.
Status CheckObjects(const CompactionRequest& request, const Options& options) {
  const std::vector<NamedObject> here = ObjectsOf(options, options);
  for (size_t i = 0; i < std::max(here.size(), request.objects.size()); ++i) {
    const NamedObject none;
    const NamedObject& ours = i < here.size() ? here[i] : none;
    const NamedObject& theirs =
        i < request.objects.size() ? request.objects[i] : none;
    if (ours == theirs) continue;
    const auto quoted = [](const std::string& name) {
      return name.empty() ? std::string("none") : "'" + name + "'";
    };
    return Status::InvalidArgument(
        "CompactionServiceOptionsOverride::" +
            (theirs.option.empty() ? ours.option : theirs.option),
        "the database has " + quoted(theirs.name) + ", the worker " +
            quoted(ours.name));
  }
  return Status::OK();
}

Status Contradiction(const std::string& why) {
  return Status::Corruption("request of a remote compaction", why);
}

// Returns the level, or one that is none.
Level LevelOf(uint64_t number) {
  return Level(static_cast<int>(std::min<uint64_t>(number, kNumLevels)));
}

// Returns an error if the parts of a request cannot be of one job.
Status CheckRequest(const CompactionRequest& request) {
  const auto is_too_large = [](uint64_t number) {
    return number > kMaxSequenceNumber;
  };
  if (std::any_of(request.entries.begin(), request.entries.end(),
                  is_too_large)) {
    return Contradiction("it has a table with too many entries");
  }
  if (!std::is_sorted(request.snapshots.begin(), request.snapshots.end()) ||
      std::any_of(request.snapshots.begin(), request.snapshots.end(),
                  is_too_large)) {
    return Contradiction("its snapshots are none");
  }
  for (const LevelShape& shape : request.levels) {
    if (shape.sorted_runs < 0 || !std::isfinite(shape.negative_lookups)) {
      return Contradiction("its levels have no such shape");
    }
  }
  return Status::OK();
}

// One job. One thread calls; the job may use others.
class WorkerJob {
 public:
  WorkerJob(const OpenAndCompactOptions& options, const std::string& database,
            const CompactionRequest& request)
      : canceled_(options.canceled), request_(request) {
    context_.directory = WithoutTrailingSlashes(database);
  }
  ~WorkerJob() {
    if (context_.listeners != nullptr) context_.listeners->End();
  }
  WorkerJob(const WorkerJob&) = delete;
  WorkerJob& operator=(const WorkerJob&) = delete;

  Status Run(const std::string& output_directory,
             const CompactionServiceOptionsOverride& overrides,
             CompactionReply* reply);

 private:
  Status MakeContext(const CompactionServiceOptionsOverride& overrides);
  Status UseDirectory(const std::string& output_directory);
  Status ReadVersion();
  Result<LevelFiles> FilesOf(const std::vector<uint64_t>& numbers,
                             std::span<const Level> levels) const;
  Status ReadInputs(Compaction* plan) const;
  Status ReadPlan(Compaction* plan) const;
  Result<CompactionResult> Compact(const Compaction& plan);

  const std::atomic<bool>* const canceled_;
  const CompactionRequest& request_;
  DBContext context_;
  std::string directory_;  // of the outputs
  std::optional<ColumnFamily> family_;
  FamilyOptionsPtr options_;
  VersionPtr version_;
  std::atomic<uint64_t> next_number_{1};
};

Status WorkerJob::MakeContext(
    const CompactionServiceOptionsOverride& overrides) {
  Options options;
  TAMIS_RETURN_IF_ERROR(
      OptionsOf(context_.directory, request_, overrides, &options));
  TAMIS_RETURN_IF_ERROR(CheckObjects(request_, options));
  TAMIS_RETURN_IF_ERROR(CheckDBOptions(options));
  TAMIS_RETURN_IF_ERROR(CheckFamilyOptions(options));
  context_.options = CompleteOptions(DBOptions(options));
  context_.read_only = true;
  context_.shared_runner = overrides.job_runner == nullptr;
  context_.block_cache = std::make_shared<BlockCache>(kCacheBytes);
  context_.event_log = std::make_unique<EventLog>(
      context_.options, context_.directory, /*silent=*/true);
  if (!context_.options.listeners.empty()) {
    context_.listeners =
        std::make_unique<Listeners>(context_.options, context_.event_log.get());
    context_.listeners->Begin(/*db=*/nullptr);
  }
  context_.db_id = request_.id.db_id;
  context_.session_id = NewSessionId();
  options_ = std::make_shared<const ColumnFamilyOptions>(
      CompleteOptions(ColumnFamilyOptions(options)));
  family_.emplace(context_, FamilyId(static_cast<uint32_t>(request_.family_id)),
                  request_.family_name, *options_);
  return Status::OK();
}

// Outputs get numbers that no table there has.
Status WorkerJob::UseDirectory(const std::string& output_directory) {
  FileSystem* const fs = context_.fs();
  if (output_directory.empty()) {
    directory_ = context_.directory + "/" + request_.job_directory;
  } else {
    directory_ = WithoutTrailingSlashes(output_directory);
    TAMIS_RETURN_IF_ERROR(fs->CreateDirIfMissing(directory_));
  }
  const Status is_database = fs->FileExists(CurrentFileName(directory_));
  if (is_database.ok()) {
    return Status::InvalidArgument(directory_,
                                   "outputs must have a directory that is not "
                                   "a database's");
  }
  if (!is_database.IsPathNotFound()) return is_database;
  std::vector<std::string> names;
  TAMIS_RETURN_IF_ERROR(fs->GetChildren(directory_, &names));
  for (const std::string& name : names) {
    const auto file = ParseFileName(name);
    if (!file || file->type != FileKind::kTable) continue;
    next_number_ = std::max(next_number_.load(), file->number.value() + 1);
  }
  return Status::OK();
}

Status WorkerJob::ReadVersion() {
  auto all = VersionEdit::Decode(request_.version);
  if (!all.ok()) return all.status();
  if (all->new_files.size() != request_.entries.size()) {
    return Contradiction("it has tables without numbers of entries");
  }
  for (size_t i = 0; i < all->new_files.size(); ++i) {
    all->new_files[i].second.num_entries = request_.entries[i];
  }
  VersionBuilder builder(family_->order(), &family_->tables(), nullptr);
  TAMIS_RETURN_IF_ERROR(builder.Apply(*all));
  auto version = builder.Build();
  if (!version.ok()) return version.status();
  version_ = std::move(version).value();
  return Status::OK();
}

// In the order of the version, which merges rely on.
Result<LevelFiles> WorkerJob::FilesOf(const std::vector<uint64_t>& numbers,
                                      std::span<const Level> levels) const {
  const std::set<uint64_t> wanted(numbers.begin(), numbers.end());
  LevelFiles files;
  for (const Level level : levels) {
    for (const TableFilePtr& file : version_->files(level)) {
      if (wanted.contains(file->meta.number.value())) files.push_back(file);
    }
  }
  if (files.size() == numbers.size()) return files;
  return Contradiction("it names tables that are not in its version");
}

Status WorkerJob::ReadInputs(Compaction* plan) const {
  Level above{-1};
  for (const CompactionRequest::Inputs& one : request_.inputs) {
    const Level level = LevelOf(one.level);
    if (level <= above || level > plan->output_level) {
      return Contradiction("its inputs are in no order of levels");
    }
    above = level;
    auto files = FilesOf(one.numbers, {&level, 1});
    if (!files.ok()) return files.status();
    if (plan->inputs.empty()) {
      plan->level = level;
      plan->inputs = std::move(files).value();
    } else if (level == plan->output_level) {
      plan->output_inputs = std::move(files).value();
    } else {
      plan->between.push_back({level, std::move(files).value()});
    }
  }
  return plan->inputs.empty() ? Contradiction("it has no inputs")
                              : Status::OK();
}

Status WorkerJob::ReadPlan(Compaction* plan) const {
  plan->input_version = version_;
  plan->output_level = LevelOf(request_.output_level);
  plan->base = LevelOf(request_.base);
  if (!IsLevel(plan->output_level) || !IsLevel(plan->base)) {
    return Contradiction("it has levels that no tree has");
  }
  TAMIS_RETURN_IF_ERROR(ReadInputs(plan));
  auto grandparents = FilesOf(request_.grandparents, kLevels);
  if (!grandparents.ok()) return grandparents.status();
  plan->grandparents = std::move(grandparents).value();
  plan->grandparent_bytes_max = request_.grandparent_bytes_max;
  plan->output_file_bytes_max = request_.output_file_bytes_max;
  plan->part_bytes_min = request_.part_bytes_min;
  plan->bottommost = request_.bottommost;
  plan->older_may_come = request_.older_may_come;
  plan->compress = request_.compress;
  if (request_.has_compression) {
    plan->compression = static_cast<CompressionType>(request_.compression);
    TAMIS_RETURN_IF_ERROR(CheckCodec("compression", *plan->compression));
  }
  plan->reason = request_.reason.c_str();
  plan->manual = request_.manual;
  return Status::OK();
}

Result<CompactionResult> WorkerJob::Compact(const Compaction& plan) {
  CompactionInputs in;
  in.context = &context_;
  in.family = &*family_;
  in.options = options_;
  in.job = request_.id.job;
  in.reason = TableFileCreationReason::kCompaction;
  in.snapshots = request_.snapshots;
  in.levels = [this] { return request_.levels; };
  in.new_file_number = [this] { return FileNumber(next_number_++); };
  in.schedule = [this](std::function<void()> help) {
    context_.runner()->Schedule(JobPriority::kLow, std::move(help));
  };
  in.output_directory = std::make_shared<const std::string>(directory_);
  in.parts_max = static_cast<uint32_t>(request_.parts_max);
  in.cancelled = [this] {
    return canceled_ != nullptr && canceled_->load(std::memory_order_relaxed);
  };
  return RunCompaction(plan, in);
}

Status WorkerJob::Run(const std::string& output_directory,
                      const CompactionServiceOptionsOverride& overrides,
                      CompactionReply* reply) {
  TAMIS_RETURN_IF_ERROR(MakeContext(overrides));
  TAMIS_RETURN_IF_ERROR(UseDirectory(output_directory));
  TAMIS_RETURN_IF_ERROR(ReadVersion());
  Compaction plan;
  TAMIS_RETURN_IF_ERROR(ReadPlan(&plan));
  const auto result = Compact(plan);
  if (!result.ok()) {
    return result.status().IsShutdownInProgress()
               ? Status::Incomplete(Status::kManualCompactionPaused)
               : result.status();
  }
  VersionEdit outputs;
  outputs.new_files = result->edit.new_files;
  for (const auto& [level, table] : outputs.new_files) {
    reply->entries.push_back(table.num_entries);
  }
  outputs.EncodeTo(&reply->outputs);
  reply->counts = result->counts;
  reply->entries_written =
      result->stats.entries_read - result->stats.entries_dropped;
  if (!output_directory.empty()) reply->output_directory = directory_;
  return Status::OK();
}

}  // namespace

Status RunCompactionJob(const OpenAndCompactOptions& options,
                        const std::string& database,
                        const std::string& output_directory, const Slice& input,
                        const CompactionServiceOptionsOverride& overrides,
                        std::string* output) {
  output->clear();
  CompactionRequest request;
  TAMIS_RETURN_IF_ERROR(DecodeMessage(input, &request));
  TAMIS_RETURN_IF_ERROR(CheckRequest(request));
  CompactionReply reply;
  const Status status = CatchExceptions([&] {
    return WorkerJob(options, database, request)
        .Run(output_directory, overrides, &reply);
  });
  if (!status.ok()) reply = {};
  reply.id = request.id;
  if (!status.ok()) reply.error = status.ToString();
  *output = EncodeMessage(reply);
  return status;
}

}  // namespace tamis
