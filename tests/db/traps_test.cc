// SPDX-License-Identifier: Apache-2.0
//
// Directories for which some release of RocksDB deletes live data, crashes or
// shows an empty database. Tamis reads each correctly, or fails with a Status
// that names the fault; and it keeps every table, log and MANIFEST, in place or
// in lost/. The directories are made byte by byte:
//
//   L0: 12 = b@7 c@8   11 = a@5 b@6      log 20: f@9
//   L1: 10 = a@1 b@2    9 = d@3 e@4
//
// Shows D10 to D12 of docs/durability.md.
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/db.h"

#include "db/base/file_names.h"
#include "db/manifest/manifest_state.h"
#include "db/manifest/version_edit.h"
#include "tests/support/databases.h"
#include "tests/support/log_faults.h"
#include "tests/support/simulated_file_system.h"
#include "tests/support/tables.h"

namespace tamis {
namespace {

using Files = std::map<std::string, std::string>;

constexpr char kDirectory[] = "/db";
constexpr uint64_t kLog = 20;

std::string Entry(const std::string& key, SequenceNumber sequence) {
  return RawBatch(sequence, 1, RawPut(key, key + std::to_string(sequence)));
}

class TrapsTest : public testing::Test {
 protected:
  TrapsTest() {
    edit_.comparator = "leveldb.BytewiseComparator";
    edit_.log_number = FileNumber(kLog);
    edit_.prev_log_number = FileNumber(0);
    edit_.next_file_number = FileNumber(kLog + 1);
    edit_.last_sequence = 8;
    edit_.min_log_number_to_keep = FileNumber(kLog);
    files_ = RawDatabase();
    files_.erase("MANIFEST-000001");
    files_["CURRENT"] = "MANIFEST-000019\n";
    AddTable(0, 12, {{"b", 7}, {"c", 8}});
    AddTable(0, 11, {{"a", 5}, {"b", 6}});
    AddTable(1, 10, {{"a", 1}, {"b", 2}});
    AddTable(1, 9, {{"d", 3}, {"e", 4}});
    SetLog(kLog, RawLog(kLog).Add(Entry("f", 9)).bytes());
  }

  void AddTable(int level, uint64_t number,
                const std::vector<std::pair<std::string, uint64_t>>& keys) {
    TableBuildOptions options(Bytewise());
    options.table.format_version = format_version_;
    if (format_version_ == 0) options.table.checksum = kCRC32c;
    Entries entries;
    FileMetaData meta;
    meta.smallest_seqno = kMaxSequenceNumber;
    for (const auto& [key, sequence] : keys) {
      entries.emplace_back(InternalKey(key, sequence),
                           key + std::to_string(sequence));
      meta.smallest_seqno = std::min(meta.smallest_seqno, sequence);
      meta.largest_seqno = std::max(meta.largest_seqno, sequence);
    }
    const std::string bytes = BuildTable(options, entries);
    meta.number = FileNumber(number);
    meta.size = bytes.size();
    meta.smallest = entries.front().first;
    meta.largest = entries.back().first;
    meta.epoch_number = EpochNumber(number);
    files_[TableFileName("", FileNumber(number)).substr(1)] = bytes;
    edit_.new_files.emplace_back(level, meta);
  }
  void SetLog(uint64_t number, const std::string& bytes) {
    files_[LogFileName("", FileNumber(number)).substr(1)] = bytes;
  }
  std::pair<Level, FileMetaData>& Table(uint64_t number) {
    for (auto& table : edit_.new_files) {
      if (table.second.number == FileNumber(number)) return table;
    }
    ADD_FAILURE() << number;
    return edit_.new_files.front();
  }
  // That of the edit, then another that repeats the counters.
  std::string Manifest() const {
    std::string first;
    edit_.EncodeTo(&first);
    VersionEdit again;
    again.next_file_number = edit_.next_file_number;
    again.last_sequence = edit_.last_sequence;
    std::string second;
    again.EncodeTo(&second);
    return RawLog(19).Add(first).Add(second).bytes();
  }

