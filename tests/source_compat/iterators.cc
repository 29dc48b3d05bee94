// SPDX-License-Identifier: Apache-2.0
//
// Iterators with bounds, in both directions, with prefixes and at a snapshot.
#include <iostream>
#include <memory>
#include <string>

#include <rocksdb/db.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/iterator.h>
#include <rocksdb/options.h>
#include <rocksdb/slice_transform.h>
#include <rocksdb/table.h>

#include "program.h"

using namespace rocksdb;

namespace {

// The prefix of a key: all up to and with the first '/'.
class Folder : public SliceTransform {
 public:
  const char* Name() const override { return "Folder"; }
  Slice Transform(const Slice& key) const override {
    return Slice(key.data(), Length(key));
  }
  bool InDomain(const Slice& key) const override { return Length(key) > 0; }

 private:
  static size_t Length(const Slice& key) {
    for (size_t i = 0; i < key.size(); ++i) {
      if (key[i] == '/') return i + 1;
    }
    return 0;
  }
};

void Forward(DB* db, const ReadOptions& options, const char* from) {
  std::unique_ptr<Iterator> it(db->NewIterator(options));
  std::cout << "from " << from << ":";
  int shown = 0;
  for (it->Seek(from); it->Valid() && shown < 12; it->Next(), ++shown) {
    std::cout << " " << it->key().ToString() << "=" << it->value().ToString();
  }
  Check(it->status());
  std::cout << "\n";
}

void Backward(DB* db, const ReadOptions& options, const char* from) {
  std::unique_ptr<Iterator> it(db->NewIterator(options));
  std::cout << "back from " << from << ":";
  int shown = 0;
  for (it->SeekForPrev(from); it->Valid() && shown < 12; it->Prev(), ++shown) {
    std::cout << " " << it->key().ToString() << "=" << it->value().ToString();
  }
  Check(it->status());
  std::cout << "\n";
}

}  // namespace

int main(int argc, char** argv) {
  const std::string path = DirectoryOf(argc, argv);
  BlockBasedTableOptions table;
  table.filter_policy.reset(NewBloomFilterPolicy(10));
  Options options;
  options.create_if_missing = true;
  options.prefix_extractor = std::make_shared<Folder>();
  options.table_factory.reset(NewBlockBasedTableFactory(table));
  DB* db = nullptr;
  Check(DB::Open(options, path, &db));

  for (const char* folder : {"a/", "b/", "d/", "ee/"}) {
    for (int i = 0; i < 8; ++i) {
      Check(db->Put(WriteOptions(), folder + std::to_string(i), "1"));
    }
    if (*folder == 'b') Check(db->Flush(FlushOptions()));
  }
  Check(db->Put(WriteOptions(), "root", "1"));
  const Snapshot* snapshot = db->GetSnapshot();
  Check(db->Put(WriteOptions(), "a/3", "2"));
  Check(db->Delete(WriteOptions(), "a/4"));
  Check(
      db->DeleteRange(WriteOptions(), db->DefaultColumnFamily(), "b/2", "b/6"));
  Check(db->SingleDelete(WriteOptions(), "d/0"));

  ReadOptions all;
  all.total_order_seek = true;
  Forward(db, all, "a/2");
  Forward(db, all, "b/");
  Backward(db, all, "d/3");

  ReadOptions at_snapshot = all;
  at_snapshot.snapshot = snapshot;
  Forward(db, at_snapshot, "a/2");
  Forward(db, at_snapshot, "b/");

  const Slice lower("a/5");
  const Slice upper("d/2");
  ReadOptions bounded = all;
  bounded.iterate_lower_bound = &lower;
  bounded.iterate_upper_bound = &upper;
  Forward(db, bounded, "");
  Forward(db, bounded, "b/7");
  Backward(db, bounded, "zzz");

  ReadOptions in_folder;
  in_folder.prefix_same_as_start = true;
  Forward(db, in_folder, "b/");
  Forward(db, in_folder, "c/");
  Forward(db, in_folder, "ee/5");

  {
    std::unique_ptr<Iterator> it(db->NewIterator(all));
    it->SeekToFirst();
    std::cout << "first " << it->key().ToString();
    it->SeekToLast();
    std::cout << ", last " << it->key().ToString();
    it->Next();
    std::cout << ", then valid " << it->Valid() << "\n";
    it->Seek("d/5");
    it->Prev();
    it->Prev();
    it->Next();
    std::cout << "turned " << it->key().ToString() << "\n";
    Check(db->Put(WriteOptions(), "d/45", "new"));
    it->Seek("d/45");
    std::cout << "before refresh " << it->key().ToString() << "\n";
    Check(it->Refresh());
    it->Seek("d/45");
    std::cout << "after refresh " << it->key().ToString() << "\n";
  }
  {
    ReadOptions tailing = all;
    tailing.tailing = true;
    std::unique_ptr<Iterator> it(db->NewIterator(tailing));
    it->Seek("root");
    it->Next();
    std::cout << "end " << it->Valid();
    Check(db->Put(WriteOptions(), "tail", "1"));
    it->Seek("s");
    std::cout << ", then " << it->key().ToString() << "\n";
  }
  db->ReleaseSnapshot(snapshot);
  delete db;
  return 0;
}
