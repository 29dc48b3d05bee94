// SPDX-License-Identifier: Apache-2.0
#include "tools/tamis_ldb/filter_commands.h"

#include <algorithm>
#include <cstdio>
#include <memory>
#include <set>
#include <string>
#include <system_error>
#include <tuple>
#include <vector>

#include "tamis/db.h"

#include "db/base/file_names.h"
#include "db/manifest/manifest_state.h"
#include "tools/decimal.h"
#include "tools/table_facts.h"
#include "tools/tamis_ldb/database.h"
#include "tools/tamis_ldb/flags.h"
#include "tools/tool_file_system.h"
#include "tools/tool_main.h"

namespace tamis {

namespace {

// The columns of a line, right-justified except for names.
std::string FilterLine(const std::string& level, const std::string& table,
                       const std::string& entries, const std::string& placement,
                       const std::string& codec, const std::string& bytes,
                       const std::string& bits, const std::string& rate,
                       const std::string& range, const std::string& range_bits,
                       const std::string& range_rate,
                       const std::string& policy) {
  char line[400];
  std::snprintf(
      line, sizeof(line),
      "%5s  %-8s  %10s  %-11s  %-22s  %10s  %8s  %10s  %-8s  %9s  %10s  %s",
      level.c_str(), table.c_str(), entries.c_str(), placement.c_str(),
      codec.c_str(), bytes.c_str(), bits.c_str(), rate.c_str(), range.c_str(),
      range_bits.c_str(), range_rate.c_str(), policy.c_str());
  std::string text = line;
  text.resize(text.find_last_not_of(' ') + 1);
  return text + "\n";
}

std::string Percent(double rate) { return Decimal(100 * rate, 4, " %"); }

std::string BitsPerKey(uint64_t bytes, uint64_t keys) {
  if (keys == 0) return "-";
  return Decimal(8 * static_cast<double>(bytes) / static_cast<double>(keys), 2);
}

// The filters of several tables.
struct Sum {
  uint64_t tables = 0;
  uint64_t entries = 0;
  uint64_t filter_keys = 0;
  uint64_t filter_bytes = 0;
  uint64_t range_bytes = 0;
  double passed = 0;  // predicted rates, weighted by entries
  std::set<std::string> codecs;
  std::set<std::string> range_codecs;

