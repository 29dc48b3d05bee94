// SPDX-License-Identifier: Apache-2.0
//
// Users by id, and an index of them by mail address, in two column families of
// one database: a batch changes both, or neither. Run: column_families
// DIRECTORY
#include <cstdlib>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include <tamis/db.h>

static void Check(const tamis::Status& status) {
  if (status.ok()) return;
  std::cerr << status.ToString() << "\n";
  std::exit(1);
}

int main(int argc, char** argv) {
  const std::string directory = argc > 1 ? argv[1] : "column_families_db";
  tamis::Options options;
  options.create_if_missing = true;
  options.create_missing_column_families = true;
  Check(tamis::DestroyDB(directory, options));

  // An open names all families. Each has options of its own.
  tamis::ColumnFamilyOptions of_index;
  of_index.compression = tamis::kNoCompression;
  std::vector<tamis::ColumnFamilyHandle*> handles;
  std::unique_ptr<tamis::DB> db;
  Check(tamis::DB::Open(
      options, directory,
      {{tamis::kDefaultColumnFamilyName, options}, {"by_mail", of_index}},
      &handles, &db));
  tamis::ColumnFamilyHandle* const users = handles[0];
  tamis::ColumnFamilyHandle* const by_mail = handles[1];

  tamis::WriteBatch add;
  Check(add.Put(users, "17", "Ada"));
  Check(add.Put(by_mail, "ada@example.org", "17"));
  Check(db->Write({.sync = true}, &add));

  std::string id;
  std::string name;
  Check(db->Get({}, by_mail, "ada@example.org", &id));
  Check(db->Get({}, users, id, &name));
  std::cout << "ada@example.org is " << name << "\n";

  tamis::WriteBatch move;
  Check(move.Delete(by_mail, "ada@example.org"));
  Check(move.Put(by_mail, "ada@example.com", "17"));
  Check(db->Write({.sync = true}, &move));
  std::cout << "the old address: "
            << db->Get({}, by_mail, "ada@example.org", &id).ToString() << "\n";

  // Handles go before their database.
  for (tamis::ColumnFamilyHandle* handle : handles) {
    Check(db->DestroyColumnFamilyHandle(handle));
  }
  std::vector<std::string> names;
  Check(db->Close());
  Check(tamis::DB::ListColumnFamilies(options, directory, &names));
  for (const std::string& one : names) std::cout << "family " << one << "\n";
}
