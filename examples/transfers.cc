// SPDX-License-Identifier: Apache-2.0
//
// Transfers between accounts, as transactions that lock what they read and
// change. One of two that want the same account waits, and gives up here.
// Run: transfers DIRECTORY
#include <cstdlib>
#include <iostream>
#include <memory>
#include <string>

#include <tamis/utilities/transaction_db.h>

using tamis::Status;

static void Check(const Status& status) {
  if (status.ok()) return;
  std::cerr << status.ToString() << "\n";
  std::exit(1);
}

// Adds to a balance within the transaction. Returns InvalidArgument if the
// balance would be negative, TimedOut if another transaction has the account.
static Status Add(tamis::Transaction* txn, const std::string& account,
                  int amount) {
  std::string balance;
  Status status = txn->GetForUpdate({}, account, &balance);  // locks it
  if (!status.ok()) return status;
  const int sum = std::stoi(balance) + amount;
  if (sum < 0) return Status::InvalidArgument(account, "has " + balance);
  return txn->Put(account, std::to_string(sum));
}

static Status Transfer(tamis::TransactionDB* db, const std::string& from,
                       const std::string& to, int amount) {
  const std::unique_ptr<tamis::Transaction> txn(db->BeginTransaction({}));
  Status status = Add(txn.get(), from, -amount);
  if (status.ok()) status = Add(txn.get(), to, amount);
  if (status.ok()) status = txn->Commit();
  return status;  // without a Commit, nothing was written
}

int main(int argc, char** argv) {
  const std::string directory = argc > 1 ? argv[1] : "transfers_db";
  tamis::Options options;
  options.create_if_missing = true;
  Check(tamis::DestroyDB(directory, options));
  tamis::TransactionDBOptions locks;
  locks.transaction_lock_timeout = 10;  // milliseconds
  tamis::TransactionDB* opened = nullptr;
  Check(tamis::TransactionDB::Open(options, locks, directory, &opened));
  const std::unique_ptr<tamis::TransactionDB> db(opened);
  Check(db->Put({}, "ada", "100"));
  Check(db->Put({}, "bob", "0"));

  const auto show = [&](const char* what, const Status& status) {
    std::string ada;
    std::string bob;
    Check(db->Get({}, "ada", &ada));
    Check(db->Get({}, "bob", &bob));
    std::cout << what << ": " << status.ToString() << " (ada " << ada
              << ", bob " << bob << ")\n";
  };
  show("ada to bob, 70", Transfer(db.get(), "ada", "bob", 70));
  show("ada to bob, 70 more", Transfer(db.get(), "ada", "bob", 70));

  const std::unique_ptr<tamis::Transaction> slow(db->BeginTransaction({}));
  Check(Add(slow.get(), "bob", 5));
  show("meanwhile", Transfer(db.get(), "bob", "ada", 1));
  Check(slow->Commit());
  show("afterwards", Transfer(db.get(), "bob", "ada", 1));
}
