// SPDX-License-Identifier: Apache-2.0
//
// Counters by an associative merge operator, and lists by one that is not.
#include <cstdint>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include <rocksdb/db.h>
#include <rocksdb/env.h>
#include <rocksdb/merge_operator.h>
#include <rocksdb/options.h>

#include "program.h"

using rocksdb::Slice;

namespace {

uint64_t NumberIn(const Slice& text) {
  return text.empty() ? 0 : std::stoull(text.ToString());
}

class Add : public rocksdb::AssociativeMergeOperator {
 public:
  bool Merge(const Slice& /*key*/, const Slice* existing, const Slice& value,
             std::string* result, rocksdb::Logger* /*logger*/) const override {
    const uint64_t before = existing != nullptr ? NumberIn(*existing) : 0;
    *result = std::to_string(before + NumberIn(value));
    return true;
  }
  const char* Name() const override { return "Add"; }
};

// Joins values; "fail" cannot be joined.
class Join : public rocksdb::MergeOperator {
 public:
  bool FullMergeV2(const MergeOperationInput& in,
                   MergeOperationOutput* out) const override {
    out->new_value.clear();
    if (in.existing_value != nullptr) {
      out->new_value = in.existing_value->ToString();
    }
    for (const Slice& operand : in.operand_list) {
      if (operand == Slice("fail")) return false;
      out->new_value += "," + operand.ToString();
    }
    return true;
  }
  bool PartialMerge(const Slice& /*key*/, const Slice& left, const Slice& right,
                    std::string* value,
                    rocksdb::Logger* /*logger*/) const override {
    if (left == Slice("fail") || right == Slice("fail")) return false;
    *value = left.ToString() + "," + right.ToString();
    return true;
  }
  const char* Name() const override { return "Join"; }
};

void Read(rocksdb::DB* db, rocksdb::ColumnFamilyHandle* family,
          const std::string& key) {
  std::string value;
  const rocksdb::Status s =
      db->Get(rocksdb::ReadOptions(), family, key, &value);
  std::cout << key << ": " << (s.ok() ? value : std::to_string(s.code()))
            << "\n";
}

}  // namespace

int main(int argc, char** argv) {
  const std::string path = DirectoryOf(argc, argv);
  rocksdb::Options options;
  options.create_if_missing = true;
  options.merge_operator = std::make_shared<Add>();
  rocksdb::DB* db = nullptr;
  Check(rocksdb::DB::Open(options, path, &db));
  rocksdb::ColumnFamilyOptions lists;
  lists.merge_operator = std::make_shared<Join>();
  rocksdb::ColumnFamilyHandle* list = nullptr;
  Check(db->CreateColumnFamily(lists, "lists", &list));

  const rocksdb::WriteOptions write;
  rocksdb::ColumnFamilyHandle* counters = db->DefaultColumnFamily();
  for (int i = 0; i < 1000; ++i) {
    Check(db->Merge(write, Key(i % 7), std::to_string(i)));
    if (i % 300 == 299) Check(db->Flush(rocksdb::FlushOptions()));
  }
  for (int i = 0; i < 8; ++i) Read(db, counters, Key(i));
  Check(db->Put(write, Key(0), "5"));
  Check(db->Merge(write, Key(0), "6"));
  Check(db->Delete(write, Key(1)));
  Check(db->Merge(write, Key(1), "7"));
  Read(db, counters, Key(0));
  Read(db, counters, Key(1));

  Check(db->Put(write, list, "l", "0"));
  for (const char* item : {"1", "2", "3"})
    Check(db->Merge(write, list, "l", item));
  Check(db->Merge(write, list, "new", "first"));
  Check(db->Merge(write, list, "broken", "fail"));
  Read(db, list, "l");
  Read(db, list, "new");
  Read(db, list, "broken");
  Check(db->CompactRange(rocksdb::CompactRangeOptions(), nullptr, nullptr));
  for (int i = 0; i < 7; ++i) Read(db, counters, Key(i));

  rocksdb::WriteBatch batch;
  batch.Merge(list, "l", "4");
  batch.Merge(counters, Key(2), "1");
  Check(db->Write(write, &batch));
  std::unique_ptr<rocksdb::Iterator> it(
      db->NewIterator(rocksdb::ReadOptions(), list));
  it->Seek("l");
  std::cout << it->value().ToString() << "\n";
  it.reset();
  Read(db, counters, Key(2));
  Check(db->DestroyColumnFamilyHandle(list));
  delete db;
  return 0;
}
