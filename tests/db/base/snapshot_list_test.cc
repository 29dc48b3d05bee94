// SPDX-License-Identifier: Apache-2.0
#include "db/base/snapshot_list.h"

#include <gtest/gtest.h>

namespace tamis {
namespace {

TEST(SnapshotListTest, KeepsEachUntilItIsDeleted) {
  SnapshotList list;
  EXPECT_TRUE(list.empty());
  const Snapshot* const a = list.New(7);
  const Snapshot* const b = list.New(7);
  const Snapshot* const c = list.New(3);
  EXPECT_EQ(a->GetSequenceNumber(), 7u);
  EXPECT_EQ(list.count(), 3u);
  EXPECT_EQ(list.Oldest(), 3u);
  EXPECT_EQ(list.Newest(), 7u);
  EXPECT_EQ(list.All(), (std::vector<SequenceNumber>{3, 7}));
  list.Delete(c);
  list.Delete(a);
  EXPECT_EQ(list.Oldest(), 7u);
  list.Delete(b);
  EXPECT_TRUE(list.empty());
  EXPECT_TRUE(list.All().empty());
}

}  // namespace
}  // namespace tamis
