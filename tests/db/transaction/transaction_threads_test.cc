// SPDX-License-Identifier: Apache-2.0
//
// Transactions that wait for each other's locks.
#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/utilities/transaction_db.h"

#include "tests/db/test_db.h"
#include "tests/support/effort.h"
#include "util/base/random.h"

namespace tamis {
namespace {

class TransactionThreadsTest : public DBTest {
 protected:
  TransactionThreadsTest() {
    UseThreads();
    options_.write_buffer_size = 64 << 10;
    txn_db_options_.num_stripes = 2;
    txn_db_options_.transaction_lock_timeout = -1;
    txn_db_options_.default_lock_timeout = -1;
  }
  void OpenTransactions() {
    TransactionDB* opened = nullptr;
    ASSERT_EQ(
        TransactionDB::Open(options_, txn_db_options_, kTestDirectory, &opened),
        Status::OK());
    db_.reset(opened);
    transactions_ = opened;
  }
  std::unique_ptr<Transaction> Begin() {
    return std::unique_ptr<Transaction>(
        transactions_->BeginTransaction(WriteOptions(), txn_options_));
  }
  static void AwaitWaiting(const Transaction& txn) {
    while (txn.GetWaitingTxns(nullptr, nullptr).empty()) {
      std::this_thread::yield();
    }
  }

