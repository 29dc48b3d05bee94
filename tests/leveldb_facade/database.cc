// SPDX-License-Identifier: Apache-2.0
//
// Writes, reads, iterators, snapshots, properties, sizes, compaction,
// reopening, and the errors of opening.
#include <vector>

#include <leveldb/env.h>
#include <leveldb/write_batch.h>

#include "program.h"

namespace {

using namespace leveldb;

class PrintingHandler : public WriteBatch::Handler {
 public:
  void Put(const Slice& key, const Slice& value) override {
    std::cout << "put " << key.ToString() << " " << value.ToString() << "\n";
  }
  void Delete(const Slice& key) override {
    std::cout << "delete " << key.ToString() << "\n";
  }
};

void Batches(DB* db) {
  WriteBatch batch;
  batch.Put("b1", "one");
  batch.Delete("b2");
  batch.Put("b3", std::string(200, 'x'));
  WriteBatch more;
  more.Put("b4", "four");
  batch.Append(more);
  std::cout << "size " << batch.ApproximateSize() << "\n";
  PrintingHandler handler;
  Check(batch.Iterate(&handler));
  WriteOptions sync;
  sync.sync = true;
  Check(db->Write(sync, &batch));
  Check(db->Write(WriteOptions(), &more));
  batch.Clear();
  Check(db->Write(WriteOptions(), &batch));
  std::cout << Get(db, "b1") << Get(db, "b2") << Get(db, "b4") << "\n";
  const WriteBatch copy(more);
  Check(copy.Iterate(&handler));
}

void Iterators(DB* db) {
  const std::unique_ptr<Iterator> it(db->NewIterator(ReadOptions()));
  std::cout << it->Valid() << "\n";
  for (const char* target : {"", "b2", "key000100", "zzz"}) {
    it->Seek(target);
    std::cout << "seek " << target << ": "
              << (it->Valid() ? it->key().ToString() : "none") << "\n";
  }
  it->Seek("key000100");
  for (int i = 0; i < 5; ++i) it->Prev();
  for (int i = 0; i < 2; ++i) it->Next();
  std::cout << it->key().ToString() << " = " << it->value().ToString() << "\n";
  int cleaned = 0;
  {
    const std::unique_ptr<Iterator> other(db->NewIterator(ReadOptions()));
    const auto clean = [](void* counter, void* step) {
      *static_cast<int*>(counter) += *static_cast<int*>(step);
    };
    int one = 1;
    int ten = 10;
    other->RegisterCleanup(clean, &cleaned, &one);
    other->RegisterCleanup(clean, &cleaned, &ten);
    other->RegisterCleanup(clean, &cleaned, &ten);
  }
  std::cout << "cleaned " << cleaned << "\n";
  const std::unique_ptr<Iterator> empty(NewEmptyIterator());
  empty->SeekToFirst();
  std::cout << empty->Valid() << empty->status().ToString() << "\n";
  const std::unique_ptr<Iterator> error(
      NewErrorIterator(Status::Corruption("made", "up")));
  std::cout << error->status().ToString() << "\n";
}

void Snapshots(DB* db) {
  const Snapshot* before = db->GetSnapshot();
  Check(db->Put(WriteOptions(), "key000001", "changed"));
  Check(db->Delete(WriteOptions(), "key000002"));
  ReadOptions old;
  old.snapshot = before;
  old.verify_checksums = true;
  old.fill_cache = false;
  std::cout << Get(db, "key000001", old) << " " << Get(db, "key000001") << " "
            << Get(db, "key000002", old) << " " << Get(db, "key000002") << "\n";
  PrintAll(db, old);
  db->ReleaseSnapshot(before);
  PrintAll(db);
}

void Properties(DB* db) {
  std::string value;
  for (const char* name :
       {"leveldb.num-files-at-level0", "leveldb.num-files-at-level6",
        "leveldb.stats", "leveldb.sstables", "leveldb.approximate-memory-usage",
        "leveldb.num-files-at-level7", "leveldb.num-files-at-level",
        "leveldb.num-files-at-levelx", "leveldb.other", "rocksdb.stats", ""}) {
    std::cout << name << " " << db->GetProperty(name, &value) << "\n";
  }
  db->GetProperty("leveldb.stats", &value);
  std::cout << value.substr(0, value.find("---")) << "\n";
  db->GetProperty("leveldb.sstables", &value);
  std::cout << value.substr(0, 15) << "\n";
  const Range ranges[] = {{"a", "b"}, {"key000000", "key001000"}, {"x", "z"}};
  uint64_t sizes[] = {7, 7, 7};
  db->GetApproximateSizes(ranges, 3, sizes);
  std::cout << (sizes[0] < 1000) << (sizes[1] > 10'000) << (sizes[2] < 1000)
            << "\n";
}

// Programs look for tables by their names.
void TableNames(const std::string& path) {
  std::vector<std::string> names;
  Check(Env::Default()->GetChildren(path, &names));
  const auto any = [&names](const char* end) {
    for (const std::string& name : names) {
      if (name.size() > 4 && name.substr(name.size() - 4) == end) return true;
    }
    return false;
  };
  std::cout << any(".ldb") << any(".sst") << any(".log") << "\n";
}

}  // namespace

int main(int argc, char** argv) {
  const std::string path = DirectoryOf(argc, argv);
  Options options;
  DB* none = nullptr;
  std::cout << Kind(DB::Open(options, path, &none)) << (none == nullptr)
            << "\n";
  options.create_if_missing = true;
  std::cout << Kind(DB::Open(options, "/no/such/place", &none)) << "\n";
  options.write_buffer_size = 64 << 10;
  options.compression = kNoCompression;
  std::unique_ptr<DB> db = Open(options, path);
  std::cout << Get(db.get(), "absent") << "\n";
  for (int i = 0; i < 3000; ++i) {
    Check(db->Put(WriteOptions(), Key(i),
                  "value " + std::to_string(i) + std::string(50, 'v')));
  }
  Batches(db.get());
  Iterators(db.get());
  Snapshots(db.get());
  db->CompactRange(nullptr, nullptr);
  Properties(db.get());
  TableNames(path);
  const Slice begin("key000010");
  const Slice end("key000020");
  db->CompactRange(&begin, &end);

  // Locked, there already, reopened.
  const Status locked = DB::Open(options, path, &none);
  std::cout << locked.ToString().substr(0, 14) << "\n";
  db.reset();
  options.error_if_exists = true;
  const Status there = DB::Open(options, path, &none);
  std::cout << Kind(there)
            << (there.ToString().find("exists (error_if_exists is true)") !=
                std::string::npos)
            << "\n";
  options.error_if_exists = false;
  options.create_if_missing = false;
  db = Open(options, path);
  PrintAll(db.get());
  db.reset();
  Check(RepairDB(path, options));
  db = Open(options, path);
  PrintAll(db.get());
  TableNames(path);
  db.reset();
  Check(DestroyDB(path, options));
  std::cout << Kind(DB::Open(options, path, &none)) << "\n";
  Check(DestroyDB(path, options));
  Check(DestroyDB(path + "_never", options));
  // A repair makes a database of nothing.
  Check(RepairDB(path + "_never", options));
  db = Open(options, path + "_never");
  PrintAll(db.get());
  return 0;
}
