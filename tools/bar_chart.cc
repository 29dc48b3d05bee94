// SPDX-License-Identifier: Apache-2.0
#include "tools/bar_chart.h"

#include <algorithm>
#include <cstddef>

#include "tools/html_page.h"
#include "tools/svg_chart.h"

namespace tamis {

namespace {

constexpr int kChartWidth = 760;
constexpr int kNames = 185;   // the names of groups, to the left
constexpr int kValues = 60;   // those of bars, to the right
constexpr int kBar = 13;      // the height of a bar
constexpr int kBetween = 10;  // from a group to the next
constexpr int kHeader = 44;   // title and legend of a file
constexpr size_t kSeriesColours = 8;

std::string ClassOf(size_t series) {
  return "s" + std::to_string(series % kSeriesColours);
}

std::string BarText(int x, int y, const std::string& style,
                    const std::string& text) {
  return "<text x=\"" + std::to_string(x) + "\" y=\"" + std::to_string(y) +
         "\"" + style + ">" + HtmlText(text) + "</text>";
}

double Largest(const BarGroup& group) {
  double most = 0;
  for (const std::optional<double>& value : group.values) {
    most = std::max(most, value.value_or(0));
  }
  return most;
}

int HeightOf(const BarChart& chart) {
  int height = 0;
  for (const BarGroup& group : chart.groups) {
    const auto bars = std::count_if(
        group.values.begin(), group.values.end(),
        [](const std::optional<double>& value) { return value.has_value(); });
    height += kBar * static_cast<int>(bars) + kBetween;
  }
  return height;
}

// The groups, from `top` on.
std::string Bars(const BarChart& chart, int top) {
  double most = 0;
  for (const BarGroup& group : chart.groups) {
    most = std::max(most, Largest(group));
  }
  std::string out;
  int y = top;
  for (const BarGroup& group : chart.groups) {
    const double scale = chart.by_group ? Largest(group) : most;
    out +=
        BarText(kNames - 8, y + kBar - 2, " text-anchor=\"end\"", group.name);
    for (size_t i = 0; i < group.values.size(); ++i) {
      if (!group.values[i].has_value()) continue;  // takes no place
      const double value = *group.values[i];
      const int width =
          std::max(1, static_cast<int>((kChartWidth - kNames - kValues) *
                                       (scale > 0 ? value / scale : 0)));
      out += "<rect x=\"" + std::to_string(kNames) + "\" y=\"" +
             std::to_string(y) + "\" width=\"" + std::to_string(width) +
             "\" height=\"" + std::to_string(kBar - 2) + "\" class=\"" +
             ClassOf(i) + "\"><title>" +
             HtmlText(chart.series[i] + ": " + ShortNumber(value) + " " +
                      chart.unit) +
             "</title></rect>" +
             BarText(kNames + width + 5, y + kBar - 3, "", ShortNumber(value));
      y += kBar;
    }
    y += kBetween;
  }
  return out;
}

std::string Opening(int height) {
  return "<svg viewBox=\"0 0 " + std::to_string(kChartWidth) + " " +
         std::to_string(height) +
         "\" xmlns=\"http://www.w3.org/2000/svg\" role=\"img\">";
}

}  // namespace

std::string ToFigure(const BarChart& chart) {
  std::string legend;
  for (size_t i = 0; i < chart.series.size(); ++i) {
    legend += "<span class=\"" + ClassOf(i) + "\">" +
              HtmlText(chart.series[i]) + "</span> ";
  }
  return "<figure><h3>" + HtmlText(chart.title) + " (" + HtmlText(chart.unit) +
         ")</h3>" + Opening(HeightOf(chart)) + Bars(chart, 0) +
         "</svg><figcaption>" + legend + "</figcaption></figure>\n";
}

std::string ToSvgFile(const BarChart& chart) {
  std::string legend;
  int x = kNames;
  for (size_t i = 0; i < chart.series.size(); ++i) {
    legend += "<rect x=\"" + std::to_string(x) +
              "\" y=\"24\" width=\"10\" height=\"10\" class=\"" + ClassOf(i) +
              "\"/>" + BarText(x + 15, 33, "", chart.series[i]);
    x += 35 + 7 * static_cast<int>(chart.series[i].size());
  }
  return Opening(kHeader + HeightOf(chart)) + "<style>" + ChartColours() +
         "svg { background: var(--bg); font-family: system-ui, sans-serif; } "
         "text { fill: var(--fg); font-size: 11px; }</style>" +
         BarText(kNames, 14, " font-weight=\"600\"",
                 chart.title + " (" + chart.unit + ")") +
         legend + Bars(chart, kHeader) + "</svg>\n";
}

}  // namespace tamis
