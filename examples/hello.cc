// SPDX-License-Identifier: Apache-2.0
//
// Opens a database, changes it, and reads it. Run: hello DIRECTORY
#include <cstdlib>
#include <iostream>
#include <memory>
#include <string>

#include <tamis/db.h>

// Ends the program at the first error. A Status says what failed and where.
static void Check(const tamis::Status& status) {
  if (status.ok()) return;
  std::cerr << status.ToString() << "\n";
  std::exit(1);
}

int main(int argc, char** argv) {
  const std::string directory = argc > 1 ? argv[1] : "hello_db";
  tamis::Options options;
  options.create_if_missing = true;
  Check(tamis::DestroyDB(directory, options));

  std::unique_ptr<tamis::DB> db;
  Check(tamis::DB::Open(options, directory, &db));

  Check(db->Put({}, "apple", "green"));
  // With sync, the write survives a power cut once it returns.
  Check(db->Put({.sync = true}, "banana", "yellow"));

  std::string value;
  Check(db->Get({}, "apple", &value));
  std::cout << "apple is " << value << "\n";
  if (db->Get({}, "cherry", &value).IsNotFound()) {
    std::cout << "there is no cherry\n";
  }

  // All changes of a batch take effect, or none.
  tamis::WriteBatch batch;
  Check(batch.Put("cherry", "red"));
  Check(batch.Put("apple", "red"));
  Check(batch.Delete("banana"));
  Check(db->Write({}, &batch));

  const std::unique_ptr<tamis::Iterator> it(db->NewIterator({}));
  for (it->SeekToFirst(); it->Valid(); it->Next()) {
    std::cout << it->key() << " = " << it->value() << "\n";
  }
  Check(it->status());  // a loop that ends by an error ends like one at the end
}
