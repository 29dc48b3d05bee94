// SPDX-License-Identifier: Apache-2.0
//
// Files that touch where a range tombstone ends: they share a user key in the
// MANIFEST, but no entry.
#include <gtest/gtest.h>

#include "db/compaction/compaction_picker.h"
#include "db/version/version_builder.h"
#include "tests/db/version/trees.h"

namespace tamis {
namespace {

TEST(FileBordersTest, AreDisjoint) {
  EXPECT_TRUE(CheckVersion(*ParseTree("L1: 5=a-d) 6=d-g) 7=g-k")).ok());
  EXPECT_FALSE(CheckVersion(*ParseTree("L1: 5=a-e) 6=d-g")).ok());
}

TEST(FileBordersTest, AKeyIsFoundBehindTheTombstoneThatEndsAtIt) {
  const VersionPtr version = ParseTree("L1: 5=a-d) 6=d-g");
  const LookupKey key("d", 100);
  EXPECT_EQ(FindFile(Bytewise(), version->files(1), key.internal_key()), 1u);
  const Slice d("d");
  EXPECT_EQ(Numbers(version->Overlapping(1, &d, &d)), "6");
}

TEST(FileBordersTest, AreNotCompactedTogether) {
  const VersionPtr version = ParseTree("L1: 5=a-d) 6=d-g 7=g-k) 8=k-m");
  EXPECT_EQ(Numbers(version->SharingKeysWith(1, 0)), "5");
  EXPECT_EQ(Numbers(version->SharingKeysWith(1, 1)), "6 7");
  EXPECT_EQ(Numbers(version->SharingKeysWith(1, 2)), "6 7");
  EXPECT_EQ(Numbers(version->SharingKeysWith(1, 3)), "8");
}

TEST(FileBordersTest, ATombstoneHidesNothingAtItsEnd) {
  const VersionPtr version = ParseTree("L2: 5=c-d) 6=f-g");
  EXPECT_TRUE(version->MayExistBelow(1, "c"));
  EXPECT_FALSE(version->MayExistBelow(1, "d"));
  EXPECT_TRUE(version->MayExistBelow(1, "g"));
  EXPECT_FALSE(version->MayOverlapBelow(1, "a", "c"));
  EXPECT_TRUE(version->MayOverlapBelow(1, "a", "cc"));
  EXPECT_FALSE(version->MayOverlapBelow(1, "d", "f"));
  EXPECT_TRUE(version->MayOverlapBelow(1, "d", "ff"));
  EXPECT_TRUE(version->MayOverlapBelow(1, "g", "z"));
  EXPECT_FALSE(version->MayOverlapBelow(2, "a", "z"));
}

}  // namespace
}  // namespace tamis
