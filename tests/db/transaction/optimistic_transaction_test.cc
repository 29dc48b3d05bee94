// SPDX-License-Identifier: Apache-2.0
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/ingest_external_file.h"
#include "tamis/sst_file_writer.h"
#include "tamis/utilities/checkpoint.h"
#include "tamis/utilities/merge_operators.h"
#include "tamis/utilities/optimistic_transaction_db.h"
#include "tamis/utilities/write_batch_with_index.h"

#include "tests/db/test_db.h"

namespace tamis {
namespace {

class OptimisticTransactionTest : public DBTest {
 protected:
  OptimisticTransactionTest() {
    options_.merge_operator = MergeOperators::CreateStringAppendOperator();
  }
  ~OptimisticTransactionTest() override { txn_.reset(); }

  // Opens the database, which db_ then is.
  void OpenTransactions() {
    OptimisticTransactionDB* opened = nullptr;
    const Status status =
        OptimisticTransactionDB::Open(options_, kTestDirectory, &opened);
    ASSERT_TRUE(status.ok()) << status;
    db_.reset(opened);
    transactions_ = opened;
    ASSERT_NO_FATAL_FAILURE(Put("a", "0"));
    ASSERT_NO_FATAL_FAILURE(Put("b", "0"));
  }
  std::unique_ptr<Transaction> Begin(bool set_snapshot = false) {
    OptimisticTransactionOptions options;
    options.set_snapshot = set_snapshot;
    return std::unique_ptr<Transaction>(
        transactions_->BeginTransaction(WriteOptions(), options));
  }
  std::string GetOf(Transaction* txn, const Slice& key) {
    std::string value;
    const Status status = txn->Get(ReadOptions(), key, &value);
    return status.ok() ? value : status.ToString();
  }
  std::string Stored(const Slice& key) {
    std::string value;
    const Status status = db_->Get(ReadOptions(), key, &value);
    return status.ok() ? value : status.ToString();
  }

