// SPDX-License-Identifier: Apache-2.0
#include "tools/tamis_ldb/info_commands.h"

#include <cstdio>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "tamis/db.h"

#include "tools/decimal.h"
#include "tools/json_text.h"
#include "tools/table_facts.h"
#include "tools/tamis_ldb/database.h"
#include "tools/tamis_ldb/flags.h"
#include "tools/tamis_ldb/words.h"
#include "tools/tool_main.h"

namespace tamis {

namespace {

constexpr const char* kQueryHelp =
    "get <key>\nput <key> <value>\ndelete <key>\n";

// One line of the shell. Prints what it did.
Status RunLine(DB* db, ColumnFamilyHandle* family,
               const std::vector<std::string>& words) {
  const std::string& command = words[0];
  const bool put = command == "put" && words.size() == 3;
  if (command == "help") {
    Print(kQueryHelp);
    return Status::OK();
  }
  if (!put &&
      !((command == "get" || command == "delete") && words.size() == 2)) {
    Print("Unknown command " + command + "\n");
    return Status::OK();
  }
  const auto key = ParseKey(words[1]);
  if (!key.ok()) return key.status();
  if (put) {
    const auto value = ParseValue(words[2]);
    if (!value.ok()) return value.status();
    TAMIS_RETURN_IF_ERROR(db->Put(WriteOptions(), family, *key, *value));
    Print("Successfully put " + words[1] + " " + words[2] + "\n");
    return Status::OK();
  }
  if (command == "delete") {
    TAMIS_RETURN_IF_ERROR(db->Delete(WriteOptions(), family, *key));
    Print("Successfully deleted " + words[1] + "\n");
    return Status::OK();
  }
  std::string value;
  const Status found = db->Get(ReadOptions(), family, *key, &value);
  if (found.IsNotFound()) {
    Print("Not found " + words[1] + "\n");
    return Status::OK();
  }
  TAMIS_RETURN_IF_ERROR(found);
  Print(ShowKey(*key) + " ==> " + ShowValue(value) + "\n");
  return Status::OK();
}

// What a level holds.
struct LevelSum {
  uint64_t files = 0;
  uint64_t bytes = 0;
  uint64_t entries = 0;
  uint64_t filter_bytes = 0;
  uint64_t filter_keys = 0;
  double passed = 0;  // predicted rates of false positives, by entries

