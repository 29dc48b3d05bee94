// SPDX-License-Identifier: Apache-2.0
//
// A compaction gives the same result in several parts as in one.
#include "db/compaction/subcompaction.h"

#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/utilities/merge_operators.h"

#include "tests/db/test_db.h"
#include "util/base/random.h"

namespace tamis {
namespace {

class SubcompactionTest : public DBTest {
 protected:
  void Use(uint32_t parts) {
    options_.max_subcompactions = parts;
    options_.disable_auto_compactions = true;
    options_.target_file_size_base = 8 << 10;
    options_.merge_operator = MergeOperators::CreateStringAppendOperator(",");
    BlockBasedTableOptions table;
    table.block_size = 512;
    SetTable(table);
  }
  void Destroy() {
    db_.reset();
    ASSERT_TRUE(DestroyDB(kTestDirectory, options_).ok());
  }
  // Puts, deletions, operands and range deletions of 300 keys, in tables that
  // overlap. Snapshots are taken on the way.
  void Fill(uint64_t seed, std::vector<const Snapshot*>* snapshots) {
    Random random(seed);
    for (int i = 0; i < 2500; ++i) {
      const int at = static_cast<int>(random.Uniform(300));
      switch (random.Uniform(10)) {
        case 0:
          Delete(Key(at));
          break;
        case 1:
        case 2:
          Merge(Key(at), std::to_string(i));
          break;
        case 3:
          if (random.Uniform(4) == 0) {
            DeleteRange(Key(at),
                        Key(at + static_cast<int>(random.Uniform(80))));
          }
          break;
        default:
          Put(Key(at), Noise(random.Uniform(200), static_cast<uint64_t>(i)));
      }
      if (i % 900 == 400) snapshots->push_back(db_->GetSnapshot());
      if (i % 500 == 499) Flush();
    }
  }
  std::vector<std::string> ContentsAtAll(
      const std::vector<const Snapshot*>& snapshots) {
    std::vector<std::string> contents{Contents()};
    for (const Snapshot* snapshot : snapshots) {
      contents.push_back(ContentsAt(snapshot));
    }
    return contents;
  }
};

TEST_F(SubcompactionTest, NoKeyIsLostOrRestoredBetweenSubcompactions) {
  for (uint64_t seed = 1; seed <= 8; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Use(5);
    Open();
    std::vector<const Snapshot*> snapshots;
    Fill(seed, &snapshots);
    const auto before = ContentsAtAll(snapshots);
    Compact();
    EXPECT_EQ(ContentsAtAll(snapshots), before);
    Fill(seed + 100, &snapshots);
    const auto later = ContentsAtAll(snapshots);
    Compact(/*force=*/true);
    EXPECT_EQ(ContentsAtAll(snapshots), later);
    for (const Snapshot* snapshot : snapshots) db_->ReleaseSnapshot(snapshot);
    Compact(/*force=*/true);
    EXPECT_EQ(Contents(), later[0]);
    EXPECT_EQ(TablesOnDisk(), LiveFiles().size());
    Reopen();
    EXPECT_EQ(Contents(), later[0]);
    Destroy();
  }
}

TEST_F(SubcompactionTest, SubcompactionsOnThreadsKeepTheContents) {
  Use(4);
  options_.job_runner = nullptr;
  Open();
  std::vector<const Snapshot*> snapshots;
  Fill(7, &snapshots);
  const auto before = ContentsAtAll(snapshots);
  Compact();
  EXPECT_EQ(ContentsAtAll(snapshots), before);
  for (const Snapshot* snapshot : snapshots) db_->ReleaseSnapshot(snapshot);
}

// All versions of a key in one file, and files in order without a common key.
TEST_F(SubcompactionTest, NoUserKeyIsInTwoTables) {
  Use(6);
  Open();
  std::vector<const Snapshot*> snapshots;
  for (int i = 0; i < 600; ++i) {
    Put(Key(i % 20), Noise(500, static_cast<uint64_t>(i)));
    snapshots.push_back(db_->GetSnapshot());
    if (i % 100 == 99) Flush();
  }
  Compact();
  const auto files = LiveFiles();
  EXPECT_GE(files.size(), 4u);
  for (size_t i = 1; i < files.size(); ++i) {
    EXPECT_LT(files[i - 1].largestkey, files[i].smallestkey);
  }
  for (const Snapshot* snapshot : snapshots) db_->ReleaseSnapshot(snapshot);
}

TEST_F(SubcompactionTest, ACompactionIsSplitByItsInputSize) {
  const auto tables_made = [this](uint32_t parts, int rounds) {
    Use(parts);
    Open();
    // The same 12 keys each time: one table holds all that is left.
    for (int round = 0; round < rounds; ++round) {
      for (int i = 0; i < 12; ++i) {
        Put(Key(i), Noise(500, static_cast<uint64_t>(round * 100 + i)));
      }
      Flush();
    }
    Compact();
    const size_t tables = LiveFiles().size();
    Destroy();
    return tables;
  };
  EXPECT_EQ(tables_made(1, 6), 1u);
  EXPECT_EQ(tables_made(4, 6), 4u);
  // Too little for four.
  EXPECT_EQ(tables_made(4, 3), 2u);
  EXPECT_EQ(tables_made(4, 1), 1u);
}

TEST_F(SubcompactionTest, AFailedSubcompactionCancelsTheOthers) {
  Use(4);
  options_.max_bgerror_resume_count = 0;
  Open();
  for (int round = 0; round < 8; ++round) {
    for (int i = 0; i < 12; ++i) Put(Key(i), Noise(500, 7));
    Flush();
  }
  const size_t tables = TablesOnDisk();
  const std::string before = Contents();
  int opened = 0;
  fs_->SetFaultHook([&](const SimulatedFileSystem::Call& call) -> Status {
    if (call.operation == "create" && call.path.ends_with(".sst") &&
        ++opened == 3) {
      return Status::IOError(call.path, "create");
    }
    return Status::OK();
  });
  EXPECT_TRUE(
      db_->CompactRange(CompactRangeOptions(), nullptr, nullptr).IsIOError());
  fs_->SetFaultHook(nullptr);
  EXPECT_EQ(opened, 3);
  EXPECT_EQ(TablesOnDisk(), tables);
  EXPECT_EQ(Contents(), before);
  ASSERT_TRUE(db_->Resume().ok());
  Compact();
  EXPECT_EQ(Contents(), before);
}

}  // namespace
}  // namespace tamis
