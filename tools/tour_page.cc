// SPDX-License-Identifier: Apache-2.0
#include "tools/tour_page.h"

#include <initializer_list>

#include "tools/bar_chart.h"
#include "tools/html_page.h"

namespace tamis {

namespace {

using Figure = double (*)(const StageFigures& stage);

double PredictedPercent(const StageFigures& s) { return 100 * s.predicted_fpr; }
double ObservedPercent(const StageFigures& s) { return 100 * ObservedFpr(s); }
double BlocksPerThousand(const StageFigures& s) {
  return 1000 * static_cast<double>(s.absent.data_blocks_searched) /
         static_cast<double>(s.absent.asked);
}
double MedianPresent(const StageFigures& s) {
  return s.present.micros_per_read.median;
}
double MedianAbsent(const StageFigures& s) {
  return s.absent.micros_per_read.median;
}

// A group of bars for each stage, or only for those with a filter.
BarChart ChartOf(BarChart chart, std::span<const StageFigures> stages,
                 std::initializer_list<Figure> figures, bool filters_only) {
  for (const StageFigures& stage : stages) {
    if (filters_only && stage.plan.filter == TourFilter::kNone) continue;
    BarGroup group{TourFilterName(stage.plan.filter)};
    for (const Figure figure : figures)
      group.values.emplace_back(figure(stage));
    chart.groups.push_back(std::move(group));
  }
  return chart;
}

}  // namespace

std::string TourPage(const std::string& corpus, int rounds,
                     std::span<const StageFigures> stages,
                     const std::string& dump) {
  HtmlPage page("Tamis: the same keys without a filter and with three kinds");
  page.Paragraph("Keys: " + corpus +
                 ". Every key is looked up, and as many that are absent. Times "
                 "are medians of " +
                 std::to_string(rounds) +
                 " interleaved rounds, each of which begins with an empty "
                 "cache.");
  page.Heading("What a filter costs");
  page.Add(ToFigure(
      ChartOf({.title = "Size", .unit = "bits a key", .series = {"size"}},
              stages, {FilterBitsPerKey}, /*filters_only=*/true)));
  page.Heading("What it saves");
  page.Add(
      ToFigure(ChartOf({.title = "Data blocks searched for 1000 absent keys",
                        .unit = "blocks",
                        .series = {"blocks"}},
                       stages, {BlocksPerThousand}, /*filters_only=*/false)));
  page.Add(ToFigure(ChartOf({.title = "Time of a read",
                             .unit = "microseconds",
                             .series = {"present keys", "absent keys"}},
                            stages, {MedianPresent, MedianAbsent},
                            /*filters_only=*/false)));
  page.Heading("Is its prediction right?");
  page.Add(ToFigure(ChartOf({.title = "False positives",
                             .unit = "% of the probes of absent keys",
                             .series = {"predicted", "observed"}},
                            stages, {PredictedPercent, ObservedPercent},
                            /*filters_only=*/true)));
  page.Heading("All figures");
  page.Add(HtmlTable(TourRows(stages)));
  page.Heading("A table of the full filter");
  page.Preformatted(dump);
  return page.ToString();
}

}  // namespace tamis
