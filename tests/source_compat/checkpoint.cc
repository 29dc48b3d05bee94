// SPDX-License-Identifier: Apache-2.0
//
// Describes a database by properties and metadata, and copies it while open.
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include <rocksdb/db.h>
#include <rocksdb/metadata.h>
#include <rocksdb/options.h>
#include <rocksdb/utilities/checkpoint.h>

#include "program.h"

using namespace rocksdb;

namespace {

void Describe(DB* db) {
  for (const std::string& name :
       {DB::Properties::kNumFilesAtLevelPrefix + "0",
        DB::Properties::kNumEntriesActiveMemTable,
        DB::Properties::kNumDeletesActiveMemTable,
        DB::Properties::kNumImmutableMemTable,
        DB::Properties::kMemTableFlushPending,
        DB::Properties::kCompactionPending, DB::Properties::kBackgroundErrors,
        DB::Properties::kEstimateNumKeys, DB::Properties::kNumSnapshots,
        DB::Properties::kOldestSnapshotSequence,
        DB::Properties::kIsFileDeletionsEnabled}) {
    std::string value;
    std::cout << name << " " << db->GetProperty(name, &value) << " " << value
              << "\n";
  }
  ColumnFamilyMetaData metadata;
  db->GetColumnFamilyMetaData(&metadata);
  std::cout << metadata.name << " has " << metadata.file_count << " files in "
            << metadata.levels.size() << " levels\n";
  for (const LevelMetaData& level : metadata.levels) {
    for (const SstFileMetaData& file : level.files) {
      std::cout << "  level " << level.level << ": " << file.smallestkey
                << " to " << file.largestkey << ", sequence "
                << file.smallest_seqno << " to " << file.largest_seqno
                << ", compacted " << file.being_compacted << "\n";
    }
  }
  std::vector<LiveFileMetaData> files;
  db->GetLiveFilesMetaData(&files);
  std::cout << files.size() << " live files\n";
  TablePropertiesCollection tables;
  Check(db->GetPropertiesOfAllTables(&tables));
  uint64_t entries = 0;
  for (const auto& [name, properties] : tables) {
    entries += properties->num_entries;
  }
  std::cout << entries << " entries in tables\n";
}

}  // namespace

int main(int argc, char** argv) {
  const std::string path = DirectoryOf(argc, argv);
  Options options;
  options.create_if_missing = true;
  options.disable_auto_compactions = true;
  options.level_compaction_dynamic_level_bytes = true;
  DB* db = nullptr;
  Check(DB::Open(options, path, &db));
  for (int i = 0; i < 300; ++i) {
    Check(db->Put(WriteOptions(), Key(i), "value"));
    if (i % 100 == 99) Check(db->Flush(FlushOptions()));
  }
  const Snapshot* snapshot = db->GetSnapshot();
  std::cout << "snapshot at " << snapshot->GetSequenceNumber() << "\n";
  Check(db->Delete(WriteOptions(), Key(0)));
  Check(db->Put(WriteOptions(), "last", "value"));
  Check(db->DisableFileDeletions());
  Describe(db);
  Check(db->EnableFileDeletions());
  db->ReleaseSnapshot(snapshot);

  Checkpoint* checkpoint = nullptr;
  Check(Checkpoint::Create(db, &checkpoint));
  const std::string copy = path + "_copy";
  Check(checkpoint->CreateCheckpoint(copy));
  std::cout << "again: "
            << checkpoint->CreateCheckpoint(copy).IsInvalidArgument() << "\n";
  delete checkpoint;
  Check(db->Put(WriteOptions(), "later", "value"));
  Check(db->VerifyChecksum());
  delete db;

  Check(DB::Open(options, copy, &db));
  std::string value;
  Check(db->Get(ReadOptions(), "last", &value));
  std::cout << "last = " << value << ", later "
            << db->Get(ReadOptions(), "later", &value).IsNotFound() << "\n";
  Check(db->CompactRange(CompactRangeOptions(), nullptr, nullptr));
  Check(db->Put(WriteOptions(), Key(5), "other"));
  Describe(db);
  delete db;
  return 0;
}
