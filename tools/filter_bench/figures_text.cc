// SPDX-License-Identifier: Apache-2.0
#include "tools/filter_bench/figures_text.h"

#include <algorithm>
#include <cstdio>
#include <functional>
#include <optional>
#include <utility>

#include "tools/bar_chart.h"
#include "tools/html_page.h"
#include "tools/json_text.h"
#include "tools/repeated_runs.h"
#include "tools/svg_chart.h"

namespace tamis {

namespace {

std::string Printed(const char* format, double value) {
  char text[64];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

// A time that is measured, by its name, in ns.
struct Time {
  const char* name;
  const char* of;
  std::vector<double> FilterFigures::*rounds;
};
constexpr Time kTimes[] = {
    {"build", "a build, per key", &FilterFigures::build},
    {"hit", "a probe of a present key", &FilterFigures::hit},
    {"miss", "a probe of an absent key", &FilterFigures::miss},
    {"cold", "a probe of an absent key, in memory", &FilterFigures::cold},
    {"batched", "the same, in batches", &FilterFigures::batched},
};

std::string EngineAndName(const FilterFigures& one) {
  return std::string(one.of.format->engine()) + " " +
         std::string(one.of.format->name());
}

double BuildBytesPerKey(const FilterFigures& one) {
  return static_cast<double>(one.build_memory) /
         static_cast<double>(one.of.keys);
}

// The cells of a line, for people.
std::vector<std::string> Cells(const FilterFigures& one) {
  const std::optional<double> over = one.OverTheLeast();
  std::vector<std::string> cells = {
      EngineAndName(one),
      NameOf(one.of.groups),
      std::to_string(one.of.keys),
      std::to_string(one.of.key_bytes),
      Printed("%.2f", one.BitsPerKey()),
      over.has_value() ? Printed("%+.1f %%", 100 * *over) : "",
      one.predicted.has_value() ? Printed("%.3f %%", 100 * *one.predicted) : "",
      Printed("%.3f %%", 100 * one.observed)};
  for (const Time& time : kTimes) {
    const double ns = Summarize(one.*time.rounds).median;
    cells.push_back(Printed(ns < 20 ? "%.1f" : "%.0f", ns));
  }
  cells.push_back(Printed("%.0f", BuildBytesPerKey(one)));
  return cells;
}

using Lines = std::vector<std::vector<std::string>>;

Lines AllCells(const FilterRun& run) {
  Lines lines = {{"filter", "placement", "keys", "key bytes", "bits a key",
                  "over the least", "predicted", "observed", "build", "hit",
                  "miss", "cold", "cold, batched", "build bytes"}};
  for (const FilterFigures& one : run.figures) lines.push_back(Cells(one));
  return lines;
}

std::string CaseName(const FilterFigures& one) {
  return ShortNumber(static_cast<double>(one.of.keys)) + " keys of " +
         std::to_string(one.of.key_bytes) + " bytes, " + NameOf(one.of.groups);
}

size_t PlaceOf(const std::string& name, std::vector<std::string>* names) {
  const auto at = std::find(names->begin(), names->end(), name);
  if (at != names->end()) return static_cast<size_t>(at - names->begin());
  names->push_back(name);
  return names->size() - 1;
}

// A chart of what `value` says: a group of bars for each filter, and in it one
// for each number of keys, length and placement.
BarChart ChartOf(const FilterRun& run, const std::string& title,
                 const std::string& unit,
                 const std::function<double(const FilterFigures&)>& value) {
  BarChart chart{.title = title, .unit = unit};
  std::vector<std::string> filters;
  for (const FilterFigures& one : run.figures) {
    PlaceOf(CaseName(one), &chart.series);
    PlaceOf(EngineAndName(one), &filters);
  }
  for (const std::string& filter : filters) {
    chart.groups.push_back({filter, {}});
    chart.groups.back().values.resize(chart.series.size());
  }
  for (const FilterFigures& one : run.figures) {
    chart.groups[PlaceOf(EngineAndName(one), &filters)]
        .values[PlaceOf(CaseName(one), &chart.series)] = value(one);
  }
  return chart;
}

}  // namespace

std::string ToTable(const FilterRun& run) {
  const Lines lines = AllCells(run);
  std::vector<size_t> widths(lines[0].size(), 0);
  for (const auto& line : lines) {
    for (size_t i = 0; i < line.size(); ++i) {
      widths[i] = std::max(widths[i], line[i].size());
    }
  }
  std::string out = run.settings + "\n";
  for (const auto& line : lines) {
    std::string text;
    for (size_t i = 0; i < line.size(); ++i) {
      const std::string space(widths[i] - line[i].size(), ' ');
      // Names to the left, numbers to the right.
      text += i < 2 ? line[i] + space + "  " : space + line[i] + "  ";
    }
    text.erase(text.find_last_not_of(' ') + 1);
    out += text + "\n";
  }
  return out;
}

std::string ToMarkdown(const FilterRun& run) {
  std::string out;
  const Lines lines = AllCells(run);
  for (size_t i = 0; i < lines.size(); ++i) {
    for (const std::string& cell : lines[i]) out += "| " + cell + " ";
    out += "|\n";
    if (i > 0) continue;
    for (size_t k = 0; k < lines[0].size(); ++k) out += "|---";
    out += "|\n";
  }
  return out;
}

std::string ToCsv(const FilterRun& run) {
  std::string out =
      "engine,filter,placement,keys,key_bytes,filter_bytes,predicted_rate,"
      "observed_rate,build_memory_bytes";
  for (const Time& time : kTimes) {
    for (const char* which : {"median", "least", "most"}) {
      out += std::string(",") + time.name + "_ns_" + which;
    }
  }
  out += "\n";
  for (const FilterFigures& one : run.figures) {
    out += std::string(one.of.format->engine()) + "," +
           std::string(one.of.format->name()) + "," + NameOf(one.of.groups) +
           "," + std::to_string(one.of.keys) + "," +
           std::to_string(one.of.key_bytes) + "," + std::to_string(one.bytes) +
           "," +
           (one.predicted.has_value() ? Printed("%.8g", *one.predicted) : "") +
           "," + Printed("%.8g", one.observed) + "," +
           std::to_string(one.build_memory);
    for (const Time& time : kTimes) {
      const Summary ns = Summarize(one.*time.rounds);
      out += "," + Printed("%.2f", ns.median) + "," +
             Printed("%.2f", ns.least) + "," + Printed("%.2f", ns.most);
    }
    out += "\n";
  }
  return out;
}

std::string ToJson(const FilterRun& run) {
  std::vector<std::string> lines;
  for (const FilterFigures& one : run.figures) {
    JsonObject line;
    line.Text("engine", one.of.format->engine())
        .Text("filter", one.of.format->name())
        .Text("placement", NameOf(one.of.groups))
        .Number("keys", one.of.keys)
        .Number("key_bytes", one.of.key_bytes)
        .Number("filter_bytes", one.bytes)
        .Value("bits_per_key", Printed("%.4f", one.BitsPerKey()))
        .Value("predicted_rate", one.predicted.has_value()
                                     ? Printed("%.8g", *one.predicted)
                                     : "null")
        .Value("observed_rate", Printed("%.8g", one.observed))
        .Number("build_memory_bytes", one.build_memory);
    for (const Time& time : kTimes) {
      std::vector<std::string> rounds;
      for (const double ns : one.*time.rounds) {
        rounds.push_back(Printed("%.2f", ns));
      }
      line.Value(std::string(time.name) + "_ns", JsonArray(rounds));
    }
    lines.push_back(line.ToString());
  }
  return JsonObject()
             .Text("settings", run.settings)
             .Value("figures", JsonArray(lines))
             .ToString() +
         "\n";
}

std::string ToHtml(const FilterRun& run) {
  HtmlPage page("Filters");
  page.Paragraph(run.settings);
  page.Heading("Size");
  page.Add(ToFigure(ChartOf(run, "size", "bits a key",
                            [](const auto& one) { return one.BitsPerKey(); })));
  page.Add(
      ToFigure(ChartOf(run, "absent keys that pass", "%",
                       [](const auto& one) { return 100 * one.observed; })));
  page.Heading("Time");
  for (const Time& time : kTimes) {
    page.Add(ToFigure(ChartOf(run, time.of, "ns", [&](const auto& one) {
      return Summarize(one.*time.rounds).median;
    })));
  }
  page.Heading("Memory of a build");
  page.Add(
      ToFigure(ChartOf(run, "memory of a build", "bytes a key",
                       [](const auto& one) { return BuildBytesPerKey(one); })));
  page.Heading("All figures");
  page.Add(HtmlTable(AllCells(run)));
  page.Download("The figures as JSON", "filters.json", "application/json",
                ToJson(run));
  return page.ToString();
}

}  // namespace tamis
