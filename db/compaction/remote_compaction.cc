// SPDX-License-Identifier: Apache-2.0
#include "db/compaction/remote_compaction.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tamis/compaction_service.h"
#include "tamis/convenience.h"

#include "db/compaction/compaction_message.h"
#include "db/compaction/compaction_style.h"
#include "db/compaction/entry_counts.h"
#include "db/compaction/job_directory.h"
#include "db/manifest/table_path.h"
#include "db/manifest/taken_tables.h"
#include "util/base/exceptions.h"
#include "util/io/file_io.h"

namespace tamis {

namespace {

std::vector<uint64_t> NumbersOf(const LevelFiles& files) {
  std::vector<uint64_t> numbers;
  for (const TableFilePtr& file : files) {
    numbers.push_back(file->meta.number.value());
  }
  return numbers;
}

std::vector<std::string> TableDirectoriesOf(const ColumnFamily& family) {
  const TablePaths& paths = family.tables().paths();
  std::vector<std::string> directories;
  for (size_t id = 0; id < paths.size(); ++id) {
    const auto& directory = paths.directory(static_cast<uint8_t>(id));
    directories.push_back(directory == nullptr ? "" : *directory);
  }
  return directories;
}

void AddVersion(const Version& version, CompactionRequest* request) {
  VersionEdit all;
  ForEachFile(version, [&](Level level, const TableFilePtr& file) {
    all.new_files.emplace_back(level, file->meta);
    request->entries.push_back(file->num_entries_if_known());
  });
  all.EncodeTo(&request->version);
}

void AddPlan(const Compaction& plan, CompactionRequest* request) {
  plan.ForEachInputLevel([&](Level level, const LevelFiles& files) {
    request->inputs.push_back(
        {static_cast<uint64_t>(level.value()), NumbersOf(files)});
  });
  request->output_level = static_cast<uint64_t>(plan.output_level.value());
  request->grandparents = NumbersOf(plan.grandparents);
  request->grandparent_bytes_max = plan.grandparent_bytes_max;
  request->output_file_bytes_max = plan.output_file_bytes_max;
  request->part_bytes_min = plan.part_bytes_min;
  request->bottommost = plan.bottommost;
  request->older_may_come = plan.older_may_come;
  request->base = static_cast<uint64_t>(plan.base.value());
  request->compress = plan.compress;
  request->has_compression = plan.compression.has_value();
  request->compression = plan.compression.value_or(kNoCompression);
  request->reason = plan.reason;
  request->manual = plan.manual;
}

Status RequestOf(const Compaction& plan, const CompactionInputs& in,
                 CompactionRequest* request) {
  const DBContext& context = *in.context;
  request->id = {context.db_id, context.session_id, in.job};
  request->family_id = in.family->id().value();
  request->family_name = in.family->name();
  request->job_directory = JobDirectoryName(context, in.job);
  request->table_directories = TableDirectoriesOf(*in.family);
  DBOptions database = context.options;
  context.live_options.CopyTo(&database);
  const ConfigOptions config;
  TAMIS_RETURN_IF_ERROR(
      GetStringFromDBOptions(config, database, &request->database_options));
  TAMIS_RETURN_IF_ERROR(GetStringFromColumnFamilyOptions(
      config, *in.options, &request->family_options));
  request->objects = ObjectsOf(database, *in.options);
  request->snapshots = in.snapshots;
  if (in.levels) request->levels = in.levels();
  request->parts_max = in.parts_max;
  AddVersion(*plan.input_version, request);
  AddPlan(plan, request);
  return Status::OK();
}

CompactionServiceJobInfo InfoFor(const Compaction& plan,
                                 const CompactionInputs& in) {
  CompactionServiceJobInfo info;
  info.db_name = in.context->directory;
  info.db_id = in.context->db_id;
  info.db_session_id = in.context->session_id;
  info.job_id = in.job;
  info.cf_id = in.family->id().value();
  info.cf_name = in.family->name();
  info.priority = plan.manual ? Env::USER : Env::LOW;
  info.compaction_reason = ReasonOf(plan, in.options->compaction_style);
  info.is_full_compaction = plan.IsFull();
  info.is_manual_compaction = plan.manual;
  info.bottommost_level = plan.bottommost;
  info.base_input_level = plan.level.value();
  info.output_level = plan.output_level.value();
  info.input_bytes = plan.InputBytes();
  return info;
}

const char* WordOf(CompactionServiceJobStatus status) {
  switch (status) {
    case CompactionServiceJobStatus::kSuccess:
      return "success";
    case CompactionServiceJobStatus::kFailure:
      return "failure";
    case CompactionServiceJobStatus::kAborted:
      return "aborted";
    case CompactionServiceJobStatus::kUseLocal:
      return "use local";
  }
  return "an unknown status";
}

// One job. One thread.
class RemoteJob {
 public:
  RemoteJob(const Compaction& plan, const CompactionInputs& in)
      : plan_(plan),
        in_(in),
        context_(*in.context),
        service_(*in.context->options.compaction_service),
        job_directory_(context_.directory + "/" +
                       JobDirectoryName(context_, in.job)),
        taken_(context_) {}
  ~RemoteJob() { RemoveJobDirectory(context_.fs(), job_directory_); }
  RemoteJob(const RemoteJob&) = delete;
  RemoteJob& operator=(const RemoteJob&) = delete;

