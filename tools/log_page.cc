// SPDX-License-Identifier: Apache-2.0
#include "tools/log_page.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <optional>

#include "tools/bar_chart.h"
#include "tools/html_page.h"
#include "tools/log_spans.h"
#include "tools/svg_chart.h"

namespace tamis {

namespace {

constexpr size_t kIntervals = 120;  // of a chart of rates
constexpr size_t kLongest = 20;     // rows of a table of spans

bool IsStall(const LogSpan& span) {
  return span.kind == "write_stop" || span.kind == "write_delay";
}

bool IsJob(const LogSpan& span) {
  return span.kind == "flush" || span.kind == "compaction";
}

class LogOverTime {
 public:
  LogOverTime(const std::string& family, const std::vector<LogEvent>& events)
      : family_(family),
        events_(events),
        spans_(SpansOf(events)),
        first_(FirstSecond(events)) {
    for (const LogSpan& span : spans_) last_ = std::max(last_, span.end);
  }

  std::vector<ChartBand> Bands() const {
    std::vector<ChartBand> bands;
    for (const LogSpan& span : spans_) {
      if (!IsStall(span) && !IsJob(span)) continue;
      std::string label = span.kind + " " + span.job;
      for (const std::string& word : span.words) label += " " + word;
      bands.push_back(
          {span.begin, span.end, IsStall(span) ? "stall" : span.kind, label});
    }
    return bands;
  }

  // A series for each level that ever had a table.
  Chart Levels(const char* key, const std::string& title,
               const std::string& unit, double divisor) const {
    Chart chart{.title = title, .unit = unit, .seconds = {}, .series = {}};
    std::vector<std::vector<uint64_t>> all;
    size_t levels = 0;
    for (const LogEvent& event : events_) {
      if (event.Value("family") != family_ || event.Value(key).empty()) {
        continue;
      }
      chart.seconds.push_back(event.seconds - first_);
      all.push_back(event.Numbers(key));
      levels = std::max(levels, all.back().size());
    }
    for (size_t level = 0; level < levels; ++level) {
      ChartSeries series{"level " + std::to_string(level), {}};
      for (const std::vector<uint64_t>& of : all) {
        series.values.push_back(
            level < of.size() ? static_cast<double>(of[level]) / divisor : 0);
      }
      const bool used = std::any_of(series.values.begin(), series.values.end(),
                                    [](double value) { return value > 0; });
      if (used) chart.series.push_back(std::move(series));
    }
    return chart;
  }

  // What jobs wrote, spread over the time that they took.
  Chart Written() const {
    Chart chart{.title = "Bytes written",
                .unit = "MB per second",
                .seconds = {},
                .series = {}};
    const double interval = last_ / kIntervals;
    std::map<std::string, std::vector<double>> megabytes;
    megabytes["flushes"].resize(kIntervals);
    megabytes["compactions"].resize(kIntervals);
    for (const LogSpan& span : spans_) {
      if (span.cut || !IsJob(span)) continue;
      const bool flush = span.kind == "flush";
      std::vector<double>& into = megabytes[flush ? "flushes" : "compactions"];
      const double bytes = Of(span, flush ? "bytes=" : "bytes_written=") / 1e6;
      const size_t from = Interval(span.begin, interval);
      const size_t to = Interval(span.end, interval);
      for (size_t i = from; i <= to; ++i) {
        into[i] += bytes / static_cast<double>(to - from + 1) / interval;
      }
    }
    for (size_t i = 0; i < kIntervals; ++i) {
      chart.seconds.push_back(static_cast<double>(i + 1) * interval);
    }
    for (const char* kind : {"flushes", "compactions"}) {
      chart.series.push_back({kind, megabytes[kind]});
    }
    return chart;
  }

  Chart WriteAmplification() const {
    Chart chart{.title = "Write amplification",
                .unit = "bytes written for a byte flushed, so far",
                .seconds = {},
                .series = {}};
    ChartSeries series{"all levels", {}};
    double flushed = 0;
    double written = 0;
    for (const LogEvent& event : events_) {
      if (event.name == "flush_end") {
        flushed += static_cast<double>(event.Number("bytes"));
      } else if (event.name == "compaction_end") {
        written += static_cast<double>(event.Number("bytes_written"));
      } else {
        continue;
      }
      if (flushed == 0) continue;
      chart.seconds.push_back(event.seconds - first_);
      series.values.push_back((flushed + written) / flushed);
    }
    chart.series = {series};
    return chart;
  }

