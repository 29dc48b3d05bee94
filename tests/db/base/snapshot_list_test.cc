// SPDX-License-Identifier: Apache-2.0
#include "db/base/snapshot_list.h"

#include <gtest/gtest.h>

namespace tamis {
namespace {

TEST(SnapshotListTest, KeepsEachUntilItIsDeleted) {
  SnapshotList list;
  EXPECT_EQ(list.count(), 0u);
  const Snapshot* const a = list.New(7);
  const Snapshot* const b = list.New(7);
  const Snapshot* const c = list.New(3);
  EXPECT_EQ(a->GetSequenceNumber(), 7u);
  EXPECT_EQ(list.count(), 3u);
  EXPECT_EQ(list.All(), (std::vector<SequenceNumber>{3, 7}));
  list.Delete(c);
  list.Delete(a);
  EXPECT_EQ(list.All(), (std::vector<SequenceNumber>{7}));
  list.Delete(b);
  EXPECT_EQ(list.count(), 0u);
  EXPECT_TRUE(list.All().empty());
}

}  // namespace
}  // namespace tamis
