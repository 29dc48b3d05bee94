// SPDX-License-Identifier: Apache-2.0
#include "db/base/info_log_files.h"

#include <algorithm>
#include <string_view>

#include "db/base/file_names.h"

namespace tamis {

namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

bool StaysInName(char c) {
  return IsDigit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         c == '-' || c == '.' || c == '_';
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
  std::string_view rest = other;
  const std::string begin = name + ".old";
  if (!rest.starts_with(begin)) return false;
  rest.remove_prefix(begin.size());
  if (rest.empty()) return true;
  return rest.size() > 1 && rest[0] == '.' &&
         std::all_of(rest.begin() + 1, rest.end(), IsDigit);
}

}  // namespace tamis
