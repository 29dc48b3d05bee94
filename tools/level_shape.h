// SPDX-License-Identifier: Apache-2.0
//
// Where the tables of a family lie among its keys: a row for each table of
// level 0, and one for each level below. The axis is the order of all tables'
// bounds, so that ranges with many tables are wide.
//
//   level  tables      bytes  keys
//       0       2      2.1MB  ##############################################
//                             #########################
//       6       4      8.4MB  ############++++++++++++##########++++++++++++
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tamis/comparator.h"
#include "tamis/metadata.h"

namespace tamis {

struct ShapedTable {
  double from = 0;  // 0 to 1
  double to = 0;
  SstFileMetaData file;
};

struct ShapeRow {
  int level = 0;
  std::vector<ShapedTable> tables;
};

// Levels without tables have no row.
std::vector<ShapeRow> RowsOf(const ColumnFamilyMetaData& family,
                             const Comparator& comparator);

// For a terminal: `width` columns of keys. Of level 0, at most `rows` rows.
std::string ShapeText(const std::vector<ShapeRow>& rows, size_t width,
                      size_t level0_rows);

// A <figure> for a page (html_page.h). Tables tell of themselves in titles.
std::string ShapeFigure(const std::vector<ShapeRow>& rows);

}  // namespace tamis
