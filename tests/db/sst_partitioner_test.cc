// SPDX-License-Identifier: Apache-2.0
#include "tamis/sst_partitioner.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tests/db/test_db.h"

namespace tamis {
namespace {

using Decide = std::function<bool(const PartitionerRequest&)>;

// Cuts as a function says, and remembers what it was made for.
class CallingFactory final : public SstPartitionerFactory {
 public:
  explicit CallingFactory(Decide cut, bool may_move = false)
      : cut_(std::move(cut)), may_move_(may_move) {}

  const char* Name() const override { return "test.Factory"; }
  std::unique_ptr<SstPartitioner> CreatePartitioner(
      const SstPartitioner::Context& context) const override {
    std::string told = "to level " + std::to_string(context.output_level) +
                       ": " + context.smallest_user_key.ToString() + " to " +
                       context.largest_user_key.ToString();
    if (context.is_manual_compaction) told += ", manual";
    if (context.is_full_compaction) told += ", full";
    contexts.push_back(std::move(told));
    if (throws) throw std::runtime_error("no partitioner today");
    if (absent) return nullptr;
    return std::make_unique<Partitioner>(cut_, may_move_);
  }

  mutable std::vector<std::string> contexts;
  bool throws = false;
  bool absent = false;

 private:
  class Partitioner final : public SstPartitioner {
   public:
    Partitioner(Decide cut, bool may_move)
        : cut_(std::move(cut)), may_move_(may_move) {}
    const char* Name() const override { return "test.Partitioner"; }
    PartitionerResult ShouldPartition(
        const PartitionerRequest& request) override {
      return cut_(request) ? kRequired : kNotRequired;
    }
    bool CanDoTrivialMove(const Slice&, const Slice&) override {
      return may_move_;
    }

   private:
    const Decide cut_;
    const bool may_move_;
  };

  const Decide cut_;
  const bool may_move_;
};

bool Always(const PartitionerRequest& /*request*/) { return true; }

class SstPartitionerTest : public DBTest {
 protected:
  SstPartitionerTest() { options_.disable_auto_compactions = true; }

