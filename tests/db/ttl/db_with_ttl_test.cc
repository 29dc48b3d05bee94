// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/compaction_filter.h"
#include "tamis/utilities/db_ttl.h"
#include "tamis/utilities/merge_operators.h"

#include "tests/db/test_db.h"

namespace tamis {
namespace {

class DBWithTTLTest : public DBTest {
 protected:
  DBWithTTLTest() {
    options_.merge_operator = MergeOperators::CreateStringAppendOperator();
  }

  // Opens the database, which db_ then is.
  Status TryOpenWithTtl(int32_t ttl, bool read_only = false) {
    db_.reset();
    DBWithTTL* opened = nullptr;
    const Status status =
        DBWithTTL::Open(options_, kTestDirectory, &opened, ttl, read_only);
    db_.reset(opened);
    ttl_ = opened;
    return status;
  }
  void OpenWithTtl(int32_t ttl, bool read_only = false) {
    const Status status = TryOpenWithTtl(ttl, read_only);
    ASSERT_TRUE(status.ok()) << status;
  }
  void PassSeconds(uint64_t seconds) {
    clock_->SleepForMicroseconds(seconds * 1'000'000);
  }
  void FlushAndCompact() {
    Flush();
    Compact(/*force=*/true);
  }
  std::string Stored(const Slice& key) {
    std::string value;
    const Status status = db_->Get(ReadOptions(), key, &value);
    return status.ok() ? value : status.ToString().substr(0, 10);
  }

