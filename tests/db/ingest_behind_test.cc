// SPDX-License-Identifier: Apache-2.0
//
// IngestExternalFileOptions::ingest_behind: files go below all that a family
// has, and cf_allow_ingest_behind keeps what hides their keys.
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/sst_file_writer.h"
#include "tamis/utilities/merge_operators.h"

#include "tests/db/test_families.h"

namespace tamis {
namespace {

class IngestBehindTest : public FamiliesTest {
 protected:
  IngestBehindTest() {
    options_.cf_allow_ingest_behind = true;
    ingest_.ingest_behind = true;
  }

  // A table with these keys; the value is the name.
  std::string MakeOf(const std::string& name,
                     const std::vector<std::string>& keys) {
    const std::string path = "/parent/" + name + ".sst";
    SstFileWriter writer(options_);
    EXPECT_EQ(writer.Open(path), Status::OK());
    for (const std::string& key : keys) {
      EXPECT_EQ(writer.Put(key, name), Status::OK());
    }
    EXPECT_EQ(writer.Finish(), Status::OK());
    return path;
  }
  Status Ingest(const std::vector<std::string>& paths) {
    return db_->IngestExternalFile(paths, ingest_);
  }
  // "level:sequence" of each table, level 0 first.
  std::string Tables() {
    std::string text;
    for (const LiveFileMetaData& file : LiveFiles()) {
      text += (text.empty() ? "" : " ") + std::to_string(file.level) + ":" +
              std::to_string(file.largest_seqno);
    }
    return text;
  }
  bool AnyAtLevel(int level) {
    for (const LiveFileMetaData& file : LiveFiles()) {
      if (file.level == level) return true;
    }
    return false;
  }

