// SPDX-License-Identifier: Apache-2.0
#include "db/base/table_paths.h"

#include <algorithm>
#include <utility>

#include "db/base/file_names.h"
#include "util/base/result.h"

namespace tamis {

namespace {

constexpr size_t kPathsMax = 4;  // RocksDB's

}  // namespace

TablePaths::TablePaths(const std::string& database,
                       const std::vector<DbPath>& paths) {
  for (const DbPath& path : paths) {
    std::string directory = SeparateDirectory(database, path.path);
    directories_.push_back(
        directory.empty()
            ? nullptr
            : std::make_shared<const std::string>(std::move(directory)));
  }
  if (directories_.empty()) directories_.push_back(nullptr);
}

uint8_t TablePaths::PathOf(uint8_t id) const {
  return static_cast<uint8_t>(std::min<size_t>(id, directories_.size() - 1));
}

std::optional<uint8_t> TablePaths::Find(const Directory& directory) const {
  for (uint8_t id = 0; id < directories_.size(); ++id) {
    const Directory& one = directories_[id];
    const bool same = one == nullptr || directory == nullptr
                          ? one == directory
                          : *one == *directory;
    if (same) return id;
  }
  return std::nullopt;
}

Status CheckPaths(const char* option, const std::vector<DbPath>& paths) {
  if (paths.size() > kPathsMax) {
    return Status::NotSupported(option, "it has " +
                                            std::to_string(paths.size()) +
                                            " paths; at most 4 are possible");
  }
  for (const DbPath& path : paths) {
    if (!path.path.empty()) continue;
    return Status::InvalidArgument(option, "the path of a directory is empty");
  }
  return Status::OK();
}

Status CheckFamilyPaths(const ColumnFamilyOptions& options) {
  constexpr char kOption[] = "ColumnFamilyOptions::cf_paths";
  TAMIS_RETURN_IF_ERROR(CheckPaths(kOption, options.cf_paths));
  if (options.cf_paths.size() <= 1 ||
      options.compaction_style == kCompactionStyleLevel ||
      options.compaction_style == kCompactionStyleUniversal) {
    return Status::OK();
  }
  return Status::NotSupported(
      kOption,
      "more than one path, here or in DBOptions::db_paths, requires "
      "kCompactionStyleLevel or kCompactionStyleUniversal");
}

Status CheckPathId(const char* what, const ColumnFamilyOptions& family,
                   uint64_t id) {
  const size_t paths = std::max<size_t>(1, family.cf_paths.size());
  if (id < paths) return Status::OK();
  return Status::InvalidArgument(
      what, "it is " + std::to_string(id) + ", and the family has " +
                std::to_string(paths) + (paths == 1 ? " path" : " paths") +
                ", counted from 0");
}

std::vector<std::string> SeparateTableDirectories(
    const std::string& database, const DBOptions& options,
    const std::vector<ColumnFamilyDescriptor>& families) {
  std::vector<std::string> separate;
  const auto add = [&](const std::vector<DbPath>& paths) {
    for (const DbPath& path : paths) {
      std::string directory = SeparateDirectory(database, path.path);
      if (directory.empty() || std::find(separate.begin(), separate.end(),
                                         directory) != separate.end()) {
        continue;
      }
      separate.push_back(std::move(directory));
    }
  };
  add(options.db_paths);
  for (const ColumnFamilyDescriptor& family : families) {
    add(family.options.cf_paths);
  }
  return separate;
}

}  // namespace tamis
