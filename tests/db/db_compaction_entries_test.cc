// SPDX-License-Identifier: Apache-2.0
//
// Merges, single deletes and range deletions through flushes and compactions:
// reads give the same results, now and at every snapshot, and entries that no
// reader can see are dropped.
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tests/db/joiner.h"
#include "tests/db/test_db.h"

namespace tamis {
namespace {

class CompactionEntriesTest : public DBTest {
 protected:
  CompactionEntriesTest() {
    options_.merge_operator = std::make_shared<Joiner>(/*partial=*/true);
    options_.disable_auto_compactions = true;
  }
  void ExpectOnlyPuts() {
    for (const auto& [name, properties] : Tables()) {
      EXPECT_EQ(properties.num_range_deletions, 0u) << name;
      EXPECT_EQ(properties.num_deletions, 0u) << name;
      EXPECT_EQ(properties.num_merge_operands, 0u) << name;
    }
  }
};

TEST_F(CompactionEntriesTest, ATableMayHoldOnlyTombstones) {
  Open();
  Put("a", "1");
  Put("c", "2");
  Put("e", "3");
  Flush();
  DeleteRange("b", "d");
  DeleteRange("c", "f");
  Flush();
  EXPECT_EQ(Levels(), "2");
  EXPECT_EQ(Contents(), "a=1");
  for (const LiveFileMetaData& file : LiveFiles()) {
    if (file.smallestkey == "a") continue;
    EXPECT_EQ(file.smallestkey, "b");
    EXPECT_EQ(file.largestkey, "f");
    EXPECT_EQ(file.smallest_seqno, 4u);
    EXPECT_EQ(file.largest_seqno, 5u);
  }
  Reopen();
  EXPECT_EQ(Contents(), "a=1");
  Compact();
  EXPECT_EQ(Contents(), "a=1");
  EXPECT_EQ(OnlyTable().num_entries, 1u);
  ExpectOnlyPuts();
  DeleteRange("a", "b");
  Compact();
  EXPECT_EQ(Levels(), "");
  EXPECT_EQ(Contents(), "");
}

TEST_F(CompactionEntriesTest, APutAndItsSingleDeleteLeaveNoTable) {
  Open();
  Put("k", "v");
  SingleDelete("k");
  Flush();
  EXPECT_EQ(Levels(), "");
  Reopen();
  EXPECT_EQ(Get("k"), "NOT_FOUND");
}

TEST_F(CompactionEntriesTest, ASingleDeleteBelowAPutIsNotLost) {
  Open();
  Put("k", "1");
  Flush();
  Compact();
  SingleDelete("k");
  Put("k", "2");
  Flush();
  SingleDelete("k");
  Flush();
  EXPECT_EQ(Get("k"), "NOT_FOUND");
  Compact();
  EXPECT_EQ(Get("k"), "NOT_FOUND");
  EXPECT_EQ(Levels(), "");
}

TEST_F(CompactionEntriesTest, AFlushMergesOperands) {
  Open();
  Put("k", "0");
  Flush();
  Merge("k", "1");
  Merge("k", "2");
  Flush();
  uint64_t operands = 0;
  for (const auto& [name, properties] : Tables()) {
    operands += properties.num_merge_operands;
    EXPECT_EQ(properties.merge_operator_name, "test.Joiner");
  }
  EXPECT_EQ(operands, 1u);
  EXPECT_EQ(Get("k"), "0,1,2");
  Compact();
  EXPECT_EQ(Get("k"), "0,1,2");
  ExpectOnlyPuts();
}

TEST_F(CompactionEntriesTest, InvalidOperandsFailNoFlushOrCompaction) {
  Open();
  Put("j", "0");
  Put("k", "0");
  Flush();
  Merge("j", "1");
  Merge("k", "1");
  Merge("k", "!");
  Flush();
  Compact(/*force=*/true);
  EXPECT_EQ(Get("j"), "0,1");
  EXPECT_NE(Get("k").find("Corruption"), std::string::npos) << Get("k");
  EXPECT_EQ(OnlyTable().num_merge_operands, 2u);
  EXPECT_EQ(OnlyTable().num_entries, 4u);
  Put("k", "9");
  Compact(/*force=*/true);
  EXPECT_EQ(Get("k"), "9");
  ExpectOnlyPuts();
}

TEST_F(CompactionEntriesTest, WithoutTheOperatorNothingIsLost) {
  Open();
  Put("k", "0");
  Flush();
  Merge("k", "1");
  Flush();
  Merge("k", "2");
  Flush();
  const auto joiner = std::exchange(options_.merge_operator, nullptr);
  Reopen();
  Compact(/*force=*/true);
  EXPECT_NE(Get("k").find("Invalid"), std::string::npos) << Get("k");
  options_.merge_operator = joiner;
  Reopen();
  EXPECT_EQ(Get("k"), "0,1,2");
  Compact(/*force=*/true);
  EXPECT_EQ(Get("k"), "0,1,2");
  ExpectOnlyPuts();
}

// The tombstone is needed by the snapshot, and spans many outputs: each gets
// its part, and neighbours touch without overlapping.
TEST_F(CompactionEntriesTest, OutputsAreCutThroughATombstone) {
  options_.target_file_size_base = 4096;
  options_.compression = kNoCompression;
  Open();
  for (int i = 0; i < 200; ++i) Put(Key(i), Noise(200, 1));
  const Snapshot* before = db_->GetSnapshot();
  DeleteRange(Key(20), Key(180));
  const Snapshot* after = db_->GetSnapshot();
  for (int i = 0; i < 200; i += 2) Put(Key(i), "new");
  const std::string shown = Contents();
  Compact();
  EXPECT_EQ(Contents(), shown);
  EXPECT_GT(LiveFiles().size(), 5u);
  size_t with_tombstones = 0;
  for (const auto& [name, properties] : Tables()) {
    with_tombstones += properties.num_range_deletions;
  }
  EXPECT_GT(with_tombstones, 5u);
  for (int i = 0; i < 200; ++i) {
    const bool deleted = i >= 20 && i < 180;
    EXPECT_EQ(Get(Key(i), before), Noise(200, 1)) << i;
    EXPECT_EQ(Get(Key(i), after), deleted ? "NOT_FOUND" : Noise(200, 1)) << i;
    EXPECT_EQ(Get(Key(i)), i % 2 == 0 ? "new"
                           : deleted  ? "NOT_FOUND"
                                      : Noise(200, 1))
        << i;
  }
  db_->ReleaseSnapshot(before);
  db_->ReleaseSnapshot(after);
  Reopen();
  EXPECT_EQ(Contents(), shown);
  Compact(/*force=*/true);
  EXPECT_EQ(Contents(), shown);
  ExpectOnlyPuts();
}

// A random history against a std::map.
class History {
 public:
  using Model = std::map<std::string, std::string>;
  explicit History(uint32_t seed) : random_(seed) {}

