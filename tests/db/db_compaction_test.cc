// SPDX-License-Identifier: Apache-2.0
//
// Automatic compactions, and the data that they must not lose.
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/db/test_db.h"
#include "util/base/random.h"

namespace tamis {
namespace {

class DBCompactionTest : public DBTest {
 protected:
  // A tree that grows deep with little data.
  void UseSmallTree() {
    options_.write_buffer_size = 64 << 10;
    options_.target_file_size_base = 8 << 10;
    options_.max_bytes_for_level_base = 32 << 10;
    options_.max_bytes_for_level_multiplier = 4;
    options_.level0_file_num_compaction_trigger = 2;
  }
  int DeepestLevel() {
    int deepest = 0;
    for (const auto& file : LiveFiles()) {
      deepest = std::max(deepest, file.level);
    }
    return deepest;
  }
};

TEST_F(DBCompactionTest, ADeepTreeAnswersLikeAMap) {
  for (const int jobs : {2, 5}) {
    for (uint64_t seed = 1; seed <= 3; ++seed) {
      SCOPED_TRACE("jobs " + std::to_string(jobs) + " seed " +
                   std::to_string(seed));
      UseSmallTree();
      options_.max_background_jobs = jobs;
      Open();
      Random random(seed);
      std::map<std::string, std::string> model;
      std::map<std::string, std::string> frozen;
      const Snapshot* snapshot = nullptr;
      for (int i = 0; i < 6000; ++i) {
        const std::string key = Key(static_cast<int>(random.Uniform(800)));
        if (random.Uniform(4) == 0) {
          Delete(key);
          model.erase(key);
        } else {
          model[key] = Noise(random.Uniform(200), static_cast<uint64_t>(i));
          Put(key, model[key]);
        }
        if (random.Uniform(20) == 0) runner_->RunOne();
        if (i == 3000) {
          snapshot = db_->GetSnapshot();
          frozen = model;
        }
      }
      RunJobs();
      EXPECT_GE(DeepestLevel(), 2);
      EXPECT_EQ(Property(DB::Properties::kCompactionPending), 0u);
      for (int i = 0; i < 800; ++i) {
        const auto now = model.find(Key(i));
        ASSERT_EQ(Get(Key(i)), now == model.end() ? "NOT_FOUND" : now->second);
        const auto then = frozen.find(Key(i));
        ASSERT_EQ(Get(Key(i), snapshot),
                  then == frozen.end() ? "NOT_FOUND" : then->second);
      }
      db_->ReleaseSnapshot(snapshot);
      EXPECT_EQ(TablesOnDisk(), LiveFiles().size());
      Reopen();
      RunJobs();
      auto expected = model.begin();
      std::unique_ptr<Iterator> it(db_->NewIterator(ReadOptions()));
      for (it->SeekToFirst(); it->Valid(); it->Next(), ++expected) {
        ASSERT_NE(expected, model.end());
        ASSERT_EQ(it->key(), Slice(expected->first));
        ASSERT_EQ(it->value(), Slice(expected->second));
      }
      EXPECT_EQ(expected, model.end());
      it.reset();
      Destroy();
    }
  }
}

TEST_F(DBCompactionTest, SortedLevelsStayDisjoint) {
  UseSmallTree();
  Open();
  for (int i = 0; i < 1000; ++i) {
    Put(Key((i * 7919) % 1000), Noise(200, static_cast<uint64_t>(i)));
    if (i % 10 == 0) runner_->RunOne();
  }
  RunJobs();
  std::map<int, std::string> last;
  for (const auto& file : LiveFiles()) {
    EXPECT_LE(file.smallestkey, file.largestkey);
    if (file.level > 0) {
      EXPECT_LT(last[file.level], file.smallestkey) << file.level;
      last[file.level] = file.largestkey;
    }
  }
  EXPECT_GE(last.size(), 2u);
}

TEST_F(DBCompactionTest, SequencesAreZeroedOnlyAtTheBottom) {
  options_.disable_auto_compactions = true;
  Open();
  for (int i = 0; i < 10; ++i) Put(Key(i), "v");
  const Snapshot* snapshot = db_->GetSnapshot();
  Put(Key(3), "new");
  Compact();
  ASSERT_EQ(LiveFiles().size(), 1u);
  EXPECT_EQ(LiveFiles()[0].smallest_seqno, 0u);
  EXPECT_EQ(LiveFiles()[0].largest_seqno, 11u);  // the snapshot sees it not
  db_->ReleaseSnapshot(snapshot);
  Compact(/*force=*/true);
  EXPECT_EQ(LiveFiles()[0].largest_seqno, 0u);
  // The sequence number of the database is unchanged.
  Reopen();
  EXPECT_EQ(db_->GetLatestSequenceNumber(), 11u);
  Put(Key(3), "newer");
  EXPECT_EQ(Get(Key(3)), "newer");
  Compact(/*force=*/true);
  EXPECT_EQ(Get(Key(3)), "newer");
  EXPECT_EQ(OnlyTable().num_entries, 10u);
}

TEST_F(DBCompactionTest, VersionsOfOneKeyStayInOneTable) {
  options_.disable_auto_compactions = true;
  options_.target_file_size_base = 1000;
  Open();
  std::vector<const Snapshot*> snapshots;
  for (int i = 0; i < 50; ++i) {
    Put("a", "x");
    Put("k", Noise(300, static_cast<uint64_t>(i)));
    Put("z", "x");
    snapshots.push_back(db_->GetSnapshot());
  }
  Compact(/*force=*/true);
  const auto files = LiveFiles();
  ASSERT_GE(files.size(), 2u);
  for (size_t i = 1; i < files.size(); ++i) {
    EXPECT_LT(files[i - 1].largestkey, files[i].smallestkey);
  }
  for (size_t i = 0; i < snapshots.size(); ++i) {
    EXPECT_EQ(Get("k", snapshots[i]), Noise(300, i));
    db_->ReleaseSnapshot(snapshots[i]);
  }
  Compact(/*force=*/true);
  EXPECT_EQ(LiveFiles().size(), 1u);
}

TEST_F(DBCompactionTest, ATableAboveEmptyLevelsMovesTrivially) {
  options_.level0_file_num_compaction_trigger = 1;
  Open();
  Put("a", "1");
  Flush();
  const uint64_t number = LiveFiles()[0].file_number;
  RunJobs();
  ASSERT_EQ(LiveFiles().size(), 1u);
  EXPECT_EQ(LiveFiles()[0].level, 1);
  EXPECT_EQ(LiveFiles()[0].file_number, number);
  EXPECT_EQ(Tick(COMPACT_WRITE_BYTES), 0u);
  EXPECT_EQ(LogLines("move=yes").size(), 1u);
  EXPECT_EQ(Get("a"), "1");
  Reopen();
  EXPECT_EQ(Levels(), "0,1");
  EXPECT_EQ(Get("a"), "1");
}

// As a bulk load does. Flushes are held together until level 0 is due.
TEST_F(DBCompactionTest, AscendingKeysAreWrittenOnce) {
  UseSmallTree();
  options_.level0_file_num_compaction_trigger = 4;
  Open();
  constexpr int kKeys = 6000;
  PutMany(kKeys);
  RunJobs();
  EXPECT_EQ(Tick(COMPACT_WRITE_BYTES), 0u);
  EXPECT_EQ(Tick(COMPACT_READ_BYTES), 0u);
  EXPECT_GE(DeepestLevel(), 2);
  EXPECT_EQ(LogLines("move=no").size(), 0u);
  EXPECT_GE(LogLines("level=0 output_level=1 files=4 move=yes").size(), 3u);
  EXPECT_EQ(TablesOnDisk(), LiveFiles().size());
  for (const bool again : {false, true}) {
    if (again) Reopen();
    for (int i = 0; i < kKeys; ++i) {
      ASSERT_EQ(Get(Key(i)), Noise(100, static_cast<uint64_t>(i)));
    }
    int scanned = 0;
    const std::unique_ptr<Iterator> it(db_->NewIterator(ReadOptions()));
    for (it->SeekToFirst(); it->Valid(); it->Next()) {
      ASSERT_EQ(it->key(), Slice(Key(scanned++)));
    }
    EXPECT_EQ(scanned, kKeys);
  }
}

// Pieces of a range that are each replaced as a whole.
TEST_F(DBCompactionTest, AdjacentTombstonesDoNotPreventTrivialMoves) {
  options_.disable_auto_compactions = true;
  Open();
  for (int piece = 0; piece < 4; ++piece) {
    DeleteRange(Key(10 * piece), Key(10 * (piece + 1)));
    Put(Key(10 * piece), std::to_string(piece));
    Flush();
  }
  ASSERT_EQ(Levels(), "4");
  const std::string contents = Contents();
  options_.disable_auto_compactions = false;
  Reopen();
  RunJobs();
  EXPECT_EQ(Levels(), "0,4");
  EXPECT_EQ(Tick(COMPACT_WRITE_BYTES), 0u);
  EXPECT_EQ(Contents(), contents);
  Reopen();
  EXPECT_EQ(Contents(), contents);
  // An older entry that such a tombstone hides stays hidden.
  EXPECT_EQ(Get(Key(15)), "NOT_FOUND");
}

TEST_F(DBCompactionTest, ForcedCompactionDropsTombstonesMovedToTheBottom) {
  options_.level0_file_num_compaction_trigger = 2;
  Open();
  Put("a", "1");
  Delete("b");
  Flush();
  DeleteRange("k", "m");
  Put("n", "2");
  Flush();
  RunJobs();
  ASSERT_EQ(Levels(), "0,2");
  const auto tombstones = [this] {
    uint64_t count = 0;
    for (const auto& [name, table] : Tables()) {
      count += table.num_deletions + table.num_range_deletions;
    }
    return count;
  };
  EXPECT_EQ(tombstones(), 3u);  // num_deletions counts the range, too
  Compact();
  EXPECT_EQ(tombstones(), 3u);
  Compact(/*force=*/true);
  EXPECT_EQ(tombstones(), 0u);
  EXPECT_EQ(Contents(), "a=1 n=2");
}

// What overlaps stays in level 0 and hides what is older.
TEST_F(DBCompactionTest, PartOfLevel0MovesPastTheRest) {
  options_.disable_auto_compactions = true;
  Open();
  for (const char* keys : {"b", "m", "ac", "x"}) {
    for (const char* key = keys; *key != '\0'; ++key) {
      Put(std::string(1, *key), keys);
    }
    Flush();
  }
  options_.disable_auto_compactions = false;
  Reopen();
  RunJobs();
  EXPECT_EQ(Levels(), "2,2");
  EXPECT_EQ(Contents(), "a=ac b=b c=ac m=m x=x");
  for (const char* key : {"b", "m"}) {
    Put(key, "new");
    Flush();
  }
  RunJobs();
  EXPECT_EQ(Contents(), "a=ac b=new c=ac m=new x=x");
  Reopen();
  EXPECT_EQ(Contents(), "a=ac b=new c=ac m=new x=x");
}

TEST_F(DBCompactionTest, ATombstoneIsKeptAboveOlderVersions) {
  UseSmallTree();
  options_.disable_auto_compactions = true;
  options_.level0_file_num_compaction_trigger = 1;
  Open();
  Put("a", "1");
  Put("k", "deep");
  Put("z", "1");
  Flush();
  // To level 1 and, since it is "too large", to level 2.
  options_.max_bytes_for_level_base = 1;
  options_.disable_auto_compactions = false;
  Reopen();
  RunJobs();
  ASSERT_GE(LiveFiles()[0].level, 2);
  options_.max_bytes_for_level_base = 1 << 20;
  Reopen();
  Put("b", "1");
  Delete("k");
  Put("y", "1");
  Flush();
  RunJobs();
  ASSERT_EQ(LiveFiles().size(), 2u);
  ASSERT_EQ(LiveFiles()[0].level, 1);
  EXPECT_EQ(Get("k"), "NOT_FOUND");
  EXPECT_EQ(Contents(), "a=1 b=1 y=1 z=1");
  Compact();
  EXPECT_EQ(LiveFiles().size(), 1u);
  EXPECT_EQ(OnlyTable().num_entries, 4u);
  EXPECT_EQ(Get("k"), "NOT_FOUND");
}

// As in a tree of RocksDB with level_compaction_dynamic_level_bytes.
TEST_F(DBCompactionTest, CompactRangeWritesDataOnceBelowEmptyLevels) {
  UseSmallTree();
  // Whatever the order of flushes and compactions, no table stays above.
  options_.level0_file_num_compaction_trigger = 1;
  options_.max_bytes_for_level_base = 1;
  options_.max_bytes_for_level_multiplier = 1;
  Open();
  for (int i = 0; i < 1000; ++i) Put(Key(2 * i), Noise(200, 1));
  Flush();
  RunJobs();
  ASSERT_EQ(Levels().substr(0, 12), "0,0,0,0,0,0,");
  options_.disable_auto_compactions = true;
  Reopen();
  for (int round = 0; round < 3; ++round) {
    for (int i = round; i < 1000; i += 2) Put(Key(2 * i + 1), Noise(200, 2));
    Flush();
  }
  ASSERT_GE(std::stoi(Levels()), 3);
  ASSERT_TRUE(options_.statistics->Reset().ok());
  Compact();
  ASSERT_EQ(Levels().substr(0, 12), "0,0,0,0,0,0,");
  const uint64_t merged_bytes = LiveBytes();
  EXPECT_EQ(Tick(COMPACT_WRITE_BYTES), merged_bytes);
  EXPECT_EQ(LogLines("event=compaction_start").size(), 1u);
  for (int i = 0; i < 1000; ++i) {
    ASSERT_EQ(Get(Key(2 * i)), Noise(200, 1));
    ASSERT_EQ(Get(Key(2 * i + 1)), Noise(200, 2));
  }
  // It writes the deepest level once more.
  Compact(/*force=*/true);
  EXPECT_EQ(Tick(COMPACT_WRITE_BYTES), merged_bytes + LiveBytes());
}

TEST_F(DBCompactionTest, OutputsAreCutByGrandparentOverlap) {
  options_.disable_auto_compactions = true;
  options_.target_file_size_base = 4 << 10;
  options_.max_compaction_bytes = 40 << 10;
  Open();
  // Level 1: about 60 files. Then two level 0 files with few keys, far apart,
  // whose one output would overlap them all once it went further down.
  PutMany(240, 1000);
  Compact();
  options_.max_bytes_for_level_base = 1;
  options_.max_bytes_for_level_multiplier = 1'000'000;
  options_.disable_auto_compactions = false;
  Reopen();
  RunJobs();
  EXPECT_EQ(DeepestLevel(), 2);
  EXPECT_GT(LiveFiles().size(), 40u);
  options_.disable_auto_compactions = true;
  options_.max_bytes_for_level_base = 1 << 30;
  options_.level0_file_num_compaction_trigger = 2;
  Reopen();
  for (int round = 0; round < 2; ++round) {
    for (int i = round; i < 240; i += 6) Put(Key(i), "small");
    Flush();
  }
  options_.disable_auto_compactions = false;
  Reopen();
  RunJobs();
  int at_level_1 = 0;
  for (const auto& file : LiveFiles()) at_level_1 += file.level == 1 ? 1 : 0;
  // 240 KiB below, 40 KiB of overlap allowed per file.
  EXPECT_GE(at_level_1, 4);
  EXPECT_LE(at_level_1, 8);
  EXPECT_EQ(Get(Key(6)), "small");
  EXPECT_EQ(Get(Key(3)), Noise(1000, 3));
}

TEST_F(DBCompactionTest, CloseCancelsACompactionAndLosesNothing) {
  options_.level0_file_num_compaction_trigger = 2;
  Open();
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < 100; ++i) Put(Key(i), std::to_string(round));
    Flush();
  }
  EXPECT_EQ(Property(DB::Properties::kNumRunningCompactions), 1u);
  ASSERT_TRUE(db_->Close().ok());
  RunJobs();  // finds nothing to do
  Reopen();
  EXPECT_EQ(LiveFiles().size(), 2u);
  EXPECT_EQ(TablesOnDisk(), 2u);
  RunJobs();
  EXPECT_EQ(Levels(), "0,1");
  EXPECT_EQ(Get(Key(50)), "1");
}

TEST_F(DBCompactionTest, ObsoleteTablesAreDeletedAfterACompaction) {
  UseSmallTree();
  Open();
  for (int i = 0; i < 2000; ++i) {
    Put(Key(i % 300), Noise(100, static_cast<uint64_t>(i)));
    RunJobs();
    ASSERT_EQ(TablesOnDisk(), LiveFiles().size()) << i;
    ASSERT_LE(FilesEndingIn(".log").size(), 1u) << i;
  }
}

}  // namespace
}  // namespace tamis
