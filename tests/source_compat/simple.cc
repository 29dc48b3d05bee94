// SPDX-License-Identifier: Apache-2.0
//
// Opens, puts, gets, writes a batch, closes, destroys.
#include <iostream>
#include <string>

#include <rocksdb/db.h>
#include <rocksdb/options.h>
#include <rocksdb/slice.h>

#include "program.h"

using ROCKSDB_NAMESPACE::DB;
using ROCKSDB_NAMESPACE::Options;
using ROCKSDB_NAMESPACE::PinnableSlice;
using ROCKSDB_NAMESPACE::ReadOptions;
using ROCKSDB_NAMESPACE::Slice;
using ROCKSDB_NAMESPACE::Status;
using ROCKSDB_NAMESPACE::WriteBatch;
using ROCKSDB_NAMESPACE::WriteOptions;

int main(int argc, char** argv) {
  const std::string path = DirectoryOf(argc, argv);
  Options options;
  options.IncreaseParallelism();
  options.OptimizeLevelStyleCompaction();

  DB* db = nullptr;
  Status s = DB::Open(options, path, &db);
  std::cout << "without create_if_missing: " << s.IsInvalidArgument() << "\n";
  options.create_if_missing = true;
  Check(DB::Open(options, path, &db));

  Check(db->Put(WriteOptions(), "key1", "value"));
  std::string value;
  Check(db->Get(ReadOptions(), "key1", &value));
  std::cout << "key1 = " << value << "\n";

  {
    WriteBatch batch;
    batch.Delete("key1");
    batch.Put("key2", value);
    batch.Put("zero", Slice("\0\1", 2));
    Check(db->Write(WriteOptions(), &batch));
  }
  s = db->Get(ReadOptions(), "key1", &value);
  std::cout << "key1: " << s.ToString() << " " << s.IsNotFound() << "\n";

  PinnableSlice pinnable;
  Check(db->Get(ReadOptions(), db->DefaultColumnFamily(), "key2", &pinnable));
  std::cout << "key2 = " << pinnable.ToString() << (pinnable == "value")
            << "\n";
  pinnable.Reset();
  Check(db->Get(ReadOptions(), db->DefaultColumnFamily(), "zero", &pinnable));
  std::cout << "zero = " << pinnable.ToString(/*hex=*/true) << "\n";

  {
    std::string buffer;
    PinnableSlice into(&buffer);
    Check(db->Get(ReadOptions(), db->DefaultColumnFamily(), "key2", &into));
    if (!into.IsPinned()) std::cout << "buffer = " << *into.GetSelf() << "\n";
  }

  WriteOptions durable;
  durable.sync = true;
  Check(db->Put(durable, "key3", std::string(100000, 'x')));
  std::cout << "sequence " << db->GetLatestSequenceNumber() << "\n";
  std::cout << "name " << db->GetName() << "\n";
  DB* second = nullptr;
  s = DB::Open(options, path, &second);
  std::cout << "second open: " << s.IsIOError() << "\n";
  Check(db->Close());
  delete db;

  options.error_if_exists = true;
  s = DB::Open(options, path, &db);
  std::cout << "error_if_exists: " << s.IsInvalidArgument() << "\n";
  options.error_if_exists = false;
  Check(DB::Open(options, path, &db));
  Check(db->Get(ReadOptions(), "key3", &value));
  std::cout << "key3 has " << value.size() << " bytes\n";
  delete db;

  Check(DestroyDB(path, options));
  options.create_if_missing = false;
  s = DB::Open(options, path, &db);
  std::cout << "destroyed: " << !s.ok() << "\n";
  return 0;
}
