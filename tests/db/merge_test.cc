// SPDX-License-Identifier: Apache-2.0
//
// Merges as point reads see them, at all places of the tree for operands and
// their base.
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/utilities/merge_operators.h"

#include "tests/db/test_db.h"
#include "util/base/random.h"

namespace tamis {
namespace {

class MergeTest : public DBTest {
 protected:
  MergeTest() {
    options_.merge_operator = MergeOperators::CreateStringAppendOperator();
  }
  // One operand that no operator makes sense of.
  class NoSense : public MergeOperator {
   public:
    const char* Name() const override { return "NoSense"; }
    bool FullMergeV2(const MergeOperationInput&,
                     MergeOperationOutput*) const override {
      return false;
    }
  };
};

TEST_F(MergeTest, OperandsFollowTheirBase) {
  Open();
  Merge("k", "b");
  EXPECT_EQ(Get("k"), "b");
  Put("k", "a");
  EXPECT_EQ(Get("k"), "a");
  Merge("k", "c");
  Merge("k", "d");
  EXPECT_EQ(Get("k"), "a,c,d");
  Delete("k");
  EXPECT_EQ(Get("k"), "NOT_FOUND");
  Merge("k", "e");
  EXPECT_EQ(Get("k"), "e");
}

// Base, first and second operand each in a memtable, in level 0, or below: bit
// i says whether a flush, or else a compaction, follows part i.
TEST_F(MergeTest, OperandsAndBaseMayBeAnywhereInTheTree) {
  for (int flushes = 0; flushes < 8; ++flushes) {
    for (int compacted = 0; compacted < 2; ++compacted) {
      Open();
      Put("k", "a");
      if ((flushes & 1) != 0) Flush();
      if (compacted == 1) Compact();
      Merge("k", "b");
      if ((flushes & 2) != 0) Flush();
      Merge("k", "c");
      if ((flushes & 4) != 0) Flush();
      EXPECT_EQ(Get("k"), "a,b,c") << flushes << compacted;
      Reopen();
      EXPECT_EQ(Get("k"), "a,b,c") << flushes << compacted;
      Compact(/*force=*/true);
      EXPECT_EQ(Get("k"), "a,b,c") << flushes << compacted;
      Destroy();
    }
  }
}

// The operands as "a b c", or the status and the count.
std::string Operands(DB* db, const Slice& key, size_t room = 8,
                     const ReadOptions& options = ReadOptions()) {
  std::vector<PinnableSlice> operands(room);
  GetMergeOperandsOptions limit;
  limit.expected_max_number_of_operands = static_cast<int>(room);
  int count = -1;
  const Status status = db->GetMergeOperands(
      options, db->DefaultColumnFamily(), key, operands.data(), &limit, &count);
  if (!status.ok()) {
    return std::string(status.IsIncomplete() ? "INCOMPLETE"
                       : status.IsNotFound() ? "NOT_FOUND"
                                             : status.ToString()) +
           " " + std::to_string(count);
  }
  std::string text;
  for (int i = 0; i < count; ++i) {
    text += (i == 0 ? "" : " ") + operands[static_cast<size_t>(i)].ToString();
  }
  return text;
}

TEST_F(MergeTest, OperandsAreReadUnmerged) {
  const std::string large(1000, 'c');  // of a size that Get pins
  Open();
  EXPECT_EQ(Operands(db_.get(), "k"), "NOT_FOUND 0");
  Put("k", "a");
  EXPECT_EQ(Operands(db_.get(), "k"), "a");
  Flush();
  Merge("k", "b");
  Flush();
  const Snapshot* const snapshot = db_->GetSnapshot();
  Merge("k", large);
  EXPECT_EQ(Operands(db_.get(), "k"), "a b " + large);
  EXPECT_EQ(Operands(db_.get(), "k", 3), "a b " + large);
  EXPECT_EQ(Operands(db_.get(), "k", 2), "INCOMPLETE 3");
  EXPECT_EQ(Operands(db_.get(), "k", 0), "INCOMPLETE 3");
  ReadOptions then;
  then.snapshot = snapshot;
  EXPECT_EQ(Operands(db_.get(), "k", 8, then), "a b");
  db_->ReleaseSnapshot(snapshot);
  Flush();
  // Without the operator, too.
  const auto merge_operator = std::move(options_.merge_operator);
  options_.merge_operator = nullptr;
  options_.disable_auto_compactions = true;
  Reopen();
  EXPECT_EQ(Operands(db_.get(), "k"), "a b " + large);
  options_.merge_operator = merge_operator;
  Reopen();
  Delete("k");
  EXPECT_EQ(Operands(db_.get(), "k"), "NOT_FOUND 0");
  Merge("k", "d");
  Merge("k", "e");
  EXPECT_EQ(Operands(db_.get(), "k"), "d e");
  ASSERT_TRUE(
      db_->DeleteRange(WriteOptions(), db_->DefaultColumnFamily(), "k", "l")
          .ok());
  Merge("k", "f");
  EXPECT_EQ(Operands(db_.get(), "k"), "f");
  Merge("k", "g");
  Compact();
  EXPECT_EQ(Operands(db_.get(), "k"), "f,g");
}

TEST_F(MergeTest, SnapshotsSeeTheirOwnOperands) {
  Open();
  Put("k", "a");
  const Snapshot* const base = db_->GetSnapshot();
  Merge("k", "b");
  const Snapshot* const one = db_->GetSnapshot();
  Merge("k", "c");
  for (int step = 0; step < 3; ++step) {
    EXPECT_EQ(Get("k", base), "a") << step;
    EXPECT_EQ(Get("k", one), "a,b") << step;
    EXPECT_EQ(Get("k"), "a,b,c") << step;
    if (step == 0) Flush();
    if (step == 1) Compact(/*force=*/true);
  }
  db_->ReleaseSnapshot(base);
  db_->ReleaseSnapshot(one);
}

TEST_F(MergeTest, ARangeDeletionHidesOlderOperandsAndTheBase) {
  for (int flushed = 0; flushed < 8; ++flushed) {
    Open();
    Put("k", "a");
    Merge("k", "b");
    if ((flushed & 1) != 0) Flush();
    ASSERT_TRUE(db_->DeleteRange(WriteOptions(), "j", "l").ok());
    EXPECT_EQ(Get("k"), "NOT_FOUND") << flushed;
    if ((flushed & 2) != 0) Flush();
    Merge("k", "c");
    if ((flushed & 4) != 0) Flush();
    EXPECT_EQ(Get("k"), "c") << flushed;
    Reopen();
    EXPECT_EQ(Get("k"), "c") << flushed;
    Compact(/*force=*/true);
    EXPECT_EQ(Get("k"), "c") << flushed;
    Destroy();
  }
}

TEST_F(MergeTest, ASingleDeletionIsAnEmptyBase) {
  Open();
  Put("k", "a");
  Flush();
  ASSERT_TRUE(db_->SingleDelete(WriteOptions(), "k").ok());
  Merge("k", "b");
  EXPECT_EQ(Get("k"), "b");
  Flush();
  EXPECT_EQ(Get("k"), "b");
  Compact(/*force=*/true);
  EXPECT_EQ(Get("k"), "b");
}

TEST_F(MergeTest, MultiGetMerges) {
  Open();
  Put("a", "1");
  Flush();
  Merge("a", "2");
  Merge("b", "3");
  std::vector<std::string> values;
  const auto statuses = db_->MultiGet(ReadOptions(), {"a", "b", "c"}, &values);
  EXPECT_EQ(values[0], "1,2");
  EXPECT_EQ(values[1], "3");
  EXPECT_TRUE(statuses[2].IsNotFound());
}

TEST_F(MergeTest, AnUnnamedOperatorRefusesWritesAndReads) {
  Open();
  Put("k", "a");
  Flush();
  Merge("k", "b");
  Flush();
  options_.merge_operator = nullptr;
  Reopen();
  const Status status = db_->Merge(WriteOptions(), "k", "c");
  EXPECT_TRUE(status.IsNotSupported()) << status;
  EXPECT_NE(Get("k").find("Options::merge_operator"), std::string::npos);
  Put("l", "1");
  EXPECT_EQ(Get("l"), "1");
  Put("k", "new");
  EXPECT_EQ(Get("k"), "new");
}

TEST_F(MergeTest, ALogWithOperandsOpensOnlyWithTheirOperator) {
  Open();
  Put("k", "a");
  Merge("k", "b");
  db_.reset();
  const auto append = options_.merge_operator;
  options_.merge_operator = nullptr;
  const Status status = TryOpen();
  EXPECT_TRUE(status.IsInvalidArgument()) << status;
  EXPECT_NE(status.message().find(".log: record at offset"), std::string::npos)
      << status;
  options_.merge_operator = append;
  Open();
  EXPECT_EQ(Get("k"), "a,b");
}

TEST_F(MergeTest, InvalidOperandsFailOnlyTheRead) {
  Open();
  Put("k", "a");
  Put("l", "1");
  Flush();
  Merge("k", "b");
  Flush();
  db_.reset();
  const auto append = options_.merge_operator;
  options_.merge_operator = std::make_shared<NoSense>();
  Open();
  std::string value;
  const Status status = db_->Get(ReadOptions(), "k", &value);
  EXPECT_TRUE(status.IsCorruption()) << status;
  EXPECT_NE(status.message().find("NoSense"), std::string::npos) << status;
  EXPECT_EQ(Get("l"), "1");
  db_.reset();
  options_.merge_operator = append;
  Open();
  EXPECT_EQ(Get("k"), "a,b");
}

TEST_F(MergeTest, LargeResultsAreComplete) {
  Open();
  const std::string large = Noise(5000, 7);
  Put("k", large);
  Flush();
  Merge("k", large);
  PinnableSlice pinned;
  ASSERT_TRUE(db_->Get(ReadOptions(), "k", &pinned).ok());
  EXPECT_EQ(pinned.ToString(), large + "," + large);
  EXPECT_FALSE(pinned.IsPinned());
}

// Snapshots keep the operands apart.
TEST_F(MergeTest, OperandsAndBaseMaySpanBlocks) {
  constexpr size_t kOperands = 10;
  BlockBasedTableOptions table;
  table.block_size = 100;
  SetTable(table);
  Open();
  std::vector<std::string> expected = {"base"};
  std::vector<const Snapshot*> snapshots;
  Put("k", "base");
  for (size_t i = 0; i < kOperands; ++i) {
    snapshots.push_back(db_->GetSnapshot());
    const std::string operand = Noise(80, i);
    Merge("k", operand);
    expected.push_back(expected.back() + "," + operand);
  }
  Flush();
  EXPECT_GE(OnlyTable().num_data_blocks, kOperands / 2);
  for (size_t i = 0; i < kOperands; ++i) {
    EXPECT_EQ(Get("k", snapshots[i]), expected[i]) << i;
    db_->ReleaseSnapshot(snapshots[i]);
  }
  EXPECT_EQ(Get("k"), expected.back());
}

// Every kind of change at random, against a map.
TEST_F(MergeTest, AgreesWithAMap) {
  options_.write_buffer_size = 64 << 10;
  options_.target_file_size_base = 16 << 10;
  for (uint64_t seed = 1; seed <= 3; ++seed) {
    Open();
    Random random(seed);
    std::map<std::string, std::string> model;
    constexpr uint64_t kKeys = 200;
    for (int step = 0; step < 3000; ++step) {
      const uint64_t what = random.Uniform(100);
      const std::string key = Key(static_cast<int>(random.Uniform(kKeys)));
      const std::string value = std::to_string(step);
      if (what < 30) {
        Put(key, value);
        model[key] = value;
      } else if (what < 80) {
        Merge(key, value);
        std::string& stored = model[key];
        stored += (stored.empty() ? "" : ",") + value;
      } else if (what < 87) {
        Delete(key);
        model.erase(key);
      } else if (what < 95) {
        const std::string end = key + "5";
        ASSERT_TRUE(db_->DeleteRange(WriteOptions(), key, end).ok());
        model.erase(model.lower_bound(key), model.lower_bound(end));
      } else if (what < 99) {
        Flush();
      } else {
        Compact(random.OneIn(2));
      }
      if (step % 500 == 499) Reopen();
      if (step % 100 != 99) continue;
      SCOPED_TRACE(testing::Message() << "seed " << seed << " step " << step);
      ASSERT_NO_FATAL_FAILURE(ExpectReadsAs(model, kKeys));
    }
    Destroy();
  }
}

}  // namespace
}  // namespace tamis
