// SPDX-License-Identifier: Apache-2.0
#include "db/compaction/filter_rewrite.h"

#include <utility>

#include "db/base/table_file.h"
#include "db/manifest/table_path.h"
#include "table/table_copy.h"
#include "table/unique_id.h"
#include "util/base/exceptions.h"
#include "util/io/file_io.h"
#include "util/stats/perf_counters.h"

namespace tamis {

namespace {

// A new file, removed by the destructor unless it was kept.
class NewFile {
 public:
  NewFile(const CompactionInputs& in, std::string path, uint64_t expected_size)
      : context_(*in.context),
        path_(std::move(path)),
        expected_size_(expected_size),
        operation_(in.operation) {}
  ~NewFile() {
    if (kept_) return;
    file_.reset();
    // The next open removes it if this fails.
    IgnoreExceptions(
        [&] { RemoveTableFile(context_, path_).PermitUncheckedError(); });
  }
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  Status Create() {
    return NewTableFile(context_, path_, expected_size_, IO_LOW,
                        {operation_, ThreadStatus::COMPACTION_BYTES_WRITTEN},
                        &file_);
  }
  ChecksummedWrites* get() { return file_.get(); }
  void Keep() { kept_ = true; }

 private:
  const DBContext& context_;
  const std::string path_;
  const uint64_t expected_size_;
  TrackedOperation* const operation_;
  std::unique_ptr<ChecksummedWrites> file_;
  bool kept_ = false;
};

// Returns the metadata of the copy, which has no size, identity and checksum
// yet.
FileMetaData CopyOf(const TableFile& file, FileNumber number,
                    const ColumnFamily& family) {
  FileMetaData meta = file.meta;
  meta.number = number;
  meta.checksum = {};
  meta.lookups = file.CountsAt(family.tables().lookups());
  return meta;
}

}  // namespace

std::optional<Compaction> PlanFilterRewrite(const VersionPtr& version,
                                            FileNumber number,
                                            double size_factor) {
  const auto place = version->Find(number);
  if (!place) return std::nullopt;
  const TableFilePtr& file = version->files(place->level)[place->index];
  Compaction plan;
  plan.input_version = version;
  plan.level = place->level;
  plan.output_level = place->level;
  plan.inputs = {file};
  plan.rewrite_filters = size_factor;
  plan.bottommost = version->OverlappingBelow(place->level, file->meta).empty();
  return plan;
}

Result<CompactionResult> RunFilterRewrite(const Compaction& plan,
                                          const CompactionInputs& in) {
  TAMIS_CHECK(plan.rewrite_filters);
  TAMIS_CHECK(plan.inputs.size() == 1);
  TAMIS_CHECK(plan.output_inputs.empty());
  if (in.operation != nullptr) {
    in.operation->SetStage(ThreadStatus::STAGE_COMPACTION_RUN);
  }
  const DBContext& context = *in.context;
  const TableFile& file = *plan.inputs.front();
  const TableCache& tables = in.family->tables();
  const auto source = tables.OpenForCompaction(file.meta);
  if (!source.ok()) return source.status();

  FileMetaData meta = CopyOf(file, in.new_file_number(), *in.family);
  TableOutput::Facts facts;
  facts.level = plan.output_level;
  facts.bottommost = plan.bottommost;
  const TableCopy copy(**source, BuildOptionsFor(in, facts, meta));
  TAMIS_RETURN_IF_ERROR(copy.CheckSupported());
  const Result<bool> due = copy.IsDue(*plan.rewrite_filters);
  if (!due.ok()) return due.status();
  CompactionResult result;
  if (!*due) return result;

  NewFile output(in, TablePath(context, meta), file.meta.size);
  TAMIS_RETURN_IF_ERROR(output.Create());
  TableCreation creation(context, CreationInfo(in, meta));
  const auto written = copy.WriteTo(output.get(), in.cancelled);
  if (!written.ok()) return written.status();
  meta.size = written->size;
  meta.unique_id = TableUniqueId(written->properties);
  meta.num_entries = written->properties.num_entries;
  meta.num_deletions = written->properties.num_deletions;
  TAMIS_RETURN_IF_ERROR(file_io::Flush(output.get()));
  auto checksum = output.get()->FinishChecksum();
  if (!checksum.ok()) return checksum.status();
  meta.checksum = std::move(checksum).value();
  TAMIS_RETURN_IF_ERROR(file_io::Sync(output.get()));
  TAMIS_RETURN_IF_ERROR(output.get()->Close());
  CountTableFile(context, TablePath(context, meta), meta.size);
  if (in.space != nullptr) {
    TAMIS_RETURN_IF_ERROR(in.space->Written(context, meta.size));
  }
  // Reads it back.
  TAMIS_RETURN_IF_ERROR(tables.OpenUncached(meta).status());
  TAMIS_RETURN_IF_ERROR(
      file_io::SyncDirectory(context.fs(), TableDirectory(context, meta)));
  LogTable(context, plan.output_level, meta, written->properties,
           TableFormatName(TableFormat::kBlockBased), written->filters,
           written->filter_reason);

  result.counts.entries_read = meta.num_entries;
  AddInputs(plan, &result.stats);
  result.stats.written = meta.size;
  result.stats.entries_read = meta.num_entries;
  RecordTick(context.statistics(), COMPACT_READ_BYTES, result.stats.read());
  RecordTick(context.statistics(), COMPACT_WRITE_BYTES, result.stats.written);
  result.edit.deleted_files.emplace_back(plan.level, file.meta.number);
  creation.Complete(result.stats.written, meta.checksum, written->properties);
  result.edit.new_files.emplace_back(plan.output_level, std::move(meta));
  output.Keep();
  return result;
}

}  // namespace tamis
