// SPDX-License-Identifier: Apache-2.0
#include "db/version/version.h"

#include <string>

#include <gtest/gtest.h>

#include "tests/db/version/trees.h"

namespace tamis {
namespace {

TEST(VersionTest, CountsItsFiles) {
  const VersionPtr empty = ParseTree("");
  EXPECT_EQ(empty->NumFiles(), 0u);
  EXPECT_EQ(empty->DeepestLevel(), -1);
  const VersionPtr version =
      ParseTree("L0: 9=a-b@10 8=a-b@20\nL1: 5=a-c@200\nL3: 2=a-z@7");
  EXPECT_EQ(version->NumFiles(), 4u);
  EXPECT_EQ(version->DeepestLevel(), 3);
  EXPECT_EQ(version->LevelBytes(0), 30u);
  EXPECT_EQ(version->LevelBytes(1), 200u);
  EXPECT_EQ(version->LevelBytes(2), 0u);
}

TEST(VersionTest, FindFileIsTheFirstThatEndsAtOrBehindTheKey) {
  const VersionPtr version = ParseTree("L1: 5=b-d 6=f-f 7=h-k");
  const struct {
    const char* key;
    SequenceNumber sequence;
    size_t index;
  } cases[] = {
      {"a", 9, 0},
      {"b", 9, 0},
      {"d", 9, 0},
      {"d", 5, 0},
      {"d", 4, 1},  // older than the last entry of file 5: behind
                    // it
      {"e", 9, 1},
      {"f", 9, 1},
      {"g", 9, 2},
      {"k", 7, 2},
      {"k", 6, 3},
      {"z", 9, 3},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(
        FindFile(Bytewise(), version->files(1), InternalKey(c.key, c.sequence)),
        c.index)
        << c.key << c.sequence;
  }
  EXPECT_EQ(FindFile(Bytewise(), {}, InternalKey("a", 1)), 0u);
}

TEST(VersionTest, OverlappingFollowsChainsInLevel0) {
  const VersionPtr version = ParseTree(R"(
      L0: 9=a-c 8=x-z 7=c-f 6=f-g 5=m-m
      L1: 1=a-c 2=c-e 3=f-g 4=i-k)");
  const Slice a("a");
  const Slice b("b");
  const Slice d("d");
  const Slice h("h");
  const Slice n("n");
  const struct {
    int level;
    const Slice* begin;
    const Slice* end;
    const char* files;
  } cases[] = {
      {0, nullptr, nullptr, "9 8 7 6 5"},
      {0, &a, &a, "9 7 6"},  // a-c meets c-f, which meets f-g
      {0, &d, &d, "9 7 6"},
      {0, &h, &h, ""},
      {0, &h, &n, "5"},
      {0, &n, nullptr, "8"},
      {0, nullptr, &b, "9 7 6"},
      {1, nullptr, nullptr, "1 2 3 4"},
      {1, &b, &b, "1 2"},  // they share the user key c
      {1, &d, &d, "1 2"},
      {1, &h, &h, ""},
      {1, &h, &n, "4"},
      {1, &n, nullptr, ""},
      {2, nullptr, nullptr, ""},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(Numbers(version->Overlapping(c.level, c.begin, c.end)), c.files)
        << c.level << " " << (c.begin ? *c.begin : Slice("-")) << " "
        << (c.end ? *c.end : Slice("-"));
  }
}

TEST(VersionTest, MayExistBelowLooksAtDeeperLevelsAlone) {
  const VersionPtr version = ParseTree(R"(
      L0: 9=a-z
      L1: 5=a-c 6=g-h
      L3: 2=b-d 3=x-y)");
  const struct {
    int level;
    const char* key;
    bool may_exist;
  } cases[] = {
      {0, "a", true},  {0, "d", true},  {0, "e", false}, {0, "g", true},
      {1, "a", false}, {1, "b", true},  {1, "g", false}, {2, "x", true},
      {2, "w", false}, {3, "x", false}, {6, "x", false},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(version->MayExistBelow(c.level, c.key), c.may_exist)
        << c.level << c.key;
  }
}

}  // namespace
}  // namespace tamis
