// SPDX-License-Identifier: Apache-2.0
//
// Valid directories of several kinds, with everything ever written to them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "db/base/file_names.h"
#include "db/manifest/version_edit_tags.h"
#include "db/wal/log_writer.h"
#include "db/wal/write_batch_internal.h"
#include "tests/fuzz/fuzz_opens.h"
#include "tests/fuzz/fuzz_tables.h"

namespace tamis {

struct FuzzBase {
  FuzzFiles files;
  FuzzHistory history;
};

// The database of MakeFuzzDatabase.
inline FuzzBase MakeFuzzBase() {
  FuzzBase base;
  base.files = MakeFuzzDatabase();
  for (const char* key : {"a", "b", "c", "d"}) {
    base.history.emplace("default", key, "value");
  }
  base.history.emplace("default", "c", "another");
  return base;
}

// A new database in memory with the families "default" and "other".
class FuzzFamilies {
 public:
  FuzzFamilies() {
    options_.create_if_missing = true;
    options_.create_missing_column_families = true;
    Claim(DB::Open(options_, kFuzzDirectory,
                   {{"default", options_}, {"other", options_}}, &families_,
                   &db_)
              .ok());
  }
  FuzzFamilies(const FuzzFamilies&) = delete;
  FuzzFamilies& operator=(const FuzzFamilies&) = delete;

  const Options& options() const { return options_; }
  DB* db() const { return db_.get(); }
  ColumnFamilyHandle* family(size_t i) const { return families_[i]; }
  // Returns the current files, then closes the database.
  FuzzFiles TakeFiles() {
    FuzzFiles files = FuzzFilesOf(fs_.get());
    for (ColumnFamilyHandle* const handle : families_) delete handle;
    Claim(db_->Close().ok());
    return files;
  }

 private:
  const std::shared_ptr<SimulatedFileSystem> fs_ = NewSimulatedFileSystem();
  Options options_ = FuzzOptions(fs_);
  std::unique_ptr<DB> db_;
  std::vector<ColumnFamilyHandle*> families_;
};

// Two families: one with tables in two levels and a range deletion, and one
// that is only in the logs, the first of which the other family has flushed. A
// third was dropped.
inline FuzzBase MakeFuzzFamiliesBase() {
  FuzzBase base;
  FuzzFamilies database;
  DB* const db = database.db();
  ColumnFamilyHandle* dropped = nullptr;
  Claim(db->CreateColumnFamily(database.options(), "dropped", &dropped).ok());
  Claim(db->DropColumnFamily(dropped).ok());
  delete dropped;
  const auto put = [&](size_t family, const std::string& key,
                       const std::string& value) {
    Claim(db->Put(WriteOptions(), database.family(family), key, value).ok());
    base.history.emplace(database.family(family)->GetName(), key, value);
  };
  for (int i = 0; i < 8; ++i) {
    put(0, FuzzUserKey(i), "first");
    put(1, FuzzUserKey(i), "first of other");
  }
  Claim(db->CompactRange(CompactRangeOptions(), database.family(0), nullptr,
                         nullptr)
            .ok());
  put(0, FuzzUserKey(2), "second");
  Claim(db->DeleteRange(WriteOptions(), database.family(0), FuzzUserKey(4),
                        FuzzUserKey(6))
            .ok());
  put(1, FuzzUserKey(3), "second");
  Claim(db->Flush(FlushOptions(), database.family(0)).ok());
  put(0, FuzzUserKey(5), "third");
  put(1, FuzzUserKey(5), "third");
  Claim(db->Delete(WriteOptions(), database.family(1), FuzzUserKey(1)).ok());
  base.files = database.TakeFiles();
  return base;
}

// With a MANIFEST and table names as LevelDB's.
inline FuzzBase MakeFuzzLevelDBBase() {
  namespace tags = version_edit_tags;
  FuzzBase base;
  const auto log_of = [](const std::string& record, FileNumber number) {
    std::string bytes;
    LogWriter writer(std::make_unique<FuzzWritableFile>(&bytes), number);
    Claim(writer.AddRecord(record).ok());
    Claim(writer.Flush().ok());
    return bytes;
  };
  std::string edit;
  PutVarint32(&edit, tags::kComparator);
  PutLengthPrefixedSlice(&edit, "leveldb.BytewiseComparator");
  const auto put_number = [&edit](uint32_t tag, uint64_t number) {
    PutVarint32(&edit, tag);
    PutVarint64(&edit, number);
  };
  put_number(tags::kLogNumber, 7);
  put_number(tags::kNextFile, 8);
  put_number(tags::kLastSequence, 20);
  const auto add_table = [&](uint64_t number, int level, int first, int last,
                             SequenceNumber sequence) {
    FuzzRows rows;
    for (int i = first; i < last; ++i) {
      std::string key;
      AppendInternalKey(&key, FuzzUserKey(i), sequence, kTypeValue);
      rows.emplace_back(key, "of " + std::to_string(number));
      base.history.emplace("default", FuzzUserKey(i), rows.back().second);
    }
    const std::string bytes = BuildFuzzTable(
        {kCRC32c, FuzzTableKind::Filter::kNone, false, kNoCompression}, rows);
    base.files[LevelDBTableFileName("", FileNumber(number)).substr(1)] = bytes;
    PutVarint32(&edit, tags::kNewFile);
    PutVarint32(&edit, static_cast<uint32_t>(level));
    PutVarint64(&edit, number);
    PutVarint64(&edit, bytes.size());
    PutLengthPrefixedSlice(&edit, rows.front().first);
    PutLengthPrefixedSlice(&edit, rows.back().first);
  };
  add_table(3, 2, 0, 6, 4);
  add_table(4, 0, 2, 5, 10);
  add_table(5, 0, 3, 8, 15);
  base.files["MANIFEST-000002"] = log_of(edit, FileNumber(2));
  base.files["CURRENT"] = "MANIFEST-000002\n";

  WriteBatch batch;
  Claim(batch.Put(FuzzUserKey(1), "of the log").ok());
  Claim(batch.Delete(FuzzUserKey(4)).ok());
  WriteBatchInternal::SetSequence(&batch, 21);
  base.history.emplace("default", FuzzUserKey(1), "of the log");
  base.files["000007.log"] =
      log_of(WriteBatchInternal::Contents(batch).ToString(), FileNumber(7));
  return base;
}

}  // namespace tamis
