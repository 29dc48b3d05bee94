// SPDX-License-Identifier: Apache-2.0
#include "tools/tamis_db_bench/bench_report.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "tamis/version.h"

#include "tools/html_page.h"
#include "tools/level_shape.h"
#include "tools/svg_chart.h"

namespace tamis::bench {

namespace {

using Value = std::function<double(const TimelineSample&)>;
constexpr double kMega = 1e6;

// The charts of a timeline.
class Charts {
 public:
  explicit Charts(const Timeline& timeline) : timeline_(timeline) {
    for (const TimelineSample& sample : timeline.samples()) {
      levels_ = std::max(levels_, sample.level_bytes.size());
    }
  }

  std::string Latencies() const {
    Chart chart = Empty("Latency", "microseconds");
    chart.logarithmic = true;
    for (const auto& [name, share] :
         {std::pair<const char*, double>{"P50", 0.5},
          {"P99", 0.99},
          {"P99.9", 0.999}}) {
      Add(&chart, name, [share = share](const TimelineSample& sample) {
        return sample.latency.count() == 0
                   ? 0
                   : sample.latency.QuantileMicros(share);
      });
    }
    chart.bands = timeline_.Bands({"stall"});
    return ToFigure(chart);
  }
  std::string Throughput() const {
    Chart chart = Empty("Throughput", "operations per second");
    Add(&chart, "operations", [](const TimelineSample& sample) {
      return static_cast<double>(sample.operations) / sample.interval;
    });
    chart.bands = timeline_.Bands({"flush", "compaction", "stall"});
    return ToFigure(chart);
  }
  std::string LevelBytes() const {
    Chart chart = Empty("Bytes by level", "MB");
    for (size_t level = 0; level < levels_; ++level) {
      Add(&chart, "level " + std::to_string(level),
          [level](const TimelineSample& sample) {
            return level < sample.level_bytes.size()
                       ? static_cast<double>(sample.level_bytes[level]) / kMega
                       : 0;
          });
    }
    chart.bands = timeline_.Bands({"compaction"});
    return ToFigure(chart);
  }
  std::string LevelZero(const Options& options) const {
    Chart chart = Empty("Tables of level 0", "");
    Add(&chart, "tables",
        [](const TimelineSample& sample) { return Files(sample, 0); });
    chart.limits = {
        {"compaction from " +
             std::to_string(options.level0_file_num_compaction_trigger),
         static_cast<double>(options.level0_file_num_compaction_trigger)},
        {"slowdown from " +
             std::to_string(options.level0_slowdown_writes_trigger),
         static_cast<double>(options.level0_slowdown_writes_trigger)}};
    chart.bands = timeline_.Bands({"stall"});
    return ToFigure(chart);
  }
  std::string Written() const {
    Chart chart = Empty("Bytes written", "MB per second");
    AddRate(&chart, "by the program", BYTES_WRITTEN);
    AddRate(&chart, "by flushes", FLUSH_WRITE_BYTES);
    AddRate(&chart, "by compactions", COMPACT_WRITE_BYTES);
    chart.bands = timeline_.Bands({"stall"});
    return ToFigure(chart);
  }
  std::string CacheHits() const {
    Chart chart = Empty("Block cache: hits", "percent of lookups");
    AddShare(&chart, "data blocks", BLOCK_CACHE_DATA_HIT,
             BLOCK_CACHE_DATA_MISS);
    AddShare(&chart, "index blocks", BLOCK_CACHE_INDEX_HIT,
             BLOCK_CACHE_INDEX_MISS);
    AddShare(&chart, "filter blocks", BLOCK_CACHE_FILTER_HIT,
             BLOCK_CACHE_FILTER_MISS);
    return ToFigure(chart);
  }
  std::string Filters() const {
    Chart chart = Empty("Filters", "answers per second");
    AddTicks(&chart, "absent: a table was not read", BLOOM_FILTER_USEFUL);
    AddTicks(&chart, "perhaps there, and it was",
             BLOOM_FILTER_FULL_TRUE_POSITIVE);
    Add(&chart, "perhaps there, but it was not",
        [](const TimelineSample& sample) {
          const double all = Tick(sample, BLOOM_FILTER_FULL_POSITIVE);
          const double right = Tick(sample, BLOOM_FILTER_FULL_TRUE_POSITIVE);
          return std::max(all - right, 0.0) / sample.interval;
        });
    return ToFigure(chart);
  }

  // The sum of a ticker over all samples.
  double Total(Tickers ticker) const {
    double total = 0;
    for (const TimelineSample& sample : timeline_.samples()) {
      total += Tick(sample, ticker);
    }
    return total;
  }

 private:
  static double Files(const TimelineSample& sample, size_t level) {
    return level < sample.level_files.size()
               ? static_cast<double>(sample.level_files[level])
               : 0;
  }
  static double Tick(const TimelineSample& sample, Tickers ticker) {
    const auto at = sample.tickers.find(ticker);
    return at == sample.tickers.end() ? 0 : static_cast<double>(at->second);
  }
  bool Ever(const Value& value) const {
    return std::any_of(
        timeline_.samples().begin(), timeline_.samples().end(),
        [&value](const TimelineSample& sample) { return value(sample) > 0; });
  }

