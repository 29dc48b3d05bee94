// SPDX-License-Identifier: Apache-2.0
//
// Transactions with locks: commits, locked keys, snapshots, save points.
#include <iostream>
#include <memory>
#include <string>

#include <rocksdb/options.h>
#include <rocksdb/slice.h>
#include <rocksdb/utilities/transaction.h>
#include <rocksdb/utilities/transaction_db.h>

#include "program.h"

using ROCKSDB_NAMESPACE::Options;
using ROCKSDB_NAMESPACE::ReadOptions;
using ROCKSDB_NAMESPACE::Status;
using ROCKSDB_NAMESPACE::Transaction;
using ROCKSDB_NAMESPACE::TransactionDB;
using ROCKSDB_NAMESPACE::TransactionDBOptions;
using ROCKSDB_NAMESPACE::TransactionOptions;
using ROCKSDB_NAMESPACE::WriteOptions;

void Print(const char* what, const Status& status, const std::string& value) {
  std::cout << what << ": " << status.ToString();
  if (status.ok()) std::cout << " " << value;
  std::cout << "\n";
}

int main(int argc, char** argv) {
  const std::string path = DirectoryOf(argc, argv);
  Options options;
  options.create_if_missing = true;
  TransactionDBOptions txn_db_options;
  txn_db_options.default_lock_timeout = 1;
  TransactionDB* opened = nullptr;
  Check(TransactionDB::Open(options, txn_db_options, path, &opened));
  const std::unique_ptr<TransactionDB> db(opened);
  const WriteOptions write;
  const ReadOptions read;
  std::string value;

  // A key that a transaction has changed is locked.
  std::unique_ptr<Transaction> txn(db->BeginTransaction(write));
  Print("absent", txn->Get(read, "abc", &value), value);
  Check(txn->Put("abc", "def"));
  Print("outside", db->Get(read, "abc", &value), value);
  Check(db->Put(write, "xyz", "zzz"));
  Print("locked", db->Put(write, "abc", "uvw"), "");
  Print("commit", txn->Commit(), "");
  Print("outside, committed", db->Get(read, "abc", &value), value);
  Print("unlocked", db->Put(write, "abc", "uvw"), "");

  // A change after the snapshot.
  TransactionOptions txn_options;
  txn_options.set_snapshot = true;
  txn_options.lock_timeout = 1;
  txn.reset(db->BeginTransaction(write, txn_options));
  Check(db->Put(write, "abc", "xyz"));
  ReadOptions at_snapshot;
  at_snapshot.snapshot = txn->GetSnapshot();
  Print("read conflict", txn->GetForUpdate(at_snapshot, "abc", &value), value);
  Print("rollback", txn->Rollback(), "");

  // Two transactions, and shared locks.
  txn.reset(db->BeginTransaction(write, txn_options));
  std::unique_ptr<Transaction> other(db->BeginTransaction(write, txn_options));
  Print("shared", txn->GetForUpdate(read, "s", &value, /*exclusive=*/false),
        value);
  Print("shared too", other->GetForUpdate(read, "s", &value, false), value);
  Print("not alone", txn->Put("s", "1"), "");
  other->UndoGetForUpdate("s");
  Print("alone", txn->Put("s", "1"), "");
  Print("not shared", other->GetForUpdate(read, "s", &value, false), value);

  // Save points give locks back.
  txn->SetSavePoint();
  Check(txn->Put("t", "1"));
  Print("held", other->Put("t", "2"), "");
  Check(txn->RollbackToSavePoint());
  Print("given back", other->Put("t", "2"), "");
  Check(other->Commit());
  Check(txn->Commit());
  Print("s", db->Get(read, "s", &value), value);
  Print("t", db->Get(read, "t", &value), value);

  // Names and states.
  txn.reset(db->BeginTransaction(write));
  Print("no name", txn->SetName(""), "");
  Print("name", txn->SetName("one"), "");
  Print("second name", txn->SetName("two"), "");
  std::cout << (db->GetTransactionByName("one") == txn.get()) << "\n";
  Print("commit", txn->Commit(), "");
  Print("commit again", txn->Commit(), "");
  Print("rollback", txn->Rollback(), "");
  std::cout << txn->GetState() << "\n";
  return 0;
}