  Status Add(const LevelMetaData& level) {
    for (const SstFileMetaData& file : level.files) {
      const Result<TableFacts> facts = ReadTableFacts(file.db_path + file.name);
      if (!facts.ok()) return facts.status();
      const uint64_t n = facts->properties->num_entries;
      ++files;
      bytes += file.size;
      entries += n;
      filter_bytes += facts->filter.bytes;
      filter_keys += facts->filter.where ? facts->filter.keys : 0;
      passed += facts->filter.predicted_fpr * static_cast<double>(n);
    }
    return Status::OK();
  }
  double bits_per_key() const {
    return filter_keys == 0 ? 0
                            : 8 * static_cast<double>(filter_bytes) /
                                  static_cast<double>(filter_keys);
  }
  double rate() const {
    return entries == 0 ? 1 : passed / static_cast<double>(entries);
  }
};

std::string LevelLine(int level, const LevelSum& sum) {
  char line[160];
  std::snprintf(line, sizeof(line), "%5d %7llu %14llu %12llu %12llu %9s %10s\n",
                level, static_cast<unsigned long long>(sum.files),
                static_cast<unsigned long long>(sum.bytes),
                static_cast<unsigned long long>(sum.entries),
                static_cast<unsigned long long>(sum.filter_bytes),
                Decimal(sum.bits_per_key(), 2).c_str(),
                Decimal(100 * sum.rate(), 4, " %").c_str());
  return line;
}

std::string LevelJson(int level, const LevelSum& sum) {
  JsonObject row;
  row.Value("level", std::to_string(level))
      .Number("files", sum.files)
      .Number("bytes", sum.bytes)
      .Number("entries", sum.entries)
      .Number("filter_bytes", sum.filter_bytes)
      .Value("filter_bits_per_key", Decimal(sum.bits_per_key(), 2))
      .Value("predicted_false_positives", Decimal(sum.rate(), 6));
  return row.ToString();
}

}  // namespace

int MultiGet(const Call& call) {
  std::vector<std::string> keys;
  for (const std::string& word : call.words) {
    auto key = ParseKey(word);
    if (!key.ok()) return Misused(key.status().message());
    keys.push_back(*std::move(key));
  }
  return WithDatabase(Access::kRead, [&](DB* db, ColumnFamilyHandle* family) {
    const std::vector<Slice> slices(keys.begin(), keys.end());
    std::vector<std::string> values;
    const std::vector<Status> statuses = db->MultiGet(
        ReadOptions(), std::vector<ColumnFamilyHandle*>(slices.size(), family),
        slices, &values);
    int code = kExitRight;
    for (size_t i = 0; i < slices.size(); ++i) {
      if (statuses[i].ok()) {
        Print(ShowValue(values[i]) + "\n");
        continue;
      }
      code = kExitFailed;
      if (!statuses[i].IsNotFound()) return Failed(statuses[i]);
      Print("Key not found: " + ShowKey(slices[i]) + "\n");
    }
    return code;
  });
}

int GetProperty(const Call& call) {
  const std::string& name = call.words[0];
  return WithDatabase(Access::kRead, [&](DB* db, ColumnFamilyHandle* family) {
    std::map<std::string, std::string> values;
    std::string value;
    if (db->GetMapProperty(family, name, &values)) {
      for (const auto& [key, part] : values) {
        Print(name + "." + key + ": " + part + "\n");
      }
    } else if (db->GetProperty(family, name, &value)) {
      Print(name + ": " + value + "\n");
    } else {
      return Failed(Status::InvalidArgument("there is no property", name));
    }
    return int{kExitRight};
  });
}

int ApproxSize(const Call&) {
  const auto range = RangeFromFlags();
  if (!range.ok()) return Misused(range.status().message());
  return WithDatabase(Access::kRead, [&](DB* db, ColumnFamilyHandle* family) {
    const Range whole(*range->from, *range->to);
    uint64_t bytes = 0;
    const Status status = db->GetApproximateSizes(SizeApproximationOptions(),
                                                  family, &whole, 1, &bytes);
    if (!status.ok()) return Failed(status);
    Print(std::to_string(bytes) + "\n");
    return int{kExitRight};
  });
}

int Query(const Call&) {
  return WithDatabase(Access::kCreate, [](DB* db, ColumnFamilyHandle* family) {
    int code = kExitRight;
    for (std::string line; std::getline(std::cin, line);) {
      std::istringstream in(line);
      std::vector<std::string> words;
      for (std::string word; in >> word;) words.push_back(word);
      if (words.empty()) continue;
      const Status status = RunLine(db, family, words);
      if (!status.ok()) code = Failed(status);
    }
    return code;
  });
}

int Stats(const Call&) {
  return WithDatabase(Access::kRead, [](DB* db, ColumnFamilyHandle* family) {
    ColumnFamilyMetaData metadata;
    db->GetColumnFamilyMetaData(family, &metadata);
    std::vector<std::string> rows;
    std::string text =
        "level   files          bytes      entries filter bytes  bits/key  "
        "predicted\n";
    for (const LevelMetaData& level : metadata.levels) {
      if (level.files.empty()) continue;
      LevelSum sum;
      const Status status = sum.Add(level);
      if (!status.ok()) return Failed(status);
      text += LevelLine(level.level, sum);
      rows.push_back(LevelJson(level.level, sum));
    }
    JsonObject object;
    object.Text("column_family", metadata.name)
        .Number("files", metadata.file_count)
        .Number("bytes", metadata.size)
        .Value("levels", JsonArray(rows));
    Print(FLAGS_json ? object.ToString() + "\n" : text);
    const int slowdown = db->GetOptions(family).level0_slowdown_writes_trigger;
    const size_t level0 =
        metadata.levels.empty() ? 0 : metadata.levels[0].files.size();
    if (static_cast<int64_t>(level0) >= slowdown) {
      Remark("level 0 has " + std::to_string(level0) +
             " tables; writes slow down from " + std::to_string(slowdown) +
             " on, and each read searches them all: compact");
    }
    return int{kExitRight};
  });
}

}  // namespace tamis
