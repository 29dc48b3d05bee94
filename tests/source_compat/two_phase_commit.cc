// SPDX-License-Identifier: Apache-2.0
//
// Two-phase commit: what is prepared, what a crash leaves of it, who ends it.
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include <rocksdb/options.h>
#include <rocksdb/utilities/transaction.h>
#include <rocksdb/utilities/transaction_db.h>
#include <rocksdb/write_batch.h>

#include "program.h"

using ROCKSDB_NAMESPACE::FlushOptions;
using ROCKSDB_NAMESPACE::Options;
using ROCKSDB_NAMESPACE::ReadOptions;
using ROCKSDB_NAMESPACE::Status;
using ROCKSDB_NAMESPACE::Transaction;
using ROCKSDB_NAMESPACE::TransactionDB;
using ROCKSDB_NAMESPACE::TransactionDBOptions;
using ROCKSDB_NAMESPACE::TransactionOptions;
using ROCKSDB_NAMESPACE::WriteBatch;
using ROCKSDB_NAMESPACE::WriteOptions;

namespace {

void Print(const std::string& what, const Status& status) {
  std::cout << what << ": " << status.ToString() << "\n";
}

class Program {
 public:
  explicit Program(std::string path) : path_(std::move(path)) {}
  void Run() {
    Open();
    States();
    PrepareThree();
    Reopen();
    Recovered();
    Reopen();
    std::cout << "prepared: " << Prepared().size() << "\n";
    Show("at the end");
  }

 private:
  void Open() {
    Options options;
    options.create_if_missing = true;
    TransactionDBOptions txn_db_options;
    txn_db_options.default_lock_timeout = 1;
    TransactionDB* opened = nullptr;
    Check(TransactionDB::Open(options, txn_db_options, path_, &opened));
    db_.reset(opened);
  }
  void Reopen() {
    db_.reset();
    Open();
  }
  std::unique_ptr<Transaction> Begin(const std::string& name) {
    std::unique_ptr<Transaction> txn(db_->BeginTransaction(WriteOptions()));
    Check(txn->SetName(name));
    return txn;
  }
  std::vector<Transaction*> Prepared() {
    std::vector<Transaction*> all;
    db_->GetAllPreparedTransactions(&all);
    return all;
  }
  void Show(const std::string& when) {
    std::cout << when << ":";
    for (const char* key : {"a", "b", "c", "d", "e", "f"}) {
      std::string value;
      const Status status = db_->Get(ReadOptions(), key, &value);
      std::cout << " " << key << "=" << (status.ok() ? value : "-");
    }
    std::cout << "\n";
  }

  void States() {
    TransactionOptions must_prepare;
    must_prepare.skip_prepare = false;
    std::unique_ptr<Transaction> txn(
        db_->BeginTransaction(WriteOptions(), must_prepare));
    Check(txn->Put("a", "1"));
    Print("commit, not prepared", txn->Commit());
    Print("prepare, no name", txn->Prepare());
    Check(txn->SetName("first"));
    Print("prepare", txn->Prepare());
    std::cout << "state " << txn->GetState() << "\n";
    Print("prepare again", txn->Prepare());
    Show("prepared");
    Print("locked", db_->Put(WriteOptions(), "a", "2"));
    Print("commit", txn->Commit());
    std::cout << "state " << txn->GetState() << "\n";
    Print("commit again", txn->Commit());
    Print("prepare, committed", txn->Prepare());
    Show("committed");

    txn = Begin("second");
    Check(txn->Put("b", "1"));
    Check(txn->Prepare());
    Print("rollback", txn->Rollback());
    std::cout << "state " << txn->GetState() << "\n";
    Print("rollback again", txn->Rollback());
    Print("commit, rolled back", txn->Commit());
    Show("rolled back");
    Print("unlocked", db_->Put(WriteOptions(), "b", "2"));

    txn = Begin("third");
    Check(txn->GetCommitTimeWriteBatch()->Put("f", "1"));
    Check(txn->Put("a", "3"));
    Print("commit-time batch, not prepared", txn->Commit());
    Check(txn->Prepare());
    Print("commit-time batch", txn->Commit());
    Show("with a commit-time batch");
  }

  void PrepareThree() {
    std::unique_ptr<Transaction> commits = Begin("commits");
    Check(commits->Put("c", "1"));
    Check(commits->Delete("a"));
    Check(commits->Prepare());
    Check(Begin("unprepared")->Put("d", "1"));
    Check(db_->Flush(FlushOptions()));
    std::unique_ptr<Transaction> rolls_back = Begin("rolls back");
    Check(rolls_back->Put("d", "1"));
    Check(rolls_back->Prepare());
    std::unique_ptr<Transaction> rebuilt = Begin("rebuilt");
    WriteBatch batch;
    Check(batch.Put("e", "1"));
    Check(batch.Delete("b"));
    Print("rebuild", rebuilt->RebuildFromWriteBatch(&batch));
    Check(rebuilt->Prepare());
    Show("three are prepared");
  }

  void Recovered() {
    Show("opened again");
    std::cout << "prepared: " << Prepared().size() << "\n";
    std::unique_ptr<Transaction> commits(db_->GetTransactionByName("commits"));
    std::cout << "state " << commits->GetState() << "\n";
    Print("name is taken", [&] {
      std::unique_ptr<Transaction> txn(db_->BeginTransaction(WriteOptions()));
      return txn->SetName("commits");
    }());
    std::string value;
    Print("reads its change", commits->Get(ReadOptions(), "c", &value));
    Print("commit", commits->Commit());
    std::unique_ptr<Transaction> rolls_back(
        db_->GetTransactionByName("rolls back"));
    Print("rollback", rolls_back->Rollback());
    Print("unlocked", db_->Put(WriteOptions(), "c", "2"));
    std::cout << "prepared: " << Prepared().size() << "\n";
    Check(std::unique_ptr<Transaction>(db_->GetTransactionByName("rebuilt"))
              ->Commit());
  }

  const std::string path_;
  std::unique_ptr<TransactionDB> db_;
};

}  // namespace

int main(int argc, char** argv) {
  Program(DirectoryOf(argc, argv)).Run();
  return 0;
}
