// SPDX-License-Identifier: Apache-2.0
//
// The calls that describe a database say in Tamis what they say in RocksDB.
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <rocksdb/convenience.h>
#include <rocksdb/db.h>

#include "tamis/convenience.h"

#include "tests/interop/peers.h"
#include "tests/support/directories.h"

namespace tamis {
namespace {

// Both have the same history: tables in level 0 and below, memtables, a
// snapshot.
class DescribeTest : public testing::Test {
 protected:
  void SetUp() override {
    Options options;
    options.create_if_missing = true;
    options.disable_auto_compactions = true;
    options.level_compaction_dynamic_level_bytes = false;  // its default
    ours_ = OpenTamis(options, directory_.Path("ours"));
    rocksdb::Options theirs;
    theirs.create_if_missing = true;
    theirs.disable_auto_compactions = true;
    theirs_ = OpenPeer(theirs, directory_.Path("theirs"));
    ASSERT_TRUE(ours_ != nullptr && theirs_ != nullptr);
    for (int i = 0; i < 100; ++i) Put("k" + std::to_string(100 + i));
    ASSERT_TRUE(ours_->Flush({}).ok() && theirs_->Flush({}).ok());
    ASSERT_TRUE(ours_->CompactRange({}, nullptr, nullptr).ok());
    ASSERT_TRUE(theirs_->CompactRange({}, nullptr, nullptr).ok());
    Put("k150");
    ASSERT_TRUE(ours_->Flush({}).ok() && theirs_->Flush({}).ok());
    our_snapshot_ = ours_->GetSnapshot();
    their_snapshot_ = theirs_->GetSnapshot();
    Put("k160");
    ASSERT_TRUE(ours_->Delete({}, "k161").ok());
    ASSERT_TRUE(theirs_->Delete({}, "k161").ok());
  }
  void TearDown() override {
    ours_->ReleaseSnapshot(our_snapshot_);
    theirs_->ReleaseSnapshot(their_snapshot_);
  }
  void Put(const std::string& key) {
    ASSERT_TRUE(ours_->Put({}, key, std::string(1000, 'v')).ok());
    ASSERT_TRUE(theirs_->Put({}, key, std::string(1000, 'v')).ok());
  }

