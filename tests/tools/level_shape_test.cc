// SPDX-License-Identifier: Apache-2.0
//
// Where tables lie among the keys, as text and as a figure.
#include "tools/level_shape.h"

#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tests/tools/ldb_fixture.h"

namespace tamis {
namespace {

ColumnFamilyMetaData FamilyOf(
    const std::vector<std::vector<std::pair<std::string, std::string>>>&
        levels) {
  ColumnFamilyMetaData family;
  int number = 1;
  for (size_t i = 0; i < levels.size(); ++i) {
    LevelMetaData& level = family.levels.emplace_back();
    level.level = static_cast<int>(i);
    for (const auto& [first, last] : levels[i]) {
      SstFileMetaData& file = level.files.emplace_back();
      file.name = "/" + std::to_string(number++) + ".sst";
      file.size = 1000;
      file.smallestkey = first;
      file.largestkey = last;
    }
  }
  return family;
}

TEST(LevelShapeTest, TablesLieByTheOrderOfTheirBounds) {
  // Bounds: a b c d e f g h.
  const ColumnFamilyMetaData family = FamilyOf(
      {{{"a", "h"}, {"c", "d"}}, {}, {{"a", "b"}, {"c", "e"}, {"f", "g"}}});
  EXPECT_EQ(ShapeText(RowsOf(family, *BytewiseComparator()), 16, 10),
            "level  tables      bytes  keys\n"
            "    0       2        2kB  ################\n"
            "                              ####\n"
            "    2       3        3kB  ####++++++####\n");
  // In the other order.
  const ColumnFamilyMetaData reverse = FamilyOf({{}, {{"h", "g"}, {"f", "a"}}});
  EXPECT_EQ(ShapeText(RowsOf(reverse, *ReverseBytewiseComparator()), 8, 10),
            "level  tables      bytes  keys\n"
            "    1       2        2kB  ####++++\n");
}

TEST(LevelShapeTest, OfManyTablesInLevel0TheNewestAreShown) {
  std::vector<std::pair<std::string, std::string>> level(5, {"a", "b"});
  const std::string text =
      ShapeText(RowsOf(FamilyOf({level}), *BytewiseComparator()), 4, 2);
  EXPECT_EQ(text,
            "level  tables      bytes  keys\n"
            "    0       5        5kB  ####\n"
            "                          ####\n"
            "                          ... 3 more\n");
}

TEST(LevelShapeTest, AnEmptyFamilyHasNoRows) {
  const auto rows = RowsOf(FamilyOf({{}, {}}), *BytewiseComparator());
  EXPECT_EQ(ShapeText(rows, 4, 2), "level  tables      bytes  keys\n");
  EXPECT_NE(ShapeFigure(rows).find("<svg"), std::string::npos);
}

TEST(LevelShapeTest, TheFigureHasARectangleForEachTable) {
  const std::string figure = ShapeFigure(
      RowsOf(FamilyOf({{}, {{"a<", "b"}, {"c", "d"}}}), *BytewiseComparator()));
  EXPECT_NE(figure.find("<rect x=\"150.0\" y=\"8.0\" width=\"374.0\" "
                        "height=\"16.0\" class=\"table\"><title>/1.sst, 1kB, "
                        "a&lt; to b</title>"),
            std::string::npos)
      << figure;
  EXPECT_NE(figure.find("<rect x=\"525.0\""), std::string::npos) << figure;
  EXPECT_NE(figure.find("level 1: 2 tables, 2kB"), std::string::npos);
}

using LdbShapeCommandTest = LdbFixture;

TEST_F(LdbShapeCommandTest, PrintsOrWritesAPage) {
  Must({"--create_if_missing", "batchput", "a", "1", "z", "2"});
  EXPECT_EQ(Ours({"compact"}).exit_code, 0);
  const Outcome shape = Ours({"shape"});
  EXPECT_EQ(shape.exit_code, 0) << shape.text;
  EXPECT_EQ(shape.text.find("level  tables      bytes  keys\n    6       1 "),
            0u)
      << shape.text;
  EXPECT_NE(shape.text.find(std::string(54, '#')), std::string::npos);
  const std::string page = directory_.Path("shape.html");
  const Outcome written = Ours({"shape", "--html=" + page});
  EXPECT_EQ(written.exit_code, 0) << written.text;
  std::ifstream in(page);
  const std::string html((std::istreambuf_iterator<char>(in)), {});
  EXPECT_NE(html.find(", a to z</title>"), std::string::npos) << html;
  EXPECT_EQ(Ours({"shape", "--html=/no/such/folder/x"}).exit_code, 1);
}

}  // namespace
}  // namespace tamis
