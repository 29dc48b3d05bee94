// SPDX-License-Identifier: Apache-2.0
#include "tools/level_shape.h"

#include <algorithm>
#include <cstdio>
#include <map>

#include "tools/svg_chart.h"
#include "util/coding/printable.h"

namespace tamis {

namespace {

// Places of keys among all bounds.
class Axis {
 public:
  Axis(const ColumnFamilyMetaData& family, const Comparator& comparator)
      : comparator_(comparator) {
    for (const LevelMetaData& level : family.levels) {
      for (const SstFileMetaData& file : level.files) {
        bounds_.push_back(file.smallestkey);
        bounds_.push_back(file.largestkey);
      }
    }
    const auto less = [this](const std::string& a, const std::string& b) {
      return comparator_.Compare(a, b) < 0;
    };
    std::sort(bounds_.begin(), bounds_.end(), less);
    bounds_.erase(std::unique(bounds_.begin(), bounds_.end(),
                              [this](const auto& a, const auto& b) {
                                return comparator_.Compare(a, b) == 0;
                              }),
                  bounds_.end());
  }

  // Half a step before the key, or behind it: a table of one key has a width.
  double Begin(const std::string& key) const { return Place(key, 0); }
  double End(const std::string& key) const { return Place(key, 1); }

 private:
  double Place(const std::string& key, size_t more) const {
    const auto at =
        std::lower_bound(bounds_.begin(), bounds_.end(), key,
                         [this](const std::string& a, const std::string& b) {
                           return comparator_.Compare(a, b) < 0;
                         });
    return static_cast<double>(static_cast<size_t>(at - bounds_.begin()) +
                               more) /
           static_cast<double>(bounds_.size());
  }

  const Comparator& comparator_;
  std::vector<std::string> bounds_;
};

struct Sum {
  uint64_t tables = 0;
  uint64_t bytes = 0;
};

std::map<int, Sum> SumsOf(const std::vector<ShapeRow>& rows) {
  std::map<int, Sum> sums;
  for (const ShapeRow& row : rows) {
    Sum& sum = sums[row.level];
    sum.tables += row.tables.size();
    for (const ShapedTable& table : row.tables) sum.bytes += table.file.size;
  }
  return sums;
}

std::string Bytes(uint64_t bytes) {
  return ShortNumber(static_cast<double>(bytes)) + "B";
}

// Neighbours have different signs.
std::string Signs(const ShapeRow& row, size_t width) {
  std::string line(width, ' ');
  const auto columns = static_cast<double>(width);
  for (size_t i = 0; i < row.tables.size(); ++i) {
    const ShapedTable& table = row.tables[i];
    const auto from =
        std::min(static_cast<size_t>(table.from * columns), width - 1);
    const auto to =
        std::max(static_cast<size_t>(table.to * columns + 0.5), from + 1);
    for (size_t at = from; at < std::min(to, width); ++at) {
      line[at] = i % 2 == 0 ? '#' : '+';
    }
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

std::string TextRow(const std::string& level, const std::string& tables,
                    const std::string& bytes, const std::string& keys) {
  char text[64];
  const int n = std::snprintf(text, sizeof text, "%5s %7s %10s  ",
                              level.c_str(), tables.c_str(), bytes.c_str());
  return std::string(text, static_cast<size_t>(n)) + keys + "\n";
}

}  // namespace

std::vector<ShapeRow> RowsOf(const ColumnFamilyMetaData& family,
                             const Comparator& comparator) {
  const Axis axis(family, comparator);
  std::vector<ShapeRow> rows;
  for (const LevelMetaData& level : family.levels) {
    bool begins = true;
    for (const SstFileMetaData& file : level.files) {
      if (begins || level.level == 0) rows.push_back({level.level, {}});
      begins = false;
      rows.back().tables.push_back(
          {axis.Begin(file.smallestkey), axis.End(file.largestkey), file});
    }
  }
  return rows;
}

std::string ShapeText(const std::vector<ShapeRow>& rows, size_t width,
                      size_t level0_rows) {
  const auto sums = SumsOf(rows);
  std::string text = TextRow("level", "tables", "bytes", "keys");
  int level = -1;
  size_t shown = 0;
  for (const ShapeRow& row : rows) {
    const bool begins = row.level != level;
    if (row.level == 0 && ++shown > level0_rows) {
      if (shown == level0_rows + 1) {
        text += TextRow(
            "", "", "",
            "... " + std::to_string(sums.at(0).tables - level0_rows) + " more");
      }
      continue;
    }
    level = row.level;
    const Sum& sum = sums.at(level);
    text += begins ? TextRow(std::to_string(level), std::to_string(sum.tables),
                             Bytes(sum.bytes), Signs(row, width))
                   : TextRow("", "", "", Signs(row, width));
  }
  return text;
}

std::string ShapeFigure(const std::vector<ShapeRow>& rows) {
  constexpr double kLeft = 150;
  constexpr double kWidth = 900 - kLeft;
  const auto number = [](double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.1f", value);
    return std::string(text);
  };
  const auto sums = SumsOf(rows);
  std::string body;
  double y = 0;
  int level = -1;
  for (const ShapeRow& row : rows) {
    const double height = row.level == 0 ? 9 : 18;
    if (row.level != level) {
      level = row.level;
      y += 8;
      const Sum& sum = sums.at(level);
      body += "<text x=\"0\" y=\"" + number(y + 11) + "\">level " +
              std::to_string(level) + ": " + std::to_string(sum.tables) +
              " tables, " + Bytes(sum.bytes) + "</text>";
    }
    for (const ShapedTable& table : row.tables) {
      const double x = kLeft + kWidth * table.from;
      const double width = std::max(kWidth * (table.to - table.from) - 1, 1.0);
      body += "<rect x=\"" + number(x) + "\" y=\"" + number(y) + "\" width=\"" +
              number(width) + "\" height=\"" + number(height - 2) +
              "\" class=\"table" + (table.file.being_compacted ? " busy" : "") +
              "\"><title>" +
              HtmlText(table.file.name + ", " + Bytes(table.file.size) + ", " +
                       Printable(table.file.smallestkey) + " to " +
                       Printable(table.file.largestkey)) +
              "</title></rect>";
    }
    y += height;
  }
  return "<figure><h3>Tables by their keys</h3><svg viewBox=\"0 0 900 " +
         number(y + 4) +
         "\" role=\"img\" aria-label=\"tables by their keys\">" + body +
         "</svg></figure>\n";
}

}  // namespace tamis
