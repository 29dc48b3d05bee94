// SPDX-License-Identifier: Apache-2.0
#include "tamis/utilities/transaction_db.h"

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "tests/db/test_db.h"

namespace tamis {
namespace {

class TransactionDBTest : public DBTest {
 protected:
  ~TransactionDBTest() override {
    one_.reset();
    two_.reset();
  }

  // Opens the database, which db_ then is.
  void OpenTransactions() {
    TransactionDB* opened = nullptr;
    const Status status =
        TransactionDB::Open(options_, txn_db_options_, kTestDirectory, &opened);
    ASSERT_TRUE(status.ok()) << status;
    db_.reset(opened);
    transactions_ = opened;
    ASSERT_NO_FATAL_FAILURE(Put("a", "0"));
    one_ = Begin();
    two_ = Begin();
  }
  std::unique_ptr<Transaction> Begin() {
    return std::unique_ptr<Transaction>(
        transactions_->BeginTransaction(WriteOptions(), txn_options_));
  }
  std::string Stored(const Slice& key) {
    std::string value;
    const Status status = db_->Get(ReadOptions(), key, &value);
    return status.ok() ? value : status.ToString();
  }
  static Status Read(Transaction* txn, const Slice& key, bool exclusive) {
    std::string value;
    const Status status =
        txn->GetForUpdate(ReadOptions(), key, &value, exclusive);
    return status.IsNotFound() ? Status::OK() : status;
  }
  size_t NumLocks() { return transactions_->GetLockStatusData().size(); }

