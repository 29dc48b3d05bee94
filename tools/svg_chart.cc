// SPDX-License-Identifier: Apache-2.0
#include "tools/svg_chart.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace tamis {

namespace {

constexpr double kWidth = 900;
constexpr double kHeight = 240;
constexpr double kLeft = 64;
constexpr double kRight = 12;
constexpr double kTop = 14;
constexpr double kBottom = 40;
constexpr size_t kColours = 8;  // classes s0 to s7 of the page

std::string Coordinate(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", value);
  return text;
}

// The least of 1, 2 and 5 times a power of ten that is not below the value.
double RoundStep(double value) {
  const double power = std::pow(10, std::floor(std::log10(value)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= value) return factor * power;
  }
  return 10 * power;
}

// From data to the drawing.
class Plane {
 public:
  explicit Plane(const Chart& chart) : logarithmic_(chart.logarithmic) {
    for (const double seconds : chart.seconds) {
      last_second_ = std::max(last_second_, seconds);
    }
    for (const ChartBand& band : chart.bands) {
      last_second_ = std::max(last_second_, band.to);
    }
    double least = 0;
    for (const ChartSeries& series : chart.series) {
      for (const double value : series.values) {
        most_ = std::max(most_, value);
        if (value > 0 && (least == 0 || value < least)) least = value;
      }
    }
    for (const ChartLimit& limit : chart.limits) {
      most_ = std::max(most_, limit.value);
    }
    if (!(most_ > 0)) most_ = 1;
    if (logarithmic_) {
      least_ = std::pow(10, std::floor(std::log10(least > 0 ? least : 1)));
      most_ = std::pow(10, std::ceil(std::log10(std::max(most_, least_ * 10))));
    } else {
      step_ = RoundStep(most_ / 4);
      most_ = std::ceil(most_ / step_) * step_;
    }
  }

  double X(double seconds) const {
    return kLeft + (kWidth - kLeft - kRight) * seconds / last_second_;
  }
  bool IsShown(double value) const { return !logarithmic_ || value > 0; }
  double Y(double value) const {
    const double share = logarithmic_
                             ? (std::log10(value) - std::log10(least_)) /
                                   (std::log10(most_) - std::log10(least_))
                             : value / most_;
    return kHeight - kBottom -
           (kHeight - kTop - kBottom) * std::clamp(share, 0.0, 1.0);
  }
  std::vector<double> Ticks() const {
    std::vector<double> ticks;
    if (logarithmic_) {
      for (double v = least_; v <= most_ * 1.01; v *= 10) ticks.push_back(v);
    } else {
      for (double v = 0; v <= most_ * 1.01; v += step_) ticks.push_back(v);
    }
    return ticks;
  }
  std::vector<double> Times() const {
    std::vector<double> times;
    const double step = RoundStep(last_second_ / 8);
    for (double t = 0; t <= last_second_; t += step) times.push_back(t);
    return times;
  }

