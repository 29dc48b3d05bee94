// SPDX-License-Identifier: Apache-2.0
//
// The rule for which tables may change their level by an edit alone.
#include "db/compaction/trivial_move.h"

#include <string>

#include <gtest/gtest.h>

#include "db/version/version_builder.h"
#include "tests/db/version/trees.h"

namespace tamis {
namespace {

TableMove MoveOf(const DataCase& data) {
  return {.level = LevelOf(data),
          .output_level = LevelOf(data, "to"),
          .grandparent_bytes_max = 1000,
          .path_id = static_cast<uint8_t>(data.Number("path", 0)),
          .manual = data.Has("manual")};
}

LevelFiles MovableFiles(const Version& version, const TableMove& move) {
  return tamis::MovableFiles(version, version.files(move.level), move);
}

std::string Movable(const DataCase& data, const Version& version) {
  const std::string numbers = Numbers(MovableFiles(version, MoveOf(data)));
  return numbers.empty() ? "none" : numbers;
}

// The tree once they moved, which RocksDB has to accept, too.
std::string Move(const DataCase& data, const Version& version) {
  const TableMove move = MoveOf(data);
  Compaction plan;
  plan.level = move.level;
  plan.output_level = move.output_level;
  plan.inputs = MovableFiles(version, move);
  plan.trivial_move = true;
  VersionBuilder builder(Bytewise(), nullptr, &version);
  const Status status = builder.Apply(EditWithoutTables(plan));
  if (!status.ok()) return status.ToString();
  const auto moved = builder.Build();
  if (!moved.ok()) return moved.status().ToString();
  return Describe(**moved) + "check: " + CheckVersion(**moved).ToString();
}

void RunMoveFile(const std::string& name) {
  const KeyOrder reverse(ReverseBytewiseComparator());
  TreeOfCase tree;
  RunDataFile(
      "db/compaction/trivial_move/" + name + ".txt",
      {{"define", [&](const DataCase& data) { return tree.Define(data); }},
       {"movable",
        [&](const DataCase& data) {
          return Movable(data, data.Has("reverse")
                                   ? *ParseTree(data.input(), reverse)
                                   : *tree.Of(data));
        }},
       {"move",
        [&](const DataCase& data) { return Move(data, *tree.Of(data)); }}});
}

TEST(TrivialMoveTest, FilesOfLevel0MoveWhenTheyOverlapNothing) {
  RunMoveFile("level0");
}

TEST(TrivialMoveTest, RangeTombstonesCountUpToTheirExclusiveEnd) {
  RunMoveFile("range_tombstones");
}

TEST(TrivialMoveTest, EveryLevelInBetweenIsChecked) {
  RunMoveFile("other_levels");
}

TEST(TrivialMoveTest, MovedTablesAreInTheOutputsPath) { RunMoveFile("paths"); }

TEST(TrivialMoveTest, MovedTablesFitTheOutputLevel) { RunMoveFile("fit"); }

}  // namespace
}  // namespace tamis