  TransactionDBOptions txn_db_options_ = {.transaction_lock_timeout = 0,
                                          .default_lock_timeout = 0};
  TransactionOptions txn_options_;
  TransactionDB* transactions_ = nullptr;
  std::unique_ptr<Transaction> one_;
  std::unique_ptr<Transaction> two_;
};

TEST_F(TransactionDBTest, CommitWritesAndUnlocks) {
  OpenTransactions();
  ASSERT_EQ(one_->Put("a", "1"), Status::OK());
  ASSERT_EQ(one_->Delete("b"), Status::OK());
  EXPECT_EQ(Stored("a"), "0");
  const auto locks = transactions_->GetLockStatusData();
  ASSERT_EQ(locks.size(), 2u);
  for (const auto& [family, lock] : locks) {
    EXPECT_EQ(family, 0u);
    EXPECT_TRUE(lock.exclusive);
    EXPECT_EQ(lock.ids, std::vector{one_->GetID()});
  }
  EXPECT_EQ(one_->Commit(), Status::OK());
  EXPECT_EQ(one_->GetState(), Transaction::COMMITTED);
  EXPECT_EQ(Stored("a"), "1");
  EXPECT_EQ(NumLocks(), 0u);
  EXPECT_TRUE(one_->Commit().IsInvalidArgument());
  EXPECT_TRUE(one_->Rollback().IsInvalidArgument());
}

TEST_F(TransactionDBTest, ALockedKeyIsRefused) {
  OpenTransactions();
  ASSERT_EQ(one_->Put("a", "1"), Status::OK());
  const Status refused = two_->Put("a", "2");
  EXPECT_TRUE(refused.IsTimedOut()) << refused;
  EXPECT_EQ(refused.subcode(), Status::kLockTimeout);
  EXPECT_EQ(two_->GetNumKeys(), 0u);
  EXPECT_TRUE(db_->Put(WriteOptions(), "a", "3").IsTimedOut());
  EXPECT_TRUE(db_->Delete(WriteOptions(), "a").IsTimedOut());
  EXPECT_TRUE(two_->PutUntracked("a", "2").IsTimedOut());
  EXPECT_EQ(two_->Put("b", "2"), Status::OK());
  EXPECT_EQ(one_->Rollback(), Status::OK());
  EXPECT_EQ(two_->Put("a", "2"), Status::OK());
  EXPECT_EQ(two_->Commit(), Status::OK());
  EXPECT_EQ(Stored("a"), "2");
}

TEST_F(TransactionDBTest, APlainWriteLocksAllItsKeysOrNone) {
  OpenTransactions();
  ASSERT_EQ(one_->Put("m", "1"), Status::OK());
  WriteBatch batch;
  for (const char* key : {"z", "m", "b", "b"}) {
    ASSERT_EQ(batch.Put(key, "2"), Status::OK());
  }
  EXPECT_TRUE(db_->Write(WriteOptions(), &batch).IsTimedOut());
  EXPECT_EQ(NumLocks(), 1u);
  EXPECT_EQ(Stored("b"), "NotFound: ");
  TransactionDBWriteOptimizations optimizations;
  optimizations.skip_concurrency_control = true;
  EXPECT_EQ(transactions_->Write(WriteOptions(), optimizations, &batch),
            Status::OK());
  EXPECT_EQ(Stored("m"), "2");
  EXPECT_TRUE(db_->DeleteRange(WriteOptions(), "a", "z").IsNotSupported());
}

TEST_F(TransactionDBTest, SharedLocksAreSharedAndUpgraded) {
  OpenTransactions();
  ASSERT_EQ(Read(one_.get(), "a", /*exclusive=*/false), Status::OK());
  ASSERT_EQ(Read(two_.get(), "a", /*exclusive=*/false), Status::OK());
  EXPECT_EQ(transactions_->GetLockStatusData().begin()->second.ids.size(), 2u);
  EXPECT_TRUE(one_->Put("a", "1").IsTimedOut());
  two_->UndoGetForUpdate("a");
  EXPECT_EQ(one_->Put("a", "1"), Status::OK());
  EXPECT_TRUE(Read(two_.get(), "a", /*exclusive=*/false).IsTimedOut());
  EXPECT_EQ(Read(one_.get(), "a", /*exclusive=*/false), Status::OK());
  EXPECT_TRUE(transactions_->GetLockStatusData().begin()->second.exclusive);
  EXPECT_EQ(one_->Commit(), Status::OK());
}

TEST_F(TransactionDBTest, SavePointsUnlock) {
  OpenTransactions();
  ASSERT_EQ(one_->Put("a", "1"), Status::OK());
  one_->SetSavePoint();
  ASSERT_EQ(one_->Put("a", "2"), Status::OK());
  ASSERT_EQ(one_->Put("b", "2"), Status::OK());
  EXPECT_EQ(NumLocks(), 2u);
  EXPECT_EQ(one_->RollbackToSavePoint(), Status::OK());
  EXPECT_EQ(two_->Put("b", "3"), Status::OK());
  EXPECT_TRUE(two_->Put("a", "3").IsTimedOut());
  EXPECT_EQ(one_->Commit(), Status::OK());
  EXPECT_EQ(Stored("a"), "1");
}

TEST_F(TransactionDBTest, AChangeAfterTheSnapshotIsFoundWhenTheKeyIsLocked) {
  txn_options_.set_snapshot = true;
  OpenTransactions();
  Put("a", "9");
  Flush();
  Compact(/*force=*/true);
  EXPECT_TRUE(one_->Put("a", "1").IsBusy());
  EXPECT_TRUE(Read(one_.get(), "a", true).IsBusy());
  EXPECT_EQ(NumLocks(), 0u);
  EXPECT_EQ(one_->PutUntracked("a", "1"), Status::OK());
  EXPECT_EQ(one_->Put("b", "1"), Status::OK());
  one_->SetSnapshot();
  EXPECT_EQ(one_->Put("a", "2"), Status::OK());
  EXPECT_EQ(one_->Commit(), Status::OK());
  EXPECT_EQ(Stored("a"), "2");
}

TEST_F(TransactionDBTest, AnExpiredTransactionLosesItsLocks) {
  txn_options_.expiration = 10;
  OpenTransactions();
  txn_options_.expiration = -1;
  two_ = Begin();
  ASSERT_EQ(one_->Put("a", "1"), Status::OK());
  EXPECT_TRUE(two_->Put("a", "2").IsTimedOut());
  clock_->SleepForMicroseconds(10'000);
  EXPECT_EQ(two_->Put("a", "2"), Status::OK());
  EXPECT_EQ(one_->GetState(), Transaction::LOCKS_STOLEN);
  EXPECT_TRUE(one_->Put("b", "1").IsExpired());
  EXPECT_TRUE(one_->Commit().IsExpired());
  EXPECT_EQ(one_->Rollback(), Status::OK());
  EXPECT_EQ(two_->Commit(), Status::OK());
  EXPECT_EQ(Stored("a"), "2");
  EXPECT_EQ(NumLocks(), 0u);
}

TEST_F(TransactionDBTest, AnExpiredTransactionDoesNotCommit) {
  txn_options_.expiration = 10;
  OpenTransactions();
  ASSERT_EQ(one_->Put("a", "1"), Status::OK());
  clock_->SleepForMicroseconds(10'000);
  EXPECT_TRUE(one_->Commit().IsExpired());
  EXPECT_EQ(Stored("a"), "0");
}

TEST_F(TransactionDBTest, LocksAreLimited) {
  txn_db_options_.max_num_locks = 2;
  OpenTransactions();
  ASSERT_EQ(one_->Put("a", "1"), Status::OK());
  ASSERT_EQ(two_->Put("b", "1"), Status::OK());
  const Status refused = one_->Put("c", "1");
  EXPECT_TRUE(refused.IsBusy()) << refused;
  EXPECT_EQ(refused.subcode(), Status::kLockLimit);
  EXPECT_EQ(two_->Rollback(), Status::OK());
  EXPECT_EQ(one_->Put("c", "1"), Status::OK());
}

TEST_F(TransactionDBTest, ABatchIsLimited) {
  txn_options_.max_write_batch_size = 40;
  OpenTransactions();
  EXPECT_EQ(one_->Put("a", "1"), Status::OK());
  EXPECT_TRUE(one_->Put("b", std::string(40, 'x')).IsMemoryLimit());
  EXPECT_EQ(one_->Commit(), Status::OK());
}

TEST_F(TransactionDBTest, NamesAreUniqueUntilTheEnd) {
  OpenTransactions();
  EXPECT_TRUE(one_->SetName("").IsInvalidArgument());
  EXPECT_TRUE(one_->SetName(std::string(513, 'x')).IsInvalidArgument());
  EXPECT_EQ(one_->SetName("name"), Status::OK());
  EXPECT_TRUE(one_->SetName("other").IsInvalidArgument());
  EXPECT_TRUE(two_->SetName("name").IsInvalidArgument());
  EXPECT_EQ(transactions_->GetTransactionByName("name"), one_.get());
  EXPECT_EQ(transactions_->GetTransactionByName("other"), nullptr);
  one_.reset();
  EXPECT_EQ(transactions_->GetTransactionByName("name"), nullptr);
  EXPECT_EQ(two_->SetName("name"), Status::OK());
  ASSERT_EQ(two_->Commit(), Status::OK());
  EXPECT_EQ(transactions_->GetTransactionByName("name"), nullptr);
}

TEST_F(TransactionDBTest, WithoutConcurrencyControlNothingIsLocked) {
  txn_options_.skip_concurrency_control = true;
  OpenTransactions();
  ASSERT_EQ(one_->Put("a", "1"), Status::OK());
  ASSERT_EQ(two_->Put("a", "2"), Status::OK());
  EXPECT_EQ(NumLocks(), 0u);
  EXPECT_EQ(two_->Commit(), Status::OK());
  EXPECT_EQ(one_->Commit(), Status::OK());
  EXPECT_EQ(Stored("a"), "1");
}

TEST_F(TransactionDBTest, FamiliesHaveTheirOwnLocks) {
  OpenTransactions();
  ColumnFamilyHandle* handle = nullptr;
  ASSERT_EQ(db_->CreateColumnFamily(options_, "f", &handle), Status::OK());
  ASSERT_EQ(one_->Put("a", "1"), Status::OK());
  EXPECT_EQ(two_->Put(handle, "a", "2"), Status::OK());
  EXPECT_EQ(transactions_->GetLockStatusData().count(handle->GetID()), 1u);
  EXPECT_EQ(two_->Commit(), Status::OK());
  ASSERT_EQ(db_->DestroyColumnFamilyHandle(handle), Status::OK());
}

TEST_F(TransactionDBTest, AFailedCommitMayBeTriedAgain) {
  OpenTransactions();
  ASSERT_EQ(one_->Put("a", "1"), Status::OK());
  fs_->SetFaultHook([](const SimulatedFileSystem::Call& call) {
    return call.path.ends_with(".log") ? Status::IOError(call.path, "injected")
                                       : Status::OK();
  });
  EXPECT_TRUE(one_->Commit().IsIOError());
  fs_->SetFaultHook(nullptr);
  EXPECT_EQ(one_->GetState(), Transaction::STARTED);
  EXPECT_EQ(NumLocks(), 1u);
  ASSERT_EQ(db_->Resume(), Status::OK());
  EXPECT_EQ(one_->Commit(), Status::OK());
  EXPECT_EQ(Stored("a"), "1");
}

TEST_F(TransactionDBTest, NoStripesAreRefused) {
  txn_db_options_.num_stripes = 0;
  TransactionDB* opened = nullptr;
  EXPECT_TRUE(
      TransactionDB::Open(options_, txn_db_options_, kTestDirectory, &opened)
          .IsInvalidArgument());
  EXPECT_EQ(opened, nullptr);
}

TEST_F(TransactionDBTest, ATransactionIsUsedAgain) {
  OpenTransactions();
  ASSERT_EQ(one_->SetName("name"), Status::OK());
  ASSERT_EQ(one_->Put("a", "1"), Status::OK());
  transactions_->BeginTransaction(WriteOptions(), {}, one_.get());
  EXPECT_EQ(NumLocks(), 0u);
  EXPECT_EQ(one_->GetName(), "");
  EXPECT_EQ(transactions_->GetTransactionByName("name"), nullptr);
  ASSERT_EQ(one_->Put("b", "1"), Status::OK());
  EXPECT_EQ(one_->Commit(), Status::OK());
  EXPECT_EQ(Stored("a"), "0");
}

}  // namespace
}  // namespace tamis