  void Add(const TableFacts& facts) {
    const uint64_t n = facts.properties->num_entries;
    ++tables;
    entries += n;
    filter_keys += facts.filter.where ? facts.filter.keys : 0;
    filter_bytes += facts.filter.bytes;
    passed += facts.filter.predicted_fpr * static_cast<double>(n);
    codecs.insert(facts.filter.codec);
    if (facts.filter.range) {
      range_bytes += facts.filter.range->bytes;
      range_codecs.insert(facts.filter.range->codec);
    }
  }
  void Add(const Sum& other) {
    tables += other.tables;
    entries += other.entries;
    filter_keys += other.filter_keys;
    filter_bytes += other.filter_bytes;
    range_bytes += other.range_bytes;
    passed += other.passed;
    codecs.insert(other.codecs.begin(), other.codecs.end());
    range_codecs.insert(other.range_codecs.begin(), other.range_codecs.end());
  }
  double rate() const {
    return entries == 0 ? 1 : passed / static_cast<double>(entries);
  }
};

std::string Joined(const std::set<std::string>& names) {
  std::string text;
  for (const std::string& name : names) {
    text += (text.empty() ? "" : "+") + name;
  }
  return text.empty() ? "none" : text;
}

std::string TableLine(const std::string& level, const std::string& name,
                      const TableFacts& facts) {
  const FilterFacts& filter = facts.filter;
  const uint64_t entries = facts.properties->num_entries;
  const std::string& policy = facts.properties->filter_policy_name;
  return FilterLine(
      level, name, std::to_string(entries),
      filter.where ? FilterPlacementName(filter.where->placement) : "none",
      filter.codec, std::to_string(filter.bytes),
      filter.where ? Decimal(filter.bits_per_key(), 2) : "-",
      Percent(filter.predicted_fpr),
      filter.range ? filter.range->codec : "none",
      filter.range ? BitsPerKey(filter.range->bytes, entries) : "-",
      filter.range ? Percent(filter.range->predicted_fpr) : "-",
      policy.empty() ? "-" : policy);
}

std::string SumLine(const std::string& level, const Sum& sum) {
  return FilterLine(
      level, std::to_string(sum.tables), std::to_string(sum.entries), "all",
      Joined(sum.codecs), std::to_string(sum.filter_bytes),
      BitsPerKey(sum.filter_bytes, sum.filter_keys), Percent(sum.rate()),
      Joined(sum.range_codecs),
      sum.range_bytes == 0 ? "-" : BitsPerKey(sum.range_bytes, sum.entries), "",
      "");
}

// Returns the table's file; LevelDB's name for it if there is no other.
std::string PathOf(const FileMetaData& table) {
  const std::string path = TableFileOf(table);
  const std::string alias = LevelDBTableFileName(FLAGS_db, table.number);
  const std::shared_ptr<FileSystem> fs = ToolFileSystem();
  return !fs->FileExists(path).ok() && fs->FileExists(alias).ok() ? alias
                                                                  : path;
}

// Newest first in level 0, where each table is a sorted run; by key below.
void SortFiles(Level level, const KeyOrder& order,
               std::vector<FileMetaData>* files) {
  std::sort(files->begin(), files->end(),
            [&](const FileMetaData& a, const FileMetaData& b) {
              if (level > kLevelZero) {
                return order.Compare(a.smallest, b.smallest) < 0;
              }
              return std::tie(a.largest_seqno, a.number) >
                     std::tie(b.largest_seqno, b.number);
            });
}

// Returns an ExitCode. An unreadable table is reported, and the others follow.
int PrintFamily(const ManifestFamily& family, const KeyOrder& order) {
  int code = kExitRight;
  Sum all;
  double wasted = 0;  // sum of the rates of the sorted runs
  for (const Level level : kLevels) {
    auto files = family.files[level];
    SortFiles(level, order, &files);
    Sum sum;
    for (const FileMetaData& file : files) {
      const std::string path = PathOf(file);
      const Result<TableFacts> facts = ReadTableFacts(path);
      if (!facts.ok()) {
        code = Failed(facts.status());
        continue;
      }
      sum.Add(*facts);
      if (level == kLevelZero) wasted += facts->filter.predicted_fpr;
      std::string name = path.substr(path.rfind('/') + 1);
      name.resize(name.rfind('.'));
      Print(TableLine(level.ToString(), name, *facts));
    }
    if (sum.tables == 0) continue;
    if (level > kLevelZero) wasted += sum.rate();
    Print(SumLine(level.ToString(), sum));
    all.Add(sum);
  }
  Print(SumLine("total", all));
  Print("An absent key is expected to pass " + Decimal(wasted, 4) +
        " filters.\n");
  return code;
}

}  // namespace

int Filters(const Call&) {
  const auto manifest = ReadManifest(ToolFileSystem().get(), FLAGS_db);
  if (!manifest.ok()) return Failed(manifest.status());
  int code = kExitRight;
  for (const auto& [id, family] : manifest->families) {
    const auto options = FamilyOptions(family.comparator);
    if (!options.ok()) return Failed(options.status());
    Print("===== Column Family: " + family.name + " =====\n");
    Print(FilterLine("level", "table", "entries", "placement", "codec", "bytes",
                     "bits/key", "predicted", "range", "range b/k", "predicted",
                     "policy"));
    const int printed = PrintFamily(family, KeyOrder(options->comparator));
    code = std::max(code, printed);
  }
  return code;
}

}  // namespace tamis
