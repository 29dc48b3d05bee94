// SPDX-License-Identifier: Apache-2.0
//
// Reads the operands of keys without merging them.
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include <rocksdb/db.h>
#include <rocksdb/merge_operator.h>
#include <rocksdb/options.h>

#include "program.h"

using ROCKSDB_NAMESPACE::AssociativeMergeOperator;
using ROCKSDB_NAMESPACE::CompactRangeOptions;
using ROCKSDB_NAMESPACE::DB;
using ROCKSDB_NAMESPACE::FlushOptions;
using ROCKSDB_NAMESPACE::GetMergeOperandsOptions;
using ROCKSDB_NAMESPACE::Logger;
using ROCKSDB_NAMESPACE::Options;
using ROCKSDB_NAMESPACE::PinnableSlice;
using ROCKSDB_NAMESPACE::ReadOptions;
using ROCKSDB_NAMESPACE::Slice;
using ROCKSDB_NAMESPACE::Status;
using ROCKSDB_NAMESPACE::WriteOptions;

// Joins the operands with '+'.
class Join : public AssociativeMergeOperator {
 public:
  const char* Name() const override { return "Join"; }
  bool Merge(const Slice&, const Slice* existing_value, const Slice& value,
             std::string* new_value, Logger*) const override {
    *new_value = existing_value == nullptr
                     ? value.ToString()
                     : existing_value->ToString() + "+" + value.ToString();
    return true;
  }
};

void Print(DB* db, const char* when, const char* key, int room) {
  std::vector<PinnableSlice> operands(static_cast<size_t>(room));
  GetMergeOperandsOptions limit;
  limit.expected_max_number_of_operands = room;
  int count = 0;
  const Status status =
      db->GetMergeOperands(ReadOptions(), db->DefaultColumnFamily(), key,
                           operands.data(), &limit, &count);
  std::cout << when << ", " << key << ": " << status.ToString();
  if (!status.IsNotFound()) std::cout << ", " << count << " operands";
  for (int i = 0; status.ok() && i < count; ++i) {
    std::cout << " " << operands[static_cast<size_t>(i)].ToString();
  }
  std::cout << "\n";
}

int main(int argc, char** argv) {
  const std::string path = DirectoryOf(argc, argv);
  Options options;
  options.create_if_missing = true;
  options.disable_auto_compactions = true;
  options.merge_operator = std::make_shared<Join>();
  DB* opened = nullptr;
  Check(DB::Open(options, path, &opened));
  const std::unique_ptr<DB> db(opened);

  Print(db.get(), "at first", "absent", 4);
  Check(db->Put(WriteOptions(), "base", "a"));
  Check(db->Merge(WriteOptions(), "base", "b"));
  Check(db->Merge(WriteOptions(), "operands", "x"));
  Print(db.get(), "in memory", "base", 4);
  Print(db.get(), "in memory", "operands", 4);
  Check(db->Flush(FlushOptions()));
  Check(db->Merge(WriteOptions(), "base", "c"));
  Check(db->Merge(WriteOptions(), "operands", "y"));
  for (const int room : {4, 3, 2}) Print(db.get(), "in both", "base", room);
  Print(db.get(), "in both", "operands", 4);
  Check(db->Delete(WriteOptions(), "operands"));
  Print(db.get(), "deleted", "operands", 4);
  Check(db->Merge(WriteOptions(), "operands", "z"));
  Print(db.get(), "deleted and merged", "operands", 4);
  Check(db->CompactRange(CompactRangeOptions(), nullptr, nullptr));
  Print(db.get(), "compacted", "base", 4);
  Print(db.get(), "compacted", "operands", 4);
  return 0;
}
