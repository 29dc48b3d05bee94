// SPDX-License-Identifier: Apache-2.0
#include "facade/leveldb/properties.h"

#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string_view>

#include "tamis/metadata.h"

namespace tamis::facade {

namespace {

constexpr int kLevels = 7;
constexpr double kMiB = 1 << 20;

std::string Escaped(const std::string& bytes) {
  std::string text;
  for (const char c : bytes) {
    if (c >= ' ' && c <= '~') {
      text += c;
    } else {
      char hex[8];
      std::snprintf(hex, sizeof(hex), "\\x%02x", static_cast<unsigned char>(c));
      text += hex;
    }
  }
  return text;
}

// A table on a line, in LevelDB's form. The sequence numbers are the lowest and
// the highest of the table.
std::string LineOf(const SstFileMetaData& file) {
  return " " + std::to_string(file.file_number) + ":" +
         std::to_string(file.size) + "['" + Escaped(file.smallestkey) + "' @ " +
         std::to_string(file.smallest_seqno) + " : 1 .. '" +
         Escaped(file.largestkey) + "' @ " +
         std::to_string(file.largest_seqno) + " : 1]\n";
}

std::string Tables(DB* db) {
  ColumnFamilyMetaData family;
  db->GetColumnFamilyMetaData(&family);
  std::string text;
  for (const LevelMetaData& level : family.levels) {
    text += "--- level " + std::to_string(level.level) + " ---\n";
    for (const SstFileMetaData& file : level.files) text += LineOf(file);
  }
  return text;
}

// A figure of a level, 0 if there is none.
double Figure(const std::map<std::string, std::string>& stats, int level,
              const char* name) {
  const auto found =
      stats.find("compaction.L" + std::to_string(level) + "." + name);
  return found == stats.end() ? 0 : std::strtod(found->second.c_str(), nullptr);
}

std::string Stats(DB* db) {
  ColumnFamilyMetaData family;
  db->GetColumnFamilyMetaData(&family);
  std::map<std::string, std::string> stats;
  db->GetMapProperty(DB::Properties::kCFStats, &stats);
  std::string text =
      "                               Compactions\n"
      "Level  Files Size(MB) Time(sec) Read(MB) Write(MB)\n"
      "--------------------------------------------------\n";
  for (const LevelMetaData& level : family.levels) {
    const double seconds = Figure(stats, level.level, "CompSec");
    if (level.files.empty() && seconds == 0) continue;
    char line[200];
    std::snprintf(line, sizeof(line), "%3d %8zu %8.0f %9.0f %8.0f %9.0f\n",
                  level.level, level.files.size(),
                  static_cast<double>(level.size) / kMiB, seconds,
                  Figure(stats, level.level, "ReadGB") * 1024,
                  Figure(stats, level.level, "WriteGB") * 1024);
    text += line;
  }
  return text;
}

bool FilesAtLevel(DB* db, std::string_view digits, std::string* value) {
  if (digits.empty()) return false;
  int level = 0;
  for (const char c : digits) {
    if (c < '0' || c > '9' || level >= kLevels) return false;
    level = level * 10 + (c - '0');
  }
  return level < kLevels &&
         db->GetProperty("rocksdb.num-files-at-level" + std::to_string(level),
                         value);
}

}  // namespace

bool GetProperty(DB* db, const Slice& property, std::string* value) {
  constexpr std::string_view kNamePrefix = "leveldb.";
  constexpr std::string_view kFiles = "num-files-at-level";
  value->clear();
  std::string_view name = property.ToStringView();
  if (!name.starts_with(kNamePrefix)) return false;
  name.remove_prefix(kNamePrefix.size());
  if (name.starts_with(kFiles)) {
    return FilesAtLevel(db, name.substr(kFiles.size()), value);
  }
  if (name == "stats") {
    *value = Stats(db);
    return true;
  }
  if (name == "sstables") {
    *value = Tables(db);
    return true;
  }
  if (name != "approximate-memory-usage") return false;
  uint64_t memtables = 0;
  uint64_t blocks = 0;
  db->GetIntProperty(DB::Properties::kCurSizeAllMemTables, &memtables);
  db->GetIntProperty(DB::Properties::kBlockCacheUsage, &blocks);
  *value = std::to_string(memtables + blocks);
  return true;
}

}  // namespace tamis::facade