 private:
  const bool logarithmic_;
  double last_second_ = 1e-3;
  double least_ = 0;
  double most_ = 0;
  double step_ = 1;
};

std::string Line(double x1, double y1, double x2, double y2,
                 const std::string& kind) {
  return "<line x1=\"" + Coordinate(x1) + "\" y1=\"" + Coordinate(y1) +
         "\" x2=\"" + Coordinate(x2) + "\" y2=\"" + Coordinate(y2) +
         "\" class=\"" + kind + "\"/>";
}

std::string Text(double x, double y, const std::string& anchor,
                 const std::string& text) {
  return "<text x=\"" + Coordinate(x) + "\" y=\"" + Coordinate(y) +
         "\" text-anchor=\"" + anchor + "\">" + HtmlText(text) + "</text>";
}

std::string Axes(const Chart& chart, const Plane& plane) {
  const double right = kWidth - kRight;
  const double bottom = kHeight - kBottom;
  std::string out;
  for (const double value : plane.Ticks()) {
    const double y = plane.Y(value);
    out += Line(kLeft, y, right, y, "grid") +
           Text(kLeft - 6, y + 4, "end", ShortNumber(value));
  }
  for (const double seconds : plane.Times()) {
    const double x = plane.X(seconds);
    out += Line(x, bottom, x, bottom + 4, "axis") +
           Text(x, bottom + 16, "middle", ShortNumber(seconds) + " s");
  }
  for (const Chart::Mark& mark : chart.marks) {
    const double x = plane.X(mark.seconds);
    out += Line(x, kTop, x, bottom, "mark") +
           Text(x + 3, bottom + 31, "start", mark.name);
  }
  return out + Line(kLeft, bottom, right, bottom, "axis");
}

std::string Bands(const Chart& chart, const Plane& plane) {
  std::string out;
  for (const ChartBand& band : chart.bands) {
    const double from = plane.X(band.from);
    // At least a pixel: short ones count, too.
    const double width = std::max(plane.X(band.to) - from, 1.0);
    out += "<rect x=\"" + Coordinate(from) + "\" y=\"" + Coordinate(kTop) +
           "\" width=\"" + Coordinate(width) + "\" height=\"" +
           Coordinate(kHeight - kTop - kBottom) + "\" class=\"" + band.kind +
           "\"><title>" + HtmlText(band.label) + "</title></rect>";
  }
  return out;
}

std::string Curve(const Chart& chart, const Plane& plane, size_t index) {
  const ChartSeries& series = chart.series[index];
  const std::string colour = "s" + std::to_string(index % kColours);
  std::string points;
  std::string circles;
  const size_t n = std::min(chart.seconds.size(), series.values.size());
  for (size_t i = 0; i < n; ++i) {
    const double value = series.values[i];
    if (!plane.IsShown(value)) continue;
    const std::string x = Coordinate(plane.X(chart.seconds[i]));
    const std::string y = Coordinate(plane.Y(value));
    points += (points.empty() ? "" : " ") + x + "," + y;
    circles += "<circle cx=\"" + x + "\" cy=\"" + y + "\" r=\"2\" class=\"" +
               colour + "\"><title>" + HtmlText(series.name) + ": " +
               ShortNumber(value) + " " + HtmlText(chart.unit) + " at " +
               ShortNumber(chart.seconds[i]) + " s</title></circle>";
  }
  return "<polyline points=\"" + points + "\" class=\"" + colour + "\"/>" +
         circles;
}

std::string Legend(const Chart& chart) {
  std::string out = "<figcaption>";
  for (size_t i = 0; i < chart.series.size(); ++i) {
    out += "<span class=\"s" + std::to_string(i % kColours) + "\">" +
           HtmlText(chart.series[i].name) + "</span> ";
  }
  for (const ChartLimit& limit : chart.limits) {
    out += "<span class=\"limit\">" + HtmlText(limit.name) + "</span> ";
  }
  std::vector<std::string> kinds;
  for (const ChartBand& band : chart.bands) {
    if (std::find(kinds.begin(), kinds.end(), band.kind) != kinds.end()) {
      continue;
    }
    kinds.push_back(band.kind);
    out += "<span class=\"" + band.kind + "\">" + band.kind + "</span> ";
  }
  return out + "</figcaption>";
}

}  // namespace

std::string ShortNumber(double value) {
  constexpr const char* kUnits[] = {"", "k", "M", "G", "T"};
  size_t unit = 0;
  while (std::abs(value) >= 999.5 && unit + 1 < std::size(kUnits)) {
    value /= 1000;
    ++unit;
  }
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", value);
  return text + std::string(kUnits[unit]);
}

std::string HtmlText(const std::string& text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string ToFigure(const Chart& chart) {
  const Plane plane(chart);
  std::string out =
      "<figure><h3>" + HtmlText(chart.title) +
      (chart.unit.empty() ? "" : " (" + HtmlText(chart.unit) + ")") +
      "</h3><svg viewBox=\"0 0 " + Coordinate(kWidth) + " " +
      Coordinate(kHeight) + "\" role=\"img\" aria-label=\"" +
      HtmlText(chart.title) + "\">";
  out += Bands(chart, plane) + Axes(chart, plane);
  for (const ChartLimit& limit : chart.limits) {
    const double y = plane.Y(limit.value);
    out += Line(kLeft, y, kWidth - kRight, y, "limit");
  }
  for (size_t i = 0; i < chart.series.size(); ++i) {
    out += Curve(chart, plane, i);
  }
  return out + "</svg>" + Legend(chart) + "</figure>\n";
}

}  // namespace tamis