  void MakeDirectory() {
    fs_ = NewSimulatedFileSystem();
    EXPECT_TRUE(fs_->CreateDirIfMissing(kDirectory).ok());
    files_.emplace("MANIFEST-000019", Manifest());
    for (const auto& [name, bytes] : files_) {
      const std::string path = std::string(kDirectory) + "/" + name;
      EXPECT_TRUE(WriteStringToFile(fs_.get(), bytes, path, true).ok());
    }
  }
  // All but the lock and the info log.
  Files FilesThere() const {
    std::vector<std::string> names;
    Files files;
    EXPECT_TRUE(fs_->GetChildren(kDirectory, &names).ok());
    for (const std::string& name : names) {
      if (name == "LOCK" || name == "lost" || name.starts_with("LOG")) continue;
      EXPECT_TRUE(
          fs_->GetContents(std::string(kDirectory) + "/" + name, &files[name])
              .ok());
    }
    return files;
  }

  Status Open(WALRecoveryMode mode = WALRecoveryMode::kPointInTimeRecovery) {
    Options options;
    options.file_system = fs_;
    options.job_runner = NewDeterministicJobRunner(1);
    options.create_if_missing = true;  // the deadliest
    options.disable_auto_compactions = true;
    options.wal_recovery_mode = mode;
    return DB::Open(options, kDirectory, &db_);
  }
  std::string Shown() {
    Status status;
    std::string all;
    for (const auto& [key, value] : ScanForward(db_.get(), &status)) {
      std::string read;
      EXPECT_TRUE(db_->Get(ReadOptions(), key, &read).ok()) << key;
      EXPECT_EQ(read, value);
      all += (all.empty() ? "" : " ") + value;
    }
    EXPECT_TRUE(status.ok()) << status;
    return all;
  }

  // Opened twice, written, compacted; and no table that the MANIFEST lists goes
  // before that.
  void ExpectRight(const std::string& shown = "a5 b7 c8 d3 e4 f9") {
    MakeDirectory();
    for (int i = 0; i < 2; ++i) {
      const Status status = Open();
      ASSERT_TRUE(status.ok()) << status;
      EXPECT_EQ(Shown(), shown);
      EXPECT_TRUE(db_->Close().ok());
      const Files after = FilesThere();
      for (const auto& [level, meta] : edit_.new_files) {
        EXPECT_TRUE(after.contains(TableFileName("", meta.number).substr(1)))
            << meta.number;
      }
    }
    ASSERT_TRUE(Open().ok());
    ASSERT_TRUE(db_->Put(WriteOptions(), "a", "new").ok());
    ASSERT_TRUE(db_->Put(WriteOptions(), "b", "new").ok());
    CompactRangeOptions force;
    force.bottommost_level_compaction = BottommostLevelCompaction::kForce;
    Status status = db_->CompactRange(force, nullptr, nullptr);
    EXPECT_TRUE(status.ok()) << status;
    db_.reset();
    status = Open();
    ASSERT_TRUE(status.ok()) << status;
    EXPECT_EQ(Shown(), "new new " + shown.substr(shown.find('c')));
    db_.reset();
  }
  void ExpectRefused(const std::string& why) {
    MakeDirectory();
    const Files before = FilesThere();
    for (int i = 0; i < 2; ++i) {
      const Status status = Open();
      ASSERT_FALSE(status.ok()) << Shown();
      EXPECT_NE(status.ToString().find(why), std::string::npos) << status;
      EXPECT_NE(status.ToString().find(kDirectory), std::string::npos)
          << status;
      EXPECT_TRUE(FilesThere() == before) << "the refusal changed files";
    }
  }

