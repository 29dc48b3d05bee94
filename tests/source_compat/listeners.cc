// SPDX-License-Identifier: Apache-2.0
//
// A listener is told of flushes and compactions.
#include <iostream>
#include <memory>
#include <mutex>
#include <sstream>
#include <string>
#include <vector>

#include <rocksdb/db.h>
#include <rocksdb/listener.h>
#include <rocksdb/options.h>

#include "program.h"

using namespace rocksdb;

namespace {

// Notes what happens. Background threads call it.
class Notes : public EventListener {
 public:
  const char* Name() const override { return "Notes"; }

  void OnFlushBegin(DB* /*db*/, const FlushJobInfo& info) override {
    Add("flush of " + info.cf_name + " begins");
  }
  void OnFlushCompleted(DB* db, const FlushJobInfo& info) override {
    std::ostringstream line;
    line << "flush of " << info.cf_name << " in " << db->GetName().size()
         << " letters: " << info.table_properties.num_entries
         << " entries, sequence " << info.smallest_seqno << " to "
         << info.largest_seqno << ", manual "
         << (info.flush_reason == FlushReason::kManualFlush);
    Add(line.str());
  }
  void OnCompactionBegin(DB* /*db*/, const CompactionJobInfo& info) override {
    Add("compaction of " + info.cf_name + " begins");
  }
  void OnCompactionCompleted(DB* /*db*/,
                             const CompactionJobInfo& info) override {
    std::ostringstream line;
    line << "compaction of " << info.cf_name << ": " << info.input_files.size()
         << " files of level " << info.base_input_level << " became "
         << info.output_files.size() << ", " << info.status.ToString()
         << ", manual "
         << (info.compaction_reason == CompactionReason::kManualCompaction)
         << ", " << info.stats.num_input_records << " to "
         << info.stats.num_output_records << " records";
    Add(line.str());
  }
  void OnTableFileCreated(const TableFileCreationInfo& info) override {
    Add("table of " + info.cf_name + " with " +
        std::to_string(info.table_properties.num_entries) + " entries, " +
        info.status.ToString());
  }
  void OnMemTableSealed(const MemTableInfo& info) override {
    Add("memtable of " + info.cf_name + " with " +
        std::to_string(info.num_entries) + " entries, " +
        std::to_string(info.num_deletes) + " deletes");
  }
  void OnColumnFamilyHandleDeletionStarted(
      ColumnFamilyHandle* handle) override {
    // RocksDB has one of its own of the default family.
    if (handle->GetID() != 0) Add("handle of " + handle->GetName());
  }

  void Print(const char* when) {
    std::lock_guard<std::mutex> lock(mutex_);
    std::cout << when << ":\n";
    for (const std::string& line : lines_) std::cout << "  " << line << "\n";
    lines_.clear();
  }

 private:
  void Add(const std::string& line) {
    std::lock_guard<std::mutex> lock(mutex_);
    lines_.push_back(line);
  }

  std::mutex mutex_;
  std::vector<std::string> lines_;
};

}  // namespace

int main(int argc, char** argv) {
  const std::string path = DirectoryOf(argc, argv);
  const auto notes = std::make_shared<Notes>();
  Options options;
  options.create_if_missing = true;
  options.disable_auto_compactions = true;
  options.listeners.push_back(notes);
  DB* db = nullptr;
  Check(DB::Open(options, path, &db));
  notes->Print("open");

  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 10; ++i) {
      Check(db->Put(WriteOptions(), Key(i), std::to_string(round)));
    }
    Check(db->Delete(WriteOptions(), Key(round)));
    Check(db->Flush(FlushOptions()));
    notes->Print("flushed");
  }
  Check(db->CompactRange(CompactRangeOptions(), nullptr, nullptr));
  notes->Print("compacted");

  ColumnFamilyHandle* second = nullptr;
  ColumnFamilyOptions family_options;
  Check(db->CreateColumnFamily(family_options, "second", &second));
  Check(db->Put(WriteOptions(), second, "key", "value"));
  Check(db->Flush(FlushOptions(), second));
  Check(db->DestroyColumnFamilyHandle(second));
  notes->Print("family");
  delete db;
  return 0;
}
