// SPDX-License-Identifier: Apache-2.0
#include "db/recovery/leveldb_directory.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "db/base/file_names.h"
#include "db/manifest/manifest_state.h"
#include "tests/support/simulated_file_system.h"
#include "tests/support/string_files.h"
#include "tests/support/tables.h"
#include "util/base/fake_clock.h"

namespace tamis {
namespace {

class LevelDBDirectoryTest : public testing::Test {
 protected:
  LevelDBDirectoryTest() : fs_(NewSimulatedFileSystem()) {
    EXPECT_TRUE(fs_->CreateDirIfMissing("/db").ok());
    UseDirectory("/db", fs_);
    context_.options.clock = std::make_shared<FakeClock>();
    family_options_.table_factory.reset(NewBlockBasedTableFactory());
  }
  void UseDirectory(const std::string& directory,
                    std::shared_ptr<FileSystem> file_system) {
    context_.directory = directory;
    context_.options.file_system = std::move(file_system);
  }
  Status Scan(FileMetaData* meta) {
    const TableCache tables(context_, Bytewise(), family_options_);
    return ScanSequenceBounds(context_, Bytewise(), tables, meta);
  }

  // As table 9, and what LevelDB would say of it.
  FileMetaData AddTable(const Entries& entries,
                        const std::vector<RangeTombstone>& tombstones = {},
                        bool leveldb_name = true) {
    std::string bytes;
    StringWritableFile file(&bytes);
    TableBuilder builder(TableBuildOptions(Bytewise()), &file);
    for (const auto& [key, value] : entries) builder.Add(key, value);
    for (const RangeTombstone& t : tombstones) {
      builder.AddRangeDeletion(t.begin, t.end, t.sequence);
    }
    EXPECT_EQ(builder.Finish(), Status::OK());
    FileMetaData meta;
    meta.number = FileNumber(9);
    meta.size = bytes.size();
    if (!entries.empty()) {
      meta.smallest = entries.front().first;
      meta.largest = entries.back().first;
    }
    meta.seqnos_known = false;
    meta.smallest_seqno = kMaxSequenceNumber;
    const std::string path = leveldb_name
                                 ? LevelDBTableFileName("/db", FileNumber(9))
                                 : TableFileName("/db", FileNumber(9));
    EXPECT_TRUE(WriteStringToFile(fs_.get(), bytes, path, true).ok());
    return meta;
  }