  uint32_t format_version_ = 5;
  VersionEdit edit_;
  Files files_;
  std::shared_ptr<SimulatedFileSystem> fs_;
  std::unique_ptr<DB> db_;
};

TEST_F(TrapsTest, AnUnmodifiedDatabaseReadsRight) { ExpectRight(); }

// 7.8.3 deletes every table from there on at the end of a good open.
TEST_F(TrapsTest, NextFileBelowLiveTables) {
  edit_.next_file_number = FileNumber(5);
  ExpectRight();
}

// 9.6 to 11.9 open empty, and delete it all.
TEST_F(TrapsTest, OverlapBelowLevel0) {
  Table(11).first = Level(1);
  ExpectRefused("overlaps");
}
TEST_F(TrapsTest, EqualEpochsInLevel0) {
  Table(11).second.epoch_number = EpochNumber(12);
  ExpectRefused("epoch");
}
TEST_F(TrapsTest, EpochsThatContradictSequences) {
  Table(11).second.epoch_number = EpochNumber(13);
  ExpectRefused("epoch");
}

// 11.9 hides the newest versions, Debian's 7.8.3 aborts.
TEST_F(TrapsTest, LastSequenceBelowTheTables) {
  edit_.last_sequence = 2;
  ExpectRight();
}

// Refused by 7.8.3. Which of the two is newer no order by file can say.
TEST_F(TrapsTest, SequencesOfLevel0ThatNest) {
  Table(12).second.smallest_seqno = 4;
  ExpectRefused("nest");
}

// 7.8.3 reads none from 6 on, 11.9 none below 2 (those from 6 on are among the
// golden directories).
TEST_F(TrapsTest, TablesOfEveryFormatVersion) {
  for (uint32_t version = 0; version <= 5; ++version) {
    SCOPED_TRACE(version);
    format_version_ = version;
    edit_.new_files.clear();
    files_.erase("MANIFEST-000019");
    AddTable(0, 12, {{"b", 7}, {"c", 8}});
    AddTable(0, 11, {{"a", 5}, {"b", 6}});
    AddTable(1, 9, {{"d", 3}, {"e", 4}});
    files_.erase("000010.sst");
    ExpectRight();
  }
}

TEST_F(TrapsTest, UniqueIdThatIsNotTheTables) {
  Table(10).second.unique_id = "sixteen bytes...";
  ExpectRefused("000010.sst");
}

// 8: up to 10 zero bytes at a block's end look like a header.
TEST_F(TrapsTest, ZerosWhereNoHeaderHasRoom) {
  for (const bool recycled : {false, true}) {
    const size_t header = recycled ? 11 : 7;
    for (size_t left = 0; left <= header; ++left) {
      SCOPED_TRACE(left);
      constexpr size_t kAroundTheValue = 12 + 1 + 2 + 3;
      const std::string value(32768 - left - header - kAroundTheValue, 'v');
      RawLog log(kLog, recycled);
      log.Add(RawBatch(9, 1, RawPut("y", value)));
      ASSERT_EQ(log.bytes().size(), 32768 - left);
      SetLog(kLog, log.Add(Entry("z", 10)).bytes());
      MakeDirectory();
      const Status status = Open(WALRecoveryMode::kAbsoluteConsistency);
      ASSERT_TRUE(status.ok()) << status;
      EXPECT_EQ(Shown(), "a5 b7 c8 d3 e4 " + value + " z10");
      db_.reset();
    }
  }
}

// 9: RocksDB fails, but has made a new empty database by then.
TEST_F(TrapsTest, CurrentIsLost) {
  files_.erase("CURRENT");
  ExpectRefused("CURRENT");
}
TEST_F(TrapsTest, CurrentAndManifestAreLost) {
  MakeDirectory();
  files_.erase("CURRENT");
  ASSERT_TRUE(fs_->RemoveFile("/db/CURRENT").ok());
  ASSERT_TRUE(fs_->RemoveFile("/db/MANIFEST-000019").ok());
  const Files before = FilesThere();
  const Status status = Open();
  EXPECT_TRUE(status.IsCorruption()) << status;
  EXPECT_TRUE(FilesThere() == before);
}

// 10: RocksDB 11.9 never stops reading a recyclable record after a legacy one.
TEST_F(TrapsTest, BothHeadersInOneLog) {
  for (const bool recycled_first : {false, true}) {
    RawLog log(kLog);
    log.AddPart(recycled_first ? 5 : 1, Entry("f", 9));
    log.AddPart(recycled_first ? 1 : 5, Entry("g", 10));
    SetLog(kLog, log.bytes());
    ExpectRight("a5 b7 c8 d3 e4 f9 g10");
  }
}

// 11: those of a family that is gone use up sequence numbers, marks do not.
TEST_F(TrapsTest, RecordsOfAFamilyThatIsGone) {
  std::string other("\x05\x07", 2);
  other += RawPut("x", "y").substr(1);
  const std::string log_data("\x03\x02hi", 4);
  const std::string batch =
      RawPut("f", "f9") + log_data + other + "\x0d" + RawPut("g", "g11");
  SetLog(kLog,
         RawLog(kLog).Add(RawBatch(9, 3, batch)).Add(Entry("h", 12)).bytes());
  MakeDirectory();
  const Status status = Open(WALRecoveryMode::kAbsoluteConsistency);
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_EQ(Shown(), "a5 b7 c8 d3 e4 f9 g11 h12");
  EXPECT_EQ(db_->GetLatestSequenceNumber(), 12u);
}

// 13: the log number after a recovery is one that no file has.
TEST_F(TrapsTest, LogNumberThatNoFileHas) {
  files_.erase("000020.log");
  edit_.log_number = FileNumber(50);
  edit_.min_log_number_to_keep = FileNumber(50);
  ExpectRight("a5 b7 c8 d3 e4");
  for (const auto& [name, bytes] : FilesThere()) {
    const auto parsed = ParseFileName(name);
    ASSERT_TRUE(parsed) << name;
    if (parsed->type == FileKind::kLog) {
      EXPECT_GT(parsed->number, FileNumber(50)) << name;
    }
  }
}

// 15: RocksDB 11.9 moves the tables that it finds to level 6.
TEST_F(TrapsTest, NothingInLevel1) {
  Table(9).first = Level(6);
  Table(10).first = Level(6);
  ExpectRight();
}

// 16: and no record is appended after either.
TEST_F(TrapsTest, LastRecordOfTheManifestIsDamaged) {
  std::string manifest = Manifest();
  manifest.back() = static_cast<char>(manifest.back() ^ 1);
  files_["MANIFEST-000019"] = manifest;
  ExpectRefused("MANIFEST-000019");
}
TEST_F(TrapsTest, LastRecordOfTheManifestIsCut) {
  std::string manifest = Manifest();
  manifest.pop_back();
  files_["MANIFEST-000019"] = manifest;
  ASSERT_NO_FATAL_FAILURE(ExpectRight());
  const Files files = FilesThere();
  EXPECT_NE(files.at("CURRENT"), "MANIFEST-000019\n");
  EXPECT_FALSE(files.contains("MANIFEST-000019"));
}

// 17: a log that begins before what the MANIFEST calls the last, and one that
// goes back.
TEST_F(TrapsTest, LastSequenceAheadOfTheLog) {
  edit_.last_sequence = 100;
  ExpectRight();
}
TEST_F(TrapsTest, SequencesThatGoBackFromLogToLog) {
  SetLog(21, RawLog(21).Add(Entry("g", 5)).bytes());
  ExpectRefused("000021.log");
}

// 18: RocksDB skips, in every mode, the records after zeros in a block.
TEST_F(TrapsTest, ZerosInFrontOfARecord) {
  SetLog(kLog, RawLog(kLog)
                   .Add(Entry("f", 9))
                   .AddBytes(std::string(60, '\0'))
                   .AddBytes(RawLog(kLog).Add(Entry("g", 10)).bytes())
                   .bytes());
  MakeDirectory();
  const Files before = FilesThere();
  Status status = Open(WALRecoveryMode::kAbsoluteConsistency);
  EXPECT_TRUE(status.IsCorruption()) << status;
  EXPECT_TRUE(FilesThere() == before);
  status = Open();
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_EQ(Shown(), "a5 b7 c8 d3 e4 f9");
  std::string kept;
  ASSERT_TRUE(fs_->GetContents("/db/lost/000020.log", &kept).ok());
  EXPECT_EQ(kept, files_.at("000020.log"));
}

// 19: no mode treats it as a torn tail.
TEST_F(TrapsTest, BatchWithAWrongCount) {
  SetLog(kLog, RawLog(kLog).Add(RawBatch(9, 2, RawPut("f", "f9"))).bytes());
  ExpectRefused("000020.log");
}

}  // namespace
}  // namespace tamis