  OptimisticTransactionDB* transactions_ = nullptr;
  std::unique_ptr<Transaction> txn_;
};

TEST_F(OptimisticTransactionTest, CommitWritesAllAtOnce) {
  OpenTransactions();
  txn_ = Begin();
  ASSERT_EQ(txn_->Put("a", "1"), Status::OK());
  ASSERT_EQ(txn_->Merge("a", "2"), Status::OK());
  ASSERT_EQ(txn_->Delete("b"), Status::OK());
  ASSERT_EQ(txn_->Put("c", "3"), Status::OK());
  ASSERT_EQ(txn_->SingleDelete("c"), Status::OK());
  EXPECT_EQ(GetOf(txn_.get(), "a"), "1,2");
  EXPECT_EQ(GetOf(txn_.get(), "b"), "NotFound: ");
  EXPECT_EQ(Stored("a"), "0");
  EXPECT_EQ(txn_->GetNumKeys(), 3u);
  EXPECT_EQ(txn_->GetNumPuts(), 2u);
  EXPECT_EQ(txn_->GetNumDeletes(), 2u);
  EXPECT_EQ(txn_->GetNumMerges(), 1u);
  EXPECT_EQ(txn_->GetState(), Transaction::STARTED);
  EXPECT_EQ(txn_->Commit(), Status::OK());
  EXPECT_EQ(txn_->GetState(), Transaction::COMMITTED);
  EXPECT_EQ(Stored("a"), "1,2");
  EXPECT_EQ(Stored("b"), "NotFound: ");
  EXPECT_EQ(Stored("c"), "NotFound: ");
}

TEST_F(OptimisticTransactionTest, RollbackWritesNothing) {
  OpenTransactions();
  txn_ = Begin(/*set_snapshot=*/true);
  ASSERT_EQ(txn_->Put("a", "1"), Status::OK());
  EXPECT_EQ(txn_->Rollback(), Status::OK());
  EXPECT_EQ(txn_->GetState(), Transaction::STARTED);
  EXPECT_EQ(txn_->GetNumKeys(), 0u);
  EXPECT_EQ(txn_->GetSnapshot(), nullptr);
  EXPECT_EQ(GetOf(txn_.get(), "a"), "0");
  EXPECT_EQ(txn_->Commit(), Status::OK());
  EXPECT_EQ(Stored("a"), "0");
}

// What others may do to the key "a".
struct Other {
  const char* name;
  std::function<Status(DB*)> act;
};

class ConflictTest : public OptimisticTransactionTest,
                     public testing::WithParamInterface<Other> {};

INSTANTIATE_TEST_SUITE_P(
    Others, ConflictTest,
    testing::Values(
        Other{"Put", [](DB* db) { return db->Put({}, "a", "9"); }},
        Other{"Delete", [](DB* db) { return db->Delete({}, "a"); }},
        Other{"SingleDelete", [](DB* db) { return db->SingleDelete({}, "a"); }},
        Other{"Merge", [](DB* db) { return db->Merge({}, "a", "9"); }},
        Other{"DeleteRange",
              [](DB* db) { return db->DeleteRange({}, "Z", "aa"); }}),
    [](const auto& other) { return std::string(other.param.name); });

TEST_P(ConflictTest, AChangeOfATrackedKeyFailsCommit) {
  OpenTransactions();
  txn_ = Begin();
  ASSERT_EQ(txn_->Put("a", "1"), Status::OK());
  ASSERT_EQ(GetParam().act(db_.get()), Status::OK());
  const std::string after = Stored("a");
  EXPECT_TRUE(txn_->Commit().IsBusy());
  EXPECT_EQ(Stored("a"), after);
  EXPECT_EQ(txn_->Rollback(), Status::OK());
  ASSERT_EQ(txn_->Put("a", "1"), Status::OK());
  EXPECT_EQ(txn_->Commit(), Status::OK());
  EXPECT_EQ(Stored("a"), "1");
}

TEST_P(ConflictTest, ItIsFoundInATable) {
  OpenTransactions();
  txn_ = Begin();
  ASSERT_EQ(txn_->Put("a", "1"), Status::OK());
  ASSERT_EQ(GetParam().act(db_.get()), Status::OK());
  Flush();
  EXPECT_TRUE(txn_->Commit().IsBusy());
}

// Compaction would set sequence numbers to 0, and drop deletions.
TEST_P(ConflictTest, ItIsFoundAfterCompaction) {
  OpenTransactions();
  Flush();
  txn_ = Begin();
  ASSERT_EQ(txn_->Put("a", "1"), Status::OK());
  ASSERT_EQ(GetParam().act(db_.get()), Status::OK());
  Flush();
  Compact(/*force=*/true);
  Compact(/*force=*/true);
  EXPECT_TRUE(txn_->Commit().IsBusy());
}

TEST_P(ConflictTest, AKeyThatIsNotTrackedMayChange) {
  OpenTransactions();
  txn_ = Begin();
  EXPECT_EQ(GetOf(txn_.get(), "a"), "0");
  ASSERT_EQ(txn_->PutUntracked("a", "1"), Status::OK());
  ASSERT_EQ(txn_->Put("b", "1"), Status::OK());
  ASSERT_EQ(GetParam().act(db_.get()), Status::OK());
  EXPECT_EQ(txn_->GetNumKeys(), 1u);
  EXPECT_EQ(txn_->Commit(), Status::OK());
  EXPECT_EQ(Stored("a"), "1");
}

TEST_P(ConflictTest, AChangeBeforeTheKeyIsTrackedDoesNotCount) {
  OpenTransactions();
  txn_ = Begin();
  ASSERT_EQ(txn_->Put("b", "1"), Status::OK());
  ASSERT_EQ(GetParam().act(db_.get()), Status::OK());
  ASSERT_EQ(txn_->Put("a", "1"), Status::OK());
  Flush();
  Compact(/*force=*/true);
  EXPECT_EQ(txn_->Commit(), Status::OK());
}

TEST_P(ConflictTest, ItCountsSinceTheSnapshot) {
  OpenTransactions();
  txn_ = Begin(/*set_snapshot=*/true);
  ASSERT_EQ(GetParam().act(db_.get()), Status::OK());
  ASSERT_EQ(txn_->Put("a", "1"), Status::OK());
  EXPECT_TRUE(txn_->Commit().IsBusy());
  ASSERT_EQ(txn_->Rollback(), Status::OK());
  txn_->SetSnapshot();
  ASSERT_EQ(txn_->Put("a", "1"), Status::OK());
  EXPECT_EQ(txn_->Commit(), Status::OK());
}

TEST_P(ConflictTest, ATransactionConflictsWithAnother) {
  OpenTransactions();
  txn_ = Begin();
  const std::unique_ptr<Transaction> other = Begin();
  std::string value;
  ASSERT_EQ(txn_->GetForUpdate(ReadOptions(), "a", &value), Status::OK());
  EXPECT_EQ(value, "0");
  ASSERT_EQ(other->Put("a", "2"), Status::OK());
  ASSERT_EQ(other->Commit(), Status::OK());
  ASSERT_EQ(txn_->Put("b", "1"), Status::OK());
  EXPECT_TRUE(txn_->Commit().IsBusy());
  EXPECT_EQ(Stored("b"), "0");
}

TEST_F(OptimisticTransactionTest, IngestedKeysHaveChanged) {
  OpenTransactions();
  txn_ = Begin();
  ASSERT_EQ(txn_->Put("n", "1"), Status::OK());
  SstFileWriter writer(EnvOptions(), options_);
  ASSERT_EQ(writer.Open("/parent/new.sst"), Status::OK());
  ASSERT_EQ(writer.Put("n", "2"), Status::OK());
  ASSERT_EQ(writer.Finish(), Status::OK());
  ASSERT_EQ(db_->IngestExternalFile({"/parent/new.sst"}, {}), Status::OK());
  EXPECT_TRUE(txn_->Commit().IsBusy());
}

TEST_F(OptimisticTransactionTest, AKeyInATableThatOthersRewroteHasNotChanged) {
  OpenTransactions();
  Flush();
  txn_ = Begin();
  ASSERT_EQ(txn_->Put("a", "1"), Status::OK());
  for (int i = 0; i < 3; ++i) {
    Put("b", std::to_string(i));
    Flush();
  }
  Compact(/*force=*/true);
  EXPECT_EQ(txn_->Commit(), Status::OK());
}

TEST_F(OptimisticTransactionTest, AnUnreadableTableFailsCommitButLosesNothing) {
  options_.max_open_files = 1;
  OpenTransactions();
  txn_ = Begin();
  ASSERT_EQ(txn_->Put("a", "1"), Status::OK());
  for (int i = 0; i < 12; ++i) {
    Put("a", "9");
    Flush();
  }
  fs_->SetFaultHook([](const SimulatedFileSystem::Call& call) {
    return call.path.ends_with(".sst") && call.operation != "remove"
               ? Status::IOError(call.path, "injected")
               : Status::OK();
  });
  const Status failed = txn_->Commit();
  fs_->SetFaultHook(nullptr);
  EXPECT_FALSE(failed.ok());
  EXPECT_TRUE(txn_->Commit().IsBusy());
  EXPECT_EQ(db_->Put(WriteOptions(), "b", "still writable"), Status::OK());
}

TEST_F(OptimisticTransactionTest, SavePointsForgetKeysAndChanges) {
  OpenTransactions();
  txn_ = Begin();
  EXPECT_TRUE(txn_->RollbackToSavePoint().IsNotFound());
  EXPECT_TRUE(txn_->PopSavePoint().IsNotFound());
  ASSERT_EQ(txn_->Put("b", "1"), Status::OK());
  txn_->SetSavePoint();
  ASSERT_EQ(txn_->Put("a", "1"), Status::OK());
  ASSERT_EQ(txn_->Put("b", "2"), Status::OK());
  EXPECT_EQ(txn_->GetNumPuts(), 3u);
  ASSERT_EQ(txn_->RollbackToSavePoint(), Status::OK());
  EXPECT_EQ(txn_->GetNumPuts(), 1u);
  EXPECT_EQ(txn_->GetNumKeys(), 1u);
  EXPECT_EQ(GetOf(txn_.get(), "a"), "0");
  EXPECT_EQ(GetOf(txn_.get(), "b"), "1");
  Put("a", "9");  // no longer tracked
  txn_->SetSavePoint();
  ASSERT_EQ(txn_->Put("c", "3"), Status::OK());
  ASSERT_EQ(txn_->PopSavePoint(), Status::OK());
  EXPECT_EQ(txn_->Commit(), Status::OK());
  EXPECT_EQ(Stored("a"), "9");
  EXPECT_EQ(Stored("b"), "1");
  EXPECT_EQ(Stored("c"), "3");
}

TEST_F(OptimisticTransactionTest, ASavePointHasItsSnapshot) {
  OpenTransactions();
  txn_ = Begin(/*set_snapshot=*/true);
  const SequenceNumber first = txn_->GetSnapshot()->GetSequenceNumber();
  txn_->SetSavePoint();
  Put("a", "9");
  txn_->SetSnapshot();
  EXPECT_GT(txn_->GetSnapshot()->GetSequenceNumber(), first);
  ASSERT_EQ(txn_->Put("b", "1"), Status::OK());
  ASSERT_EQ(txn_->RollbackToSavePoint(), Status::OK());
  EXPECT_EQ(txn_->GetSnapshot()->GetSequenceNumber(), first);
  ASSERT_EQ(txn_->Put("a", "1"), Status::OK());
  txn_->ClearSnapshot();
  Flush();
  Compact(/*force=*/true);
  EXPECT_TRUE(txn_->Commit().IsBusy());
}

TEST_F(OptimisticTransactionTest, UndoGetForUpdateForgetsAKeyThatWasOnlyRead) {
  OpenTransactions();
  txn_ = Begin();
  std::string value;
  const auto track = [&](const Slice& key) {
    ASSERT_EQ(txn_->GetForUpdate(ReadOptions(), key, &value), Status::OK());
  };
  track("a");
  track("a");
  txn_->UndoGetForUpdate("a");
  EXPECT_EQ(txn_->GetNumKeys(), 1u);
  txn_->UndoGetForUpdate("a");
  EXPECT_EQ(txn_->GetNumKeys(), 0u);
  track("b");
  ASSERT_EQ(txn_->Put("b", "1"), Status::OK());
  txn_->UndoGetForUpdate("b");
  EXPECT_EQ(txn_->GetNumKeys(), 1u);
  track("a");
  txn_->SetSavePoint();
  txn_->UndoGetForUpdate("a");
  EXPECT_EQ(txn_->GetNumKeys(), 2u);
  Put("a", "9");
  EXPECT_TRUE(txn_->Commit().IsBusy());
}

TEST_F(OptimisticTransactionTest, AssumeTrackedNeedsATrackedKey) {
  OpenTransactions();
  txn_ = Begin();
  EXPECT_TRUE(txn_->Put(nullptr, "a", "1", /*assume_tracked=*/true)
                  .IsInvalidArgument());
  std::string value;
  ASSERT_EQ(txn_->GetForUpdate(ReadOptions(), "a", &value), Status::OK());
  EXPECT_EQ(txn_->Put(nullptr, "a", "1", /*assume_tracked=*/true),
            Status::OK());
  EXPECT_EQ(txn_->Commit(), Status::OK());
  EXPECT_EQ(Stored("a"), "1");
}

TEST_F(OptimisticTransactionTest,
       GetForUpdateWithoutValidationSkipsTheSnapshot) {
  OpenTransactions();
  txn_ = Begin(/*set_snapshot=*/true);
  Put("a", "9");
  std::string value;
  ReadOptions options;
  options.snapshot = txn_->GetSnapshot();
  EXPECT_TRUE(txn_->GetForUpdate(options, "a", &value, true, false)
                  .IsInvalidArgument());
  EXPECT_EQ(txn_->GetForUpdate(ReadOptions(), "a", &value, true, false),
            Status::OK());
  EXPECT_EQ(value, "9");
  EXPECT_EQ(txn_->Commit(), Status::OK());
}

class Notified : public TransactionNotifier {
 public:
  void SnapshotCreated(const Snapshot* snapshot) override {
    sequences.push_back(snapshot->GetSequenceNumber());
  }
  std::vector<SequenceNumber> sequences;
};

TEST_F(OptimisticTransactionTest, TheNextOperationTakesTheSnapshot) {
  OpenTransactions();
  txn_ = Begin();
  const auto notified = std::make_shared<Notified>();
  txn_->SetSnapshotOnNextOperation(notified);
  EXPECT_EQ(txn_->GetSnapshot(), nullptr);
  Put("a", "9");
  EXPECT_EQ(GetOf(txn_.get(), "a"), "9");
  EXPECT_EQ(txn_->GetSnapshot(), nullptr);
  ASSERT_EQ(txn_->Put("a", "1"), Status::OK());
  ASSERT_NE(txn_->GetSnapshot(), nullptr);
  EXPECT_EQ(notified->sequences,
            std::vector{txn_->GetSnapshot()->GetSequenceNumber()});
  ASSERT_EQ(txn_->Put("b", "1"), Status::OK());
  EXPECT_EQ(notified->sequences.size(), 1u);
  EXPECT_EQ(txn_->Commit(), Status::OK());
}

TEST_F(OptimisticTransactionTest, ReadsAtTheSnapshotSeeOwnChanges) {
  OpenTransactions();
  txn_ = Begin(/*set_snapshot=*/true);
  Put("a", "9");
  Put("c", "9");
  ASSERT_EQ(txn_->Put("b", "1"), Status::OK());
  ReadOptions options;
  options.snapshot = txn_->GetSnapshot();
  std::vector<std::string> values;
  const std::vector<Status> statuses =
      txn_->MultiGet(options, {"a", "b", "c"}, &values);
  EXPECT_EQ(statuses[0], Status::OK());
  EXPECT_EQ(values[0], "0");
  EXPECT_EQ(values[1], "1");
  EXPECT_TRUE(statuses[2].IsNotFound());
  std::string shown;
  const std::unique_ptr<Iterator> iterator(txn_->GetIterator(options));
  for (iterator->SeekToFirst(); iterator->Valid(); iterator->Next()) {
    shown += iterator->key().ToString() + iterator->value().ToString() + " ";
  }
  EXPECT_EQ(shown, "a0 b1 ");
}

TEST_F(OptimisticTransactionTest, WithoutIndexingChangesAreWrittenButNotRead) {
  OpenTransactions();
  txn_ = Begin();
  txn_->DisableIndexing();
  ASSERT_EQ(txn_->Put("a", "1"), Status::OK());
  txn_->EnableIndexing();
  ASSERT_EQ(txn_->Put("b", "1"), Status::OK());
  EXPECT_EQ(GetOf(txn_.get(), "a"), "0");
  EXPECT_EQ(GetOf(txn_.get(), "b"), "1");
  EXPECT_EQ(txn_->Commit(), Status::OK());
  EXPECT_EQ(Stored("a"), "1");
}

TEST_F(OptimisticTransactionTest, MultiGetForUpdateTracksAll) {
  OpenTransactions();
  txn_ = Begin();
  std::vector<std::string> values;
  const std::vector<Status> statuses =
      txn_->MultiGetForUpdate(ReadOptions(), {"a", "none"}, &values);
  EXPECT_EQ(statuses[0], Status::OK());
  EXPECT_TRUE(statuses[1].IsNotFound());
  EXPECT_EQ(txn_->GetNumKeys(), 2u);
  Put("none", "9");
  EXPECT_TRUE(txn_->Commit().IsBusy());
}

TEST_F(OptimisticTransactionTest, ATransactionIsUsedAgain) {
  OpenTransactions();
  txn_ = Begin();
  const TransactionID id = txn_->GetID();
  ASSERT_EQ(txn_->Put("a", "1"), Status::OK());
  EXPECT_EQ(transactions_->BeginTransaction(WriteOptions(), {}, txn_.get()),
            txn_.get());
  EXPECT_NE(txn_->GetID(), id);
  EXPECT_EQ(txn_->GetNumKeys(), 0u);
  Put("a", "9");
  ASSERT_EQ(txn_->Put("b", "1"), Status::OK());
  EXPECT_EQ(txn_->Commit(), Status::OK());
  EXPECT_EQ(Stored("a"), "9");
  EXPECT_EQ(Stored("b"), "1");
}

TEST_F(OptimisticTransactionTest, AHandleMayGoBeforeCommit) {
  OpenTransactions();
  ColumnFamilyHandle* handle = nullptr;
  ASSERT_EQ(db_->CreateColumnFamily(options_, "f", &handle), Status::OK());
  txn_ = Begin();
  ASSERT_EQ(txn_->Put(handle, "a", "1"), Status::OK());
  ASSERT_EQ(txn_->Put("b", "1"), Status::OK());
  ASSERT_EQ(db_->DestroyColumnFamilyHandle(handle), Status::OK());
  EXPECT_EQ(txn_->Commit(), Status::OK());
  EXPECT_EQ(Stored("b"), "1");
}

TEST_F(OptimisticTransactionTest, ADroppedFamilyFailsCommitAsAWhole) {
  OpenTransactions();
  ColumnFamilyHandle* handle = nullptr;
  ASSERT_EQ(db_->CreateColumnFamily(options_, "f", &handle), Status::OK());
  txn_ = Begin();
  ASSERT_EQ(txn_->Put(handle, "a", "1"), Status::OK());
  ASSERT_EQ(txn_->Put("b", "1"), Status::OK());
  ASSERT_EQ(db_->DropColumnFamily(handle), Status::OK());
  EXPECT_FALSE(txn_->Commit().ok());
  EXPECT_EQ(Stored("b"), "0");
  ASSERT_EQ(db_->DestroyColumnFamilyHandle(handle), Status::OK());
}

TEST_F(OptimisticTransactionTest, ATransactionHasNoNameAndWaitsForNone) {
  OpenTransactions();
  txn_ = Begin();
  EXPECT_TRUE(txn_->SetName("name").IsInvalidArgument());
  EXPECT_EQ(txn_->GetName(), "");
  EXPECT_TRUE(txn_->GetWaitingTxns(nullptr, nullptr).empty());
  clock_->SleepForMicroseconds(5000);
  EXPECT_EQ(txn_->GetElapsedTime(), 5u);
}

TEST_F(OptimisticTransactionTest, CommitIsDurable) {
  OpenTransactions();
  WriteOptions sync;
  sync.sync = true;
  txn_.reset(transactions_->BeginTransaction(sync));
  ASSERT_EQ(txn_->Put("a", "1"), Status::OK());
  EXPECT_EQ(txn_->Commit(), Status::OK());
  txn_.reset();
  fs_->CutPower();
  db_.reset();
  fs_->Restart(1, CrashStyle::kMixed);
  Open();
  EXPECT_EQ(Stored("a"), "1");
}

TEST_F(OptimisticTransactionTest, FamiliesAreOpened) {
  OpenTransactions();
  ColumnFamilyHandle* created = nullptr;
  ASSERT_EQ(db_->CreateColumnFamily(options_, "f", &created), Status::OK());
  ASSERT_EQ(db_->DestroyColumnFamilyHandle(created), Status::OK());
  db_.reset();
  OptimisticTransactionDB* opened = nullptr;
  std::vector<ColumnFamilyHandle*> handles;
  EXPECT_TRUE(OptimisticTransactionDB::Open(options_, kTestDirectory, &opened)
                  .IsInvalidArgument());
  EXPECT_EQ(opened, nullptr);
  ASSERT_EQ(OptimisticTransactionDB::Open(
                options_, OptimisticTransactionDBOptions(), kTestDirectory,
                {{kDefaultColumnFamilyName, options_}, {"f", options_}},
                &handles, &opened),
            Status::OK());
  db_.reset(opened);
  txn_.reset(opened->BeginTransaction(WriteOptions()));
  ASSERT_EQ(txn_->Put(handles[1], "k", "v"), Status::OK());
  EXPECT_EQ(txn_->Commit(), Status::OK());
  std::string value;
  EXPECT_EQ(db_->Get(ReadOptions(), handles[1], "k", &value), Status::OK());
  EXPECT_EQ(value, "v");
  for (ColumnFamilyHandle* handle : handles) {
    ASSERT_EQ(db_->DestroyColumnFamilyHandle(handle), Status::OK());
  }
}

// Calls that need the root find it.
TEST_F(OptimisticTransactionTest, ACheckpointIsMade) {
  OpenTransactions();
  EXPECT_NE(db_->GetRootDB(), db_.get());
  EXPECT_EQ(db_->GetRootDB(), transactions_->GetBaseDB());
  std::unique_ptr<Checkpoint> checkpoint;
  ASSERT_EQ(Checkpoint::Create(db_.get(), &checkpoint), Status::OK());
  EXPECT_EQ(checkpoint->CreateCheckpoint("/parent/copy"), Status::OK());
}

}  // namespace
}  // namespace tamis
