// SPDX-License-Identifier: Apache-2.0
//
// Compactions that a CompactionService hands to a worker, here in the same
// process: puts, merges, deletions, a deletion of a range, under a snapshot; a
// job that the service leaves to the database.
#include <iostream>
#include <memory>
#include <string>

#include <rocksdb/db.h>
#include <rocksdb/merge_operator.h>
#include <rocksdb/options.h>

#include "program.h"

using namespace rocksdb;

namespace {

class Join : public AssociativeMergeOperator {
 public:
  bool Merge(const Slice&, const Slice* existing, const Slice& value,
             std::string* result, Logger*) const override {
    *result = existing == nullptr ? "" : existing->ToString() + "+";
    result->append(value.data(), value.size());
    return true;
  }
  const char* Name() const override { return "Join"; }
};

class Worker : public CompactionService {
 public:
  const char* Name() const override { return "Worker"; }

  CompactionServiceJobStatus StartV2(const CompactionServiceJobInfo& info,
                                     const std::string& input) override {
    if (lazy) return CompactionServiceJobStatus::kUseLocal;
    name_ = info.db_name;
    input_ = input;
    return CompactionServiceJobStatus::kSuccess;
  }
  CompactionServiceJobStatus WaitForCompleteV2(const CompactionServiceJobInfo&,
                                               std::string* result) override {
    CompactionServiceOptionsOverride options;
    options.env = Env::Default();
    options.comparator = BytewiseComparator();
    options.merge_operator = std::make_shared<Join>();
    options.table_factory = tables;
    const Status status =
        DB::OpenAndCompact(name_, outputs, input_, result, options);
    if (status.ok()) ++jobs;
    return status.ok() ? CompactionServiceJobStatus::kSuccess
                       : CompactionServiceJobStatus::kFailure;
  }

  bool lazy = false;
  int jobs = 0;
  std::string outputs;
  std::shared_ptr<TableFactory> tables;

 private:
  std::string name_;
  std::string input_;
};

void Print(const char* when, DB* db, const Snapshot* snapshot = nullptr) {
  ReadOptions options;
  options.snapshot = snapshot;
  const std::unique_ptr<Iterator> it(db->NewIterator(options));
  std::cout << when << ":";
  for (it->SeekToFirst(); it->Valid(); it->Next()) {
    std::cout << " " << it->key().ToString() << "=" << it->value().ToString();
  }
  Check(it->status());
  std::string level0;
  db->GetProperty("rocksdb.num-files-at-level0", &level0);
  std::cout << "; level 0: " << level0 << "\n";
}

void Change(DB* db, int round) {
  const std::string value = std::to_string(round);
  for (int i = 0; i < 10; ++i) {
    if (i % 3 == round % 3) Check(db->Put(WriteOptions(), Key(i), value));
    if (i % 3 == (round + 1) % 3) {
      Check(db->Merge(WriteOptions(), Key(i), value));
    }
  }
  Check(db->Delete(WriteOptions(), Key(round)));
  Check(db->DeleteRange(WriteOptions(), db->DefaultColumnFamily(),
                        Key(8 - round), Key(9 - round)));
  Check(db->Flush(FlushOptions()));
}

}  // namespace

int main(int argc, char** argv) {
  const std::string path = DirectoryOf(argc, argv);
  const auto worker = std::make_shared<Worker>();
  worker->outputs = path + ".outputs";
  Options options;
  options.create_if_missing = true;
  options.disable_auto_compactions = true;
  options.merge_operator = std::make_shared<Join>();
  options.compaction_service = worker;
  worker->tables = options.table_factory;
  DB* db = nullptr;
  Check(DB::Open(options, path, &db));
  for (int round = 0; round < 3; ++round) Change(db, round);
  const Snapshot* const snapshot = db->GetSnapshot();
  Change(db, 3);
  Print("before", db);
  CompactRangeOptions compact;
  compact.bottommost_level_compaction = BottommostLevelCompaction::kSkip;
  Check(db->CompactRange(compact, nullptr, nullptr));
  Print("after", db);
  Print("the snapshot", db, snapshot);
  db->ReleaseSnapshot(snapshot);
  std::cout << "jobs of the worker: " << worker->jobs << "\n";
  worker->lazy = true;
  Change(db, 4);
  Check(db->CompactRange(compact, nullptr, nullptr));
  Print("without a worker", db);
  std::cout << "jobs of the worker: " << worker->jobs << "\n";
  delete db;
  options.compaction_service = nullptr;
  Check(DB::Open(options, path, &db));
  Print("opened again", db);
  delete db;
}
