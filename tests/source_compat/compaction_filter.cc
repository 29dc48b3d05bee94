// SPDX-License-Identifier: Apache-2.0
//
// A compaction filter that removes, changes and skips; one made by a factory.
#include <iostream>
#include <memory>
#include <string>

#include <rocksdb/compaction_filter.h>
#include <rocksdb/db.h>
#include <rocksdb/merge_operator.h>
#include <rocksdb/options.h>

#include "program.h"

namespace {

class LargestValue : public rocksdb::MergeOperator {
 public:
  bool FullMergeV2(const MergeOperationInput& in,
                   MergeOperationOutput* out) const override {
    out->new_value.clear();
    if (in.existing_value != nullptr) {
      out->new_value.assign(in.existing_value->data(),
                            in.existing_value->size());
    }
    for (const rocksdb::Slice& operand : in.operand_list) {
      if (rocksdb::Slice(out->new_value).compare(operand) < 0) {
        out->new_value.assign(operand.data(), operand.size());
      }
    }
    return true;
  }
  const char* Name() const override { return "LargestValue"; }
};

class Filter : public rocksdb::CompactionFilter {
 public:
  Decision FilterV2(int /*level*/, const rocksdb::Slice& key, ValueType type,
                    const rocksdb::Slice& value, std::string* new_value,
                    std::string* skip_until) const override {
    if (type == ValueType::kMergeOperand) {
      return value == "bad" ? Decision::kRemove : Decision::kKeep;
    }
    if (value == "old") return Decision::kRemove;
    if (value == "skip") {
      *skip_until = key.ToString() + "~";
      return Decision::kRemoveAndSkipUntil;
    }
    if (value == "change") {
      *new_value = "changed";
      return Decision::kChangeValue;
    }
    return Decision::kKeep;
  }
  const char* Name() const override { return "Filter"; }
};

class LongKeys : public rocksdb::CompactionFilter {
 public:
  bool Filter(int /*level*/, const rocksdb::Slice& key,
              const rocksdb::Slice& /*value*/, std::string* /*new_value*/,
              bool* /*value_changed*/) const override {
    return key.size() > 5;
  }
  const char* Name() const override { return "LongKeys"; }
};

class Factory : public rocksdb::CompactionFilterFactory {
 public:
  std::unique_ptr<rocksdb::CompactionFilter> CreateCompactionFilter(
      const rocksdb::CompactionFilter::Context& context) override {
    std::cout << "made for a full compaction " << context.is_full_compaction
              << ", manual " << context.is_manual_compaction << "\n";
    return std::make_unique<LongKeys>();
  }
  const char* Name() const override { return "Factory"; }
};

void Scan(rocksdb::DB* db, const char* when) {
  std::cout << when << ":";
  std::unique_ptr<rocksdb::Iterator> it(
      db->NewIterator(rocksdb::ReadOptions()));
  for (it->SeekToFirst(); it->Valid(); it->Next()) {
    std::cout << " " << it->key().ToString() << "=" << it->value().ToString();
  }
  Check(it->status());
  std::cout << "\n";
}

}  // namespace

int main(int argc, char** argv) {
  const std::string path = DirectoryOf(argc, argv);
  Filter filter;
  rocksdb::Options options;
  options.create_if_missing = true;
  options.merge_operator.reset(new LargestValue);
  options.compaction_filter = &filter;
  rocksdb::DB* db = nullptr;
  Check(rocksdb::DB::Open(options, path, &db));

  const rocksdb::WriteOptions write;
  for (const char* value : {"aaa", "bad", "zzz"}) {
    Check(db->Merge(write, "merged", value));
  }
  Check(db->Merge(write, "only-bad", "bad"));
  Check(db->Put(write, "a", "keep"));
  Check(db->Put(write, "b", "old"));
  Check(db->Put(write, "c", "change"));
  Check(db->Put(write, "d", "skip"));
  Check(db->Put(write, "d1", "hidden"));
  Check(db->Put(write, "d2", "hidden"));
  Check(db->Put(write, "e", "kept"));
  Check(db->Flush(rocksdb::FlushOptions()));
  Scan(db, "flushed");
  rocksdb::CompactRangeOptions all;
  all.bottommost_level_compaction = rocksdb::BottommostLevelCompaction::kForce;
  Check(db->CompactRange(all, nullptr, nullptr));
  Scan(db, "compacted");
  delete db;

  options.compaction_filter = nullptr;
  options.compaction_filter_factory = std::make_shared<Factory>();
  Check(rocksdb::DB::Open(options, path, &db));
  Check(db->CompactRange(all, nullptr, nullptr));
  Scan(db, "without long keys");
  delete db;
  return 0;
}
