// SPDX-License-Identifier: Apache-2.0
//
// This file implements the calls of DBImpl that list and check tables.
#include <utility>

#include "db/base/file_names.h"
#include "db/db_impl.h"
#include "db/filter_report.h"
#include "db/manifest/table_path.h"
#include "db/property_names.h"

namespace tamis {

namespace {

struct Summed {
  const char* name;  // RocksDB's
  uint64_t TableProperties::*member;
};
constexpr Summed kSummed[] = {
    {"data_size", &TableProperties::data_size},
    {"index_size", &TableProperties::index_size},
    {"index_partitions", &TableProperties::index_partitions},
    {"top_level_index_size", &TableProperties::top_level_index_size},
    {"filter_size", &TableProperties::filter_size},
    {"raw_key_size", &TableProperties::raw_key_size},
    {"raw_value_size", &TableProperties::raw_value_size},
    {"num_data_blocks", &TableProperties::num_data_blocks},
    {"num_entries", &TableProperties::num_entries},
    {"num_filter_entries", &TableProperties::num_filter_entries},
    {"num_deletions", &TableProperties::num_deletions},
    {"num_merge_operands", &TableProperties::num_merge_operands},
    {"num_range_deletions", &TableProperties::num_range_deletions},
};

}  // namespace

void DBImpl::DescribeTable(const std::string& directory, const TableFile& file,
                           SstFileMetaData* out) {
  const FileMetaData& meta = file.meta;
  out->directory = directory;
  out->db_path = directory;
  out->name = TableFileName("", meta.number);
  out->relative_filename = out->name.substr(1);
  out->file_number = meta.number.value();
  out->size = meta.size;
  out->smallestkey = ExtractUserKey(meta.smallest).ToString();
  out->largestkey = ExtractUserKey(meta.largest).ToString();
  out->smallest_seqno = meta.smallest_seqno;
  out->largest_seqno = meta.largest_seqno;
  out->epoch_number = meta.epoch_number.value();
  out->num_entries = file.num_entries_if_known();
  out->num_deletions = file.num_deletions_if_known();
  out->oldest_ancester_time = meta.oldest_ancestor_time;
  out->file_creation_time = meta.file_creation_time;
  out->file_checksum = meta.checksum.value;
  out->file_checksum_func_name = meta.checksum.function;
}

void DBImpl::GetLiveFilesMetaData(std::vector<LiveFileMetaData>* files) {
  files->clear();
  // Keeps the families while others may be created or dropped.
  const ColumnFamilySet::ViewPtr families = versions_.families().view();
  for (const ColumnFamilyPtr& family : *families) {
    const ReadStatePtr state = family->AcquireReadState();
    ForEachFile(*state->version, [&](Level level, const TableFilePtr& file) {
      LiveFileMetaData out;
      out.column_family_name = family->name();
      out.level = level.value();
      DescribeTable(TableDirectory(context_, file->meta), *file, &out);
      files->push_back(std::move(out));
    });
  }
}

Status DBImpl::GetColumnFamilyMetaData(ColumnFamilyHandle* handle,
                                       ColumnFamilyMetaData* metadata) {
  TAMIS_RETURN_IF_ERROR(CheckOpen());
  const ColumnFamily& family = *FamilyOf(handle);
  *metadata = {};
  metadata->name = family.name();
  MutexLock lock(&mutex_);
  const VersionPtr version = family.version();
  for (const Level level : kLevels) {
    LevelMetaData& of_level = metadata->levels.emplace_back();
    of_level.level = level.value();
    of_level.size = version->LevelBytes(level);
    for (const TableFilePtr& file : version->files(level)) {
      SstFileMetaData& out = of_level.files.emplace_back();
      DescribeTable(TableDirectory(context_, file->meta), *file, &out);
      out.being_compacted = scheduler_.IsBusy(file->meta.number);
    }
    metadata->size += of_level.size;
    metadata->file_count += of_level.files.size();
  }
  return Status::OK();
}

Status DBImpl::GetPropertiesOfTables(
    ColumnFamilyHandle* handle,
    const std::function<bool(const KeyOrder&, const FileMetaData&)>& wanted,
    TablePropertiesCollection* props) {
  TAMIS_RETURN_IF_ERROR(CheckOpen());
  const ColumnFamily& family = *FamilyOf(handle);
  const ReadStatePtr state = family.AcquireReadState();
  Status status;
  ForEachFile(*state->version, [&](Level, const TableFilePtr& file) {
    if (!status.ok() || !wanted(family.order(), file->meta)) return;
    const auto reader = family.tables().Reader(*file);
    if (!reader.ok()) {
      status = reader.status();
      return;
    }
    (*props)[TablePath(context_, file->meta)] = (*reader)->properties();
  });
  return status;
}

Status DBImpl::GetPropertiesOfAllTables(ColumnFamilyHandle* handle,
                                        TablePropertiesCollection* props) {
  return GetPropertiesOfTables(
      handle, [](const KeyOrder&, const FileMetaData&) { return true; }, props);
}

Status DBImpl::GetPropertiesOfTablesInRange(ColumnFamilyHandle* handle,
                                            const Range* ranges, size_t n,
                                            TablePropertiesCollection* props) {
  return GetPropertiesOfTables(
      handle,
      [&](const KeyOrder& order, const FileMetaData& file) {
        for (size_t i = 0; i < n; ++i) {
          if (order.CompareUserKeys(ExtractUserKey(file.largest),
                                    ranges[i].start) >= 0 &&
              order.CompareUserKeys(ExtractUserKey(file.smallest),
                                    ranges[i].limit) <= 0) {
            return true;
          }
        }
        return false;
      },
      props);
}

Status DBImpl::SumTableProperties(ColumnFamilyHandle* handle,
                                  std::optional<Level> level,
                                  TableProperties* sum) {
  TAMIS_RETURN_IF_ERROR(CheckOpen());
  const ColumnFamily& family = *FamilyOf(handle);
  const ReadStatePtr state = family.AcquireReadState();
  Status status;
  ForEachFile(*state->version, [&](Level of_file, const TableFilePtr& file) {
    if (!status.ok() || (level && of_file != *level)) return;
    const auto reader = family.tables().Reader(*file);
    status = reader.status();
    if (!status.ok()) return;
    const TableProperties& one = *(*reader)->properties();
    for (const auto& [name, member] : kSummed) sum->*member += one.*member;
  });
  return status;
}

bool DBImpl::GetMapProperty(ColumnFamilyHandle* handle, const Slice& property,
                            std::map<std::string, std::string>* values) {
  if (property == Slice(DBProperties::kFilterReport)) {
    if (!CheckOpen().ok()) return false;
    const auto report = MakeFilterReport(*FamilyOf(handle));
    if (!report.ok()) return false;
    FilterReportMap(*report, values);
    return true;
  }
  if (CheckOpen().ok() &&
      GetStatsMap(*FamilyOf(handle), property.ToString(), values)) {
    return true;
  }
  const std::optional<Level> level = LevelIn(
      property.ToString(), DBProperties::kAggregatedTablePropertiesAtLevel);
  if (!level && property != Slice(DBProperties::kAggregatedTableProperties)) {
    return false;
  }
  TableProperties sum;
  if (!SumTableProperties(handle, level, &sum).ok()) return false;
  for (const auto& [name, member] : kSummed) {
    (*values)[name] = std::to_string(sum.*member);
  }
  return true;
}

Status DBImpl::VerifyChecksum() {
  TAMIS_RETURN_IF_ERROR(CheckOpen());
  const ColumnFamilySet::ViewPtr families = versions_.families().view();
  for (const ColumnFamilyPtr& family : *families) {
    const ReadStatePtr state = family->AcquireReadState();
    for (const Level level : kLevels) {
      for (const TableFilePtr& file : state->version->files(level)) {
        TAMIS_RETURN_IF_ERROR(CheckOpen());
        const auto reader = family->tables().OpenUncached(file->meta);
        if (!reader.ok()) return reader.status();
        TAMIS_RETURN_IF_ERROR((*reader)->VerifyChecksums());
      }
    }
  }
  return Status::OK();
}

}  // namespace tamis
