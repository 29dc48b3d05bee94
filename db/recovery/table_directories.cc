// SPDX-License-Identifier: Apache-2.0
#include "db/recovery/table_directories.h"

#include "db/base/file_names.h"
#include "db/base/table_paths.h"
#include "db/recovery/separate_directory.h"

namespace tamis {

namespace {

constexpr char kOption[] = "DBOptions::db_paths";

Result<std::set<FileNumber>> TablesIn(FileSystem* fs,
                                      const std::string& directory) {
  std::vector<std::string> names;
  TAMIS_RETURN_IF_ERROR(fs->GetChildren(directory, &names));
  std::set<FileNumber> tables;
  for (const std::string& name : names) {
    const auto file = ParseFileName(name);
    if (file && file->type == FileKind::kTable) tables.insert(file->number);
  }
  return tables;
}

bool HaveCommon(const std::set<FileNumber>& a, const std::set<FileNumber>& b) {
  for (const FileNumber number : a) {
    if (b.contains(number)) return true;
  }
  return false;
}

}  // namespace

ListedTables ListedInPaths(const std::string& database,
                           const DBOptions& options,
                           const std::vector<ColumnFamilyDescriptor>& families,
                           const ManifestState& manifest) {
  std::map<std::string, TablePaths> by_name;
  for (const ColumnFamilyDescriptor& family : families) {
    const auto& own = family.options.cf_paths;
    by_name.emplace(family.name,
                    TablePaths(database, own.empty() ? options.db_paths : own));
  }
  const TablePaths others(database, options.db_paths);
  ListedTables listed;
  for (const auto& [id, family] : manifest.families) {
    const auto named = by_name.find(family.name);
    const TablePaths& paths = named != by_name.end() ? named->second : others;
    for (const Level level : kLevels) {
      for (const FileMetaData& table : family.files[level]) {
        const TablePaths::Directory& directory = paths.directory(table.path_id);
        if (directory != nullptr) listed[*directory].insert(table.number);
      }
    }
  }
  return listed;
}

Status CheckTableDirectory(FileSystem* fs, const std::string& directory,
                           const std::string& db_id,
                           const ListedTables& listed) {
  TAMIS_RETURN_IF_ERROR(CheckIsNoDatabase(fs, kOption, directory));
  const auto owner = OwnerOf(fs, directory);
  if (!owner.ok()) return owner.status();
  if (!owner->empty() && *owner == db_id) return Status::OK();
  const auto tables = TablesIn(fs, directory);
  if (!tables.ok()) return tables.status();
  if (tables->empty()) return Status::OK();
  const std::string first = TableFileName(directory, *tables->begin());
  if (!owner->empty()) {
    return OwnedByAnother(kOption, directory, first, *owner, db_id);
  }
  const auto own = listed.find(directory);
  if (own != listed.end() && HaveCommon(*tables, own->second)) {
    return Status::OK();
  }
  return Status::InvalidArgument(
      kOption, directory + " has tables, as " + first +
                   ", of which the MANIFEST lists none there: they may belong "
                   "to another database. Choose another directory, or move "
                   "them away");
}

Status TableDirectories::Use(const std::vector<std::string>& directories,
                             const ListedTables& listed) {
  MutexLock lock(&mutex_);
  FileSystem* const fs = context_.fs();
  Locks added;
  for (const std::string& directory : directories) {
    if (locks_.contains(directory)) continue;
    std::unique_ptr<FileLock>& file = added[directory];
    if (directory != context_.wal_dir) {
      TAMIS_RETURN_IF_ERROR(
          PrepareSeparateDirectory(fs, kOption, directory, &file));
    }
    TAMIS_RETURN_IF_ERROR(
        CheckTableDirectory(fs, directory, context_.db_id, listed));
  }
  for (const auto& [directory, file] : added) {
    TAMIS_RETURN_IF_ERROR(ClaimSeparateDirectory(context_, directory));
  }
  locks_.merge(added);
  return Status::OK();
}

void TableDirectories::Release() {
  MutexLock lock(&mutex_);
  locks_.clear();
}

}  // namespace tamis
