// SPDX-License-Identifier: Apache-2.0
//
// Random histories of prepared transactions with power failures. After each
// one, every transaction is all there, all gone or still prepared; which of
// these it may be follows from what was synced.
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/utilities/transaction_db.h"

#include "tests/db/test_db.h"
#include "tests/support/effort.h"
#include "util/base/random.h"

namespace tamis {
namespace {

constexpr char kSecondFamily[] = "second";

class TwoPhaseCrashTest : public DBTest,
                          public testing::WithParamInterface<uint64_t> {
 protected:
  enum class End : uint8_t { kNone, kCommit, kRollback };
  // What is known of a transaction, by its name, which is also its keys'.
  struct Known {
    bool prepare_is_durable = false;
    bool prepared = false;
    End end = End::kNone;
    bool end_is_durable = false;
    std::unique_ptr<Transaction> live;
  };

  ~TwoPhaseCrashTest() override { Close(); }

  void Close() {
    for (auto& [name, known] : known_) known.live.reset();
    for (ColumnFamilyHandle* handle : handles_) delete handle;
    handles_.clear();
    db_.reset();
  }
  void OpenTransactions() {
    options_.create_missing_column_families = true;
    options_.write_buffer_size = 64 << 10;
    TransactionDB* opened = nullptr;
    const Status status = TransactionDB::Open(
        options_, {.transaction_lock_timeout = 0}, kTestDirectory,
        {{kDefaultColumnFamilyName, options_}, {kSecondFamily, options_}},
        &handles_, &opened);
    ASSERT_TRUE(status.ok()) << status;
    db_.reset(opened);
    transactions_ = opened;
    ASSERT_NO_FATAL_FAILURE(CheckAll());
  }

  bool Has(const std::string& name, ColumnFamilyHandle* family) {
    std::string value;
    const Status status = db_->Get(ReadOptions(), family, name, &value);
    EXPECT_TRUE(status.ok() || status.IsNotFound()) << status;
    return status.ok();
  }

  // Compares the database with what is known, which afterwards is what is
  // found. Takes over the transactions that the open found.
  void CheckAll() {
    for (auto& [name, known] : known_) {
      SCOPED_TRACE(name);
      Transaction* const found = transactions_->GetTransactionByName(name);
      const bool committed = Has(name, handles_[0]);
      ASSERT_EQ(Has(name, handles_[1]), committed);  // all or nothing
      ASSERT_FALSE(committed && found != nullptr);
      const bool gone = !committed && found == nullptr;
      if (known.end_is_durable) {
        ASSERT_EQ(found, nullptr);
        ASSERT_EQ(committed, known.end == End::kCommit);
      } else if (known.prepare_is_durable) {
        ASSERT_TRUE(!gone || known.end == End::kRollback);
        ASSERT_TRUE(!committed || known.end == End::kCommit);
      } else if (!known.prepared) {
        ASSERT_TRUE(gone);
      }
      if (found != nullptr) {
        ASSERT_EQ(found->GetState(), Transaction::PREPARED);
        ASSERT_EQ(found->GetNumPuts(), 2U);
        known.live.reset(found);
        known.prepare_is_durable = true;  // the open has synced it
        known.end = End::kNone;
      } else {
        known.end = committed ? End::kCommit : End::kRollback;
        known.end_is_durable = true;  // in tables now
      }
    }
  }

  WriteOptions Options(bool sync) {
    WriteOptions options;
    options.sync = sync;
    return options;
  }
  // A sync makes all earlier records durable.
  void Synced() {
    for (auto& [name, known] : known_) {
      if (known.prepared) known.prepare_is_durable = true;
      if (known.end != End::kNone) known.end_is_durable = true;
    }
  }

  void Prepare(const std::string& name, bool sync) {
    Known& known = known_[name];
    known.live.reset(transactions_->BeginTransaction(Options(sync)));
    ASSERT_EQ(known.live->SetName(name), Status::OK());
    for (ColumnFamilyHandle* handle : handles_) {
      ASSERT_EQ(known.live->Put(handle, name, std::string(100, 'v')),
                Status::OK());
    }
    ASSERT_EQ(known.live->Prepare(), Status::OK());
    known.prepared = true;
    if (sync) Synced();
  }
  void EndOne(Random* random, bool sync) {
    std::vector<Known*> open;
    for (auto& [name, known] : known_) {
      if (known.live != nullptr) open.push_back(&known);
    }
    if (open.empty()) return;
    Known& known = *open[random->Uniform(open.size())];
    known.live->SetWriteOptions(Options(sync));
    const bool commit = random->OneIn(2);
    ASSERT_EQ(commit ? known.live->Commit() : known.live->Rollback(),
              Status::OK());
    known.end = commit ? End::kCommit : End::kRollback;
    known.live.reset();
    if (sync) Synced();
  }
  void Step(Random* random, int i) {
    const bool sync = random->OneIn(3);
    FlushOptions later;
    later.wait = false;
    switch (random->Uniform(10)) {
      case 0:
      case 1:
      case 2:
        return Prepare("t" + std::to_string(i), sync);
      case 3:
      case 4:
        return EndOne(random, sync);
      case 5:
        ASSERT_EQ(
            db_->Put(Options(sync), handles_[random->Uniform(handles_.size())],
                     Key(i), std::string(random->Uniform(5000), 'x')),
            Status::OK());
        if (sync) Synced();
        return;
      case 6:
        // A switch of memtables closes the log, which syncs it.
        ASSERT_EQ(db_->Flush(later, handles_[random->Uniform(2)]),
                  Status::OK());
        return;
      case 7:
        (void)runner_->RunOne();
        return;
      case 8:
        RunJobs();
        return;
      default:
        if (!random->OneIn(4)) return;
        if (random->OneIn(3)) {
          Close();  // and the log with it
          Synced();
        } else {
          fs_->CutPower();
          Close();
          fs_->Restart(random->Next());
        }
        OpenTransactions();
    }
  }

  std::vector<ColumnFamilyHandle*> handles_;
  TransactionDB* transactions_ = nullptr;
  std::map<std::string, Known> known_;
};

TEST_P(TwoPhaseCrashTest, NoTransactionIsTornOrLost) {
  Random random(GetParam());
  OpenTransactions();
  for (int i = 0; i < 150 && !HasFatalFailure(); ++i) Step(&random, i);
  if (HasFatalFailure()) return;
  Close();
  Synced();
  OpenTransactions();
}

INSTANTIATE_TEST_SUITE_P(Seeds, TwoPhaseCrashTest,
                         testing::Range<uint64_t>(0, SeedCount(300)));

}  // namespace
}  // namespace tamis
