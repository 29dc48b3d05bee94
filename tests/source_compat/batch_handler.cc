// SPDX-License-Identifier: Apache-2.0
//
// A write batch: save points, its bytes, and a handler for what it contains.
#include <iostream>
#include <string>

#include <rocksdb/db.h>
#include <rocksdb/options.h>
#include <rocksdb/write_batch.h>

#include "program.h"

using namespace rocksdb;

namespace {

class Printer : public WriteBatch::Handler {
 public:
  Status PutCF(uint32_t family, const Slice& key, const Slice& value) override {
    std::cout << "put " << family << " " << key.ToString() << " "
              << value.ToString() << "\n";
    return Status::OK();
  }
  Status DeleteCF(uint32_t family, const Slice& key) override {
    std::cout << "delete " << family << " " << key.ToString() << "\n";
    return Status::OK();
  }
  Status SingleDeleteCF(uint32_t family, const Slice& key) override {
    std::cout << "single delete " << family << " " << key.ToString() << "\n";
    return Status::OK();
  }
  Status DeleteRangeCF(uint32_t family, const Slice& begin,
                       const Slice& end) override {
    std::cout << "delete range " << family << " " << begin.ToString() << " "
              << end.ToString() << "\n";
    return Status::OK();
  }
  Status MergeCF(uint32_t family, const Slice& key,
                 const Slice& operand) override {
    std::cout << "merge " << family << " " << key.ToString() << " "
              << operand.ToString() << "\n";
    return Status::OK();
  }
  void LogData(const Slice& blob) override {
    std::cout << "log data " << blob.ToString() << "\n";
  }
  bool Continue() override { return left_-- > 0; }

  explicit Printer(int most) : left_(most) {}

 private:
  int left_;
};

// Has only the functions without a family.
class Counter : public WriteBatch::Handler {
 public:
  void Put(const Slice& /*key*/, const Slice& /*value*/) override { ++puts; }
  void Delete(const Slice& /*key*/) override { ++deletes; }
  int puts = 0;
  int deletes = 0;
};

}  // namespace

int main(int argc, char** argv) {
  const std::string path = DirectoryOf(argc, argv);
  Options options;
  options.create_if_missing = true;
  DB* db = nullptr;
  Check(DB::Open(options, path, &db));
  ColumnFamilyHandle* second = nullptr;
  Check(db->CreateColumnFamily(ColumnFamilyOptions(), "second", &second));

  WriteBatch batch;
  Check(batch.Put("a", "1"));
  Check(batch.Put(second, "b", "2"));
  Check(batch.Delete("c"));
  batch.SetSavePoint();
  Check(batch.Put("rolled", "back"));
  Check(batch.RollbackToSavePoint());
  Check(batch.SingleDelete("d"));
  Check(batch.DeleteRange(second, "e", "f"));
  Check(batch.PutLogData("note"));
  const Slice parts[] = {"g", "h"};
  Check(batch.Put(SliceParts(parts, 2), SliceParts(parts, 1)));
  std::cout << batch.Count() << " changes, " << batch.GetDataSize()
            << " bytes: " << Slice(batch.Data()).ToString(/*hex=*/true) << "\n";
  std::cout << batch.HasPut() << batch.HasDelete() << batch.HasSingleDelete()
            << batch.HasDeleteRange() << batch.HasMerge() << "\n";
  std::cout << "no save point: " << batch.RollbackToSavePoint().IsNotFound()
            << "\n";

  Printer all(100);
  Check(batch.Iterate(&all));
  Printer some(2);
  Check(batch.Iterate(&some));

  WriteBatch copy(batch.Data());
  Check(copy.Merge(second, "m", "operand"));
  Check(copy.Iterate(&all));
  Check(db->Write(WriteOptions(), &batch));
  std::string value;
  Check(db->Get(ReadOptions(), "gh", &value));
  std::cout << "gh = " << value << "\n";

  WriteBatch plain;
  plain.Put("a", "1");
  plain.Put("b", "1");
  plain.Delete("a");
  Counter counter;
  Check(plain.Iterate(&counter));
  std::cout << counter.puts << " puts, " << counter.deletes << " deletes\n";
  plain.Clear();
  std::cout << "cleared: " << plain.Count() << "\n";
  WriteBatch damaged(std::string("short"));
  std::cout << "damaged: " << damaged.Iterate(&counter).IsCorruption() << "\n";
  // With RocksDB, it also stops later writes.
  WriteBatch merged;
  Check(merged.Merge("m", "operand"));
  std::cout << "merge without an operator: "
            << db->Write(WriteOptions(), &merged).ok() << "\n";
  Check(db->DestroyColumnFamilyHandle(second));
  delete db;
  return 0;
}
