// SPDX-License-Identifier: Apache-2.0
//
// Which tables may change their level by an edit alone.
#include "db/compaction/trivial_move.h"

#include <string>

#include <gtest/gtest.h>

#include "db/version/version_builder.h"
#include "tests/db/version/trees.h"

namespace tamis {
namespace {

TableMove Move(int level, int output_level) {
  return {.level = level,
          .output_level = output_level,
          .grandparent_bytes_max = 1000};
}

// Numbers of the files of move.level that may move.
std::string Movable(const VersionPtr& version, const TableMove& move) {
  return Numbers(MovableFiles(*version, version->files(move.level), move));
}

struct Case {
  const char* what;
  const char* tree;
  const char* movable;
};

TEST(TrivialMoveTest, FilesOfLevel0MoveWhenTheyOverlapNothing) {
  const Case cases[] = {
      {"an empty level", "L1: 1=a-z", ""},
      {"one file", "L0: 9=a-c", "9"},
      {"four apart", "L0: 9=x-z 8=a-c 7=k-m 6=n-p", "9 8 7 6"},
      {"two overlap", "L0: 9=x-z 8=a-c 7=b-m 6=n-p", "9 6"},
      {"the newer of two spans the older", "L0: 9=a-z 8=c-d", ""},
      {"the older spans the newer", "L0: 9=c-d 8=a-z", ""},
      {"a wide file reaches past its neighbour", "L0: 9=a-m 8=b-c 7=k-l 6=n-p",
       "6"},
      {"one user key at the border, the newer before the older",
       "L0: 9=a-c 8=c-e", ""},
      {"the same, the older before the newer", "L0: 9=c-e 8=a-c", ""},
      {"a single key twice", "L0: 9=k-k 8=k-k 7=l-l", "7"},
      {"overlap in level 1", "L0: 9=a-c 8=d-f 7=g-i\nL1: 5=e-e 4=x-z", "9 7"},
      {"one user key at the border of a file in level 1",
       "L0: 9=a-c 8=g-i 7=k-l\nL1: 5=c-g", "7"},
      {"between files of level 1", "L0: 9=d-f 8=i-k\nL1: 5=a-c 4=g-h 3=l-z",
       "9 8"},
      {"in a file of level 1 that spans it", "L0: 9=d-f\nL1: 5=a-z", ""},
      {"overlap further down", "L0: 9=d-f\nL2: 5=a-z@1000", "9"},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(Movable(ParseTree(c.tree), Move(0, 1)), c.movable) << c.what;
  }
}

TEST(TrivialMoveTest, RangeTombstonesCountUpToTheirExclusiveEnd) {
  const Case cases[] = {
      {"into a newer file", "L0: 9=f-h 8=a-g)", ""},
      {"into an older file", "L0: 9=a-g) 8=f-h", ""},
      {"just up to the next file", "L0: 9=a-f) 8=f-h", "9 8"},
      {"the same, ages exchanged", "L0: 9=f-h 8=a-f)", "9 8"},
      {"an entry at the end of another's tombstone", "L0: 9=a-f) 8=c-f 7=f-h",
       ""},
      {"into a file of level 1", "L0: 9=a-g)\nL1: 5=f-h", ""},
      {"just up to a file of level 1", "L0: 9=a-f)\nL1: 5=f-h", "9"},
      {"behind a tombstone of level 1", "L0: 9=f-h\nL1: 5=a-f)", "9"},
      {"in a tombstone of level 1", "L0: 9=e-h\nL1: 5=a-f)", ""},
  };
  for (const Case& c : cases) {
    const VersionPtr version = ParseTree(c.tree);
    EXPECT_EQ(Movable(version, Move(0, 1)), c.movable) << c.what;
  }
}

TEST(TrivialMoveTest, EveryLevelOnTheWayIsLookedAt) {
  const VersionPtr version =
      ParseTree("L0: 9=a-c 8=d-f 7=g-i 6=k-m\nL1: 5=b-b\nL2: 4=e-e\nL3: 3=h-h");
  EXPECT_EQ(Movable(version, Move(0, 1)), "8 7 6");
  EXPECT_EQ(Movable(version, Move(0, 2)), "7 6");
  EXPECT_EQ(Movable(version, Move(0, 3)), "6");
}

TEST(TrivialMoveTest, TheOrderOfKeysIsTheUsers) {
  const KeyOrder reverse(ReverseBytewiseComparator());
  EXPECT_EQ(Movable(ParseTree("L0: 9=z-x 8=m-k 7=i-g\nL1: 5=l-j", reverse),
                    Move(0, 1)),
            "9 7");
  EXPECT_EQ(Movable(ParseTree("L0: 9=z-m 8=m-k 7=i-g", reverse), Move(0, 1)),
            "7");
}

TEST(TrivialMoveTest, WhatItOverlapsFurtherDownIsBounded) {
  EXPECT_EQ(Movable(ParseTree("L0: 9=a-c 8=d-f\nL2: 5=b-b@1000 4=e-e@1001"),
                    Move(0, 1)),
            "9");
  EXPECT_EQ(Movable(ParseTree("L1: 9=a-c 8=d-f\nL3: 5=a-b@600 4=c-e@600"),
                    Move(1, 2)),
            "8");
  EXPECT_EQ(Movable(ParseTree("L1: 9=a-c\nL4: 5=a-b@6000"), Move(1, 2)), "9");
}

TEST(TrivialMoveTest, ARewriteInPlaceIsNoMove) {
  EXPECT_EQ(Movable(ParseTree("L6: 9=a-c"), Move(6, 6)), "");
  EXPECT_EQ(Movable(ParseTree("L0: 9=a-c"), Move(0, 0)), "");
}

TEST(TrivialMoveTest, AtTheBottomAManualCompactionWritesTablesAgain) {
  TableMove move = Move(1, 2);
  const VersionPtr version = ParseTree("L1: 9=a-c 8=d-f\nL4: 5=b-b");
  EXPECT_EQ(Movable(version, move), "9 8");
  move.manual = true;
  EXPECT_EQ(Movable(version, move), "9");
}

// Moved at once, they make a tree that RocksDB accepts.
TEST(TrivialMoveTest, WhatMayMoveFitsTheOutputLevel) {
  for (const char* tree : {"L0: 9=a-f) 8=f-h 7=k-m 6=n-p)\nL1: 5=i-j 4=p-z",
                           "L0: 9=f-h 8=a-f) 7=x-z 6=w-x)\nL1: 5=h-i 4=j-v"}) {
    const VersionPtr version = ParseTree(tree);
    Compaction plan;
    plan.output_level = 1;
    plan.inputs = MovableFiles(*version, version->files(0), Move(0, 1));
    EXPECT_GE(plan.inputs.size(), 2u) << tree;
    VersionBuilder builder(Bytewise(), nullptr, version.get());
    ASSERT_TRUE(builder.Apply(TrivialMoveEdit(plan)).ok()) << tree;
    const auto moved = builder.Build();
    ASSERT_TRUE(moved.ok()) << tree << ": " << moved.status();
    EXPECT_TRUE(CheckVersion(**moved).ok());
    EXPECT_EQ((*moved)->NumFiles(), version->NumFiles());
    EXPECT_EQ((*moved)->files(0).size() + plan.inputs.size(),
              version->files(0).size());
  }
}

}  // namespace
}  // namespace tamis
