// SPDX-License-Identifier: Apache-2.0
//
// A program for RocksDB.
#include <iostream>
#include <string>

#include <rocksdb/db.h>
#include <rocksdb/options.h>

#if ROCKSDB_MAJOR < 8
#error "the headers do not say which RocksDB they follow"
#endif

int main() {
  rocksdb::Options options;
  options.create_if_missing = true;
  options.env = rocksdb::Env::Default();
  rocksdb::DB* db = nullptr;
  rocksdb::Status status = rocksdb::DB::Open(options, "db", &db);
  if (!status.ok()) return 1;
  status = db->Put(rocksdb::WriteOptions(), "fruit", "green");
  std::string value;
  status = db->Get(rocksdb::ReadOptions(), "fruit", &value);
  std::cout << "fruit: " << value << "\n";
  delete db;
  return status.ok() ? 0 : 1;
}
