// SPDX-License-Identifier: Apache-2.0
//
// A process with transactions forks. They remain the parent's: in the child,
// calls are refused and nothing hangs, also if a thread of the parent held a
// lock of the library at that moment.
#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/utilities/optimistic_transaction_db.h"
#include "tamis/utilities/transaction_db.h"

#include "tests/process/child.h"
#include "tests/support/directories.h"
#include "tests/support/effort.h"

namespace tamis::process {
namespace {

// Opens the one kind of database or the other.
std::unique_ptr<StackableDB> OpenKind(bool optimistic,
                                      const std::string& path) {
  Options options;
  options.create_if_missing = true;
  if (optimistic) {
    OptimisticTransactionDB* db = nullptr;
    EXPECT_EQ(OptimisticTransactionDB::Open(options, path, &db), Status::OK());
    return std::unique_ptr<StackableDB>(db);
  }
  TransactionDB* db = nullptr;
  EXPECT_EQ(TransactionDB::Open(options, TransactionDBOptions(), path, &db),
            Status::OK());
  return std::unique_ptr<StackableDB>(db);
}

Transaction* BeginIn(StackableDB* db) {
  if (auto* const optimistic = dynamic_cast<OptimisticTransactionDB*>(db)) {
    return optimistic->BeginTransaction(WriteOptions());
  }
  return dynamic_cast<TransactionDB*>(db)->BeginTransaction(WriteOptions());
}

class TransactionForkTest : public ::testing::TestWithParam<bool> {
 protected:
  const TemporaryDirectory temporary_;
  const std::unique_ptr<StackableDB> db_ =
      OpenKind(GetParam(), temporary_.Path("db"));
};

INSTANTIATE_TEST_SUITE_P(Kinds, TransactionForkTest, testing::Bool(),
                         [](const auto& kind) {
                           return kind.param ? "Optimistic" : "Pessimistic";
                         });

TEST_P(TransactionForkTest, EveryCallIsRefusedInTheChild) {
  std::unique_ptr<Transaction> txn(BeginIn(db_.get()));
  ASSERT_EQ(txn->Put("a", "1"), Status::OK());
  const int code = RunChild([&] {
    const auto refused = [](const Status& status, const char* call) {
      Require(status.IsNotSupported(),
              std::string(call) + ": " + status.ToString());
    };
    std::string value;
    refused(txn->Put("b", "1"), "Put");
    refused(txn->GetForUpdate(ReadOptions(), "c", &value), "GetForUpdate");
    refused(txn->Get(ReadOptions(), "c", &value), "Get");
    refused(txn->Commit(), "Commit");
    refused(db_->Put(WriteOptions(), "d", "1"), "a plain Put");
    txn->SetSnapshot();
    Require(txn->GetSnapshot() == nullptr, "a snapshot");
    refused(txn->Put("b", "1"), "Put after SetSnapshot");
    const std::unique_ptr<Transaction> fresh(BeginIn(db_.get()));
    refused(fresh->Put("b", "1"), "Put of a new one");
    txn.reset();
    return 0;
  });
  EXPECT_EQ(code, 0);
  EXPECT_EQ(txn->Put("b", "2"), Status::OK());
  EXPECT_EQ(txn->Commit(), Status::OK());
  std::string value;
  EXPECT_EQ(db_->Get(ReadOptions(), "b", &value), Status::OK());
  EXPECT_EQ(value, "2");
}

TEST_P(TransactionForkTest, ChildrenEndWhileThreadsUseTransactions) {
  std::atomic<bool> stop{false};
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([&, t] {
      while (!stop) {
        const std::unique_ptr<Transaction> txn(BeginIn(db_.get()));
        EXPECT_EQ(txn->Put("key" + std::to_string(t), "1"), Status::OK());
        EXPECT_EQ(txn->Commit(), Status::OK());
      }
    });
  }
  std::unique_ptr<Transaction> inherited(BeginIn(db_.get()));
  ASSERT_EQ(inherited->Put("a", "1"), Status::OK());
  for (int i = 0; i < Rounds(50); ++i) {
    const int code = RunChild([&] {
      Require(!inherited->Put("b", "1").ok(), "Put");
      inherited.reset();
      return 0;
    });
    EXPECT_EQ(code, 0);
  }
  stop = true;
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(inherited->Commit(), Status::OK());
}

}  // namespace
}  // namespace tamis::process
