// SPDX-License-Identifier: Apache-2.0
//
// An open with avoid_flush_during_recovery keeps what is in the logs in
// memtables, and the logs, where the process before closed the database.
//
// Shows D1 and D17 of docs/durability.md.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/transaction_log.h"
#include "tamis/utilities/checkpoint.h"
#include "tamis/utilities/transaction_db.h"
#include "tamis/write_buffer_manager.h"

#include "tests/db/test_db.h"

namespace tamis {
namespace {

class KeptLogsTest : public DBTest {
 protected:
  KeptLogsTest() { options_.avoid_flush_during_recovery = true; }

  std::vector<std::string> FilesOf(const std::string& suffix) {
    std::vector<std::string> names;
    EXPECT_TRUE(fs_->GetChildren(kTestDirectory, &names).ok());
    std::erase_if(names, [&suffix](const std::string& name) {
      return !name.ends_with(suffix);
    });
    std::sort(names.begin(), names.end());
    return names;
  }
  size_t Logs() { return FilesOf(".log").size(); }
  size_t TableCount() { return FilesOf(".sst").size(); }
  size_t KeptEvents() { return LogLines("event=logs_kept").size(); }
  void PutSynced(const std::string& key, const std::string& value) {
    WriteOptions sync;
    sync.sync = true;
    ASSERT_TRUE(db_->Put(sync, key, value).ok());
  }
};

TEST_F(KeptLogsTest, AnOpenWritesNoTable) {
  Open();
  Put("a", "1");
  Put("b", "2");
  const std::vector<std::string> manifests = FilesOf("MANIFEST-000001");
  const std::string first = FilesOf(".log").at(0);
  Reopen();
  EXPECT_EQ(Contents(), "a=1 b=2");
  EXPECT_EQ(TableCount(), 0u);
  EXPECT_EQ(FilesOf("MANIFEST-000001"), manifests);
  ASSERT_EQ(Logs(), 2u);
  EXPECT_EQ(FilesOf(".log").at(0), first);
  ASSERT_EQ(KeptEvents(), 1u);
  EXPECT_NE(LogLines("event=logs_kept")[0].find("logs=1 entries=2"),
            std::string::npos)
      << LogLines("event=logs_kept")[0];
  uint64_t entries = 0;
  ASSERT_TRUE(
      db_->GetIntProperty(DB::Properties::kNumEntriesActiveMemTable, &entries));
  EXPECT_EQ(entries, 2u);

  Put("a", "3");
  Flush();
  EXPECT_EQ(Logs(), 1u) << "the table has what the others contain";
  EXPECT_EQ(TableCount(), 1u);
  Reopen();
  EXPECT_EQ(Contents(), "a=3 b=2");
}

TEST_F(KeptLogsTest, TheOptionIsOffByDefault) {
  options_.avoid_flush_during_recovery =
      DBOptions().avoid_flush_during_recovery;
  Open();
  Put("a", "1");
  Reopen();
  EXPECT_EQ(TableCount(), 1u);
  EXPECT_EQ(Logs(), 1u);
  EXPECT_EQ(KeptEvents(), 0u);
}

TEST_F(KeptLogsTest, AnEmptyLogIsContinued) {
  Open();
  Put("a", "1");
  Reopen();
  const std::vector<std::string> logs = FilesOf(".log");
  for (int i = 0; i < 20; ++i) Reopen();
  EXPECT_EQ(FilesOf(".log"), logs);
  EXPECT_EQ(Contents(), "a=1");
}

TEST_F(KeptLogsTest, TooManyLogsBecomeATable) {
  Open();
  std::string expected;
  for (int i = 0; i < 9; ++i) {
    const std::string key(1, static_cast<char>('a' + i));
    Put(key, "1");
    expected += (i > 0 ? " " : "") + key + "=1";
    EXPECT_EQ(Logs(), static_cast<size_t>(i) + 1);
    EXPECT_EQ(TableCount(), 0u);
    Reopen();
    ASSERT_EQ(Contents(), expected);
  }
  EXPECT_EQ(TableCount(), 1u) << "nine logs had entries";
  EXPECT_EQ(Logs(), 1u);
}

TEST_F(KeptLogsTest, WhatDoesNotFitBecomesTables) {
  options_.disable_auto_compactions = true;
  Open();
  for (int i = 0; i < 200; ++i) Put(Key(i), Noise(1000, 1));
  Reopen();
  EXPECT_EQ(KeptEvents(), 1u);
  EXPECT_EQ(TableCount(), 0u);
  options_.write_buffer_size = 64 << 10;
  Reopen();
  EXPECT_EQ(KeptEvents(), 0u);
  EXPECT_GT(TableCount(), 2u);
  EXPECT_EQ(Logs(), 1u);
  std::string value;
  for (int i = 0; i < 200; ++i) {
    EXPECT_TRUE(db_->Get(ReadOptions(), Key(i), &value).ok()) << i;
  }
}

// The end of a log that was not closed may be in the system's memory only.
TEST_F(KeptLogsTest, AfterAKillTheLogsBecomeTables) {
  Open();
  Put("a", "1");
  Reopen();
  Put("b", "2");
  fs_->CutPower();
  db_.reset();
  fs_->Restart(/*seed=*/1, CrashStyle::kKeepAll);
  Open();
  EXPECT_EQ(KeptEvents(), 0u);
  EXPECT_EQ(TableCount(), 1u);
  EXPECT_EQ(Contents(), "a=1 b=2");
}

TEST_F(KeptLogsTest, APowerCutLosesNothingThatWasSynced) {
  Open();
  Put("a", "1");  // Close syncs it
  Reopen();
  PutSynced("b", "2");
  Put("c", "3");
  fs_->CutPower();
  db_.reset();
  fs_->Restart(/*seed=*/1, CrashStyle::kDropAll);
  Open();
  EXPECT_EQ(Contents(), "a=1 b=2");
}

// A torn clean-close marker would end the history before the gap that a write
// without a log leaves.
TEST_F(KeptLogsTest, APowerCutDoesNotTearTheEndOfAKeptLog) {
  WriteOptions unlogged;
  unlogged.disableWAL = true;
  for (uint64_t seed = 0; seed < 50; ++seed) {
    Open();
    Put("a", "1");
    Reopen();
    ASSERT_EQ(KeptEvents(), 1u);
    ASSERT_TRUE(db_->Put(unlogged, "u", "lost").ok());
    PutSynced("b", "2");
    fs_->CutPower();
    db_.reset();
    fs_->Restart(seed, CrashStyle::kSectors);
    Open();
    EXPECT_EQ(Contents(), "a=1 b=2") << "seed " << seed;
    Destroy();
  }
}

TEST_F(KeptLogsTest, ADamagedLogFailsTheOpen) {
  Open();
  Put("a", Noise(1000, 1));
  Put("b", "2");
  Reopen();
  Put("c", "3");
  db_.reset();
  const std::string log =
      std::string(kTestDirectory) + "/" + FilesOf(".log").at(0);
  std::string contents;
  ASSERT_TRUE(fs_->GetContents(log, &contents).ok());
  contents[500] ^= 1;
  ASSERT_TRUE(fs_->SetContents(log, contents).ok());
  const Status status = TryOpen();
  ASSERT_TRUE(status.IsCorruption()) << status;
  EXPECT_NE(status.message().find(log), std::string::npos) << status;
}

// Each family keeps what its tables lack.
TEST_F(KeptLogsTest, FamiliesKeepDifferentLogs) {
  Open();
  ColumnFamilyHandle* other = nullptr;
  ASSERT_TRUE(db_->CreateColumnFamily(options_, "other", &other).ok());
  std::unique_ptr<ColumnFamilyHandle> owner(other);
  Put("a", "1");
  ASSERT_TRUE(db_->Put(WriteOptions(), other, "a", "other 1").ok());
  Flush();  // of the default family; the log has the other one's entry
  Put("b", "2");
  owner.reset();
  for (int i = 0; i < 3; ++i) {
    db_.reset();
    std::vector<ColumnFamilyHandle*> handles;
    ASSERT_EQ(
        DB::Open(options_, kTestDirectory,
                 {{kDefaultColumnFamilyName, options_}, {"other", options_}},
                 &handles, &db_),
        Status::OK());
    EXPECT_EQ(KeptEvents(), 1u);
    EXPECT_EQ(Contents(), "a=1 b=2");
    std::string value;
    EXPECT_TRUE(db_->Get(ReadOptions(), handles[1], "a", &value).ok());
    EXPECT_EQ(value, "other 1");
    ASSERT_TRUE(db_->Put(WriteOptions(), handles[1], "n", "x").ok());
    for (ColumnFamilyHandle* handle : handles) delete handle;
  }
  EXPECT_EQ(TableCount(), 1u);
}

TEST_F(KeptLogsTest, KeptLogsAreReadAsUpdatesAndCopied) {
  Open();
  Put("a", "1");
  Reopen();
  Put("b", "2");
  Reopen();
  Put("c", "3");

  std::unique_ptr<TransactionLogIterator> updates;
  ASSERT_TRUE(db_->GetUpdatesSince(1, &updates).ok());
  uint64_t batches = 0;
  for (; updates->Valid(); updates->Next()) ++batches;
  EXPECT_TRUE(updates->status().ok()) << updates->status();
  EXPECT_EQ(batches, 3u);

  VectorLogPtr logs;
  ASSERT_TRUE(db_->GetSortedWalFiles(logs).ok());
  EXPECT_EQ(logs.size(), 3u);

  Checkpoint* made = nullptr;
  ASSERT_TRUE(Checkpoint::Create(db_.get(), &made).ok());
  const std::unique_ptr<Checkpoint> checkpoint(made);
  ASSERT_EQ(checkpoint->CreateCheckpoint("/parent/copy", 1 << 20),
            Status::OK());
  std::unique_ptr<DB> copy;
  ASSERT_EQ(DB::Open(options_, "/parent/copy", &copy), Status::OK());
  std::string value;
  for (const char* key : {"a", "b", "c"}) {
    EXPECT_TRUE(copy->Get(ReadOptions(), key, &value).ok()) << key;
  }
}

// What an open without the option deletes is no kept log.
TEST_F(KeptLogsTest, LogsThatBecameTablesAreForgotten) {
  options_.avoid_flush_during_recovery = false;
  Open();
  PutMany(200);
  Reopen();
  Put("z", "1");
  Flush();
  EXPECT_EQ(Logs(), 1u);
  for (const std::string& line : LogLines("event=file_deleted")) {
    EXPECT_NE(line.find("status=OK"), std::string::npos) << line;
  }
}

TEST_F(KeptLogsTest, AManagerOfMemoryCountsThem) {
  options_.write_buffer_manager =
      std::make_shared<WriteBufferManager>(size_t{4} << 20);
  Open();
  for (int i = 0; i < 200; ++i) Put(Key(i), Noise(1000, 1));
  Reopen();
  EXPECT_EQ(KeptEvents(), 1u);
  EXPECT_GT(options_.write_buffer_manager->memory_usage(), 200'000u);
  db_.reset();
  options_.write_buffer_manager =
      std::make_shared<WriteBufferManager>(size_t{100} << 10);
  Open();
  EXPECT_EQ(KeptEvents(), 0u);
  EXPECT_EQ(TableCount(), 1u);
  EXPECT_LT(options_.write_buffer_manager->memory_usage(), 100u << 10);
}

// The limit of all logs counts kept ones.
TEST_F(KeptLogsTest, KeptLogsCountTowardsTheLimit) {
  Open();
  for (int i = 0; i < 30; ++i) Put(Key(i), Noise(1000, 1));
  options_.max_total_wal_size = 20'000;
  Reopen();
  ASSERT_EQ(KeptEvents(), 1u);
  Put("z", "1");
  runner_->RunUntilIdle();
  EXPECT_EQ(TableCount(), 1u);
}

// A prepared transaction is copied to the new log, whose MANIFEST forgets the
// old one.
TEST_F(KeptLogsTest, APreparedTransactionIsKept) {
  TransactionDB* opened = nullptr;
  const auto open = [&] {
    ASSERT_EQ(TransactionDB::Open(options_, TransactionDBOptions(),
                                  kTestDirectory, &opened),
              Status::OK());
  };
  open();
  std::unique_ptr<TransactionDB> db(opened);
  ASSERT_TRUE(db->Put(WriteOptions(), "a", "1").ok());
  std::unique_ptr<Transaction> transaction(
      db->BeginTransaction(WriteOptions(), TransactionOptions()));
  ASSERT_TRUE(transaction->SetName("t").ok());
  ASSERT_TRUE(transaction->Put("b", "2").ok());
  ASSERT_TRUE(transaction->Prepare().ok());
  transaction.reset();
  for (int i = 0; i < 2; ++i) {
    db.reset();
    open();
    db.reset(opened);
    EXPECT_EQ(KeptEvents(), 0u);
  }
  transaction.reset(db->GetTransactionByName("t"));
  ASSERT_NE(transaction, nullptr);
  ASSERT_TRUE(transaction->Commit().ok());
  transaction.reset();
  for (int i = 0; i < 2; ++i) {
    db.reset();
    open();
    db.reset(opened);
    EXPECT_EQ(KeptEvents(), 1u);
    std::string value;
    ASSERT_TRUE(db->Get(ReadOptions(), "b", &value).ok());
    EXPECT_EQ(value, "2");
  }
}

}  // namespace
}  // namespace tamis
