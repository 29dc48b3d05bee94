// SPDX-License-Identifier: Apache-2.0
//
// Optimistic transactions on threads: no update is lost, and no sum changes,
// beside plain writes, flushes and compactions.
#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/utilities/optimistic_transaction_db.h"

#include "tests/db/test_db.h"
#include "tests/support/effort.h"
#include "util/base/random.h"

namespace tamis {
namespace {

class OptimisticThreadsTest : public DBTest {
 protected:
  static constexpr int kThreads = 4;
  static constexpr int kAccounts = 6;
  static constexpr int kEach = 100;

  OptimisticThreadsTest() {
    UseThreads();
    options_.write_buffer_size = 64 << 10;
    OptimisticTransactionDB* opened = nullptr;
    EXPECT_EQ(OptimisticTransactionDB::Open(options_, kTestDirectory, &opened),
              Status::OK());
    db_.reset(opened);
    transactions_ = opened;
    for (int i = 0; i < kAccounts; ++i) Put(Key(i), std::to_string(kEach));
  }

  // Moves one from an account to another; false if it must be tried again.
  bool Transfer(Random* random, bool with_snapshot) {
    OptimisticTransactionOptions options;
    options.set_snapshot = with_snapshot;
    const std::unique_ptr<Transaction> txn(
        transactions_->BeginTransaction(WriteOptions(), options));
    const int from = static_cast<int>(random->Uniform(kAccounts));
    const int to = static_cast<int>(random->Uniform(kAccounts));
    for (const auto& [account, change] : {std::pair(from, -1), {to, 1}}) {
      std::string value;
      EXPECT_EQ(txn->GetForUpdate(ReadOptions(), Key(account), &value),
                Status::OK());
      EXPECT_EQ(
          txn->Put(Key(account), std::to_string(std::stoi(value) + change)),
          Status::OK());
    }
    const Status status = txn->Commit();
    EXPECT_TRUE(status.ok() || status.IsBusy()) << status;
    return status.ok();
  }

  OptimisticTransactionDB* transactions_ = nullptr;
};

TEST_F(OptimisticThreadsTest, SumsStayAndNoUpdateIsLost) {
  std::atomic<bool> stop{false};
  std::atomic<int> increments{0};
  std::vector<std::thread> threads;
  const int rounds = Rounds(400);
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      Random random(static_cast<uint64_t>(t) + 1);
      for (int done = 0; done < rounds;) done += Transfer(&random, t % 2 == 0);
    });
    threads.emplace_back([&] {
      for (int done = 0; done < rounds;) {
        const std::unique_ptr<Transaction> txn(
            transactions_->BeginTransaction(WriteOptions()));
        std::string value;
        const Status read = txn->GetForUpdate(ReadOptions(), "n", &value);
        EXPECT_TRUE(read.ok() || read.IsNotFound()) << read;
        EXPECT_EQ(
            txn->Put("n", std::to_string(read.ok() ? std::stoi(value) + 1 : 1)),
            Status::OK());
        if (!txn->Commit().ok()) continue;
        ++done;
        ++increments;
      }
    });
  }
  std::thread others([&] {
    uint64_t round = 0;
    while (!stop) {
      EXPECT_EQ(db_->Put(WriteOptions(), "other" + std::to_string(round % 50),
                         Noise(500, round)),
                Status::OK());
      if (++round % 200 == 0) Flush();
      if (round % 1000 == 0) Compact(/*force=*/true);
    }
  });
  for (std::thread& thread : threads) thread.join();
  stop = true;
  others.join();
  int sum = 0;
  std::string value;
  for (int i = 0; i < kAccounts; ++i) {
    EXPECT_EQ(db_->Get(ReadOptions(), Key(i), &value), Status::OK());
    sum += std::stoi(value);
  }
  EXPECT_EQ(sum, kAccounts * kEach);
  EXPECT_EQ(db_->Get(ReadOptions(), "n", &value), Status::OK());
  EXPECT_EQ(std::stoi(value), increments.load());
}

}  // namespace
}  // namespace tamis