  Chart Empty(const std::string& title, const std::string& unit) const {
    Chart chart{.title = title, .unit = unit, .seconds = {}, .series = {}};
    for (const TimelineSample& sample : timeline_.samples()) {
      chart.seconds.push_back(sample.seconds);
    }
    chart.marks = timeline_.benchmarks();
    return chart;
  }
  // A series that stays at 0 is left out.
  void Add(Chart* chart, const std::string& name, const Value& value) const {
    if (!Ever(value)) return;
    ChartSeries series{name, {}};
    for (const TimelineSample& sample : timeline_.samples()) {
      series.values.push_back(value(sample));
    }
    chart->series.push_back(std::move(series));
  }
  void AddTicks(Chart* chart, const std::string& name, Tickers ticker) const {
    Add(chart, name, [ticker](const TimelineSample& sample) {
      return Tick(sample, ticker) / sample.interval;
    });
  }
  void AddRate(Chart* chart, const std::string& name, Tickers ticker) const {
    Add(chart, name, [ticker](const TimelineSample& sample) {
      return Tick(sample, ticker) / kMega / sample.interval;
    });
  }
  void AddShare(Chart* chart, const std::string& name, Tickers hits,
                Tickers misses) const {
    Add(chart, name, [hits, misses](const TimelineSample& sample) {
      const double all = Tick(sample, hits) + Tick(sample, misses);
      return all == 0 ? 0 : 100 * Tick(sample, hits) / all;
    });
  }

  const Timeline& timeline_;
  size_t levels_ = 0;
};

HtmlRows ResultRows(const std::vector<BenchResult>& results) {
  HtmlRows rows = {{"benchmark", "operations/s", "P50 \xC2\xB5s", "P99",
                    "P99.9", "P99.99", "largest", "user s", "system s"}};
  for (const BenchResult& result : results) {
    for (const OneRun& run : result.runs) {
      const LatencyHistogram& latency = run.report.latency();
      std::vector<std::string> row = {
          result.name, ShortNumber(run.report.OperationsPerSecond())};
      for (const double share : {0.5, 0.99, 0.999, 0.9999, 1.0}) {
        row.push_back(ShortNumber(latency.QuantileMicros(share)));
      }
      row.push_back(ShortNumber(run.usage.user_seconds));
      row.push_back(ShortNumber(run.usage.system_seconds));
      rows.push_back(std::move(row));
    }
  }
  return rows;
}

// The largest tables, with their key ranges.
HtmlRows LargestTables(DB* db) {
  constexpr size_t kTables = 12;
  std::vector<LiveFileMetaData> files;
  db->GetLiveFilesMetaData(&files);
  std::sort(files.begin(), files.end(),
            [](const auto& a, const auto& b) { return a.size > b.size; });
  if (files.size() > kTables) files.resize(kTables);
  HtmlRows rows = {
      {"table", "level", "bytes", "entries", "first key", "last key"}};
  for (const LiveFileMetaData& file : files) {
    rows.push_back({file.name, std::to_string(file.level),
                    ShortNumber(static_cast<double>(file.size)),
                    ShortNumber(static_cast<double>(file.num_entries)),
                    Slice(file.smallestkey).ToString(/*hex=*/true),
                    Slice(file.largestkey).ToString(/*hex=*/true)});
  }
  return rows;
}

std::string WriteAmplification(const Charts& charts) {
  const double written = charts.Total(BYTES_WRITTEN);
  if (written == 0) return "Nothing was written.";
  const double tables =
      charts.Total(FLUSH_WRITE_BYTES) + charts.Total(COMPACT_WRITE_BYTES);
  return "The program wrote " + ShortNumber(written) + "B, tables took " +
         ShortNumber(tables) + "B: a write amplification of " +
         ShortNumber(tables / written) + ", without the log.";
}

void AddDatabase(const Charts& charts, DB* db, HtmlPage* page) {
  page->Heading("Levels");
  page->Add(charts.LevelBytes());
  page->Add(charts.LevelZero(db->GetOptions()));
  ColumnFamilyMetaData family;
  db->GetColumnFamilyMetaData(&family);
  page->Add(
      ShapeFigure(RowsOf(family, *db->DefaultColumnFamily()->GetComparator())));
  page->Add(charts.Written());
  page->Paragraph(WriteAmplification(charts));
  page->Heading("Filters");
  page->Add(charts.Filters());
  std::string text;
  if (db->GetProperty(DB::Properties::kFilterReport, &text)) {
    page->Preformatted(text);
  }
  page->Heading("Cache and memory");
  page->Add(charts.CacheHits());
  if (db->GetProperty(DB::Properties::kBlockCacheEntryStats, &text)) {
    page->Preformatted(text);
  }
  page->Heading("Largest tables");
  page->Add(HtmlTable(LargestTables(db)));
  page->Heading("Flushes and compactions");
  if (db->GetProperty(DB::Properties::kStats, &text)) page->Preformatted(text);
}

}  // namespace

std::string ReportPage(const std::vector<BenchResult>& results,
                       const std::string& json, const Timeline& timeline,
                       DB* db) {
  HtmlPage page("tamis_db_bench " + std::string(GetVersion()));
  page.Download("All figures, the flags, the seed and the commit as JSON",
                "bench.json", "application/json", json);
  page.Add(HtmlTable(ResultRows(results)));
  const Charts charts(timeline);
  page.Heading("Operations");
  page.Add(charts.Latencies());
  page.Add(charts.Throughput());
  if (db != nullptr) AddDatabase(charts, db, &page);
  return page.ToString();
}

}  // namespace tamis::bench
