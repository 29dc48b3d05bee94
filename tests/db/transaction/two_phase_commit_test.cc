// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/utilities/checkpoint.h"
#include "tamis/utilities/transaction_db.h"

#include "tests/db/test_db.h"

namespace tamis {
namespace {

class TwoPhaseCommitTest : public DBTest {
 protected:
  void OpenTransactions() {
    TransactionDB* opened = nullptr;
    const Status status =
        TransactionDB::Open(options_, txn_db_options_, kTestDirectory, &opened);
    ASSERT_TRUE(status.ok()) << status;
    db_.reset(opened);
    transactions_ = opened;
  }
  void ReopenTransactions() {
    db_.reset();
    OpenTransactions();
  }
  std::unique_ptr<Transaction> Begin(const std::string& name) {
    std::unique_ptr<Transaction> txn(
        transactions_->BeginTransaction(WriteOptions()));
    EXPECT_EQ(txn->SetName(name), Status::OK());
    return txn;
  }
  std::unique_ptr<Transaction> Prepare(const std::string& name,
                                       const Slice& key) {
    std::unique_ptr<Transaction> txn = Begin(name);
    EXPECT_EQ(txn->Put(key, name), Status::OK());
    EXPECT_EQ(txn->Prepare(), Status::OK());
    return txn;
  }
  std::string Names() {
    std::vector<Transaction*> all;
    transactions_->GetAllPreparedTransactions(&all);
    std::string names;
    for (const Transaction* txn : all) names += txn->GetName() + " ";
    return names;
  }
  // As its owner, which a transaction found by the open gets.
  std::unique_ptr<Transaction> Found(const std::string& name) {
    return std::unique_ptr<Transaction>(
        transactions_->GetTransactionByName(name));
  }
  std::string Value(const Slice& key) {
    std::string value;
    const Status status = db_->Get(ReadOptions(), key, &value);
    return status.IsNotFound() ? "-" : status.ok() ? value : status.ToString();
  }
  size_t NumLogs() {
    std::vector<std::string> names;
    EXPECT_TRUE(fs_->GetChildren(kTestDirectory, &names).ok());
    return static_cast<size_t>(std::count_if(
        names.begin(), names.end(),
        [](const std::string& name) { return name.ends_with(".log"); }));
  }