  TransactionDBOptions txn_db_options_;
  TransactionOptions txn_options_;
  TransactionDB* transactions_ = nullptr;
};

TEST_F(TransactionThreadsTest, AWaiterGetsTheLockWhenItIsReleased) {
  OpenTransactions();
  const auto one = Begin();
  const auto two = Begin();
  ASSERT_EQ(one->Put("a", "1"), Status::OK());
  std::thread waiter([&] { EXPECT_EQ(two->Put("a", "2"), Status::OK()); });
  AwaitWaiting(*two);
  uint32_t family = 7;
  std::string key;
  EXPECT_EQ(two->GetWaitingTxns(&family, &key), std::vector{one->GetID()});
  EXPECT_EQ(family, 0u);
  EXPECT_EQ(key, "a");
  EXPECT_EQ(one->Commit(), Status::OK());
  waiter.join();
  EXPECT_TRUE(two->GetWaitingTxns(nullptr, nullptr).empty());
  EXPECT_EQ(two->Commit(), Status::OK());
  std::string value;
  EXPECT_EQ(db_->Get(ReadOptions(), "a", &value), Status::OK());
  EXPECT_EQ(value, "2");
}

TEST_F(TransactionThreadsTest, APlainWriteWaitsToo) {
  OpenTransactions();
  const auto one = Begin();
  ASSERT_EQ(one->Put("a", "1"), Status::OK());
  std::atomic<bool> written{false};
  std::thread writer([&] {
    Put("a", "2");
    written = true;
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_FALSE(written);
  EXPECT_EQ(one->Commit(), Status::OK());
  writer.join();
  std::string value;
  EXPECT_EQ(db_->Get(ReadOptions(), "a", &value), Status::OK());
  EXPECT_EQ(value, "2");
}

TEST_F(TransactionThreadsTest, AWaitTimesOut) {
  OpenTransactions();
  const auto one = Begin();
  const auto two = Begin();
  ASSERT_EQ(one->Put("a", "1"), Status::OK());
  two->SetLockTimeout(5);
  const Status refused = two->Put("a", "2");
  EXPECT_TRUE(refused.IsTimedOut()) << refused;
  EXPECT_TRUE(two->GetWaitingTxns(nullptr, nullptr).empty());
}

TEST_F(TransactionThreadsTest, AWaiterGetsTheLockWhenItsOwnerExpires) {
  OpenTransactions();
  txn_options_.expiration = 20;
  const auto one = Begin();
  txn_options_.expiration = -1;
  const auto two = Begin();
  ASSERT_EQ(one->Put("a", "1"), Status::OK());
  EXPECT_EQ(two->Put("a", "2"), Status::OK());
  EXPECT_TRUE(one->Commit().IsExpired());
}

TEST_F(TransactionThreadsTest, ADeadlockIsFound) {
  OpenTransactions();
  txn_options_.deadlock_detect = true;
  const auto one = Begin();
  const auto two = Begin();
  const auto three = Begin();
  EXPECT_TRUE(one->IsDeadlockDetect());
  ASSERT_EQ(one->Put("a", "1"), Status::OK());
  ASSERT_EQ(two->Put("b", "2"), Status::OK());
  ASSERT_EQ(three->Put("c", "3"), Status::OK());
  std::thread first([&] { EXPECT_EQ(one->Put("b", "1"), Status::OK()); });
  AwaitWaiting(*one);
  std::thread second([&] { EXPECT_EQ(two->Put("c", "2"), Status::OK()); });
  AwaitWaiting(*two);
  const Status refused = three->Put("a", "3");
  EXPECT_TRUE(refused.IsDeadlock()) << refused;
  EXPECT_EQ(three->Rollback(), Status::OK());
  second.join();
  EXPECT_EQ(two->Commit(), Status::OK());
  first.join();
  EXPECT_EQ(one->Commit(), Status::OK());
}

TEST_F(TransactionThreadsTest, AnUpgradeOfBothSharersIsADeadlock) {
  OpenTransactions();
  txn_options_.deadlock_detect = true;
  const auto one = Begin();
  const auto two = Begin();
  std::string value;
  for (Transaction* txn : {one.get(), two.get()}) {
    EXPECT_TRUE(txn->GetForUpdate(ReadOptions(), "a", &value,
                                  /*exclusive=*/false)
                    .IsNotFound());
  }
  std::thread first([&] { EXPECT_EQ(one->Put("a", "1"), Status::OK()); });
  AwaitWaiting(*one);
  EXPECT_TRUE(two->Put("a", "2").IsDeadlock());
  EXPECT_EQ(two->Rollback(), Status::OK());
  first.join();
  EXPECT_EQ(one->Commit(), Status::OK());
}

// When the lock changes hands, those that wait for it wait for others.
TEST_F(TransactionThreadsTest, ADeadlockThatArisesLaterIsFound) {
  OpenTransactions();
  txn_options_.deadlock_detect = true;
  const auto one = Begin();
  const auto two = Begin();
  const auto three = Begin();
  std::string value;
  const auto share = [&](Transaction* txn) {
    EXPECT_TRUE(txn->GetForUpdate(ReadOptions(), "a", &value,
                                  /*exclusive=*/false)
                    .IsNotFound());
  };
  ASSERT_EQ(one->Put("b", "1"), Status::OK());
  share(two.get());
  std::atomic<int> deadlocks{0};
  const auto put = [&](Transaction* txn, const Slice& key) {
    const Status status = txn->Put(key, "x");
    EXPECT_TRUE(status.ok() || status.IsDeadlock()) << status;
    deadlocks += status.ok() ? 0 : 1;
    EXPECT_EQ(txn->Rollback(), Status::OK());
  };
  std::thread first([&] { put(one.get(), "a"); });
  AwaitWaiting(*one);
  share(three.get());
  EXPECT_EQ(two->Rollback(), Status::OK());
  put(three.get(), "b");
  first.join();
  EXPECT_EQ(deadlocks, 1);
}

TEST_F(TransactionThreadsTest, SumsStayWhateverLocksDo) {
  constexpr int kThreads = 4;
  constexpr int kAccounts = 5;
  constexpr int kEach = 100;
  txn_options_.deadlock_detect = true;
  OpenTransactions();
  for (int i = 0; i < kAccounts; ++i) Put(Key(i), std::to_string(kEach));
  std::atomic<int> deadlocks{0};
  std::vector<std::thread> threads;
  const int rounds = Rounds(500);
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      Random random(static_cast<uint64_t>(t) + 1);
      for (int done = 0; done < rounds;) {
        const auto txn = Begin();
        const int from = static_cast<int>(random.Uniform(kAccounts));
        const int to = static_cast<int>(random.Uniform(kAccounts));
        Status status;
        for (const auto& [account, change] : {std::pair(from, -1), {to, 1}}) {
          std::string value;
          status = txn->GetForUpdate(ReadOptions(), Key(account), &value,
                                     /*exclusive=*/random.OneIn(2));
          if (!status.ok()) break;
          status =
              txn->Put(Key(account), std::to_string(std::stoi(value) + change));
          if (!status.ok()) break;
        }
        if (status.ok() && random.OneIn(3)) {
          EXPECT_EQ(txn->SetName(std::to_string(txn->GetID())), Status::OK());
          EXPECT_EQ(txn->Prepare(), Status::OK());
          if (random.OneIn(4)) {
            EXPECT_EQ(txn->Rollback(), Status::OK());
            continue;
          }
        }
        if (status.ok()) status = txn->Commit();
        EXPECT_TRUE(status.ok() || status.IsDeadlock()) << status;
        done += status.ok() ? 1 : 0;
        deadlocks += status.ok() ? 0 : 1;
      }
    });
  }
  threads.emplace_back([&] {
    for (int i = 0; i < rounds; ++i) {
      Put("other", Noise(500, static_cast<uint64_t>(i)));
      if (i % 100 == 0) Flush();
    }
  });
  for (std::thread& thread : threads) thread.join();
  int sum = 0;
  for (int i = 0; i < kAccounts; ++i) {
    std::string value;
    EXPECT_EQ(db_->Get(ReadOptions(), Key(i), &value), Status::OK());
    sum += std::stoi(value);
  }
  EXPECT_EQ(sum, kAccounts * kEach);
  EXPECT_TRUE(transactions_->GetLockStatusData().empty());
  std::vector<Transaction*> prepared;
  transactions_->GetAllPreparedTransactions(&prepared);
  EXPECT_TRUE(prepared.empty());
}

}  // namespace
}  // namespace tamis
