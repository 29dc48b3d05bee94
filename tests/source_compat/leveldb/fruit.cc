// SPDX-License-Identifier: Apache-2.0
//
// A program for LevelDB that uses all of DB, and prints what it sees. Run:
// program DIRECTORY
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <string>

#include "leveldb/cache.h"
#include "leveldb/comparator.h"
#include "leveldb/db.h"
#include "leveldb/filter_policy.h"
#include "leveldb/iterator.h"
#include "leveldb/slice.h"
#include "leveldb/status.h"
#include "leveldb/write_batch.h"

namespace {

void Check(const leveldb::Status& status) {
  if (status.ok()) return;
  std::cerr << status.ToString() << "\n";
  std::exit(1);
}

// Longer keys come later.
class ByLength : public leveldb::Comparator {
 public:
  const char* Name() const override { return "fruit.ByLength"; }
  int Compare(const leveldb::Slice& a, const leveldb::Slice& b) const override {
    if (a.size() != b.size()) return a.size() < b.size() ? -1 : 1;
    return a.compare(b);
  }
  void FindShortestSeparator(std::string* /*start*/,
                             const leveldb::Slice& /*limit*/) const override {}
  void FindShortSuccessor(std::string* /*key*/) const override {}
};

class Printer : public leveldb::WriteBatch::Handler {
 public:
  void Put(const leveldb::Slice& key, const leveldb::Slice& value) override {
    std::cout << "  put " << key.ToString() << " " << value.ToString() << "\n";
  }
  void Delete(const leveldb::Slice& key) override {
    std::cout << "  delete " << key.ToString() << "\n";
  }
};

void Print(leveldb::DB* db, const leveldb::ReadOptions& options) {
  leveldb::Iterator* it = db->NewIterator(options);
  for (it->SeekToFirst(); it->Valid(); it->Next()) {
    std::cout << " " << it->key().ToString() << "=" << it->value().ToString();
  }
  std::cout << " |";
  for (it->SeekToLast(); it->Valid(); it->Prev()) {
    std::cout << " " << it->key().ToString();
  }
  it->Seek("b");
  std::cout << " | "
            << (it->Valid() ? it->key().ToString() : std::string("none"))
            << "\n";
  Check(it->status());
  delete it;
}

void PrintGet(leveldb::DB* db, const std::string& key) {
  std::string value = "untouched";
  const leveldb::Status s = db->Get(leveldb::ReadOptions(), key, &value);
  std::cout << key << ": " << (s.ok() ? value : s.ToString()) << " "
            << s.IsNotFound() << s.IsCorruption() << s.IsIOError()
            << s.IsNotSupportedError() << s.IsInvalidArgument() << "\n";
}

void Fill(leveldb::DB* db) {
  for (int i = 0; i < 20000; ++i) {
    char key[16];
    std::snprintf(key, sizeof key, "key%06d", i);
    Check(db->Put(leveldb::WriteOptions(), key, std::string(100, 'v')));
  }
}

void Everything(leveldb::DB* db) {
  leveldb::WriteOptions durable;
  durable.sync = true;
  Check(db->Put(durable, "apple", "green"));
  leveldb::WriteBatch batch;
  batch.Put("banana", "yellow");
  batch.Delete("apple");
  batch.Put("cherry", "red");
  std::cout << "batch " << (batch.ApproximateSize() > 20) << "\n";
  Printer printer;
  Check(batch.Iterate(&printer));
  const leveldb::Snapshot* snapshot = db->GetSnapshot();
  Check(db->Write(leveldb::WriteOptions(), &batch));
  PrintGet(db, "apple");
  PrintGet(db, "banana");
  Print(db, leveldb::ReadOptions());
  leveldb::ReadOptions before;
  before.snapshot = snapshot;
  before.verify_checksums = true;
  Print(db, before);
  db->ReleaseSnapshot(snapshot);

  Fill(db);
  db->CompactRange(nullptr, nullptr);
  std::string value;
  std::cout << "level 0: "
            << db->GetProperty("leveldb.num-files-at-level0", &value) << " "
            << value << "\n";
  std::cout << db->GetProperty("leveldb.stats", &value) << !value.empty()
            << db->GetProperty("leveldb.no-such-thing", &value)
            << db->GetProperty("stats", &value)
            << db->GetProperty("leveldb.approximate-memory-usage", &value)
            << "\n";
  const leveldb::Range ranges[] = {{"key000000", "key010000"}, {"x", "y"}};
  uint64_t sizes[2] = {0, 0};
  db->GetApproximateSizes(ranges, 2, sizes);
  std::cout << "sizes " << (sizes[0] > 1000) << (sizes[1] == 0) << "\n";
  PrintGet(db, "key012345");
  PrintGet(db, "key999999");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const std::string path = argv[1];
  leveldb::Options options;
  leveldb::DB* db = nullptr;
  std::cout << "absent: "
            << leveldb::DB::Open(options, path, &db).IsInvalidArgument() << " "
            << (db == nullptr) << "\n";
  options.create_if_missing = true;
  options.filter_policy = leveldb::NewBloomFilterPolicy(10);
  options.block_cache = leveldb::NewLRUCache(1 << 20);
  options.compression = leveldb::kSnappyCompression;
  Check(leveldb::DB::Open(options, path, &db));
  Everything(db);
  delete db;

  options.error_if_exists = true;
  std::cout << "there: "
            << leveldb::DB::Open(options, path, &db).IsInvalidArgument()
            << "\n";
  options.error_if_exists = false;
  Check(leveldb::DB::Open(options, path, &db));
  PrintGet(db, "cherry");
  delete db;
  Check(leveldb::RepairDB(path, options));
  Check(leveldb::DB::Open(options, path, &db));
  PrintGet(db, "cherry");
  delete db;
  Check(leveldb::DestroyDB(path, options));

  ByLength by_length;
  options.comparator = &by_length;
  Check(leveldb::DB::Open(options, path, &db));
  for (const char* key : {"ccc", "aaaa", "b", "zz"}) {
    Check(db->Put(leveldb::WriteOptions(), key, key));
  }
  Print(db, leveldb::ReadOptions());
  delete db;
  options.comparator = leveldb::BytewiseComparator();
  std::cout << "another order: "
            << leveldb::DB::Open(options, path, &db).IsInvalidArgument()
            << "\n";
  Check(leveldb::DestroyDB(path, options));
  delete options.filter_policy;
  delete options.block_cache;
  std::cout << leveldb::Status::NotFound("a", "b").ToString() << ", "
            << leveldb::Status::Corruption("c").ToString() << ", "
            << leveldb::Status::IOError("d").ToString() << ", "
            << leveldb::Status::NotSupported("e").ToString() << ", "
            << leveldb::Status::InvalidArgument("f").ToString() << ", "
            << leveldb::kMajorVersion << "." << leveldb::kMinorVersion << "\n";
  return 0;
}