  size_t Pick(size_t n) { return random_() % n; }
  bool OneIn(size_t n) { return Pick(n) == 0; }

  void Change(DB* db) {
    const size_t i = Pick(kKeys);
    const std::string key = Key(static_cast<int>(i));
    // A key that is single-deleted is never merged nor deleted otherwise, but
    // by ranges.
    const bool single = i % 3 == 0;
    Status status;
    if (OneIn(12)) {
      const std::string end =
          Key(static_cast<int>(i + 1 + Pick(OneIn(4) ? kKeys : 8)));
      status = db->DeleteRange(WriteOptions(), key, end);
      model.erase(model.lower_bound(key), model.lower_bound(end));
    } else if (single) {
      // Never over a put.
      if (model.contains(key) || OneIn(10)) {
        status = db->SingleDelete(WriteOptions(), key);
        model.erase(key);
      } else {
        model[key] = Value();
        status = db->Put(WriteOptions(), key, model[key]);
      }
    } else if (OneIn(4)) {
      status = db->Delete(WriteOptions(), key);
      model.erase(key);
    } else if (OneIn(2)) {
      model[key] = Value();
      status = db->Put(WriteOptions(), key, model[key]);
    } else {
      const std::string operand = "m" + std::to_string(++operands_);
      std::string& value = model[key];
      value += (value.empty() ? "" : ",") + operand;
      status = db->Merge(WriteOptions(), key, operand);
    }
    ASSERT_TRUE(status.ok()) << status;
  }

