// SPDX-License-Identifier: Apache-2.0
#include "db/filter_report.h"

#include <array>
#include <cstdio>
#include <utility>

namespace tamis {

namespace {

constexpr size_t kColumnCount = 11;
constexpr std::array<const char*, kColumnCount> kColumns = {
    "tables",      "keys",        "bytes",       "bits/key",
    "predicted %", "get %",       "gets saved",  "gets wasted",
    "seek %",      "seeks saved", "seeks wasted"};

// Of the columns' names, in the map.
constexpr std::array<const char*, kColumnCount> kMapNames = {
    "tables",       "keys",          "bytes",
    "bits_per_key", "predicted_fpr", "get_observed_fpr",
    "gets_saved",   "gets_wasted",   "seek_observed_fpr",
    "seeks_saved",  "seeks_wasted"};

std::string Fraction(double value, int digits) {
  char text[64];
  std::snprintf(text, sizeof(text), "%.*f", digits, value);
  return text;
}

// Returns the rate times `unit`, or "-" if the filters were not asked for what
// the tables did not have.
std::string ObservedRate(const FilterUse& use, double unit, int digits) {
  const uint64_t asked = use.saved + use.wasted;
  if (asked == 0) return "-";
  return Fraction(
      unit * static_cast<double>(use.wasted) / static_cast<double>(asked),
      digits);
}

// `unit` is 1 for rates or 100 for percent.
std::array<std::string, kColumnCount> Values(const FilterReportLine& line,
                                             double unit) {
  const auto keys = static_cast<double>(line.keys);
  const int digits = unit == 1 ? 6 : 4;
  return {std::to_string(line.tables),
          std::to_string(line.keys),
          std::to_string(line.bytes),
          line.keys == 0
              ? "-"
              : Fraction(8 * static_cast<double>(line.bytes) / keys, 2),
          line.keys == 0 ? "-" : Fraction(unit * line.passed / keys, digits),
          ObservedRate(line.gets, unit, digits),
          std::to_string(line.gets.saved),
          std::to_string(line.gets.wasted),
          ObservedRate(line.seeks, unit, digits),
          std::to_string(line.seeks.saved),
          std::to_string(line.seeks.wasted)};
}

// Adds one filter of a table to the line of its codec.
void AddFilter(Level level, const FilterDescription& filter, uint64_t keys,
               const FilterTally* gets, const FilterTally& seeks,
               std::map<std::pair<int, std::string>, FilterReportLine>* lines) {
  const std::string codec(filter.codec);
  FilterReportLine& line = (*lines)[{level.value(), codec}];
  line.level = level.value();
  line.codec = codec;
  ++line.tables;
  line.keys += keys;
  line.bytes += filter.bytes;
  line.passed += filter.predicted_fpr * static_cast<double>(keys);
  if (gets != nullptr) line.gets.Add(*gets);
  line.seeks.Add(seeks);
}

}  // namespace

Result<std::vector<FilterReportLine>> MakeFilterReport(
    const ColumnFamily& family) {
  std::map<std::pair<int, std::string>, FilterReportLine> lines;
  const ReadStatePtr state = family.AcquireReadState();
  for (const Level level : kLevels) {
    for (const TableFilePtr& file : state->version->files(level)) {
      const Result<TableReaderPtr> reader = family.tables().Reader(*file);
      if (!reader.ok()) return reader.status();
      const Result<FilterDescription> point = (*reader)->DescribePointFilter();
      if (!point.ok()) return point.status();
      const Result<FilterDescription> range = (*reader)->DescribeRangeFilter();
      if (!range.ok()) return range.status();
      const FilterCounts& counts = *file->filter_counts();
      const uint64_t entries = (*reader)->properties()->num_entries;
      const bool has_range = range->codec != FilterDescription().codec;
      const bool has_point = point->codec != FilterDescription().codec;
      if (has_point || !has_range) {
        AddFilter(level, *point, has_point ? point->entries : entries,
                  &counts.gets, counts.seeks, &lines);
      }
      if (has_range) {
        AddFilter(level, *range, entries, nullptr, counts.ranges, &lines);
      }
    }
  }
  std::vector<FilterReportLine> report;
  report.reserve(lines.size());
  for (auto& [at, line] : lines) report.push_back(std::move(line));
  return report;
}

std::string FilterReportText(const std::vector<FilterReportLine>& report) {
  char text[64];
  std::string all = "level  codec             ";
  for (size_t i = 0; i < kColumnCount; ++i) {
    std::snprintf(text, sizeof(text), "  %12s", kColumns[i]);
    all += text;
  }
  all += "\n";
  for (const FilterReportLine& line : report) {
    std::snprintf(text, sizeof(text), "%5d  %-18s", line.level,
                  line.codec.c_str());
    all += text;
    for (const std::string& value : Values(line, 100)) {
      std::snprintf(text, sizeof(text), "  %12s", value.c_str());
      all += text;
    }
    all += "\n";
  }
  return all;
}

void FilterReportMap(const std::vector<FilterReportLine>& report,
                     std::map<std::string, std::string>* values) {
  for (const FilterReportLine& line : report) {
    const std::string prefix = std::to_string(line.level) + "." + line.codec;
    const auto of_line = Values(line, 1);
    for (size_t i = 0; i < kColumnCount; ++i) {
      (*values)[prefix + "." + kMapNames[i]] = of_line[i];
    }
  }
}

}  // namespace tamis
