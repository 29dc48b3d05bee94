// SPDX-License-Identifier: Apache-2.0
//
// Creates column families, opens with all of them, writes across them, drops.
#include <algorithm>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include <rocksdb/db.h>
#include <rocksdb/options.h>
#include <rocksdb/slice.h>

#include "program.h"

using namespace rocksdb;

namespace {

void List(const std::string& path) {
  std::vector<std::string> names;
  Check(DB::ListColumnFamilies(DBOptions(), path, &names));
  std::cout << "families:";
  for (const std::string& name : names) std::cout << " " << name;
  std::cout << "\n";
}

void Scan(DB* db, ColumnFamilyHandle* family) {
  std::unique_ptr<Iterator> it(db->NewIterator(ReadOptions(), family));
  std::cout << family->GetName() << " (" << family->GetID() << "):";
  for (it->SeekToFirst(); it->Valid(); it->Next()) {
    std::cout << " " << it->key().ToString() << "=" << it->value().ToString();
  }
  Check(it->status());
  std::cout << "\n";
}

}  // namespace

int main(int argc, char** argv) {
  const std::string path = DirectoryOf(argc, argv);
  Options options;
  options.create_if_missing = true;
  DB* db = nullptr;
  Check(DB::Open(options, path, &db));
  ColumnFamilyHandle* fresh = nullptr;
  Check(db->CreateColumnFamily(ColumnFamilyOptions(), "new_cf", &fresh));
  Check(db->Put(WriteOptions(), fresh, "early", "bird"));
  ColumnFamilyHandle* again = nullptr;
  std::cout << "created again: "
            << db->CreateColumnFamily(ColumnFamilyOptions(), "new_cf", &again)
                   .IsInvalidArgument()
            << "\n";
  Check(db->DestroyColumnFamilyHandle(fresh));
  delete db;
  List(path);

  Status s = DB::Open(options, path, &db);
  std::cout << "without new_cf: " << s.IsInvalidArgument() << "\n";

  ColumnFamilyOptions reversed;
  reversed.comparator = ReverseBytewiseComparator();
  std::vector<ColumnFamilyDescriptor> families;
  families.push_back(
      ColumnFamilyDescriptor(kDefaultColumnFamilyName, ColumnFamilyOptions()));
  families.push_back(ColumnFamilyDescriptor("new_cf", ColumnFamilyOptions()));
  families.push_back(ColumnFamilyDescriptor("reversed", reversed));
  std::vector<ColumnFamilyHandle*> handles;
  DBOptions db_options;
  db_options.create_missing_column_families = true;
  Check(DB::Open(db_options, path, families, &handles, &db));
  std::cout << handles.size() << " handles, default is "
            << handles[0]->GetName() << "\n";

  Check(db->Put(WriteOptions(), handles[1], Slice("key"), Slice("value")));
  std::string value;
  Check(db->Get(ReadOptions(), handles[1], Slice("key"), &value));
  std::cout << "key = " << value << "\n";
  WriteBatch batch;
  batch.Put(handles[0], Slice("key2"), Slice("value2"));
  batch.Put(handles[1], Slice("key3"), Slice("value3"));
  batch.Delete(handles[0], Slice("key"));
  for (const char* key : {"a", "b", "c"}) batch.Put(handles[2], key, "v");
  Check(db->Write(WriteOptions(), &batch));
  for (ColumnFamilyHandle* handle : handles) Scan(db, handle);

  std::vector<Iterator*> iterators;
  Check(db->NewIterators(ReadOptions(), handles, &iterators));
  for (Iterator* it : iterators) {
    it->SeekToLast();
    std::cout << "last " << it->key().ToString() << "\n";
    delete it;
  }
  Check(db->Flush(FlushOptions(), handles));

  Check(db->DropColumnFamily(handles[1]));
  Check(db->Get(ReadOptions(), handles[1], "key3", &value));
  std::cout << "dropped, still readable: " << value << "\n";
  s = db->Put(WriteOptions(), handles[1], "key4", "value4");
  std::cout << "write to it: " << s.ok() << "\n";
  for (ColumnFamilyHandle* handle : handles) {
    Check(db->DestroyColumnFamilyHandle(handle));
  }
  delete db;
  List(path);
  return 0;
}
