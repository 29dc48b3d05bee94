// SPDX-License-Identifier: Apache-2.0
//
// Batches with an index: entries in order, reads from batch and database.
#include <iostream>
#include <memory>
#include <string>

#include <rocksdb/comparator.h>
#include <rocksdb/db.h>
#include <rocksdb/iterator.h>
#include <rocksdb/options.h>
#include <rocksdb/utilities/write_batch_with_index.h>

#include "program.h"

using ROCKSDB_NAMESPACE::BytewiseComparator;
using ROCKSDB_NAMESPACE::DB;
using ROCKSDB_NAMESPACE::DBOptions;
using ROCKSDB_NAMESPACE::Iterator;
using ROCKSDB_NAMESPACE::Options;
using ROCKSDB_NAMESPACE::ReadOptions;
using ROCKSDB_NAMESPACE::Slice;
using ROCKSDB_NAMESPACE::Status;
using ROCKSDB_NAMESPACE::WBWIIterator;
using ROCKSDB_NAMESPACE::WriteBatchWithIndex;
using ROCKSDB_NAMESPACE::WriteOptions;

void PrintEntries(const WriteBatchWithIndex& batch) {
  const std::unique_ptr<WBWIIterator> entries(
      const_cast<WriteBatchWithIndex&>(batch).NewIterator());
  for (entries->SeekToFirst(); entries->Valid(); entries->Next()) {
    const auto entry = entries->Entry();
    std::cout << " " << static_cast<int>(entry.type) << ":"
              << entry.key.ToString() << "=" << entry.value.ToString();
  }
  Check(entries->status());
  std::cout << "\n";
}

int main(int argc, char** argv) {
  const std::string path = DirectoryOf(argc, argv);
  Options options;
  options.create_if_missing = true;
  DB* opened = nullptr;
  Check(DB::Open(options, path, &opened));
  const std::unique_ptr<DB> db(opened);
  for (int i = 0; i < 10; i += 2) {
    Check(db->Put(WriteOptions(), Key(i), "db" + std::to_string(i)));
  }

  for (const bool overwrite : {false, true}) {
    WriteBatchWithIndex batch(BytewiseComparator(), 0, overwrite);
    Check(batch.Put(Key(1), "a"));
    Check(batch.Put(Key(4), "b"));
    Check(batch.Put(Key(1), "c"));
    Check(batch.Delete(Key(2)));
    Check(batch.Delete(Key(7)));
    batch.SetSavePoint();
    Check(batch.Put(Key(2), "d"));
    Check(batch.SingleDelete(Key(8)));
    PrintEntries(batch);
    Check(batch.RollbackToSavePoint());
    PrintEntries(batch);
    std::cout << batch.RollbackToSavePoint().ToString() << "\n";

    for (int i = 0; i < 9; ++i) {
      std::string value;
      Status status = batch.GetFromBatch(DBOptions(), Key(i), &value);
      std::cout << Key(i) << " " << status.ToString() << value;
      value.clear();
      status = batch.GetFromBatchAndDB(db.get(), ReadOptions(), Key(i), &value);
      std::cout << ", " << status.ToString() << value << "\n";
    }
    const std::unique_ptr<Iterator> iterator(
        batch.NewIteratorWithBase(db->NewIterator(ReadOptions())));
    for (iterator->SeekToFirst(); iterator->Valid(); iterator->Next()) {
      std::cout << " " << iterator->key().ToString() << "="
                << iterator->value().ToString();
    }
    std::cout << "\n";
    for (iterator->SeekForPrev(Key(5)); iterator->Valid(); iterator->Prev()) {
      std::cout << " " << iterator->key().ToString();
    }
    iterator->Seek(Key(2));
    std::cout << " " << iterator->key().ToString();
    iterator->Prev();
    std::cout << " " << iterator->key().ToString();
    iterator->Next();
    std::cout << " " << iterator->key().ToString() << "\n";
    Check(iterator->status());
  }

  WriteBatchWithIndex batch;
  Check(batch.Put(Key(3), "written"));
  Check(batch.Delete(Key(0)));
  Check(db->Write(WriteOptions(), batch.GetWriteBatch()));
  const std::unique_ptr<Iterator> all(db->NewIterator(ReadOptions()));
  for (all->SeekToFirst(); all->Valid(); all->Next()) {
    std::cout << " " << all->key().ToString();
  }
  std::cout << "\n";
  return 0;
}