  void OpenWith(std::shared_ptr<SstPartitionerFactory> factory) {
    options_.sst_partitioner_factory = std::move(factory);
    Open();
  }
  // Of level 1 and below: "a0-a9 b0-b4".
  std::string Bounds() {
    std::vector<std::string> bounds;
    for (const LiveFileMetaData& file : LiveFiles()) {
      if (file.level == 0) continue;
      bounds.push_back(file.smallestkey + "-" + file.largestkey);
    }
    std::sort(bounds.begin(), bounds.end());
    std::string text;
    for (const std::string& one : bounds)
      text += (text.empty() ? "" : " ") + one;
    return text;
  }
  // Each table of level 0 is compacted.
  void CompactByItself() {
    options_.disable_auto_compactions = false;
    options_.level0_file_num_compaction_trigger = 1;
  }
  void FlushAndCompact() {
    Flush();
    RunJobs();
  }
  void PutDigits(const std::string& prefix) {
    for (char digit = '0'; digit <= '9'; ++digit) Put(prefix + digit, prefix);
  }
};

TEST_F(SstPartitionerTest, FixedPrefixesDivideCompactionsAndNotFlushes) {
  OpenWith(NewSstPartitionerFixedPrefixFactory(1));
  for (const char* prefix : {"a", "b", "c"}) PutDigits(prefix);
  Put("", "short");
  Flush();
  EXPECT_EQ(Levels(), "1");
  Compact();
  EXPECT_EQ(Bounds(), "- a0-a9 b0-b9 c0-c9");
  EXPECT_EQ(Get("b7"), "b");
  EXPECT_EQ(Get(""), "short");
  // Overlapping tables are merged, and divided again.
  Put("b77", "new");
  Flush();
  Compact();
  EXPECT_EQ(Bounds(), "- a0-a9 b0-b9 c0-c9");
  EXPECT_EQ(Get("b77"), "new");
}

TEST_F(SstPartitionerTest, LongerPrefixes) {
  OpenWith(NewSstPartitionerFixedPrefixFactory(2));
  for (const char* key : {"a", "aa1", "aa2", "ab1", "b"}) Put(key, key);
  Flush();
  Compact();
  EXPECT_EQ(Bounds(), "a-a aa1-aa2 ab1-ab1 b-b");
}

TEST_F(SstPartitionerTest, OnlyTablesOfOnePrefixAreMoved) {
  CompactByItself();
  OpenWith(NewSstPartitionerFixedPrefixFactory(1));
  PutDigits("a");
  FlushAndCompact();
  EXPECT_EQ(Tick(COMPACT_WRITE_BYTES), 0u) << "moved as it is";
  EXPECT_EQ(Bounds(), "a0-a9");
  PutDigits("b");
  PutDigits("c");
  FlushAndCompact();
  EXPECT_GT(Tick(COMPACT_WRITE_BYTES), 0u);
  EXPECT_EQ(Bounds(), "a0-a9 b0-b9 c0-c9");
}

TEST_F(SstPartitionerTest, UniversalCompactionsAskBeforeTheyMove) {
  for (const bool may_move : {false, true}) {
    options_.compaction_style = kCompactionStyleUniversal;
    options_.compaction_options_universal.allow_trivial_move = true;
    CompactByItself();
    options_.level0_file_num_compaction_trigger = 2;
    if (db_ != nullptr) Destroy();
    const auto never = [](const PartitionerRequest&) { return false; };
    OpenWith(std::make_shared<CallingFactory>(never, may_move));
    const uint64_t before = Tick(COMPACT_WRITE_BYTES);
    for (const char* prefix : {"a", "b", "c"}) {
      PutDigits(prefix);
      FlushAndCompact();
    }
    EXPECT_EQ(Tick(COMPACT_WRITE_BYTES) > before, !may_move);
  }
}

TEST_F(SstPartitionerTest, VersionsOfAKeyStayTogether) {
  OpenWith(std::make_shared<CallingFactory>(Always));
  std::vector<const Snapshot*> snapshots;
  for (const char* value : {"1", "2", "3"}) {
    for (const char* key : {"a", "b"}) Put(key, value);
    snapshots.push_back(db_->GetSnapshot());
  }
  Flush();
  Compact();
  EXPECT_EQ(Bounds(), "a-a b-b");
  ReadOptions first;
  first.snapshot = snapshots[0];
  std::string value;
  EXPECT_EQ(db_->Get(first, "b", &value), Status::OK());
  EXPECT_EQ(value, "1");
  for (const Snapshot* snapshot : snapshots) db_->ReleaseSnapshot(snapshot);
}

TEST_F(SstPartitionerTest, RangeDeletionsAreDivided) {
  OpenWith(NewSstPartitionerFixedPrefixFactory(1));
  for (const char* prefix : {"a", "b", "c"}) PutDigits(prefix);
  const Snapshot* const before = db_->GetSnapshot();
  DeleteRange("a5", "c5");
  PutDigits("b");
  Flush();
  Compact();
  EXPECT_EQ(Levels(), "0,3");
  EXPECT_EQ(Get("a4"), "a");
  EXPECT_EQ(Get("a5"), "NOT_FOUND");
  EXPECT_EQ(Get("b5"), "b");
  EXPECT_EQ(Get("c4"), "NOT_FOUND");
  EXPECT_EQ(Get("c5"), "c");
  ReadOptions old;
  old.snapshot = before;
  std::string value;
  EXPECT_EQ(db_->Get(old, "c4", &value), Status::OK());
  db_->ReleaseSnapshot(before);
  Compact(/*force=*/true);
  EXPECT_EQ(Bounds(), "a0-a4 b0-b9 c5-c9");
}

// It is asked before each user key but the first of a table, with the key
// before it.
TEST_F(SstPartitionerTest, Requests) {
  std::string asked;
  uint64_t bytes = 0;
  OpenWith(std::make_shared<CallingFactory>([&](const PartitionerRequest& r) {
    asked += r.prev_user_key->ToString() + r.current_user_key->ToString() + " ";
    bytes = r.current_output_file_size;
    return *r.current_user_key == Slice("c");
  }));
  for (const char* key : {"a", "b", "c", "d", "e"}) Put(key, Noise(20'000, 1));
  Flush();
  Compact();
  EXPECT_EQ(asked, "ab bc cd de ");
  EXPECT_GT(bytes, 30'000u);
  EXPECT_LT(bytes, 60'000u);
  EXPECT_EQ(Bounds(), "a-b c-e");
}

TEST_F(SstPartitionerTest, TheContextIsThatOfTheCompaction) {
  const auto factory = std::make_shared<CallingFactory>(Always);
  OpenWith(factory);
  Put("b", "1");
  Put("x", "1");
  Flush();
  EXPECT_TRUE(factory->contexts.empty());
  Compact();
  ASSERT_FALSE(factory->contexts.empty());
  EXPECT_EQ(factory->contexts.back(), "to level 1: b to x, manual, full");
}

TEST_F(SstPartitionerTest, AFactoryMayMakeNone) {
  const auto factory = std::make_shared<CallingFactory>(Always);
  factory->absent = true;
  CompactByItself();
  OpenWith(factory);
  PutDigits("a");
  PutDigits("b");
  FlushAndCompact();
  EXPECT_EQ(Bounds(), "a0-b9");
  EXPECT_EQ(Tick(COMPACT_WRITE_BYTES), 0u) << "moved as it is";
  Put("a1", "new");
  FlushAndCompact();
  EXPECT_EQ(Bounds(), "a0-b9");
}

TEST_F(SstPartitionerTest, WhatItThrowsIsNamed) {
  const auto factory =
      std::make_shared<CallingFactory>([](const PartitionerRequest&) -> bool {
        throw std::runtime_error("no decision today");
      });
  OpenWith(factory);
  PutDigits("a");
  Flush();
  Status status = db_->CompactRange(CompactRangeOptions(), nullptr, nullptr);
  EXPECT_TRUE(status.IsAborted());
  EXPECT_NE(status.ToString().find("SST partitioner test.Partitioner: an "
                                   "exception was thrown: no decision today"),
            std::string::npos)
      << status;
  EXPECT_EQ(Get("a1"), "a");
  ASSERT_EQ(db_->Resume(), Status::OK());
  factory->throws = true;
  status = db_->CompactRange(CompactRangeOptions(), nullptr, nullptr);
  EXPECT_NE(status.ToString().find("SST partitioner factory test.Factory: an "
                                   "exception was thrown: no partitioner "
                                   "today"),
            std::string::npos)
      << status;
}

}  // namespace
}  // namespace tamis
