// SPDX-License-Identifier: Apache-2.0
//
// One change in two databases, by two-phase commit: both prepare, then the
// decision is written down, then both commit. The program "crashes" in between;
// when it starts again, it ends what was left as it was decided.
// Run: two_databases DIRECTORY
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include <tamis/utilities/transaction_db.h>

static void Check(const tamis::Status& status) {
  if (status.ok()) return;
  std::cerr << status.ToString() << "\n";
  std::exit(1);
}

using Database = std::unique_ptr<tamis::TransactionDB>;

static Database Open(const std::string& directory) {
  tamis::Options options;
  options.create_if_missing = true;
  tamis::TransactionDB* db = nullptr;
  Check(tamis::TransactionDB::Open(options, {}, directory, &db));
  return Database(db);
}

static std::string Read(tamis::DB* db, const char* key) {
  std::string value;
  const tamis::Status status = db->Get({}, key, &value);
  return status.ok() ? value : status.ToString();
}

// Ends each transaction that was left prepared: commits it if the coordinator
// has written so.
static void Recover(tamis::DB* coordinator, tamis::TransactionDB* db) {
  std::vector<tamis::Transaction*> prepared;
  db->GetAllPreparedTransactions(&prepared);
  for (tamis::Transaction* one : prepared) {
    const std::unique_ptr<tamis::Transaction> txn(one);
    const bool commit = Read(coordinator, txn->GetName().c_str()) == "commit";
    std::cout << txn->GetName() << " is "
              << (commit ? "committed" : "rolled back") << "\n";
    Check(commit ? txn->Commit() : txn->Rollback());
  }
}

int main(int argc, char** argv) {
  const std::string directory = argc > 1 ? argv[1] : "two_databases_db";
  std::filesystem::remove_all(directory);
  std::filesystem::create_directories(directory);
  {
    // The first database also has the coordinator's decisions.
    const Database here = Open(directory + "/here");
    const Database there = Open(directory + "/there");
    tamis::WriteOptions durable;
    durable.sync = true;
    for (const std::string name : {"one", "two"}) {
      for (tamis::TransactionDB* db : {here.get(), there.get()}) {
        const std::unique_ptr<tamis::Transaction> txn(
            db->BeginTransaction(durable));
        Check(txn->SetName(name));
        Check(txn->Put("key of " + name, "written"));
        Check(txn->Prepare());
      }
      // Both are prepared, so that nothing can go wrong with a commit any more.
      // The crash comes before the decision about the second is written.
      if (name == "one") Check(here->Put(durable, name, "commit"));
    }
    std::cout << "before: " << Read(here.get(), "key of one") << "\n";
  }
  const Database here = Open(directory + "/here");
  const Database there = Open(directory + "/there");
  Recover(here.get(), here.get());
  Recover(here.get(), there.get());
  for (tamis::TransactionDB* db : {here.get(), there.get()}) {
    std::cout << "after: " << Read(db, "key of one") << ", "
              << Read(db, "key of two") << "\n";
  }
}
