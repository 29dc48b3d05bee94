// SPDX-License-Identifier: Apache-2.0
#include "tools/tour_stage.h"

#include <algorithm>
#include <memory>

#include "tamis/db.h"
#include "tamis/filter_policy.h"

#include "tools/table_facts.h"

namespace tamis {
namespace {

// Small, so that a corpus of a few megabytes is flushed and compacted while it
// loads, and ends in several files.
constexpr size_t kMemtableBytes = size_t{2} << 20;
constexpr uint64_t kTableBytes = uint64_t{4} << 20;

// Removes the database of an earlier tour; rejects other contents.
Status ClearDirectory(const std::string& directory) {
  const std::shared_ptr<FileSystem> fs = NewPosixFileSystem();
  std::vector<std::string> names;
  const Status listed = fs->GetChildren(directory, &names);
  if (listed.IsPathNotFound() || (listed.ok() && names.empty())) {
    return Status::OK();
  }
  TAMIS_RETURN_IF_ERROR(listed);
  const bool database =
      std::any_of(names.begin(), names.end(), [](const std::string& name) {
        return name == "CURRENT" || name == "IDENTITY" || name == "LOCK";
      });
  if (!database) {
    return Status::InvalidArgument(
        directory, "holds files and is not a database: not touched");
  }
  return DestroyDB(directory, Options());
}

Status Load(DB* db, const Corpus& corpus, uint64_t seed) {
  for (const Lookup& entry : PresentLookups(corpus, seed)) {
    TAMIS_RETURN_IF_ERROR(db->Put(WriteOptions(), *entry.key, *entry.answer));
  }
  TAMIS_RETURN_IF_ERROR(db->Flush(FlushOptions()));
  return db->CompactRange(CompactRangeOptions(), nullptr, nullptr);
}

Status MeasureFiles(DB* db, StageFigures* figures) {
  std::vector<LiveFileMetaData> files;
  db->GetLiveFilesMetaData(&files);
  double expected_hits = 0;
  for (const LiveFileMetaData& file : files) {
    const std::string path = file.db_path + file.name;
    Result<TableFacts> facts = ReadTableFacts(path);
    if (!facts.ok()) return facts.status();
    const TableProperties& properties = *facts->properties;
    figures->files++;
    figures->file_bytes += file.size;
    figures->entries += properties.num_entries;
    figures->filter_bytes += facts->filter.bytes;
    figures->filter_entries += facts->filter.keys;
    expected_hits += facts->filter.predicted_fpr *
                     static_cast<double>(properties.num_entries);
    figures->table_path = path;
  }
  figures->predicted_fpr =
      figures->entries == 0
          ? 1
          : expected_hits / static_cast<double>(figures->entries);
  return Status::OK();
}

}  // namespace

const char* TourFilterName(TourFilter filter) {
  switch (filter) {
    case TourFilter::kNone:
      return "none";
    case TourFilter::kBlock:
      return "block";
    case TourFilter::kFull:
      return "full";
    case TourFilter::kPartitioned:
      return "partitioned";
  }
  return "unknown";
}

Options StageOptions(const StagePlan& plan) {
  BlockBasedTableOptions table;
  table.filter_policy.reset();
  if (plan.filter != TourFilter::kNone) {
    table.filter_policy.reset(NewBloomFilterPolicy(
        plan.bits_per_key, plan.filter == TourFilter::kBlock));
  }
  if (plan.filter == TourFilter::kPartitioned) {
    table.index_type = BlockBasedTableOptions::kTwoLevelIndexSearch;
    table.partition_filters = true;
  }
  Options options;
  options.write_buffer_size = kMemtableBytes;
  options.target_file_size_base = kTableBytes;
  options.table_factory.reset(NewBlockBasedTableFactory(table));
  return options;
}

Result<StageFigures> LoadStage(const StagePlan& plan, const Corpus& corpus) {
  StageFigures figures;
  figures.plan = plan;
  TAMIS_RETURN_IF_ERROR(ClearDirectory(plan.directory));
  Options options = StageOptions(plan);
  options.create_if_missing = true;
  std::unique_ptr<DB> db;
  TAMIS_RETURN_IF_ERROR(DB::Open(options, plan.directory, &db));
  TAMIS_RETURN_IF_ERROR(Load(db.get(), corpus, plan.seed));
  TAMIS_RETURN_IF_ERROR(MeasureFiles(db.get(), &figures));
  TAMIS_RETURN_IF_ERROR(db->Close());
  return figures;
}

}  // namespace tamis