  static constexpr size_t kKeys = 60;
  Model model;

 private:
  std::string Value() {
    return "v" + std::to_string(++operands_) + std::string(Pick(120), 'x');
  }
  std::mt19937 random_;
  uint64_t operands_ = 0;
};

class CompactionEntriesRandomTest : public CompactionEntriesTest,
                                    public testing::WithParamInterface<int> {
 protected:
  void ExpectModel(const History::Model& model, const Snapshot* snapshot,
                   const char* when) {
    for (size_t i = 0; i < History::kKeys; ++i) {
      const std::string key = Key(static_cast<int>(i));
      const auto it = model.find(key);
      ASSERT_EQ(Get(key, snapshot),
                it == model.end() ? "NOT_FOUND" : it->second)
          << key << " " << when;
    }
    std::string text;
    for (const auto& [key, value] : model) {
      if (!text.empty()) text += " ";
      text += key;
      text += "=";
      text += value;
    }
    ReadOptions options;
    options.snapshot = snapshot;
    if (options_.comparator == BytewiseComparator()) {
      ASSERT_EQ(Contents(options), text) << when;
    }
  }
};

TEST_P(CompactionEntriesRandomTest, CompactionsKeepTheVisibleContents) {
  const int seed = GetParam();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  History history(static_cast<uint32_t>(seed));
  options_.merge_operator = std::make_shared<Joiner>(seed % 2 == 0);
  options_.disable_auto_compactions = seed % 3 != 0;
  options_.target_file_size_base = 1024;
  options_.max_bytes_for_level_base = 1000;
  options_.max_bytes_for_level_multiplier = 2;
  options_.level0_file_num_compaction_trigger = 3;
  BlockBasedTableOptions table;
  table.block_size = 256;
  table.filter_policy.reset(NewBloomFilterPolicy(10));
  SetTable(table);
  Open();
  std::vector<std::pair<const Snapshot*, History::Model>> snapshots;
  const auto expect_all = [&](const char* when) {
    ExpectModel(history.model, nullptr, when);
    for (const auto& [snapshot, model] : snapshots) {
      if (HasFatalFailure()) return;
      ExpectModel(model, snapshot, when);
    }
  };
  const auto release = [&](size_t i) {
    db_->ReleaseSnapshot(snapshots[i].first);
    snapshots.erase(snapshots.begin() + static_cast<ptrdiff_t>(i));
  };
  for (int step = 0; step < 1500 && !HasFatalFailure(); ++step) {
    history.Change(db_.get());
    if (history.OneIn(25) && snapshots.size() < 4) {
      snapshots.emplace_back(db_->GetSnapshot(), history.model);
    }
    if (history.OneIn(40) && !snapshots.empty()) {
      release(history.Pick(snapshots.size()));
    }
    if (history.OneIn(30)) {
      Flush();
      RunJobs();
      expect_all("after a flush");
    }
    if (history.OneIn(60)) {
      const size_t from = history.Pick(History::kKeys);
      const std::string low = Key(static_cast<int>(from));
      const std::string high = Key(static_cast<int>(from + history.Pick(20)));
      const Slice begin(low);
      const Slice end(high);
      const Status status =
          db_->CompactRange(CompactRangeOptions(), &begin, &end);
      ASSERT_TRUE(status.ok()) << status;
      expect_all("after a compaction of a part");
    }
    if (history.OneIn(300)) {
      while (!snapshots.empty()) release(0);
      Reopen();
      expect_all("after opening again");
    }
    if (history.OneIn(200)) {
      Compact(history.OneIn(2));
      expect_all("after a compaction of all");
    }
  }
  while (!snapshots.empty()) release(0);
  if (HasFatalFailure()) return;
  Compact(/*force=*/true);
  expect_all("at the end");
  ExpectOnlyPuts();
}

INSTANTIATE_TEST_SUITE_P(Seeds, CompactionEntriesRandomTest,
                         testing::Range(1, 13));

}  // namespace
}  // namespace tamis
