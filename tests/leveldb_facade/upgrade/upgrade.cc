// SPDX-License-Identifier: Apache-2.0
//
// Opens a database, prints all of it, and adds a number of keys.
#include <cstdlib>

#include "../program.h"

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  leveldb::Options options;
  options.create_if_missing = true;
  const std::unique_ptr<leveldb::DB> db = Open(options, argv[1]);
  PrintAll(db.get());
  for (int i = 0; i < std::atoi(argv[2]); ++i) {
    Check(db->Put(leveldb::WriteOptions(), Key(i), std::string(100, 'v')));
  }
  return 0;
}
