// SPDX-License-Identifier: Apache-2.0
//
// Save points and limits of a WriteBatch, where RocksDB has no counterpart:
// what a batch is checked for, and batches that were joined or adopted.
// tests/interop/write_batch_test.cc compares the rest.
#include <string>

#include <gtest/gtest.h>

#include "tamis/write_batch.h"

#include "db/wal/write_batch_internal.h"

namespace tamis {
namespace {

// A batch that needed checks needs none once the change is gone, and the other
// way round.
TEST(WriteBatchMembersTest, RollbackRestoresWhetherABatchNeedsChecks) {
  WriteBatch batch;
  ASSERT_TRUE(batch.Put("a", "1").ok());
  batch.SetSavePoint();
  ASSERT_TRUE(batch.Merge("b", "2").ok());
  EXPECT_FALSE(WriteBatchInternal::IsPlain(batch));
  ASSERT_TRUE(batch.RollbackToSavePoint().ok());
  EXPECT_TRUE(WriteBatchInternal::IsPlain(batch));
  ASSERT_TRUE(batch.Merge("b", "2").ok());
  batch.SetSavePoint();
  ASSERT_TRUE(batch.Put("c", "3").ok());
  ASSERT_TRUE(batch.RollbackToSavePoint().ok());
  EXPECT_FALSE(WriteBatchInternal::IsPlain(batch));
}

TEST(WriteBatchMembersTest, ARefusedChangeLeavesThePlainBatchPlain) {
  WriteBatch batch;
  batch.SetMaxBytes(20);
  ASSERT_TRUE(batch.Put("a", "1").ok());
  EXPECT_TRUE(batch.Merge("b", "long operand").IsMemoryLimit());
  EXPECT_TRUE(WriteBatchInternal::IsPlain(batch));
  const Status status = batch.Put("b", "long value");
  EXPECT_NE(status.message().find("SetMaxBytes is 20"), std::string::npos)
      << status;
}

TEST(WriteBatchMembersTest, AppendStaysWithinTheLimit) {
  WriteBatch source;
  ASSERT_TRUE(source.Put("key", "value").ok());
  WriteBatch batch;
  batch.SetMaxBytes(34);
  ASSERT_TRUE(batch.Append(source).ok());
  ASSERT_TRUE(batch.Append(source).ok());
  const std::string before = batch.Data();
  EXPECT_TRUE(batch.Append(source).IsMemoryLimit());
  EXPECT_EQ(batch.Data(), before);
  EXPECT_EQ(batch.Count(), 2u);
}

TEST(WriteBatchMembersTest, SavePointsSurviveTheSequenceNumber) {
  WriteBatch batch;
  ASSERT_TRUE(batch.Put("a", "1").ok());
  batch.SetSavePoint();
  ASSERT_TRUE(batch.Put("b", "2").ok());
  WriteBatchInternal::SetSequence(&batch, 77);
  ASSERT_TRUE(batch.RollbackToSavePoint().ok());
  EXPECT_EQ(WriteBatchInternal::Sequence(batch), 77u);
  EXPECT_EQ(batch.Count(), 1u);
}

// It takes no additions, so that there is nothing to return to.
TEST(WriteBatchMembersTest, ABatchWithoutHeaderMayHaveSavePoints) {
  WriteBatch batch(std::string("short"));
  batch.SetSavePoint();
  EXPECT_TRUE(batch.Put("a", "1").IsCorruption());
  EXPECT_TRUE(batch.RollbackToSavePoint().ok());
  EXPECT_TRUE(batch.RollbackToSavePoint().IsNotFound());
  EXPECT_EQ(batch.Data(), "short");
  EXPECT_FALSE(batch.HasPut());
}

TEST(WriteBatchMembersTest, MemoryIsReserved) {
  const WriteBatch batch(/*reserved_bytes=*/5000);
  EXPECT_GE(batch.Data().capacity(), 5000u);
  EXPECT_EQ(batch.GetDataSize(), 12u);
}

}  // namespace
}  // namespace tamis
