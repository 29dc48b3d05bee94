// SPDX-License-Identifier: Apache-2.0
//
// LevelDB's directories: its tables' sequence numbers stand nowhere but in the
// tables, so one with tables is refused and stays LevelDB's; one with a log
// alone is read.
#include <memory>
#include <string>

#include <gtest/gtest.h>
#include <leveldb/db.h>

#include "tamis/db.h"

#include "tests/interop/workload.h"
#include "tests/support/databases.h"

namespace tamis {
namespace {

std::unique_ptr<leveldb::DB> OpenLevelDB(const std::string& directory) {
  leveldb::Options options;
  options.create_if_missing = true;
  options.write_buffer_size = 64 * 1024;
  leveldb::DB* db = nullptr;
  const leveldb::Status status = leveldb::DB::Open(options, directory, &db);
  EXPECT_TRUE(status.ok()) << status.ToString();
  return std::unique_ptr<leveldb::DB>(db);
}

void WriteLevelDB(Workload* workload, size_t n, const std::string& directory) {
  const auto db = OpenLevelDB(directory);
  ASSERT_NE(db, nullptr);
  for (const Change& change : workload->Next(n)) {
    const leveldb::Status status =
        change.put ? db->Put(leveldb::WriteOptions(), change.key, change.value)
                   : db->Delete(leveldb::WriteOptions(), change.key);
    ASSERT_TRUE(status.ok()) << status.ToString();
  }
}

KeyValues ScanLevelDB(const std::string& directory) {
  KeyValues entries;
  const auto db = OpenLevelDB(directory);
  if (db == nullptr) return entries;
  const std::unique_ptr<leveldb::Iterator> it(
      db->NewIterator(leveldb::ReadOptions()));
  for (it->SeekToFirst(); it->Valid(); it->Next()) {
    entries.emplace_back(it->key().ToString(), it->value().ToString());
  }
  EXPECT_TRUE(it->status().ok()) << it->status().ToString();
  return entries;
}

TEST(LevelDBTest, ADirectoryWithTablesIsRefusedAndStaysAsItIs) {
  const TemporaryDirectory temporary;
  const std::string directory = temporary.Path("db");
  Workload workload(303);
  ASSERT_NO_FATAL_FAILURE(WriteLevelDB(&workload, 3000, directory));
  for (int i = 0; i < 2; ++i) {
    std::unique_ptr<DB> db;
    const Status status = DB::Open(Options(), directory, &db);
    EXPECT_TRUE(status.IsNotSupported()) << status;
    EXPECT_NE(status.message().find("LevelDB"), std::string::npos) << status;
  }
  EXPECT_EQ(Difference(workload.Shown(false), ScanLevelDB(directory)), "");
}

TEST(LevelDBTest, ADirectoryWithALogAloneIsRead) {
  const TemporaryDirectory temporary;
  const std::string directory = temporary.Path("db");
  Workload workload(304);
  ASSERT_NO_FATAL_FAILURE(WriteLevelDB(&workload, 50, directory));
  for (int i = 0; i < 2; ++i) {
    std::unique_ptr<DB> db;
    Status status = DB::Open(Options(), directory, &db);
    ASSERT_TRUE(status.ok()) << status;
    EXPECT_EQ(DifferenceFrom(workload.Shown(false), db.get(), &status), "");
    EXPECT_TRUE(status.ok()) << status;
  }
}

}  // namespace
}  // namespace tamis
