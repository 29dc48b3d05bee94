// SPDX-License-Identifier: Apache-2.0
#include "db/compaction/table_output.h"

#include <algorithm>
#include <utility>

#include "db/base/table_file.h"
#include "db/compaction/output_compression.h"
#include "db/manifest/table_path.h"
#include "db/version/obsolete_files.h"
#include "table/unique_id.h"
#include "util/base/exceptions.h"
#include "util/io/file_io.h"
#include "util/stats/histogram_timer.h"

namespace tamis {

namespace {

// The most complete tables that are not synced yet. Each has an open file.
constexpr size_t kUnsyncedMax = 4;

void CountSequence(SequenceNumber sequence, FileMetaData* meta) {
  meta->smallest_seqno = std::min(meta->smallest_seqno, sequence);
  meta->largest_seqno = std::max(meta->largest_seqno, sequence);
}

}  // namespace

Helpers TableHelpers(const TableJob& job) {
  if (job.options->compression_opts.parallel_threads <= 1) return {};
  return {job.context->runner(), job.schedule};
}

TableFileCreationBriefInfo CreationInfo(const TableJob& job,
                                        const FileMetaData& table) {
  TableFileCreationBriefInfo info;
  info.db_name = job.context->directory;
  info.cf_name = job.family->name();
  info.file_path = TablePath(*job.context, table);
  info.job_id = static_cast<int>(job.job);
  info.reason = job.reason;
  return info;
}

TableBuildOptions BuildOptionsFor(const TableJob& job,
                                  const TableOutput::Facts& facts,
                                  const FileMetaData& meta) {
  const DBContext& context = *job.context;
  const ColumnFamily& family = *job.family;
  TableBuildOptions options(family.order());
  SetFormat(*job.options->table_factory, &options);
  options.has_range_deletions = facts.has_range_deletions;
  const OutputCompression compression =
      facts.is_flush ? CompressionOfFlush(*job.options)
                     : CompressionOf(*job.options, facts.level, facts.base,
                                     facts.bottommost);
  options.compression = facts.compress
                            ? facts.compression.value_or(compression.type)
                            : kNoCompression;
  options.compression_opts = compression.options;
  options.target_file_size = facts.target_file_size;
  options.prefix_extractor = job.options->prefix_extractor;
  if (job.options->merge_operator != nullptr) {
    options.merge_operator_name = job.options->merge_operator->Name();
  }
  options.collector_factories =
      family.fixed_options().table_properties_collector_factories;
  options.logger = context.logger();
  options.level = facts.level.value();
  options.is_flush = facts.is_flush;
  options.is_bottommost = facts.bottommost;
  options.expected_keys = facts.expected_keys;
  options.levels = job.levels;
  options.skip_filters =
      facts.bottommost && job.options->optimize_filters_for_hits;
  options.statistics = context.statistics();
  options.bytes_per_sync = context.Live<&DBOptions::bytes_per_sync>();
  options.block_cache = family.tables().block_cache_if_any();
  options.file_name = TablePath(context, meta);
  options.column_family_id = family.id().value();
  options.column_family_name = family.name();
  options.creation_time = meta.oldest_ancestor_time;
  options.oldest_key_time = meta.oldest_ancestor_time;
  options.file_creation_time = meta.file_creation_time;
  options.db_id = context.db_id;
  options.db_session_id = context.session_id;
  options.file_number = meta.number.value();
  options.helpers = TableHelpers(job);
  return options;
}

void LogTable(const DBContext& context, Level level, const FileMetaData& meta,
              const TableProperties& properties, const std::string& format,
              const std::string& filters, const std::string& filter_reason) {
  context.event_log->Event("table_written")
      .Add("file", meta.number.value())
      .Add("format", Slice(format))
      .Add("level", static_cast<uint64_t>(level.value()))
      .Add("bytes", meta.size)
      .Add("entries", properties.num_entries)
      .Add("filters", Slice(filters))
      .Add("filter_bytes", properties.filter_size)
      .Add("filter_entries", properties.num_filter_entries)
      .Add("filter_reason", Slice(filter_reason));
}

TableOutput::~TableOutput() {
  if (finished_) return;
  ends_.Drop();
  ending_.reset();
  if (builder_ != nullptr) builder_->Abandon();
  builder_.reset();
  file_.reset();
  written_.clear();
  // The next open removes files for which this fails.
  for (size_t i = 0; i < tables_.size(); ++i) {
    IgnoreExceptions([&] {
      const std::string path = TablePath(context_, tables_[i]);
      const Status status = RemoveTableFile(context_, path);
      if (i < creations_.size() && creations_[i]->completed()) {
        TellTableDeleted(context_, path, status);
      }
    });
  }
}

Status TableOutput::OpenTable() {
  TAMIS_CHECK(!finished_);
  TAMIS_CHECK(builder_ == nullptr);
  const uint64_t now = context_.NowSeconds();
  FileMetaData meta;
  meta.number = job_.new_file_number();
  meta.path_id = facts_.path_id;
  meta.directory = directory_;
  TAMIS_CHECK(tables_.empty() || tables_.back().number < meta.number);
  meta.epoch_number = facts_.epoch_number;
  meta.file_creation_time = now;
  meta.oldest_ancestor_time =
      facts_.oldest_ancestor_time != 0 ? facts_.oldest_ancestor_time : now;
  meta.smallest_seqno = kMaxSequenceNumber;

  const TableBuildOptions options = BuildOptionsFor(job_, facts_, meta);
  TAMIS_RETURN_IF_ERROR(NewTableFile(
      context_, options.file_name, facts_.target_file_size,
      facts_.is_flush ? IO_HIGH : IO_LOW,
      {job_.operation, facts_.is_flush
                           ? int{ThreadStatus::FLUSH_BYTES_WRITTEN}
                           : int{ThreadStatus::COMPACTION_BYTES_WRITTEN}},
      &file_));
  tables_.push_back(std::move(meta));
  creations_.push_back(std::make_unique<TableCreation>(
      context_, CreationInfo(job_, tables_.back())));
  builder_ = std::make_unique<TableBuilder>(options, file_.get());
  validator_ = OutputValidator(job_.options->paranoid_file_checks);
  return builder_->status();
}

Status TableOutput::Add(const Slice& internal_key, const Slice& value) {
  if (builder_ == nullptr) [[unlikely]] {
    TAMIS_RETURN_IF_ERROR(OpenTable());
    tables_.back().smallest = internal_key.ToString();
  }
  builder_->Add(internal_key, value);
  validator_.Add(internal_key, value);
  if (!builder_->ok()) [[unlikely]]
    return builder_->status();
  CountSequence(ExtractSequence(internal_key), &tables_.back());
  return {};
}

Status TableOutput::AddRangeTombstones(
    const Slice* upper, std::span<const RangeTombstone> tombstones) {
  const KeyOrder& order = family_.order();
  TAMIS_DCHECK(std::is_sorted(
      tombstones.begin(), tombstones.end(), [&](const auto& a, const auto& b) {
        return order.CompareUserKeys(a.begin, b.begin) < 0;
      }));
  for (const RangeTombstone& tombstone : tombstones) {
    Slice begin = tombstone.begin;
    Slice end = tombstone.end;
    if (upper != nullptr && order.CompareUserKeys(begin, *upper) >= 0) break;
    if (lower_ != nullptr && order.CompareUserKeys(begin, *lower_) < 0) {
      begin = *lower_;
    }
    if (upper != nullptr && order.CompareUserKeys(end, *upper) > 0) {
      end = *upper;
    }
    if (order.CompareUserKeys(begin, end) >= 0) continue;
    if (builder_ == nullptr) TAMIS_RETURN_IF_ERROR(OpenTable());
    builder_->AddRangeDeletion(begin, end, tombstone.sequence);
    WidenBounds(begin, end, tombstone.sequence);
    TAMIS_RETURN_IF_ERROR(builder_->status());
  }
  return {};
}

// The end is exclusive. Its internal key therefore sorts before every possible
// version of the user key.
void TableOutput::WidenBounds(const Slice& begin, const Slice& end,
                              SequenceNumber sequence) {
  FileMetaData& meta = tables_.back();
  std::string smallest;
  AppendInternalKey(&smallest, begin, sequence, kTypeRangeDeletion);
  if (meta.smallest.empty() ||
      family_.order().Compare(smallest, meta.smallest) < 0) {
    meta.smallest = std::move(smallest);
  }
  std::string largest;
  AppendInternalKey(&largest, end, kMaxSequenceNumber, kTypeRangeDeletion);
  if (meta.largest.empty() ||
      family_.order().Compare(largest, meta.largest) > 0) {
    meta.largest = std::move(largest);
  }
  CountSequence(sequence, &meta);
}

bool TableOutput::OpenTableHasReached(uint64_t bytes) const {
  return builder_ != nullptr && builder_->HasReached(bytes);
}

uint64_t TableOutput::OpenTableBytes() const {
  TAMIS_CHECK(builder_ != nullptr);
  return builder_->EstimatedFileSize();
}

void TableOutput::Ending::Write() {
  status = builder->Finish();
  if (status.ok()) status = file_io::Flush(file.get());
  if (!status.ok()) return;
  if (starts_writeback) file_io::RangeSync(file.get(), 0, builder->FileSize());
  auto finished = file->FinishChecksum();
  status = finished.status();
  if (status.ok()) checksum = std::move(finished).value();
}

Status TableOutput::CloseTable() {
  TAMIS_CHECK(builder_ != nullptr);
  TAMIS_RETURN_IF_ERROR(CompleteTable());
  ending_ = std::make_unique<Ending>(Ending{
      std::move(file_), std::move(builder_), validator_, tables_.size() - 1,
      context_.Live<&DBOptions::bytes_per_sync>() != 0});
  ends_.Add([ending = ending_.get()] { ending->Write(); });
  return Status::OK();
}

Status TableOutput::CompleteTable() {
  if (ending_ == nullptr) return Status::OK();
  ends_.WaitForAll();
  const std::unique_ptr<Ending> ended = std::move(ending_);
  TAMIS_RETURN_IF_ERROR(ended->status);
  const TableBuilder& builder = *ended->builder;
  FileMetaData& meta = tables_[ended->table];
  meta.size = builder.FileSize();
  meta.unique_id = TableUniqueId(builder.properties());
  meta.checksum = ended->checksum;
  meta.num_entries = builder.properties().num_entries;
  meta.num_deletions = builder.properties().num_deletions;
  meta.marked_for_compaction = builder.need_compaction();
  meta.has_one_value_each = builder.has_one_value_each();
  const Slice last_key = builder.last_key();
  if (!last_key.empty() &&
      (meta.largest.empty() ||
       family_.order().Compare(last_key, meta.largest) > 0)) {
    meta.largest = last_key.ToString();
  }
  TAMIS_CHECK(meta.size > 0);
  TAMIS_CHECK(meta.smallest.size() >= kInternalKeyTailBytes);
  TAMIS_CHECK(meta.largest.size() >= kInternalKeyTailBytes);
  TAMIS_CHECK(meta.smallest_seqno <= meta.largest_seqno);
  TAMIS_DCHECK(family_.order().Compare(meta.smallest, meta.largest) <= 0);
  LogTable(context_, facts_.level, meta, builder.properties(),
           builder.DescribeFormat(), builder.DescribeFilters(),
           builder.filter_reason());
  written_.push_back({std::move(ended->file), ended->validator, meta,
                      builder.properties(), creations_[ended->table].get()});
  return written_.size() > kUnsyncedMax ? SyncOldest() : Status::OK();
}

Status TableOutput::SyncOldest() {
  TAMIS_CHECK(!written_.empty());
  const Written oldest = std::move(written_.front());
  written_.pop_front();
  const bool tells_stage = job_.operation != nullptr && !facts_.is_flush;
  if (tells_stage) {
    job_.operation->SetStage(ThreadStatus::STAGE_COMPACTION_SYNC_FILE);
  }
  {
    const HistogramTimer timing(
        context_.statistics(),
        facts_.is_flush ? TABLE_SYNC_MICROS : COMPACTION_OUTFILE_SYNC_MICROS);
    TAMIS_RETURN_IF_ERROR(file_io::Sync(oldest.file.get()));
  }
  TAMIS_RETURN_IF_ERROR(oldest.file->Close());
  CountTableFile(context_, TablePath(context_, oldest.meta), oldest.meta.size);
  if (job_.space != nullptr) {
    TAMIS_RETURN_IF_ERROR(job_.space->Written(context_, oldest.meta.size));
  }
  const auto reader = family_.tables().OpenUncached(oldest.meta);
  if (!reader.ok()) return reader.status();
  TAMIS_RETURN_IF_ERROR(oldest.validator.Check(
      **reader, TablePath(context_, oldest.meta),
      context_.Live<&DBOptions::compaction_readahead_size>()));
  oldest.creation->Complete(oldest.meta.size, oldest.meta.checksum,
                            oldest.properties);
  if (tells_stage) {
    job_.operation->SetStage(ThreadStatus::STAGE_COMPACTION_PROCESS_KV);
  }
  return Status::OK();
}

Status TableOutput::CutBefore(const Slice& user_key,
                              std::span<const RangeTombstone> tombstones) {
  TAMIS_CHECK(HasOpenTable());
  TAMIS_RETURN_IF_ERROR(AddRangeTombstones(&user_key, tombstones));
  TAMIS_RETURN_IF_ERROR(CloseTable());
  cut_.assign(user_key.data(), user_key.size());
  cut_key_ = cut_;
  lower_ = &cut_key_;
  return {};
}

Result<std::vector<FileMetaData>> TableOutput::Finish(
    std::span<const RangeTombstone> tombstones) {
  TAMIS_CHECK(!finished_);
  TAMIS_RETURN_IF_ERROR(AddRangeTombstones(facts_.upper, tombstones));
  if (builder_ != nullptr) TAMIS_RETURN_IF_ERROR(CloseTable());
  // Earlier tables are synced while the last one ends.
  while (!written_.empty()) TAMIS_RETURN_IF_ERROR(SyncOldest());
  TAMIS_RETURN_IF_ERROR(CompleteTable());
  while (!written_.empty()) TAMIS_RETURN_IF_ERROR(SyncOldest());
  // The caller syncs the database's directory.
  const bool is_elsewhere = directory_ != nullptr;
  if (!tables_.empty() && (is_elsewhere || !job_.caller_syncs_directory)) {
    TAMIS_RETURN_IF_ERROR(file_io::SyncDirectory(
        context_.fs(), TableDirectory(context_, tables_.back())));
  }
  finished_ = true;
  return tables_;
}

}  // namespace tamis
