// SPDX-License-Identifier: Apache-2.0
//
// Draws series over time as inline SVG. Colours are classes of the page
// (html_page.h), so that one drawing serves its light and its dark theme.
//
//   title (unit)
//   4 ┤      ╭─╮
//   2 ┤──────╯ ░░░╰──     ░ a band: a stall, a flush, a compaction
//   0 ┼──────────────
//     0 s    10 s         legend: ── series
#pragma once

#include <string>
#include <vector>

namespace tamis {

struct ChartSeries {
  std::string name;
  std::vector<double> values;  // as many as Chart::seconds
};

// A time that is shaded, from the top to the bottom.
struct ChartBand {
  double from = 0;  // seconds
  double to = 0;
  std::string kind;  // a class of the page: "stall", "flush", "compaction"
  std::string label;
};

// A horizontal line: a limit.
struct ChartLimit {
  std::string name;
  double value = 0;
};

struct Chart {
  std::string title;
  std::string unit;
  std::vector<double> seconds;  // ascending
  std::vector<ChartSeries> series;
  std::vector<ChartBand> bands = {};
  std::vector<ChartLimit> limits = {};
  // Names along the time axis, where each begins: of benchmarks.
  struct Mark {
    double seconds = 0;
    std::string name;
  };
  std::vector<Mark> marks = {};
  bool logarithmic = false;  // values of 0 and less are left out
};

// Returns a <figure> with the drawing. Each point of a series is a circle with
// a <title> of its value, which browsers show.
std::string ToFigure(const Chart& chart);

// "1.2M", "350k", "12", "0.035": three digits.
std::string ShortNumber(double value);

// Returns the text with &, <, > and quotes as entities.
std::string HtmlText(const std::string& text);

}  // namespace tamis
