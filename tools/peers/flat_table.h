// SPDX-License-Identifier: Apache-2.0
//
// Tables for the modes that do not compare figures between rounds. A table has
// one row for each measurement, and is printed as text or as JSON.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace tamis::peers {

// A number, or a text if `text` is not empty.
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

// Returns the table with aligned columns. A number has three decimals if it is
// below 100 and not whole, otherwise none.
std::string ToText(const FlatTable& table);

// Returns an object with name, settings and rows. Each row is an object with a
// member for each column.
std::string ToJson(const FlatTable& table);

}  // namespace tamis::peers