  DBWithTTL* ttl_ = nullptr;
};

TEST_F(DBWithTTLTest, CompactionsRemoveWhatIsOlder) {
  OpenWithTtl(100);
  Put("old", "1");
  Merge("old operand", "1");
  PassSeconds(60);
  Put("new", "2");
  Merge("new operand", "2");
  FlushAndCompact();
  EXPECT_EQ(Stored("old"), "1");
  PassSeconds(50);
  EXPECT_EQ(Stored("old"), "1");
  Compact(/*force=*/true);
  EXPECT_EQ(Stored("old"), "NotFound: ");
  EXPECT_EQ(Stored("old operand"), "1");  // its time is that of the merge
  EXPECT_EQ(Stored("new"), "2");
  EXPECT_EQ(Stored("new operand"), "2");
  PassSeconds(60);
  Compact(/*force=*/true);
  EXPECT_EQ(Stored("new"), "NotFound: ");
  EXPECT_EQ(Stored("old operand"), "NotFound: ");
}

TEST_F(DBWithTTLTest, TheLimitIsThatOfTheOpen) {
  OpenWithTtl(0);
  Put("a", "1");
  PassSeconds(1000);
  FlushAndCompact();
  EXPECT_EQ(Stored("a"), "1");
  OpenWithTtl(2000);
  Compact(/*force=*/true);
  EXPECT_EQ(Stored("a"), "1");
  int32_t ttl = 0;
  EXPECT_EQ(ttl_->GetTtl(db_->DefaultColumnFamily(), &ttl), Status::OK());
  EXPECT_EQ(ttl, 2000);
  ttl_->SetTtl(500);
  Compact(/*force=*/true);
  EXPECT_EQ(Stored("a"), "NotFound: ");
}

TEST_F(DBWithTTLTest, EveryReadReturnsTheValueAlone) {
  OpenWithTtl(0);
  const std::string large = Noise(4000, 1);
  Put("a", "1");
  Put("large", large);
  Put("m", "1");
  Merge("m", "2");
  Merge("m", "3");
  for (const bool in_table : {false, true}) {
    if (in_table) FlushAndCompact();
    EXPECT_EQ(Stored("a"), "1");
    EXPECT_EQ(Stored("m"), "1,2,3");
    PinnableSlice pinned;
    EXPECT_EQ(
        db_->Get(ReadOptions(), db_->DefaultColumnFamily(), "large", &pinned),
        Status::OK());
    EXPECT_EQ(pinned, large);
    const Slice keys[] = {"a", "large", "absent"};
    PinnableSlice values[3];
    Status statuses[3];
    db_->MultiGet(ReadOptions(), db_->DefaultColumnFamily(), 3, keys, values,
                  statuses);
    EXPECT_EQ(values[0], "1");
    EXPECT_EQ(values[1], large);
    EXPECT_TRUE(statuses[2].IsNotFound());
    std::vector<std::string> strings;
    EXPECT_EQ(
        db_->MultiGet(ReadOptions(), {"a", "large", "absent"}, &strings).size(),
        3u);
    EXPECT_EQ(strings, (std::vector<std::string>{"1", large, ""}));
    std::string value;
    bool found = false;
    EXPECT_TRUE(db_->KeyMayExist(ReadOptions(), "a", &value, &found));
    EXPECT_EQ(value, found ? "1" : "");
    PinnableSlice operands[3];
    GetMergeOperandsOptions limit;
    limit.expected_max_number_of_operands = 3;
    int count = 0;
    EXPECT_EQ(db_->GetMergeOperands(ReadOptions(), db_->DefaultColumnFamily(),
                                    "m", operands, &limit, &count),
              Status::OK());
    EXPECT_EQ(operands[0], in_table ? "1,2,3" : "1");
    const std::unique_ptr<Iterator> iterator(db_->NewIterator(ReadOptions()));
    iterator->SeekToFirst();
    EXPECT_EQ(iterator->value(), "1");
    iterator->SeekToLast();
    EXPECT_EQ(iterator->value(), "1,2,3");
    iterator->Prev();
    EXPECT_EQ(iterator->value(), large);
    std::vector<Iterator*> iterators;
    ASSERT_EQ(db_->NewIterators(ReadOptions(), {db_->DefaultColumnFamily()},
                                &iterators),
              Status::OK());
    const std::unique_ptr<Iterator> one(iterators.front());
    one->Seek("a");
    EXPECT_EQ(one->value(), "1");
    EXPECT_EQ(one->status(), Status::OK());
  }
}

TEST_F(DBWithTTLTest, BatchesHaveEveryKindOfChange) {
  OpenWithTtl(0);
  Put("single", "0");
  Put("range", "0");
  WriteBatch batch;
  ASSERT_EQ(batch.Put("a", "1"), Status::OK());
  ASSERT_EQ(batch.Merge("a", "2"), Status::OK());
  ASSERT_EQ(batch.Put("b", "1"), Status::OK());
  ASSERT_EQ(batch.Delete("b"), Status::OK());
  ASSERT_EQ(batch.SingleDelete("single"), Status::OK());
  ASSERT_EQ(batch.DeleteRange("range", "ranges"), Status::OK());
  ASSERT_EQ(batch.PutLogData("log data"), Status::OK());
  const std::string before = batch.Data();
  EXPECT_EQ(db_->Write(WriteOptions(), &batch), Status::OK());
  EXPECT_EQ(batch.Data(), before);
  EXPECT_EQ(Stored("a"), "1,2");
  for (const char* key : {"b", "single", "range"}) {
    EXPECT_EQ(Stored(key), "NotFound: ") << key;
  }
}

// Appends "!" to values, and removes "bad".
class Exclaim : public CompactionFilter {
 public:
  const char* Name() const override { return "Exclaim"; }
  bool Filter(int, const Slice&, const Slice& value, std::string* new_value,
              bool* changed) const override {
    if (value == "bad") return true;
    *changed = true;
    *new_value = value.ToString() + "!";
    return false;
  }
};

class ExclaimFactory : public CompactionFilterFactory {
 public:
  const char* Name() const override { return "ExclaimFactory"; }
  std::unique_ptr<CompactionFilter> CreateCompactionFilter(
      const CompactionFilter::Context&) override {
    return std::make_unique<Exclaim>();
  }
};

TEST_F(DBWithTTLTest, TheProgramsFilterIsAskedToo) {
  const Exclaim filter;
  for (const bool by_factory : {false, true}) {
    options_.compaction_filter = by_factory ? nullptr : &filter;
    options_.compaction_filter_factory =
        by_factory ? std::make_shared<ExclaimFactory>() : nullptr;
    OpenWithTtl(100);
    Put("a", "value");
    Put("b", "bad");
    FlushAndCompact();
    EXPECT_EQ(Stored("a").substr(0, 6), "value!");
    EXPECT_EQ(Stored("b"), "NotFound: ");
    PassSeconds(200);
    Compact(/*force=*/true);
    EXPECT_EQ(Stored("a"), "NotFound: ");
    db_.reset();
  }
}

TEST_F(DBWithTTLTest, FamiliesHaveLimitsOfTheirOwn) {
  OpenWithTtl(100);
  ColumnFamilyHandle* limited = nullptr;
  ColumnFamilyHandle* unlimited = nullptr;
  ASSERT_EQ(ttl_->CreateColumnFamilyWithTtl(options_, "limited", &limited, 10),
            Status::OK());
  ASSERT_EQ(db_->CreateColumnFamily(options_, "unlimited", &unlimited),
            Status::OK());
  for (ColumnFamilyHandle* family : {limited, unlimited}) {
    ASSERT_EQ(db_->Put(WriteOptions(), family, "a", "1"), Status::OK());
  }
  PassSeconds(50);
  std::string value;
  for (ColumnFamilyHandle* family : {limited, unlimited}) {
    ASSERT_EQ(db_->Flush(FlushOptions(), family), Status::OK());
    CompactRangeOptions force;
    force.bottommost_level_compaction = BottommostLevelCompaction::kForce;
    ASSERT_EQ(db_->CompactRange(force, family, nullptr, nullptr), Status::OK());
    EXPECT_EQ(db_->Get(ReadOptions(), family, "a", &value).ok(),
              family == unlimited);
    ASSERT_EQ(db_->DestroyColumnFamilyHandle(family), Status::OK());
  }
  db_.reset();
  DBWithTTL* opened = nullptr;
  std::vector<ColumnFamilyHandle*> handles;
  const std::vector<ColumnFamilyDescriptor> families = {
      {kDefaultColumnFamilyName, options_},
      {"limited", options_},
      {"unlimited", options_}};
  EXPECT_TRUE(DBWithTTL::Open(options_, kTestDirectory, families, &handles,
                              &opened, {1, 2})
                  .IsInvalidArgument());
  ASSERT_EQ(DBWithTTL::Open(options_, kTestDirectory, families, &handles,
                            &opened, {1, 2, 3}),
            Status::OK());
  db_.reset(opened);
  for (size_t i = 0; i < handles.size(); ++i) {
    int32_t ttl = 0;
    EXPECT_EQ(opened->GetTtl(handles[i], &ttl), Status::OK());
    EXPECT_EQ(ttl, static_cast<int32_t>(i) + 1);
    ASSERT_EQ(db_->DestroyColumnFamilyHandle(handles[i]), Status::OK());
  }
}

TEST_F(DBWithTTLTest, ItOpensForReadingOnly) {
  OpenWithTtl(0);
  Put("a", "1");
  OpenWithTtl(0, /*read_only=*/true);
  EXPECT_EQ(Stored("a"), "1");
  EXPECT_TRUE(db_->Put(WriteOptions(), "a", "2").IsNotSupported());
}

TEST_F(DBWithTTLTest, ValuesWithoutTimesAreCorrupt) {
  Open();
  Put("short", "abc");
  Put("untimed", "value" + std::string(4, '\0'));
  OpenWithTtl(1);
  Put("z", "1");
  for (const char* key : {"short", "untimed"}) {
    std::string value;
    const Status status = db_->Get(ReadOptions(), key, &value);
    EXPECT_TRUE(status.IsCorruption()) << status;
    EXPECT_EQ(value, "");
  }
  PassSeconds(10);
  FlushAndCompact();
  EXPECT_EQ(Stored("z"), "NotFound: ");
  std::unique_ptr<Iterator> iterator(db_->NewIterator(ReadOptions()));
  iterator->SeekToFirst();
  EXPECT_FALSE(iterator->Valid());
  EXPECT_TRUE(iterator->status().IsCorruption());
  iterator->Seek("x");
  EXPECT_EQ(iterator->status(), Status::OK());
  iterator.reset();
  Reopen();
  EXPECT_EQ(Stored("short"), "abc");
}

TEST_F(DBWithTTLTest, TimesAreStoredAsInRocksDB) {
  OpenWithTtl(0);
  const auto now = static_cast<uint32_t>(clock_->NowMicros() / 1'000'000);
  Put("a", "1");
  Reopen();
  std::string expected = "1";
  for (int i = 0; i < 4; ++i) {
    expected += static_cast<char>(now >> (8 * i) & 0xff);
  }
  EXPECT_EQ(Stored("a"), expected);
}

TEST_F(DBWithTTLTest, AFailedOpenLeavesNothing) {
  options_.create_if_missing = false;
  EXPECT_FALSE(TryOpenWithTtl(1).ok());
  EXPECT_EQ(ttl_, nullptr);
}

}  // namespace
}  // namespace tamis