  IngestExternalFileOptions ingest_;
};

TEST_F(IngestBehindTest, WhatIsThereHidesTheFile) {
  Open();
  Put("a", "new");
  const Snapshot* const snapshot = db_->GetSnapshot();
  EXPECT_EQ(Ingest({MakeOf("f", {"a", "b"})}), Status::OK());
  // Nothing was flushed or numbered.
  EXPECT_EQ(Tables(), "6:0");
  EXPECT_EQ(db_->GetLatestSequenceNumber(), 1u);
  EXPECT_EQ(Contents(), "a=new b=f");
  EXPECT_EQ(ContentsAt(snapshot), "a=new b=f");
  db_->ReleaseSnapshot(snapshot);
  Reopen();
  EXPECT_EQ(Contents(), "a=new b=f");
  Compact(/*force=*/true);
  EXPECT_EQ(Contents(), "a=new b=f");
  EXPECT_EQ(Tables(), "1:1 6:0");
}

TEST_F(IngestBehindTest, CompactionsKeepTombstones) {
  for (const CompactionStyle style :
       {kCompactionStyleLevel, kCompactionStyleUniversal}) {
    options_.compaction_style = style;
    Open();
    Put("a", "1");
    Put("b", "1");
    Delete("a");
    DeleteRange("b", "c");
    SingleDelete("d");
    Flush();
    Compact(/*force=*/true);
    Compact(/*force=*/true);
    EXPECT_NE(Tables(), "");
    EXPECT_EQ(Ingest({MakeOf("f", {"a", "b", "c", "d"})}), Status::OK());
    EXPECT_EQ(Contents(), "c=f");
    Compact(/*force=*/true);
    Reopen();
    EXPECT_EQ(Contents(), "c=f");
    Destroy();
  }
}

// Without the option, the last of them would be gone.
TEST_F(IngestBehindTest, WithoutTheOptionTheyDropThem) {
  options_.cf_allow_ingest_behind = false;
  Open();
  Put("a", "1");
  Delete("a");
  Flush();
  Compact(/*force=*/true);
  EXPECT_EQ(Tables(), "");
}

TEST_F(IngestBehindTest, OperandsGetTheirBaseLater) {
  options_.merge_operator = MergeOperators::CreateStringAppendOperator(",");
  Open();
  Merge("a", "1");
  Merge("a", "2");
  Flush();
  Compact(/*force=*/true);
  EXPECT_EQ(Ingest({MakeOf("f", {"a"})}), Status::OK());
  EXPECT_EQ(Get("a"), "f,1,2");
}

TEST_F(IngestBehindTest, CompactionsLeaveTheLastLevelAlone) {
  for (const bool dynamic : {false, true}) {
    for (const CompactionStyle style :
         {kCompactionStyleLevel, kCompactionStyleUniversal}) {
      options_.compaction_style = style;
      options_.level_compaction_dynamic_level_bytes = dynamic;
      options_.num_levels = 4;
      options_.max_bytes_for_level_base = 2000;
      options_.max_bytes_for_level_multiplier = 2;
      options_.target_file_size_base = 1000;
      options_.level0_file_num_compaction_trigger = 2;
      Open();
      ASSERT_EQ(Ingest({MakeOf("f", {Key(1), "z"})}), Status::OK());
      for (int i = 0; i < 20; ++i) {
        PutMany(10);
        Flush();
        RunJobs();
      }
      Compact(/*force=*/true);
      size_t behind = 0;
      for (const LiveFileMetaData& file : LiveFiles()) {
        if (file.level == 3) ++behind;
      }
      EXPECT_EQ(behind, 1u);
      EXPECT_TRUE(AnyAtLevel(2));
      EXPECT_EQ(Get("z"), "f");
      EXPECT_EQ(Get(Key(1)), Noise(100, 1));
      // Nor may a caller write there.
      CompactRangeOptions change;
      change.change_level = true;
      change.target_level = 3;
      EXPECT_TRUE(
          db_->CompactRange(change, nullptr, nullptr).IsInvalidArgument());
      const std::string table = LiveFiles().front().name;
      EXPECT_TRUE(db_->CompactFiles(CompactionOptions(), {table}, 3)
                      .IsInvalidArgument());
      Destroy();
    }
  }
}

// The table of the level above is above the file's keys.
TEST_F(IngestBehindTest, OldTablesStayOutOfTheLastLevel) {
  options_.num_levels = 3;
  for (const bool periodic : {false, true}) {
    options_.ttl = periodic ? 0 : 3600;
    options_.periodic_compaction_seconds = periodic ? 3600 : 0;
    Open();
    Put("a", "1");
    Put("c", "2");
    Flush();
    Compact(/*force=*/true);
    ASSERT_EQ(Ingest({MakeOf("f", {"b"})}), Status::OK());
    ASSERT_EQ(Tables(), "1:2 2:0");
    clock_->SleepForMicroseconds(uint64_t{7200} * 1'000'000);
    Put("x", "3");
    Flush();
    RunJobs();
    // The periodic compaction leaves the table in its level.
    EXPECT_EQ(LogLines("reason=periodic").empty(), !periodic);
    EXPECT_TRUE(LogLines("reason=age").empty());
    EXPECT_TRUE(Tables().ends_with("1:2 2:0")) << Tables();
    EXPECT_EQ(Contents(), "a=1 b=f c=2 x=3");
    EXPECT_EQ(Ingest({MakeOf("g", {"y"})}), Status::OK());
    Destroy();
  }
}

TEST_F(IngestBehindTest, OtherIngestionsGoAboveAndGetNumbers) {
  Open();
  ingest_.ingest_behind = false;
  EXPECT_EQ(Ingest({MakeOf("above", {"a"})}), Status::OK());
  EXPECT_EQ(Tables(), "5:1");
  ingest_.ingest_behind = true;
  EXPECT_EQ(Ingest({MakeOf("f", {"a", "b"})}), Status::OK());
  EXPECT_EQ(Contents(), "a=above b=f");
}

TEST_F(IngestBehindTest, Refusals) {
  Open();
  EXPECT_TRUE(
      Ingest({MakeOf("f", {"a", "c"}), MakeOf("g", {"b"})}).IsNotSupported());
  EXPECT_EQ(Ingest({MakeOf("f", {"a", "c"})}), Status::OK());
  const Status overlaps = Ingest({MakeOf("g", {"b"})});
  EXPECT_TRUE(overlaps.IsInvalidArgument()) << overlaps;
  EXPECT_NE(overlaps.message().find("/parent/g.sst"), std::string::npos);
  EXPECT_EQ(Ingest({MakeOf("g", {"d"})}), Status::OK());
  EXPECT_EQ(TablesOnDisk(), 2u);
  EXPECT_EQ(Contents(), "a=f c=f d=g");
}

TEST_F(IngestBehindTest, NeedsTheOption) {
  options_.cf_allow_ingest_behind = false;
  Open();
  const Status status = Ingest({MakeOf("f", {"a"})});
  EXPECT_TRUE(status.IsInvalidArgument()) << status;
  EXPECT_NE(status.message().find("cf_allow_ingest_behind"), std::string::npos);
  // Its compactions set sequence numbers to 0.
  Put("a", "1");
  Flush();
  Compact(/*force=*/true);
  db_.reset();
  options_.cf_allow_ingest_behind = true;
  Open();
  const Status zero = Ingest({MakeOf("f", {"a"})});
  EXPECT_TRUE(zero.IsInvalidArgument()) << zero;
  EXPECT_NE(zero.message().find("sequence number 0"), std::string::npos)
      << zero;
}

TEST_F(IngestBehindTest, TheDatabasesOptionIsThatOfItsFamilies) {
  options_.cf_allow_ingest_behind = false;
  options_.allow_ingest_behind = true;
  options_.num_levels = 2;
  Open();
  ColumnFamilyHandle* made = nullptr;
  ASSERT_EQ(db_->CreateColumnFamily(options_, "made", &made), Status::OK());
  for (ColumnFamilyHandle* family : {db_->DefaultColumnFamily(), made}) {
    EXPECT_TRUE(db_->GetOptions(family).cf_allow_ingest_behind);
    EXPECT_EQ(db_->GetOptions(family).num_levels, 3);
    EXPECT_EQ(db_->IngestExternalFile(family, {MakeOf("f", {"a"})}, ingest_),
              Status::OK());
  }
  EXPECT_EQ(Tables(), "2:0 2:0");
  EXPECT_EQ(db_->DestroyColumnFamilyHandle(made), Status::OK());
}

TEST_F(IngestBehindTest, FifoHasNoLevelForThem) {
  options_.compaction_style = kCompactionStyleFIFO;
  const Status status = TryOpen();
  EXPECT_TRUE(status.IsInvalidArgument()) << status;
  EXPECT_NE(status.message().find("cf_allow_ingest_behind"), std::string::npos);
}

// Compactions then merge the files with the rest.
TEST_F(IngestBehindTest, WithoutTheOptionAgainNothingComesBack) {
  Open();
  Put("a", "new");
  Put("b", "1");
  Delete("b");
  Flush();
  Compact(/*force=*/true);
  EXPECT_EQ(Ingest({MakeOf("f", {"a", "b", "c"})}), Status::OK());
  db_.reset();
  options_.cf_allow_ingest_behind = false;
  Open();
  EXPECT_EQ(Contents(), "a=new c=f");
  Compact(/*force=*/true);
  EXPECT_EQ(Contents(), "a=new c=f");
  EXPECT_EQ(LiveFiles().size(), 1u);
}

}  // namespace
}  // namespace tamis
