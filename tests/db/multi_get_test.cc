// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/db.h"

#include "util/file_system_memory.h"

namespace tamis {
namespace {

TEST(MultiGetTest, AnswersEachKeyAsGetDoesWhereverItIs) {
  Options options;
  options.create_if_missing = true;
  options.file_system = NewMemoryFileSystem();
  std::unique_ptr<DB> db;
  ASSERT_TRUE(DB::Open(options, "/db", &db).ok());
  ASSERT_TRUE(db->Put({}, "table", std::string(1000, 't')).ok());
  ASSERT_TRUE(db->Put({}, "gone", "x").ok());
  ASSERT_TRUE(db->Flush({}).ok());
  ASSERT_TRUE(db->Put({}, "memtable", "m").ok());
  ASSERT_TRUE(db->Delete({}, "gone").ok());
  const Snapshot* before = db->GetSnapshot();
  ASSERT_TRUE(db->Put({}, "memtable", "newer").ok());

  std::vector<std::string> values;
  const std::vector<Slice> keys = {"memtable", "absent", "table", "gone",
                                   "table"};
  ReadOptions read;
  read.snapshot = before;
  const std::vector<Status> statuses = db->MultiGet(read, keys, &values);
  ASSERT_EQ(statuses.size(), 5u);
  EXPECT_EQ(values[0], "m");
  EXPECT_TRUE(statuses[1].IsNotFound());
  EXPECT_EQ(values[2], std::string(1000, 't'));
  EXPECT_TRUE(statuses[3].IsNotFound());
  EXPECT_EQ(values[4], values[2]);
  db->ReleaseSnapshot(before);

  EXPECT_TRUE(db->MultiGet({}, {}, &values).empty());
  ASSERT_TRUE(db->Close().ok());
  EXPECT_TRUE(db->MultiGet({}, keys, &values)[0].IsShutdownInProgress());
}

}  // namespace
}  // namespace tamis
