// SPDX-License-Identifier: Apache-2.0
#include "tools/peers/report_page.h"

#include <optional>

#include "tools/bar_chart.h"
#include "tools/html_page.h"
#include "tools/repeated_runs.h"

namespace tamis::peers {

namespace {

BarChart ChartOf(const RunReport& run, const FigureTable& table,
                 const std::string& title) {
  BarChart chart{.title = title, .unit = "operations per second"};
  chart.by_group = true;
  for (const ReportedEngine& engine : run.engines) {
    chart.series.push_back(engine.name);
  }
  for (const Measurement& m : table.measurements) {
    BarGroup group{.name = m.workload};
    for (const std::vector<Cost>& rounds : m.engines) {
      std::vector<double> micros;
      for (const Cost& cost : rounds) micros.push_back(cost.wall);
      const double median = micros.empty() ? 0 : Summarize(micros).median;
      group.values.push_back(median > 0 ? std::optional(1e6 / median)
                                        : std::nullopt);
    }
    chart.groups.push_back(group);
  }
  return chart;
}

}  // namespace

std::string ToHtml(const std::vector<RunReport>& runs) {
  HtmlPage page("Tamis beside other engines");
  for (const RunReport& run : runs) {
    page.Heading(run.preset);
    page.Paragraph(run.settings);
    for (const FigureTable& table : run.tables) {
      page.Add(ToFigure(ChartOf(run, table, table.name)));
    }
    page.Preformatted(ToText(run));
  }
  page.Download("The figures as JSON", "bench.json", "application/json",
                ToJson(runs));
  return page.ToString();
}

std::string ToSvg(const std::vector<RunReport>& runs) {
  if (runs.empty() || runs[0].tables.empty()) return {};
  return ToSvgFile(ChartOf(runs[0], runs[0].tables[0], "one machine, one run"));
}

}  // namespace tamis::peers