  Status Run(CompactionResult* result);
  bool declined() const {
    return outcome_ == CompactionServiceJobStatus::kUseLocal;
  }

 private:
  Status Send();
  Status Receive(CompactionResult* result);
  Status CheckReply(const CompactionReply& reply) const;
  Status Take(const std::string& source, FileMetaData made,
              uint64_t num_entries, FileMetaData* table);
  Status CheckBounds(const std::string& source, const FileMetaData& made) const;

  const Compaction& plan_;
  const CompactionInputs& in_;
  const DBContext& context_;
  CompactionService& service_;
  const std::string job_directory_;
  TakenTables taken_;
  std::string scheduled_id_;
  // What the service is told if the job fails.
  CompactionServiceJobStatus outcome_ = CompactionServiceJobStatus::kFailure;
};

Status RemoteJob::Run(CompactionResult* result) {
  TAMIS_RETURN_IF_ERROR(Send());
  const Status status =
      CatchExceptions([this, result] { return Receive(result); });
  if (status.ok()) {
    result->scheduled_job_id = scheduled_id_;
    taken_.Keep();
  } else {
    service_.OnInstallation(scheduled_id_, outcome_);
  }
  return status;
}

Status RemoteJob::Send() {
  TAMIS_RETURN_IF_ERROR(context_.fs()->CreateSharedDirectory(job_directory_));
  CompactionRequest request;
  TAMIS_RETURN_IF_ERROR(RequestOf(plan_, in_, &request));
  CompactionServiceScheduleResponse response =
      service_.Schedule(InfoFor(plan_, in_), EncodeMessage(request));
  if (response.status != CompactionServiceJobStatus::kSuccess) {
    outcome_ = response.status;
    return Status::Incomplete("Schedule returned", WordOf(response.status));
  }
  scheduled_id_ = std::move(response.scheduled_job_id);
  context_.event_log->Event("compaction_remote_start")
      .Add("job", in_.job)
      .Add("service", Slice(service_.Name()))
      .Add("id", Slice(scheduled_id_));
  return Status::OK();
}

Status RemoteJob::Receive(CompactionResult* result) {
  std::string bytes;
  const CompactionServiceJobStatus status =
      scheduled_id_.empty()
          ? service_.WaitForCompleteV2(InfoFor(plan_, in_), &bytes)
          : service_.Wait(scheduled_id_, &bytes);
  CompactionReply reply;
  const Status decoded = DecodeMessage(bytes, &reply);
  if (status != CompactionServiceJobStatus::kSuccess) {
    outcome_ = status;
    // What the worker says, if that came back.
    return Status::Incomplete(std::string("Wait returned ") + WordOf(status),
                              decoded.ok() ? reply.error : std::string());
  }
  TAMIS_RETURN_IF_ERROR(decoded);
  TAMIS_RETURN_IF_ERROR(CheckReply(reply));
  const auto outputs = VersionEdit::Decode(reply.outputs);
  if (!outputs.ok()) return outputs.status();
  if (outputs->new_files.size() != reply.entries.size()) {
    return Status::Corruption(job_directory_, "the reply contradicts itself");
  }
  const std::string& directory =
      reply.output_directory.empty() ? job_directory_ : reply.output_directory;
  CompactionWork work;
  work.counts = reply.counts;
  work.entries_written = reply.entries_written;
  for (size_t i = 0; i < outputs->new_files.size(); ++i) {
    const FileMetaData& made = outputs->new_files[i].second;
    const std::string source = TableFileName(directory, made.number);
    FileMetaData table;
    TAMIS_RETURN_IF_ERROR(Take(source, made, reply.entries[i], &table));
    work.tables.push_back(std::move(table));
  }
  if (!work.tables.empty()) {
    TAMIS_RETURN_IF_ERROR(file_io::SyncDirectory(
        context_.fs(), TableDirectory(context_, work.tables.front())));
  }
  for (const auto& [level, made] : outputs->new_files) {
    // They have their new names; what cannot be removed is the service's.
    context_.fs()
        ->RemoveFile(TableFileName(directory, made.number))
        .PermitUncheckedError();
  }
  *result = ResultOf(plan_, in_, std::move(work));
  return Status::OK();
}

Status RemoteJob::CheckReply(const CompactionReply& reply) const {
  const CompactionJobId id = {context_.db_id, context_.session_id, in_.job};
  if (reply.id != id) {
    return Status::InvalidArgument("reply of a remote compaction",
                                   "it is of job " +
                                       std::to_string(reply.id.job) +
                                       " of session " + reply.id.session_id);
  }
  if (!reply.error.empty()) return Status::Incomplete(reply.error);
  return CheckCompacted(plan_, in_, reply.counts.entries_read);
}

Status RemoteJob::CheckBounds(const std::string& source,
                              const FileMetaData& made) const {
  if (made.smallest.size() < kInternalKeyTailBytes ||
      made.largest.size() < kInternalKeyTailBytes) {
    return Status::Corruption(source, "the reply has no bounds for it");
  }
  const KeyOrder& order = in_.family->order();
  const auto user_key = [](const std::string& key) {
    return ExtractUserKey(key);
  };
  bool begins = false;
  bool ends = false;
  bool in_sequence = false;
  plan_.ForEachInput([&](const TableFilePtr& file) {
    const FileMetaData& input = file->meta;
    begins |= order.CompareUserKeys(user_key(input.smallest),
                                    user_key(made.smallest)) <= 0;
    ends |= order.CompareUserKeys(user_key(input.largest),
                                  user_key(made.largest)) >= 0;
    in_sequence |= input.largest_seqno >= made.largest_seqno;
  });
  if (begins && ends && in_sequence) return Status::OK();
  return Status::Corruption(source,
                            "its bounds are not within those of the inputs");
}

// Checks a table of the worker's, and gives it a name in the database.
Status RemoteJob::Take(const std::string& source, FileMetaData made,
                       uint64_t num_entries, FileMetaData* table) {
  TAMIS_RETURN_IF_ERROR(CheckBounds(source, made));
  uint64_t size = 0;
  TAMIS_RETURN_IF_ERROR(context_.fs()->GetFileSize(source, &size));
  if (size != made.size) {
    return Status::Corruption(source, "it has " + std::to_string(size) +
                                          " bytes, expected " +
                                          std::to_string(made.size));
  }
  made.number = in_.new_file_number();
  made.path_id = plan_.path_id;
  made.directory = in_.family->tables().paths().directory(plan_.path_id);
  made.num_entries = num_entries;
  TableCreation creation(context_, CreationInfo(in_, made));
  bool linked = false;
  TAMIS_RETURN_IF_ERROR(taken_.LinkOrCopy(source, made, /*link=*/true,
                                          /*may_copy=*/true, &linked));
  if (in_.space != nullptr) {
    TAMIS_RETURN_IF_ERROR(in_.space->Written(context_, made.size));
  }
  const auto reader = in_.family->tables().OpenUncached(made);
  if (!reader.ok()) return reader.status();
  const TableProperties& properties = *(*reader)->properties();
  made.num_deletions = properties.num_deletions;
  if (properties.num_entries != num_entries) {
    return Status::Corruption(
        source, "it has " + std::to_string(properties.num_entries) +
                    " entries, expected " + std::to_string(num_entries));
  }
  LogTable(context_, plan_.output_level, made, properties,
           TableFormatName((*reader)->format()), /*filters=*/"",
           "a worker made the table");
  creation.Complete(made.size, made.checksum, properties);
  *table = std::move(made);
  return Status::OK();
}

}  // namespace

Result<CompactionResult> RunRemoteCompaction(const Compaction& plan,
                                             const CompactionInputs& in,
                                             bool* declined) {
  CompactionResult result;
  *declined = false;
  const Status status = CatchExceptions([&] {
    RemoteJob job(plan, in);
    Status ran = job.Run(&result);
    *declined = job.declined();
    return ran;
  });
  if (!status.ok()) return status;
  return result;
}

void TellInstallation(const DBContext& context, const CompactionResult& result,
                      const Status& status) noexcept {
  if (!result.scheduled_job_id) return;
  IgnoreExceptions([&] {
    context.options.compaction_service->OnInstallation(
        *result.scheduled_job_id, status.ok()
                                      ? CompactionServiceJobStatus::kSuccess
                                      : CompactionServiceJobStatus::kFailure);
  });
}

}  // namespace tamis
