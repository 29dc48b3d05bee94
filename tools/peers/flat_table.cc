// SPDX-License-Identifier: Apache-2.0
#include "tools/peers/flat_table.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include <nlohmann/json.hpp>

namespace tamis::peers {

namespace {

std::string CellText(const FlatCell& cell) {
  if (cell.is_text()) return cell.text;
  const double number = cell.number;
  const bool whole = number == std::floor(number) || number >= 100;
  char text[64];
  std::snprintf(text, sizeof(text), "%.*f", whole ? 0 : 3, number);
  return text;
}

}  // namespace

std::string ToText(const FlatTable& table) {
  std::vector<size_t> widths;
  for (size_t c = 0; c < table.columns.size(); ++c) {
    widths.push_back(table.columns[c].size());
    for (const auto& row : table.rows) {
      widths[c] = std::max(widths[c], CellText(row[c]).size());
    }
  }
  std::string text = table.name + ": " + table.settings + "\n\n";
  const auto add = [&](size_t c, const std::string& cell, bool left) {
    const std::string pad(widths[c] - cell.size(), ' ');
    if (c > 0) text += "  ";
    text += left ? cell + pad : pad + cell;
  };
  for (size_t c = 0; c < table.columns.size(); ++c) {
    add(c, table.columns[c], !table.rows.empty() && table.rows[0][c].is_text());
  }
  text += "\n";
  for (const auto& row : table.rows) {
    for (size_t c = 0; c < row.size(); ++c) {
      add(c, CellText(row[c]), row[c].is_text());
    }
    text += "\n";
  }
  return text;
}

std::string ToJson(const FlatTable& table) {
  nlohmann::ordered_json json;
  json["name"] = table.name;
  json["settings"] = table.settings;
  json["rows"] = nlohmann::ordered_json::array();
  for (const auto& row : table.rows) {
    nlohmann::ordered_json object;
    for (size_t c = 0; c < row.size(); ++c) {
      auto& value = object[table.columns[c]];
      if (row[c].is_text()) {
        value = row[c].text;
      } else {
        value = row[c].number;
      }
    }
    json["rows"].push_back(std::move(object));
  }
  return json.dump(2) + "\n";
}

}  // namespace tamis::peers
