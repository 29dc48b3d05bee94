// SPDX-License-Identifier: Apache-2.0
#include "db/base/info_log_files.h"

#include <algorithm>
#include <string_view>

#include "db/base/file_names.h"

namespace tamis {

namespace {

bool StaysInName(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
         (c >= 'A' && c <= 'Z') || c == '-' || c == '.' || c == '_';
}

}  // namespace

InfoLogFiles InfoLogFiles::Of(FileSystem* fs, const std::string& database,
                              const std::string& db_log_dir) {
  if (db_log_dir.empty()) return {database, "LOG"};
  std::string id;
  if (!fs->GetAbsolutePath(database, &id).ok()) id = database;
  const auto repeated = std::unique(id.begin(), id.end(), [](char a, char b) {
    return a == '/' && b == '/';
  });
  id.erase(repeated, id.end());
  if (id.starts_with('/')) id.erase(0, 1);
  std::replace_if(
      id.begin(), id.end(), [](char c) { return !StaysInName(c); }, '_');
  return {WithoutTrailingSlashes(db_log_dir), id + "_LOG"};
}

bool InfoLogFiles::IsOld(const std::string& other) const {
  // After the id, the names are those in the directory of a database.
  const size_t id = name.size() - std::string_view("LOG").size();
  if (other.compare(0, id, name, 0, id) != 0) return false;
  const std::string_view rest = std::string_view(other).substr(id);
  const auto file = ParseFileName(rest);
  return file && file->type == FileKind::kInfoLog && rest != "LOG";
}

}  // namespace tamis