  // Of the tables that were written: bits per key by codec.
  BarChart Filters() const {
    BarChart chart{.title = "Filters of the tables written",
                   .unit = "bits a key"};
    chart.series = {"bits a key"};
    std::map<std::string, std::pair<double, double>> bytes_and_entries;
    for (const LogEvent& event : events_) {
      if (event.name != "table_written" || event.Value("filters").empty()) {
        continue;
      }
      // The policy says the codec: "FastLocalBloom: 10 bits per key".
      const std::string reason = event.Value("filter_reason");
      const std::string codec = reason.substr(0, reason.find(':'));
      auto& [bytes, entries] =
          bytes_and_entries[codec.empty() ? event.Value("filters") : codec];
      bytes += static_cast<double>(event.Number("filter_bytes"));
      entries += static_cast<double>(event.Number("filter_entries"));
    }
    for (const auto& [name, sums] : bytes_and_entries) {
      if (sums.second == 0) continue;
      chart.groups.push_back({name, {8 * sums.first / sums.second}});
    }
    return chart;
  }

  // The longest spans that `takes` takes, and what their lines say.
  template <typename Takes>
  HtmlRows Longest(Takes takes) const {
    std::vector<const LogSpan*> longest;
    for (const LogSpan& span : spans_) {
      if (takes(span)) longest.push_back(&span);
    }
    std::stable_sort(longest.begin(), longest.end(),
                     [](const LogSpan* a, const LogSpan* b) {
                       return a->end - a->begin > b->end - b->begin;
                     });
    longest.resize(std::min(longest.size(), kLongest));
    HtmlRows rows = {{"begin, s", "seconds", "what", ""}};
    for (const LogSpan* span : longest) {
      std::string words;
      for (const std::string& word : span->words) words += word + " ";
      rows.push_back({Seconds(span->begin), Seconds(span->end - span->begin),
                      span->kind + " " + span->job, words});
    }
    return rows;
  }

  // Histograms and tickers, as they were dumped last.
  HtmlRows Statistics() const {
    std::map<std::string, std::string> newest;
    for (const LogEvent& event : events_) {
      if (event.name != "statistics") continue;
      std::string values;
      for (size_t i = 1; i < event.words.size(); ++i) {
        values += event.words[i] + " ";
      }
      newest[event.Value("name")] = values;
    }
    HtmlRows rows = {{"name", "since the open"}};
    for (const auto& [name, values] : newest) rows.push_back({name, values});
    return rows;
  }

 private:
  static std::string Seconds(double seconds) {
    char text[32];
    std::snprintf(text, sizeof text, "%.3f", seconds);
    return text;
  }
  static double Of(const LogSpan& span, const std::string& key) {
    for (const std::string& word : span.words) {
      if (word.starts_with(key)) {
        return std::strtod(word.c_str() + key.size(), nullptr);
      }
    }
    return 0;
  }
  static size_t Interval(double seconds, double interval) {
    if (interval <= 0) return 0;
    return std::min(static_cast<size_t>(seconds / interval), kIntervals - 1);
  }

  const std::string& family_;
  const std::vector<LogEvent>& events_;
  const std::vector<LogSpan> spans_;
  const double first_;
  double last_ = 0;
};

// A chart of less than two points is left out.
void AddChart(Chart chart, const std::vector<ChartBand>& bands,
              HtmlPage* page) {
  if (chart.seconds.size() < 2) return;
  chart.bands = bands;
  page->Add(ToFigure(chart));
}

void AddTable(const std::string& heading, const HtmlRows& rows,
              HtmlPage* page) {
  if (rows.size() < 2) return;
  page->Heading(heading);
  page->Add(HtmlTable(rows));
}

}  // namespace

std::string LogPage(const std::string& title, const std::string& family,
                    const std::vector<LogEvent>& events) {
  const LogOverTime log(family, events);
  const std::vector<ChartBand> bands = log.Bands();
  HtmlPage page(title);
  page.Heading("Over time");
  page.Paragraph(
      "Seconds since the first event. Shaded: stalls, flushes, "
      "compactions.");
  AddChart(log.Written(), bands, &page);
  AddChart(log.WriteAmplification(), bands, &page);
  page.Heading("Levels of " + family);
  AddChart(log.Levels("level_bytes", "Bytes by level", "MB", 1e6), bands,
           &page);
  AddChart(log.Levels("tables", "Tables by level", "tables", 1), bands, &page);
  if (const BarChart filters = log.Filters(); !filters.groups.empty()) {
    page.Heading("Filters");
    page.Add(ToFigure(filters));
  }
  AddTable("Longest stalls", log.Longest(IsStall), &page);
  AddTable("Longest jobs", log.Longest(IsJob), &page);
  AddTable("Errors", log.Longest([](const LogSpan& span) {
    return std::any_of(
        span.words.begin(), span.words.end(), [](const std::string& word) {
          return word.starts_with("status=") && word != "status=OK";
        });
  }),
           &page);
  AddTable("Statistics", log.Statistics(), &page);
  return page.ToString();
}

}  // namespace tamis
