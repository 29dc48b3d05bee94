// SPDX-License-Identifier: Apache-2.0
//
// Figures of the modes that do not compare rows between rounds: a line a
// measurement, as text for people and as JSON for programs.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace tamis::peers {

// A number, or, where there is a text, that.
struct FlatCell {
  FlatCell(double number_in) : number(number_in) {}            // NOLINT
  FlatCell(std::string text_in) : text(std::move(text_in)) {}  // NOLINT
  FlatCell(const char* text_in) : text(text_in) {}             // NOLINT
  bool is_text() const { return !text.empty(); }

  std::string text;
  double number = 0;
};

struct FlatTable {
  std::string name;
  std::string settings;
  std::vector<std::string> columns;
  std::vector<std::vector<FlatCell>> rows;  // as many cells as columns
};

// Columns are aligned. Numbers have three digits behind the point below 100,
// and none above.
std::string ToText(const FlatTable& table);

// An object with name, settings and rows; each row is an object by column.
std::string ToJson(const FlatTable& table);

}  // namespace tamis::peers