  const std::shared_ptr<SimulatedFileSystem> fs_;
  DBContext context_;
  ColumnFamilyOptions family_options_;
};

TEST_F(LevelDBDirectoryTest, BoundsCoverAllEntries) {
  for (const bool leveldb_name : {true, false}) {
    ASSERT_TRUE(fs_->RemoveFile("/db/000009.ldb").ok() || leveldb_name);
    FileMetaData meta = AddTable({{InternalKey("a", 70), "1"},
                                  {InternalKey("b", 90), "2"},
                                  {InternalKey("b", 12), "3"},
                                  {InternalKey("c", 55), "4"}},
                                 {}, leveldb_name);
    const FileMetaData before = meta;
    ASSERT_EQ(Scan(&meta), Status::OK());
    EXPECT_TRUE(meta.seqnos_known);
    EXPECT_EQ(meta.smallest_seqno, 12u);
    EXPECT_EQ(meta.largest_seqno, 90u);
    EXPECT_EQ(meta.smallest, before.smallest);
    EXPECT_EQ(meta.largest, before.largest);
  }
}

TEST_F(LevelDBDirectoryTest, BoundsCoverRangeTombstones) {
  const std::vector<RangeTombstone> tombstones = {{"A", "z", 99}};
  FileMetaData meta = AddTable({{InternalKey("m", 5), "1"}}, tombstones);
  EXPECT_TRUE(Scan(&meta).IsCorruption());
  meta.smallest = InternalKey("A", 99, kTypeRangeDeletion);
  meta.largest = InternalKey("z", kMaxSequenceNumber, kTypeRangeDeletion);
  ASSERT_EQ(Scan(&meta), Status::OK());
  EXPECT_EQ(meta.smallest_seqno, 5u);
  EXPECT_EQ(meta.largest_seqno, 99u);
}

TEST_F(LevelDBDirectoryTest, WrongBoundsAreCorruption) {
  const FileMetaData good =
      AddTable({{InternalKey("b", 7), "1"}, {InternalKey("d", 9), "2"}});
  const struct {
    const char* says;
    std::string smallest;
    std::string largest;
  } cases[] = {
      {"smallest", InternalKey("a", 7), good.largest},
      {"smallest", InternalKey("b", 8), good.largest},
      {"largest", good.smallest, InternalKey("e", 9)},
      {"largest", good.smallest, InternalKey("d", 9, kTypeDeletion)},
  };
  for (const auto& c : cases) {
    FileMetaData meta = good;
    meta.smallest = c.smallest;
    meta.largest = c.largest;
    const Status status = Scan(&meta);
    EXPECT_TRUE(status.IsCorruption()) << status;
    EXPECT_NE(status.message().find("/db/000009.ldb"), std::string::npos)
        << status;
    EXPECT_NE(status.message().find(std::string("expected the ") + c.says),
              std::string::npos)
        << status;
    EXPECT_FALSE(meta.seqnos_known);
  }
}

TEST_F(LevelDBDirectoryTest, DamagedAndMissingTablesAreRefused) {
  Entries entries;
  for (int i = 0; i < 2000; ++i) {
    const std::string key = "key" + std::to_string(10000 + i);
    entries.emplace_back(InternalKey(key, 5), std::string(50, 'v'));
  }
  FileMetaData meta = AddTable(entries);
  std::string bytes;
  ASSERT_TRUE(fs_->GetContents("/db/000009.ldb", &bytes).ok());
  bytes[bytes.size() / 4] ^= 1;
  ASSERT_TRUE(fs_->SetContents("/db/000009.ldb", bytes).ok());
  const Status status = Scan(&meta);
  EXPECT_TRUE(status.IsCorruption()) << status;
  EXPECT_NE(status.message().find("/db/000009.ldb"), std::string::npos)
      << status;
  EXPECT_FALSE(meta.seqnos_known);
  ASSERT_TRUE(fs_->RemoveFile("/db/000009.ldb").ok());
  EXPECT_TRUE(Scan(&meta).IsPathNotFound());
}

// LevelDB numbers its tables in the order of their writing: those of level 0
// hold ranges of history that follow each other.
TEST_F(LevelDBDirectoryTest, SequenceRangesOfLevelDBsTablesFollowTheirNumbers) {
  namespace sfs = std::filesystem;
  const char* const root = std::getenv("TAMIS_GOLDEN_DIR");
  if (root == nullptr) {
    GTEST_SKIP() << "TAMIS_GOLDEN_DIR is not set: nothing was read";
  }
  size_t tables = 0;
  for (const auto& entry : sfs::directory_iterator(sfs::path(root) / "golden" /
                                                   "leveldb-1.23" / "dirs")) {
    if (!entry.is_directory()) continue;
    SCOPED_TRACE(entry.path());
    UseDirectory(entry.path().string(), NewPosixFileSystem());
    auto state = ReadManifest(context_.fs(), context_.directory);
    ASSERT_TRUE(state.ok()) << state.status();
    EXPECT_TRUE(state->leveldb);
    for (auto& files : state->families.at(FamilyId(0)).files) {
      for (FileMetaData& file : files) {
        EXPECT_FALSE(file.seqnos_known);
        ASSERT_EQ(Scan(&file), Status::OK());
        EXPECT_TRUE(file.seqnos_known);
        EXPECT_GT(file.smallest_seqno, 0u);
        EXPECT_LE(file.largest_seqno, state->last_sequence);
        ++tables;
      }
    }
    auto& newest = state->families.at(FamilyId(0)).files[kLevelZero];
    std::sort(newest.begin(), newest.end(),
              [](const FileMetaData& a, const FileMetaData& b) {
                return a.number < b.number;
              });
    for (size_t i = 1; i < newest.size(); ++i) {
      EXPECT_LT(newest[i - 1].largest_seqno, newest[i].smallest_seqno);
    }
  }
  EXPECT_GT(tables, 10u);
}

}  // namespace
}  // namespace tamis
