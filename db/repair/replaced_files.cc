// SPDX-License-Identifier: Apache-2.0
#include "db/repair/replaced_files.h"

#include "db/base/file_names.h"
#include "db/base/lost_files.h"
#include "db/manifest/table_path.h"
#include "db/options/options_file.h"
#include "util/io/file_io.h"

namespace tamis {

namespace {

Status SyncBoth(const DBContext& context, const std::string& directory) {
  const std::string lost = directory + "/lost";
  TAMIS_RETURN_IF_ERROR(context.fs()->CreateDirIfMissing(lost));
  TAMIS_RETURN_IF_ERROR(file_io::SyncDirectory(context.fs(), lost));
  return file_io::SyncDirectory(context.fs(), directory);
}

// RocksDB's tools reject a directory whose newest OPTIONS file lists other
// families than the MANIFEST.
bool OptionsFit(const DBContext& context, const FoundFiles& found,
                const std::set<std::string>& families) {
  if (found.options.empty()) return true;
  std::string text;
  const Status read = ReadFileToString(
      context.fs(), context.directory + "/" + found.options.rbegin()->second,
      &text);
  return read.ok() && ListsFamilies(text, families);
}

}  // namespace

Result<uint64_t> SetAsideReplaced(const DBContext& context,
                                  const FoundFiles& found,
                                  const std::set<FileNumber>& used,
                                  const std::set<std::string>& families) {
  uint64_t moved = 0;
  const auto set_aside = [&](const std::string& directory,
                             const std::string& name) {
    TAMIS_RETURN_IF_ERROR(MoveToLost(context, directory, name));
    ++moved;
    return Status::OK();
  };
  for (const auto& [number, name] : found.manifests) {
    TAMIS_RETURN_IF_ERROR(set_aside(context.directory, name));
  }
  TAMIS_RETURN_IF_ERROR(SyncBoth(context, context.directory));
  std::set<std::string> changed{context.directory};
  if (!context.wal_dir.empty()) changed.insert(context.wal_dir);
  for (const FileNumber number : found.logs) {
    TAMIS_RETURN_IF_ERROR(
        set_aside(context.log_directory(), BaseName(LogFileName("", number))));
  }
  const auto set_aside_table = [&](const FoundTable& table) {
    const std::string& directory = TableDirectory(context, table.directory);
    changed.insert(directory);
    return set_aside(directory, table.name);
  };
  for (const auto& [number, table] : found.tables) {
    if (used.contains(number)) continue;
    TAMIS_RETURN_IF_ERROR(set_aside_table(table));
  }
  for (const auto& [number, copy] : found.copies) {
    TAMIS_RETURN_IF_ERROR(set_aside_table(copy));
  }
  if (!OptionsFit(context, found, families)) {
    for (const auto& [number, name] : found.options) {
      TAMIS_RETURN_IF_ERROR(set_aside(context.directory, name));
    }
  }
  for (const std::string& directory : changed) {
    TAMIS_RETURN_IF_ERROR(SyncBoth(context, directory));
  }
  return moved;
}

}  // namespace tamis
