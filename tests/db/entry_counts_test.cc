// SPDX-License-Identifier: Apache-2.0
//
// Flushes and compactions count the entries that they read, and compare them
// with those that their inputs have.
#include "db/compaction/entry_counts.h"

#include <string>

#include <gtest/gtest.h>

#include "tests/db/test_db.h"

namespace tamis {
namespace {

TEST(CheckEntriesReadTest, SaysWhatIsMissing) {
  EXPECT_EQ(CheckEntriesRead("db", "a flush", 5, 5, "option"), Status::OK());
  for (const uint64_t read : {uint64_t{4}, uint64_t{6}}) {
    const Status status = CheckEntriesRead("db", "a flush", read, 5, "option");
    EXPECT_TRUE(status.IsCorruption());
    EXPECT_EQ(status.ToString(),
              "Corruption: db: a flush has read " + std::to_string(read) +
                  " entries; the inputs have 5. Nothing was deleted. option = "
                  "false lets it pass");
  }
}

// Tables whose properties claim more entries than they have, as if entries had
// been lost.
class EntryCountsTest : public DBTest {
 protected:
  EntryCountsTest() {
    BlockBasedTableOptions table;
    table.checksum = kNoChecksum;  // so that properties can be changed
    SetTable(table);
    options_.disable_auto_compactions = true;
  }
  // Two overlapping tables of five entries, a range deletion in the second one;
  // the first one then claims to have `claimed`.
  void MakeTables(char claimed) {
    Open();
    PutMany(5);
    Flush();
    PutMany(5);
    DeleteRange(Key(7), Key(9));
    Flush();
    db_.reset();
    const std::string path =
        std::string(kTestDirectory) + "/" + FilesEndingIn(".sst").front();
    std::string contents;
    ASSERT_EQ(fs_->GetContents(path, &contents), Status::OK());
    // The rest of the key "rocksdb.num.entries", and its value.
    const size_t at = contents.find("entries\x05");
    ASSERT_NE(at, std::string::npos);
    contents[at + 7] = claimed;
    ASSERT_EQ(fs_->SetContents(path, contents), Status::OK());
  }
  Status Compact() {
    return db_->CompactRange(CompactRangeOptions(), nullptr, nullptr);
  }
};

TEST_F(EntryCountsTest, ACompactionThatReadsThemAllIsDone) {
  MakeTables(5);
  Open();
  EXPECT_EQ(Compact(), Status::OK());
}

TEST_F(EntryCountsTest, ACompactionThatReadsFewerFails) {
  MakeTables(6);
  Open();
  const std::string contents = Contents();
  const size_t tables = TablesOnDisk();
  const Status status = Compact();
  EXPECT_TRUE(status.IsCorruption()) << status;
  EXPECT_NE(status.ToString().find("has read 10 entries; the inputs have 11"),
            std::string::npos)
      << status;
  EXPECT_EQ(Contents(), contents);
  EXPECT_EQ(TablesOnDisk(), tables) << "the outputs are removed";

  options_.compaction_verify_record_count = false;
  Reopen();
  EXPECT_EQ(Compact(), Status::OK());
  EXPECT_EQ(Contents(), contents);
}

TEST_F(EntryCountsTest, ACompactionThatReadsMoreFails) {
  MakeTables(4);
  Open();
  EXPECT_TRUE(Compact().IsCorruption());
}

// As those of LevelDB.
TEST_F(EntryCountsTest, ATableThatDoesNotSayHowManyIsCompacted) {
  MakeTables(0);
  Open();
  EXPECT_EQ(Compact(), Status::OK());
}

TEST_F(EntryCountsTest, PartsOfACompactionCountTogether) {
  options_.max_subcompactions = 4;
  options_.target_file_size_base = 4 << 10;
  Open();
  for (int round = 0; round < 3; ++round) {
    PutMany(500);
    Flush();
  }
  EXPECT_EQ(Compact(), Status::OK());
  EXPECT_GT(LiveFiles().size(), 4u);
}

// A failed write leaves entries and range deletions in the memtable, which the
// flush passes over.
TEST_F(EntryCountsTest, AFlushCountsWhatItPassesOver) {
  Open();
  PutMany(5);
  const std::string log = CurrentLog();
  fs_->SetFaultHook([&log](const SimulatedFileSystem::Call& call) {
    return call.operation == "sync" && call.path.ends_with(log)
               ? Status::IOError(call.path, "no sync")
               : Status::OK();
  });
  WriteBatch batch;
  ASSERT_EQ(batch.Put("lost", "v"), Status::OK());
  ASSERT_EQ(batch.DeleteRange(Key(0), Key(3)), Status::OK());
  WriteOptions synced;
  synced.sync = true;
  EXPECT_TRUE(db_->Write(synced, &batch).IsIOError());
  fs_->SetFaultHook(nullptr);
  EXPECT_EQ(db_->Resume(), Status::OK());
  EXPECT_EQ(OnlyTable().num_entries, 5u);
  EXPECT_EQ(Get("lost"), "NOT_FOUND");
}

}  // namespace
}  // namespace tamis
