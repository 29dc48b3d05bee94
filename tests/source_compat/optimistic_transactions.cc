// SPDX-License-Identifier: Apache-2.0
//
// Optimistic transactions: commits, conflicts, snapshots, save points.
#include <iostream>
#include <memory>
#include <string>

#include <rocksdb/db.h>
#include <rocksdb/options.h>
#include <rocksdb/slice.h>
#include <rocksdb/utilities/optimistic_transaction_db.h>
#include <rocksdb/utilities/transaction.h>

#include "program.h"

using ROCKSDB_NAMESPACE::DB;
using ROCKSDB_NAMESPACE::Iterator;
using ROCKSDB_NAMESPACE::OptimisticTransactionDB;
using ROCKSDB_NAMESPACE::OptimisticTransactionOptions;
using ROCKSDB_NAMESPACE::Options;
using ROCKSDB_NAMESPACE::ReadOptions;
using ROCKSDB_NAMESPACE::Status;
using ROCKSDB_NAMESPACE::Transaction;
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
  OptimisticTransactionDB* opened = nullptr;
  Check(OptimisticTransactionDB::Open(options, path, &opened));
  const std::unique_ptr<OptimisticTransactionDB> txn_db(opened);
  DB* const db = txn_db->GetBaseDB();
  const WriteOptions write;
  const ReadOptions read;
  std::string value;

  // Reads what it has changed; others do not until it commits.
  std::unique_ptr<Transaction> txn(txn_db->BeginTransaction(write));
  Print("absent", txn->Get(read, "abc", &value), value);
  Check(txn->Put("abc", "def"));
  Print("own", txn->Get(read, "abc", &value), value);
  Print("outside", db->Get(read, "abc", &value), value);
  Check(db->Put(write, "xyz", "zzz"));
  Print("outside, own key", db->Get(read, "xyz", &value), value);
  Print("commit", txn->Commit(), "");
  Print("outside, committed", db->Get(read, "abc", &value), value);

  // A write outside to a key that it has changed.
  txn.reset(txn_db->BeginTransaction(write));
  Check(txn->Put("abc", "ghi"));
  Check(db->Put(write, "abc", "jkl"));
  Print("conflict", txn->Commit(), "");
  Check(txn->Rollback());
  Print("after conflict", db->Get(read, "abc", &value), value);

  // A write before the transaction touches the key, but after its snapshot.
  OptimisticTransactionOptions txn_options;
  txn_options.set_snapshot = true;
  txn.reset(txn_db->BeginTransaction(write, txn_options));
  const auto* const snapshot = txn->GetSnapshot();
  Check(db->Put(write, "abc", "xyz"));
  ReadOptions at_snapshot;
  at_snapshot.snapshot = snapshot;
  Print("at the snapshot", txn->GetForUpdate(at_snapshot, "abc", &value),
        value);
  Print("now", txn->Get(read, "abc", &value), value);
  Print("read conflict", txn->Commit(), "");
  txn.reset();

  // Snapshots taken anew, so that each step sees what others have written.
  txn.reset(txn_db->BeginTransaction(write, txn_options));
  at_snapshot.snapshot = db->GetSnapshot();
  Print("step 1", txn->Get(at_snapshot, "x", &value), value);
  Check(txn->Put("x", "x"));
  Print("outside step 1", db->Get(read, "x", &value), value);
  Check(db->Put(write, "y", "z"));
  db->ReleaseSnapshot(at_snapshot.snapshot);
  txn->SetSnapshot();
  at_snapshot.snapshot = txn->GetSnapshot();
  Print("step 2", txn->GetForUpdate(at_snapshot, "y", &value), value);
  Check(txn->Put("y", "y"));
  Print("commit of both", txn->Commit(), "");
  txn->ClearSnapshot();
  Print("x", db->Get(read, "x", &value), value);
  Print("y", db->Get(read, "y", &value), value);

  // Save points, and an iterator over what would be written.
  txn.reset(txn_db->BeginTransaction(write));
  Check(txn->Put("a", "1"));
  txn->SetSavePoint();
  Check(txn->Put("b", "2"));
  Check(txn->Delete("x"));
  std::cout << txn->GetNumKeys() << " keys, " << txn->GetNumPuts() << " puts, "
            << txn->GetNumDeletes() << " deletes\n";
  const auto show = [&] {
    const std::unique_ptr<Iterator> iterator(txn->GetIterator(read));
    for (iterator->SeekToFirst(); iterator->Valid(); iterator->Next()) {
      std::cout << " " << iterator->key().ToString() << "="
                << iterator->value().ToString();
    }
    Check(iterator->status());
    std::cout << "\n";
  };
  show();
  Print("rollback", txn->RollbackToSavePoint(), "");
  Print("no save point", txn->RollbackToSavePoint(), "");
  std::cout << txn->GetNumKeys() << " keys, " << txn->GetNumPuts() << " puts, "
            << txn->GetNumDeletes() << " deletes\n";
  show();
  Print("commit", txn->Commit(), "");
  Print("name", txn->SetName("name"), "");
  txn.reset();
  return 0;
}
