// SPDX-License-Identifier: Apache-2.0
//
// A database with a time to live, and the bytes that it stores.
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include <rocksdb/db.h>
#include <rocksdb/options.h>
#include <rocksdb/utilities/db_ttl.h>

#include "program.h"

using ROCKSDB_NAMESPACE::ColumnFamilyDescriptor;
using ROCKSDB_NAMESPACE::ColumnFamilyHandle;
using ROCKSDB_NAMESPACE::ColumnFamilyOptions;
using ROCKSDB_NAMESPACE::DB;
using ROCKSDB_NAMESPACE::DBOptions;
using ROCKSDB_NAMESPACE::DBWithTTL;
using ROCKSDB_NAMESPACE::Iterator;
using ROCKSDB_NAMESPACE::Options;
using ROCKSDB_NAMESPACE::ReadOptions;
using ROCKSDB_NAMESPACE::WriteBatch;
using ROCKSDB_NAMESPACE::WriteOptions;

int main(int argc, char** argv) {
  const std::string path = DirectoryOf(argc, argv);
  Options options;
  options.create_if_missing = true;
  DBWithTTL* opened = nullptr;
  Check(DBWithTTL::Open(options, path, &opened, /*ttl=*/1000));
  std::unique_ptr<DBWithTTL> db(opened);
  Check(db->Put(WriteOptions(), "a", "1"));
  WriteBatch batch;
  Check(batch.Put("b", "2"));
  Check(batch.Delete("a"));
  Check(db->Write(WriteOptions(), &batch));
  ColumnFamilyHandle* family = nullptr;
  Check(db->CreateColumnFamilyWithTtl(options, "family", &family, 10));
  Check(db->Put(WriteOptions(), family, "c", "3"));
  std::string value;
  std::cout << db->Get(ReadOptions(), "a", &value).ToString() << "\n";
  Check(db->Get(ReadOptions(), "b", &value));
  std::cout << value << "\n";
  Check(db->Get(ReadOptions(), family, "c", &value));
  std::cout << value << "\n";
  db->SetTtl(5);
  db->SetTtl(family, 5);
  Check(db->DestroyColumnFamilyHandle(family));
  db.reset();

  std::vector<ColumnFamilyHandle*> handles;
  Check(DBWithTTL::Open(DBOptions(options), path,
                        {ColumnFamilyDescriptor("default", options),
                         ColumnFamilyDescriptor("family", options)},
                        &handles, &opened, {100, 100}));
  db.reset(opened);
  {
    const std::unique_ptr<Iterator> iterator(
        db->NewIterator(ReadOptions(), handles[1]));
    for (iterator->SeekToFirst(); iterator->Valid(); iterator->Next()) {
      std::cout << iterator->key().ToString() << "="
                << iterator->value().ToString() << "\n";
    }
  }
  for (ColumnFamilyHandle* handle : handles) {
    Check(db->DestroyColumnFamilyHandle(handle));
  }
  db.reset();

  // Without the time to live, each value has its time behind it.
  DB* plain = nullptr;
  Check(DB::Open(DBOptions(options), path,
                 {ColumnFamilyDescriptor("default", options),
                  ColumnFamilyDescriptor("family", options)},
                 &handles, &plain));
  const std::unique_ptr<DB> reopened(plain);
  Check(reopened->Get(ReadOptions(), "b", &value));
  std::cout << value.size() << " bytes\n";
  for (ColumnFamilyHandle* handle : handles) {
    Check(reopened->DestroyColumnFamilyHandle(handle));
  }
  return 0;
}