  const TemporaryDirectory directory_;
  std::unique_ptr<DB> ours_;
  std::unique_ptr<rocksdb::DB> theirs_;
  const Snapshot* our_snapshot_ = nullptr;
  const rocksdb::Snapshot* their_snapshot_ = nullptr;
};

TEST_F(DescribeTest, Properties) {
  for (const char* name :
       {"num-entries-active-mem-table", "num-deletes-active-mem-table",
        "num-entries-imm-mem-tables", "num-deletes-imm-mem-tables",
        "oldest-snapshot-sequence", "base-level", "is-file-deletions-enabled",
        "estimate-pending-compaction-bytes", "num-snapshots"}) {
    const std::string property = std::string("rocksdb.") + name;
    uint64_t our_value = 0;
    uint64_t their_value = 0;
    EXPECT_TRUE(ours_->GetIntProperty(property, &our_value)) << property;
    EXPECT_TRUE(theirs_->GetIntProperty(property, &their_value)) << property;
    EXPECT_EQ(our_value, their_value) << property;
  }
  for (const char* name : {"min-log-number-to-keep", "estimate-live-data-size",
                           "aggregated-table-properties"}) {
    const std::string property = std::string("rocksdb.") + name;
    std::string value;
    EXPECT_TRUE(ours_->GetProperty(property, &value)) << property;
    EXPECT_TRUE(theirs_->GetProperty(property, &value)) << property;
  }
  std::map<std::string, std::string> our_sums;
  std::map<std::string, std::string> their_sums;
  const std::string sums = "rocksdb.aggregated-table-properties";
  ASSERT_TRUE(ours_->GetMapProperty(sums, &our_sums));
  ASSERT_TRUE(theirs_->GetMapProperty(sums, &their_sums));
  for (const auto& [name, value] : our_sums) {
    EXPECT_TRUE(their_sums.contains(name)) << name;
  }
  for (const char* name : {"num_entries", "num_deletions", "raw_key_size",
                           "raw_value_size", "num_range_deletions"}) {
    EXPECT_EQ(our_sums[name], their_sums[name]) << name;
  }
}

TEST_F(DescribeTest, TablesByLevel) {
  ColumnFamilyMetaData our_data;
  rocksdb::ColumnFamilyMetaData their_data;
  ours_->GetColumnFamilyMetaData(&our_data);
  theirs_->GetColumnFamilyMetaData(&their_data);
  EXPECT_EQ(our_data.name, their_data.name);
  EXPECT_EQ(our_data.file_count, their_data.file_count);
  ASSERT_EQ(our_data.levels.size(), their_data.levels.size());
  for (size_t i = 0; i < our_data.levels.size(); ++i) {
    EXPECT_EQ(our_data.levels[i].level, their_data.levels[i].level);
    ASSERT_EQ(our_data.levels[i].files.size(),
              their_data.levels[i].files.size())
        << i;
    for (size_t n = 0; n < our_data.levels[i].files.size(); ++n) {
      const SstFileMetaData& our_file = our_data.levels[i].files[n];
      const rocksdb::SstFileMetaData& their_file =
          their_data.levels[i].files[n];
      EXPECT_EQ(our_file.smallestkey, their_file.smallestkey);
      EXPECT_EQ(our_file.largestkey, their_file.largestkey);
      EXPECT_EQ(our_file.name.size(), their_file.name.size());
      EXPECT_EQ("/" + their_file.relative_filename, their_file.name);
      EXPECT_EQ(our_file.being_compacted, their_file.being_compacted);
    }
  }
}

TEST_F(DescribeTest, SizesAndKeys) {
  const auto sizes = [&](const std::string& start, const std::string& limit) {
    const Range our_range(start, limit);
    const rocksdb::Range their_range(start, limit);
    uint64_t our_size = 0;
    uint64_t their_size = 0;
    EXPECT_TRUE(ours_->GetApproximateSizes(&our_range, 1, &our_size).ok());
    EXPECT_TRUE(
        theirs_->GetApproximateSizes(&their_range, 1, &their_size).ok());
    return std::pair(our_size, their_size);
  };
  for (const auto& [start, limit] : std::map<std::string, std::string>{
           {"k1", "k2"}, {"k120", "k180"}, {"a", "b"}, {"x", "z"}}) {
    const auto [our_size, their_size] = sizes(start, limit);
    EXPECT_LE(our_size, their_size * 5 / 4 + 2000) << start;
    EXPECT_LE(their_size, our_size * 5 / 4 + 2000) << start;
  }
  std::string value;
  bool found = false;
  EXPECT_TRUE(ours_->KeyMayExist({}, "k160", &value, &found));
  EXPECT_TRUE(found);
  found = false;
  EXPECT_TRUE(theirs_->KeyMayExist({}, "k160", &value, &found));
  EXPECT_TRUE(found);
  EXPECT_FALSE(ours_->KeyMayExist({}, "k161", &value));
  EXPECT_FALSE(theirs_->KeyMayExist({}, "k161", &value));
}

TEST_F(DescribeTest, FilesAreListedAlike) {
  std::vector<std::string> our_files;
  std::vector<std::string> their_files;
  uint64_t our_bytes = 0;
  uint64_t their_bytes = 0;
  ASSERT_TRUE(ours_->GetLiveFiles(our_files, &our_bytes).ok());
  ASSERT_TRUE(theirs_->GetLiveFiles(their_files, &their_bytes).ok());
  const auto kinds = [](const std::vector<std::string>& files) {
    std::map<std::string, int> count;
    for (const std::string& file : files) {
      EXPECT_TRUE(file.starts_with("/")) << file;
      if (file.starts_with("/OPTIONS")) continue;  // Tamis may have none
      ++count[file.ends_with(".sst") ? "table" : file.substr(0, 9)];
    }
    return count;
  };
  EXPECT_EQ(kinds(our_files), kinds(their_files));
  EXPECT_GT(our_bytes, 0u);
  VectorLogPtr our_logs;
  rocksdb::VectorLogPtr their_logs;
  Put("k170");
  ASSERT_TRUE(ours_->GetSortedWalFiles(our_logs).ok());
  ASSERT_TRUE(theirs_->GetSortedWalFiles(their_logs).ok());
  ASSERT_FALSE(our_logs.empty() || their_logs.empty());
  EXPECT_EQ(our_logs.back()->StartSequence(),
            their_logs.back()->StartSequence());
}

// Where nothing below stays and no snapshot is held, both drop the same tables.
TEST_F(DescribeTest, FilesOfARangeGo) {
  ours_->ReleaseSnapshot(our_snapshot_);
  theirs_->ReleaseSnapshot(their_snapshot_);
  our_snapshot_ = nullptr;
  their_snapshot_ = nullptr;
  const Slice begin("k1");
  const Slice end("k2");
  const rocksdb::Slice their_begin("k1");
  const rocksdb::Slice their_end("k2");
  ASSERT_TRUE(DeleteFilesInRange(ours_.get(), ours_->DefaultColumnFamily(),
                                 &begin, &end)
                  .ok());
  ASSERT_TRUE(rocksdb::DeleteFilesInRange(theirs_.get(),
                                          theirs_->DefaultColumnFamily(),
                                          &their_begin, &their_end)
                  .ok());
  std::vector<LiveFileMetaData> our_files;
  std::vector<rocksdb::LiveFileMetaData> their_files;
  ours_->GetLiveFilesMetaData(&our_files);
  theirs_->GetLiveFilesMetaData(&their_files);
  ASSERT_EQ(our_files.size(), 1u);  // that of level 0
  ASSERT_EQ(their_files.size(), 1u);
  EXPECT_EQ(our_files[0].level, their_files[0].level);
  EXPECT_EQ(our_files[0].smallestkey, their_files[0].smallestkey);
}

}  // namespace
}  // namespace tamis