  TransactionDBOptions txn_db_options_ = {.transaction_lock_timeout = 0,
                                          .default_lock_timeout = 0};
  TransactionDB* transactions_ = nullptr;
};

TEST_F(TwoPhaseCommitTest, FlushesKeepTheLogOfAPreparedTransaction) {
  OpenTransactions();
  const auto txn = Prepare("one", "a");
  for (int i = 0; i < 5; ++i) {
    Put("b", std::to_string(i));
    Flush();
  }
  EXPECT_EQ(NumLogs(), 6U);
  EXPECT_EQ(txn->Commit(), Status::OK());
  Put("b", "more");
  Flush();
  RunJobs();
  // The log with the unsynced commit is closed, so that one goes, too.
  EXPECT_LE(NumLogs(), 2U);
  EXPECT_EQ(Value("a"), "one");
}

TEST_F(TwoPhaseCommitTest, AnUnsyncedCommitKeepsThePreparedLog) {
  OpenTransactions();
  WriteOptions synced;
  synced.sync = true;
  {
    std::unique_ptr<Transaction> txn(transactions_->BeginTransaction(synced));
    ASSERT_EQ(txn->SetName("one"), Status::OK());
    ASSERT_EQ(txn->Put("a", "1"), Status::OK());
    ASSERT_EQ(txn->Prepare(), Status::OK());
    Put("b", "1");
    FlushOptions later;
    later.wait = false;
    ASSERT_EQ(db_->Flush(later), Status::OK());  // a new log, the job is due
    txn->SetWriteOptions(WriteOptions());
    ASSERT_EQ(txn->Commit(), Status::OK());
  }
  RunJobs();
  fs_->CutPower();
  db_.reset();
  fs_->Restart(301, CrashStyle::kDropAll);
  OpenTransactions();
  EXPECT_EQ(Value("b"), "1");
  EXPECT_EQ(Value("a") + Names(), "-one ");
  EXPECT_EQ(Found("one")->Commit(), Status::OK());
  EXPECT_EQ(Value("a"), "1");
}

TEST_F(TwoPhaseCommitTest, OpensKeepThemInTheNewestLog) {
  OpenTransactions();
  Prepare("one", "a");
  for (int i = 0; i < 4; ++i) {
    Put("b", std::to_string(i));
    ReopenTransactions();
    EXPECT_EQ(Names(), "one ");
    EXPECT_EQ(Value("a"), "-");
    RunJobs();
    EXPECT_EQ(NumLogs(), 1U);
  }
  EXPECT_TRUE(db_->Put(WriteOptions(), "a", "2").IsTimedOut());
  EXPECT_EQ(Found("one")->Rollback(), Status::OK());
  EXPECT_EQ(db_->Put(WriteOptions(), "a", "2"), Status::OK());
  ReopenTransactions();
  EXPECT_EQ(Names(), "");
  EXPECT_EQ(Value("a"), "2");
}

TEST_F(TwoPhaseCommitTest, OnlyWhoKeepsThemOpensForWriting) {
  OpenTransactions();
  Put("b", "1");
  Prepare("one", "a");
  db_.reset();
  const Status status = TryOpen();
  EXPECT_TRUE(status.IsNotSupported()) << status;
  EXPECT_NE(status.ToString().find("1 prepared transaction"), std::string::npos)
      << status;
  ASSERT_EQ(DB::OpenForReadOnly(options_, kTestDirectory, &db_), Status::OK());
  EXPECT_EQ(Value("a") + Value("b"), "-1");
  options_.allow_2pc = true;
  Reopen();
  EXPECT_EQ(Value("a") + Value("b"), "-1");
  options_.allow_2pc = false;
  ReopenTransactions();
  EXPECT_EQ(Names(), "one ");
  EXPECT_EQ(Found("one")->Commit(), Status::OK());
  EXPECT_EQ(Value("a"), "one");
  Reopen();
  EXPECT_EQ(Value("a"), "one");
}

TEST_F(TwoPhaseCommitTest, ACheckpointHasThem) {
  OpenTransactions();
  const auto txn = Prepare("one", "a");
  Put("b", "1");
  Checkpoint* created = nullptr;
  ASSERT_EQ(Checkpoint::Create(db_.get(), &created), Status::OK());
  const std::unique_ptr<Checkpoint> checkpoint(created);
  ASSERT_EQ(checkpoint->CreateCheckpoint("/parent/copy"), Status::OK());
  TransactionDB* copy = nullptr;
  ASSERT_EQ(
      TransactionDB::Open(options_, txn_db_options_, "/parent/copy", &copy),
      Status::OK());
  const std::unique_ptr<TransactionDB> copied(copy);
  const std::unique_ptr<Transaction> found(copied->GetTransactionByName("one"));
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->Commit(), Status::OK());
  std::string value;
  EXPECT_EQ(copied->Get(ReadOptions(), "a", &value), Status::OK());
  EXPECT_EQ(Value("a"), "-");
}

TEST_F(TwoPhaseCommitTest, UpdatesComeWithTheCommit) {
  OpenTransactions();
  Put("b", "1");
  const auto txn = Prepare("one", "a");
  Put("b", "2");
  std::unique_ptr<TransactionLogIterator> updates;
  const auto seen = [&] {
    std::string keys;
    EXPECT_EQ(db_->GetUpdatesSince(0, &updates), Status::OK());
    for (; updates->Valid(); updates->Next()) {
      const BatchResult result = updates->GetBatch();
      keys += std::to_string(result.sequence) + ":" +
              std::to_string(result.writeBatchPtr->Count()) + " ";
    }
    EXPECT_EQ(updates->status(), Status::OK());
    return keys;
  };
  EXPECT_EQ(seen(), "1:1 2:1 ");
  EXPECT_EQ(txn->Commit(), Status::OK());
  EXPECT_EQ(seen(), "1:1 2:1 3:1 ");
  updates.reset();
}

TEST_F(TwoPhaseCommitTest, LogsOverTheLimitDoNotFlushEachWrite) {
  options_.max_total_wal_size = 10'000;
  OpenTransactions();
  const auto txn = Prepare("one", "a");
  for (int i = 0; i < 200; ++i) {
    Put(Key(i), Noise(1000, static_cast<uint64_t>(i)));
    RunJobs();
  }
  std::string files;
  ASSERT_TRUE(db_->GetProperty("rocksdb.num-files-at-level0", &files));
  // 20 by the limit; compactions make them fewer.
  EXPECT_LT(options_.statistics->getTickerCount(FLUSH_WRITE_BYTES), 400'000U);
  EXPECT_EQ(txn->Commit(), Status::OK());
}

TEST_F(TwoPhaseCommitTest, RepairTellsOfThem) {
  OpenTransactions();
  Put("b", "1");
  Prepare("one", "a");
  db_.reset();
  ASSERT_EQ(RepairDB(kTestDirectory, options_), Status::OK());
  std::string log;
  ASSERT_EQ(fs_->GetContents(std::string(kTestDirectory) + "/LOG", &log),
            Status::OK());
  EXPECT_NE(log.find("event=repair_prepared_lost id=one changes=1"),
            std::string::npos)
      << log;
  Open();
  EXPECT_EQ(Value("a") + Value("b"), "-1");
}

TEST_F(TwoPhaseCommitTest, AFailedWriteLeavesTheState) {
  OpenTransactions();
  auto txn = Begin("one");
  ASSERT_EQ(txn->Put("a", "1"), Status::OK());
  const auto fail = [&] {
    fs_->SetFaultHook([](const SimulatedFileSystem::Call& call) {
      return call.path.ends_with(".log") ? Status::IOError("no") : Status::OK();
    });
  };
  fail();
  EXPECT_TRUE(txn->Prepare().IsIOError());
  EXPECT_EQ(txn->GetState(), Transaction::STARTED);
  fs_->SetFaultHook(nullptr);
  ASSERT_EQ(db_->Resume(), Status::OK());
  ASSERT_EQ(txn->Prepare(), Status::OK());
  fail();
  EXPECT_TRUE(txn->Commit().IsIOError());
  EXPECT_EQ(txn->GetState(), Transaction::PREPARED);
  fs_->SetFaultHook(nullptr);
  ASSERT_EQ(db_->Resume(), Status::OK());
  EXPECT_EQ(txn->Commit(), Status::OK());
  EXPECT_EQ(Value("a"), "1");
  txn.reset();
  ReopenTransactions();
  EXPECT_EQ(Value("a") + Names(), "1");
}

// A record that was written, although its write was reported as failed.
class GhostTest : public TwoPhaseCommitTest {
 protected:
  void FailAfterWriting() {
    fs_->SetFaultHook([](const SimulatedFileSystem::Call& call) {
      return call.operation == "append" && call.path.ends_with(".log")
                 ? SimulatedFileSystem::Fault(Status::IOError("no"), call.bytes)
                 : Status::OK();
    });
  }
  void Resume() {
    fs_->SetFaultHook(nullptr);
    ASSERT_EQ(db_->Resume(), Status::OK());
  }
};

TEST_F(GhostTest, DecidesNothingOnceTheLogIsReplaced) {
  OpenTransactions();
  Prepare("other", "b");
  {
    const auto txn = Prepare("one", "a");
    for (const bool commit : {true, false}) {
      FailAfterWriting();
      EXPECT_TRUE((commit ? txn->Commit() : txn->Rollback()).IsIOError());
      EXPECT_EQ(txn->GetState(), Transaction::PREPARED);
      Resume();
    }
    const auto failed = Begin("failed");
    ASSERT_EQ(failed->Put("c", "1"), Status::OK());
    FailAfterWriting();
    EXPECT_TRUE(failed->Prepare().IsIOError());
    Resume();
  }
  ReopenTransactions();
  EXPECT_EQ(Names(), "one other ");
  EXPECT_EQ(Value("a"), "-");
  EXPECT_EQ(Found("one")->Commit(), Status::OK());
  ReopenTransactions();
  EXPECT_EQ(Value("a") + Value("b") + Value("c") + Names(), "one--other ");
}

TEST_F(GhostTest, IsOneOrTheOtherIfTheReplacementIsCut) {
  for (const bool commit : {true, false}) {
    bool resumed = false;
    for (uint64_t cut = 1; !resumed; ++cut) {
      SCOPED_TRACE(cut);
      OpenTransactions();
      Prepare("other", "b");
      auto txn = Prepare("one", "a");
      FailAfterWriting();
      EXPECT_TRUE((commit ? txn->Commit() : txn->Rollback()).IsIOError());
      const uint64_t begin = fs_->calls();
      fs_->SetFaultHook([&](const SimulatedFileSystem::Call& call) {
        if (call.number == begin + cut) fs_->CutPower();
        return Status::OK();
      });
      resumed = db_->Resume().ok();
      fs_->CutPower();
      txn.reset();
      fs_->SetFaultHook(nullptr);
      db_.reset();
      fs_->Restart(cut, CrashStyle::kKeepAll);
      OpenTransactions();
      const std::string found = Names();
      EXPECT_TRUE(found == "other " || found == "one other ") << found;
      const bool ended = found == "other ";
      EXPECT_EQ(Value("a"), ended && commit ? "one" : "-");
      Destroy();
    }
  }
}

TEST_F(TwoPhaseCommitTest, TheNameOfALostOneIsTaken) {
  OpenTransactions();
  Prepare("one", "a");
  const std::unique_ptr<Transaction> txn(
      transactions_->BeginTransaction(WriteOptions()));
  EXPECT_TRUE(txn->SetName("one").IsInvalidArgument());
}

TEST_F(TwoPhaseCommitTest, TwoOfTheSameKeyHaveNoLocks) {
  OpenTransactions();
  TransactionOptions free;
  free.skip_concurrency_control = true;
  for (const char* name : {"one", "two"}) {
    std::unique_ptr<Transaction> txn(
        transactions_->BeginTransaction(WriteOptions(), free));
    ASSERT_EQ(txn->SetName(name), Status::OK());
    ASSERT_EQ(txn->Put("a", name), Status::OK());
    ASSERT_EQ(txn->Prepare(), Status::OK());
  }
  ReopenTransactions();
  EXPECT_EQ(Names(), "one two ");
  EXPECT_EQ(Found("one")->Commit(), Status::OK());
  EXPECT_EQ(Found("two")->Commit(), Status::OK());
  EXPECT_EQ(Value("a"), "two");
}

TEST_F(TwoPhaseCommitTest, DoesNotExpireOncePrepared) {
  OpenTransactions();
  TransactionOptions options;
  options.expiration = 10;
  std::unique_ptr<Transaction> txn(
      transactions_->BeginTransaction(WriteOptions(), options));
  ASSERT_EQ(txn->SetName("one"), Status::OK());
  ASSERT_EQ(txn->Put("a", "1"), Status::OK());
  ASSERT_EQ(txn->Prepare(), Status::OK());
  clock_->SleepForMicroseconds(20'000);
  EXPECT_TRUE(db_->Put(WriteOptions(), "a", "2").IsTimedOut());
  EXPECT_EQ(txn->Commit(), Status::OK());
}

}  // namespace
}  // namespace tamis
