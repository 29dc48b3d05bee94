// SPDX-License-Identifier: Apache-2.0
//
// Descriptions of the tables of a database, and the check of all their blocks.
#include <string>

#include <gtest/gtest.h>

#include "tests/db/test_families.h"

namespace tamis {
namespace {

class DBMetadataTest : public FamiliesTest {
 protected:
  static std::string NameOf(const SstFileMetaData& file) {
    return file.db_path + file.name;
  }
};

TEST_F(DBMetadataTest, AFamilyIsDescribedByLevel) {
  options_.disable_auto_compactions = true;
  MakeFamilies({"f"});
  Put("f", "x", "1");
  Put("a", "1");
  Put("c", "1");
  Flush();
  Compact();
  Put("b", "2");
  Flush();
  ColumnFamilyMetaData metadata;
  db_->GetColumnFamilyMetaData(&metadata);
  EXPECT_EQ(metadata.name, "default");
  EXPECT_EQ(metadata.file_count, 2u);
  ASSERT_EQ(metadata.levels.size(), 7u);
  EXPECT_EQ(metadata.levels[0].level, 0);
  EXPECT_EQ(metadata.levels[6].level, 6);
  ASSERT_EQ(metadata.levels[0].files.size(), 1u);
  ASSERT_EQ(metadata.levels[1].files.size(), 1u);
  EXPECT_EQ(metadata.size, metadata.levels[0].size + metadata.levels[1].size);
  const SstFileMetaData& file = metadata.levels[1].files[0];
  EXPECT_EQ(file.smallestkey, "a");
  EXPECT_EQ(file.largestkey, "c");
  EXPECT_EQ(file.num_entries, 2u);
  EXPECT_EQ("/" + file.relative_filename, file.name);
  EXPECT_EQ(file.directory, kTestDirectory);
  EXPECT_FALSE(file.being_compacted);
  uint64_t size = 0;
  EXPECT_EQ(fs_->GetFileSize(NameOf(file), &size), Status::OK());
  EXPECT_EQ(file.size, size);
  EXPECT_EQ(metadata.levels[1].size, size);

  db_->GetColumnFamilyMetaData(Family("f"), &metadata);
  EXPECT_EQ(metadata.name, "f");
  EXPECT_EQ(metadata.file_count, 0u);
  EXPECT_EQ(metadata.size, 0u);
}

TEST_F(DBMetadataTest, TheOldestTableTellsItsTime) {
  options_.disable_auto_compactions = true;
  MakeFamilies({"f"});
  uint64_t oldest = 0;
  EXPECT_EQ(db_->GetCreationTimeOfOldestFile(&oldest), Status::OK());
  EXPECT_EQ(oldest, UINT64_MAX);
  Put("f", "a", "1");
  ASSERT_EQ(db_->Flush(FlushOptions(), Family("f")), Status::OK());
  const uint64_t first = clock_->NowMicros() / 1'000'000;
  clock_->SleepForMicroseconds(100'000'000);
  Put("a", "1");
  Flush();
  EXPECT_EQ(db_->GetCreationTimeOfOldestFile(&oldest), Status::OK());
  EXPECT_EQ(oldest, first);
}

TEST_F(DBMetadataTest, InputsOfACompactionAreMarked) {
  options_.level0_file_num_compaction_trigger = 2;
  Open();
  MakeLevel0Files(2);
  ColumnFamilyMetaData metadata;
  db_->GetColumnFamilyMetaData(&metadata);
  ASSERT_EQ(metadata.levels[0].files.size(), 2u);
  EXPECT_TRUE(metadata.levels[0].files[0].being_compacted);
  RunJobs();
  db_->GetColumnFamilyMetaData(&metadata);
  ASSERT_EQ(metadata.levels[1].files.size(), 1u);
  EXPECT_FALSE(metadata.levels[1].files[0].being_compacted);
}

TEST_F(DBMetadataTest, PropertiesOfTheTablesOfRanges) {
  options_.disable_auto_compactions = true;
  Open();
  for (const char* key : {"a", "c", "e"}) {
    Put(key, "1");
    Flush();
  }
  const auto count = [&](const Slice& begin, const Slice& end) {
    const Range range(begin, end);
    TablePropertiesCollection props;
    EXPECT_EQ(db_->GetPropertiesOfTablesInRange(db_->DefaultColumnFamily(),
                                                &range, 1, &props),
              Status::OK());
    for (const auto& [name, table] : props) EXPECT_EQ(table->num_entries, 1u);
    return props.size();
  };
  EXPECT_EQ(count("a", "z"), 3u);
  EXPECT_EQ(count("a", "b"), 1u);
  EXPECT_EQ(count("a", "c"), 2u);
  EXPECT_EQ(count("f", "z"), 0u);
  const Range two[] = {{"a", "b"}, {"d", "f"}};
  TablePropertiesCollection props;
  EXPECT_EQ(db_->GetPropertiesOfTablesInRange(db_->DefaultColumnFamily(), two,
                                              2, &props),
            Status::OK());
  EXPECT_EQ(props.size(), 2u);
}

TEST_F(DBMetadataTest, VerifyChecksumFindsADamagedBlockOfAnyFamily) {
  MakeFamilies({"f"});
  for (int i = 0; i < 500; ++i) Put("f", Key(i), Noise(100, 1));
  ASSERT_EQ(db_->Flush({}, Family("f")), Status::OK());
  EXPECT_EQ(db_->VerifyChecksum(), Status::OK());
  ColumnFamilyMetaData metadata;
  db_->GetColumnFamilyMetaData(Family("f"), &metadata);
  const std::string path = NameOf(metadata.levels.at(0).files.at(0));
  std::string bytes;
  ASSERT_EQ(fs_->GetContents(path, &bytes), Status::OK());
  bytes[bytes.size() / 3] ^= 1;
  ASSERT_EQ(fs_->SetContents(path, bytes), Status::OK());
  const Status status = db_->VerifyChecksum();
  EXPECT_TRUE(status.IsCorruption()) << status;
  EXPECT_NE(status.message().find(path), std::string::npos) << status;
  // Writes go on: nothing was written wrong.
  Put("a", "1");
}

}  // namespace
}  // namespace tamis
