// SPDX-License-Identifier: Apache-2.0
//
// Draws groups of horizontal bars as SVG.
//
//   title (unit)
//   readrandom   ███████████ 1.1M        ■ tamis ■ rocksdb
//                ███ 285k
//   readseq      █████████████████ 21M
//                █████ 6M
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace tamis {

struct BarGroup {
  std::string name;
  std::vector<std::optional<double>> values =
      {};  // as many as BarChart::series
};

struct BarChart {
  std::string title;
  std::string unit;
  std::vector<std::string> series = {};
  std::vector<BarGroup> groups = {};
  // Bars are as long as the value's share of its group's largest, for groups of
  // different magnitudes; otherwise of the largest of all.
  bool by_group = false;
};

// A <figure> for an HtmlPage, whose colours it has. Each bar has a <title> of
// its value.
std::string ToFigure(const BarChart& chart);
// A file of its own, with a light and a dark theme.
std::string ToSvgFile(const BarChart& chart);

}  // namespace tamis
