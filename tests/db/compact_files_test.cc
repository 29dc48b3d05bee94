// SPDX-License-Identifier: Apache-2.0
//
// Compactions that users direct: CompactFiles, PromoteL0, SuggestCompactRange,
// EnableAutoCompaction.
#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/experimental.h"
#include "tamis/listener.h"
#include "tamis/sst_file_writer.h"
#include "tamis/utilities/merge_operators.h"

#include "tests/db/test_db.h"
#include "util/base/random.h"

namespace tamis {
namespace {

class CompactFilesTest : public DBTest {
 protected:
  CompactFilesTest() {
    options_.disable_auto_compactions = true;
    options_.compression = kNoCompression;
  }
  // A table of level 0 with Key(first) up to Key(last).
  void MakeTable(int first, int last, const std::string& value) {
    for (int i = first; i <= last; ++i) {
      model_[Key(i)] = value;
      Put(Key(i), value);
    }
    Flush();
  }
  std::vector<LiveFileMetaData> Files(int level) {
    std::vector<LiveFileMetaData> all;
    db_->GetLiveFilesMetaData(&all);
    std::erase_if(all,
                  [level](const auto& file) { return file.level != level; });
    return all;
  }
  // Of the newest table of level 0, or the first of another.
  std::string First(int level) { return Files(level).at(0).name; }
  std::string Last(int level) { return Files(level).back().name; }
  Status CompactTo(int level, const std::vector<std::string>& names) {
    return db_->CompactFiles(compact_, names, level, -1, &outputs_, &info_);
  }
  void ExpectModel() { ExpectReadsAs(model_, 100); }
  // Keys in ascending order.
  void Ingest(const std::vector<int>& keys, const std::string& value) {
    const std::string path = "/parent/" + std::to_string(ingested_++) + ".sst";
    SstFileWriter writer(options_);
    ASSERT_EQ(writer.Open(path), Status::OK());
    for (const int i : keys) {
      ASSERT_EQ(writer.Put(Key(i), value), Status::OK());
      model_[Key(i)] = value;
    }
    ASSERT_EQ(writer.Finish(), Status::OK());
    ASSERT_EQ(db_->IngestExternalFile({path}, {}), Status::OK());
  }
  // A change of some key, of any kind, to the database and the model.
  void ChangeAny(Random* random, const std::string& value) {
    const int at = static_cast<int>(random->Uniform(100));
    std::string& mine = model_[Key(at)];
    switch (random->Uniform(8)) {
      case 0:
        Delete(Key(at));
        model_.erase(Key(at));
        break;
      case 1: {
        const int end = at + static_cast<int>(random->Uniform(20));
        DeleteRange(Key(at), Key(end));
        if (mine.empty()) model_.erase(Key(at));
        model_.erase(model_.lower_bound(Key(at)), model_.lower_bound(Key(end)));
        break;
      }
      case 2:
      case 3:
        Merge(Key(at), value);
        mine += (mine.empty() ? "" : ",") + value;
        break;
      case 4:
        // What a single deletion hides must be one put.
        Delete(Key(at));
        Put(Key(at), value);
        SingleDelete(Key(at));
        model_.erase(Key(at));
        break;
      default:
        Put(Key(at), value);
        mine = value;
    }
  }
  void ExpectInvalid(const Status& status, const std::string& naming) {
    EXPECT_TRUE(status.IsInvalidArgument()) << status;
    EXPECT_NE(status.ToString().find(naming), std::string::npos) << status;
    EXPECT_EQ(Property(DB::Properties::kBackgroundErrors), 0u);
  }

  CompactionOptions compact_;
  std::vector<std::string> outputs_;
  CompactionJobInfo info_;
  std::map<std::string, std::string> model_;
  int ingested_ = 0;
};

TEST_F(CompactFilesTest, OlderTablesOfLevel0ComeAlong) {
  Open();
  MakeTable(0, 9, "1");
  MakeTable(5, 14, "2");
  MakeTable(0, 3, "3");
  // The one in the middle, and the oldest one.
  const std::string name = Files(0).at(1).name;
  EXPECT_EQ(CompactTo(3, {name}), Status::OK());
  EXPECT_EQ(Levels(), "1,0,0,1");
  ASSERT_EQ(outputs_.size(), 1u);
  EXPECT_EQ(outputs_[0], kTestDirectory + First(3));
  EXPECT_EQ(info_.output_files, outputs_);
  EXPECT_EQ(info_.status, Status::OK());
  EXPECT_EQ(info_.cf_name, "default");
  EXPECT_EQ(info_.input_files.size(), 2u);
  EXPECT_EQ(info_.output_level, 3);
  EXPECT_EQ(info_.stats.num_input_records, 20u);
  EXPECT_EQ(info_.stats.num_output_records, 15u);
  EXPECT_EQ(info_.compaction_reason, CompactionReason::kManualCompaction);
  ExpectModel();
  Reopen();
  ExpectModel();
}

TEST_F(CompactFilesTest, LevelsBetweenComeAlongWhereTheyOverlap) {
  Open();
  MakeTable(0, 9, "1");
  MakeTable(20, 29, "1");
  ASSERT_EQ(CompactTo(2, {Last(0)}), Status::OK());
  ASSERT_EQ(CompactTo(2, {Last(0)}), Status::OK());
  EXPECT_EQ(Levels(), "0,0,2");
  MakeTable(5, 7, "2");
  ASSERT_EQ(CompactTo(1, {First(0)}), Status::OK());
  MakeTable(6, 6, "3");
  EXPECT_EQ(Levels(), "1,1,2");
  // Spelled in the three ways that RocksDB's users have.
  EXPECT_EQ(CompactTo(3, {First(0).substr(1)}), Status::OK());
  EXPECT_EQ(Levels(), "0,0,1,1");
  EXPECT_EQ(info_.input_files.size(), 3u);
  ExpectModel();
  EXPECT_EQ(CompactTo(3, {kTestDirectory + First(2), First(3)}), Status::OK());
  EXPECT_EQ(Levels(), "0,0,0,1");
  ExpectModel();
}

TEST_F(CompactFilesTest, TheResultMayStayInItsLevel) {
  Open();
  for (int i = 0; i < 4; ++i) MakeTable(i, 10 + i, std::to_string(i));
  // From the second to the third; the oldest and the newest stay.
  EXPECT_EQ(CompactTo(0, {Files(0).at(2).name, Files(0).at(1).name}),
            Status::OK());
  EXPECT_EQ(Levels(), "3");
  ExpectModel();
  Delete(Key(1));
  model_.erase(Key(1));
  Flush();
  EXPECT_EQ(CompactTo(0, {First(0), Last(0)}), Status::OK());
  EXPECT_EQ(Levels(), "1");
  EXPECT_EQ(info_.stats.num_output_records, 13u);  // no tombstone: bottommost
  ExpectModel();
  Reopen();
  ExpectModel();
}

TEST_F(CompactFilesTest, OptionsChooseCodecAndSize) {
  Open();
  for (int i = 0; i < 100; ++i) {
    model_[Key(i)] = std::string(1000, 'v');
    Put(Key(i), model_[Key(i)]);
  }
  Flush();
  const uint64_t plain = Files(0).at(0).size;
  compact_.compression = kSnappyCompression;
  ASSERT_EQ(CompactTo(1, {First(0)}), Status::OK());
  EXPECT_LT(Files(1).at(0).size, plain / 4);
  EXPECT_EQ(info_.compression, kSnappyCompression);
  compact_.compression = kDisableCompressionOption;
  compact_.output_file_size_limit = 20 << 10;
  ASSERT_EQ(CompactTo(2, {First(1)}), Status::OK());
  EXPECT_GE(outputs_.size(), 4u);
  EXPECT_LE(outputs_.size(), 6u);
  EXPECT_EQ(Files(2).size(), outputs_.size());
  ExpectModel();
}

TEST_F(CompactFilesTest, PartsRunWithoutALimitOfTheOutput) {
  BlockBasedTableOptions table;
  table.block_size = 1 << 10;
  SetTable(table);
  options_.target_file_size_base = 20 << 10;
  Open();
  for (int i = 0; i < 100; ++i) {
    model_[Key(i)] = Noise(1000, static_cast<uint64_t>(i));
    Put(Key(i), model_[Key(i)]);
  }
  Flush();
  compact_.max_subcompactions = 4;
  ASSERT_EQ(CompactTo(0, {First(0)}), Status::OK());
  EXPECT_EQ(outputs_.size(), 1u);  // in level 0, one table
  ASSERT_EQ(CompactTo(1, {First(0)}), Status::OK());
  EXPECT_EQ(outputs_.size(), 4u);  // one for each part
  EXPECT_EQ(Files(1).size(), 4u);
  ExpectModel();
}

TEST_F(CompactFilesTest, BadRequestsChangeNothingAndNameTheCause) {
  Open();
  MakeTable(0, 9, "1");
  ASSERT_EQ(CompactTo(2, {First(0)}), Status::OK());
  MakeTable(0, 9, "2");
  const std::string deep = First(2);
  const std::string before = Levels();
  ExpectInvalid(CompactTo(1, {}), "no file is named");
  ExpectInvalid(CompactTo(1, {"/000999.sst"}), "000999.sst");
  ExpectInvalid(CompactTo(1, {"CURRENT"}), "CURRENT");
  ExpectInvalid(CompactTo(1, {First(0), deep}), deep);
  ExpectInvalid(CompactTo(-1, {First(0)}), "-1");
  ExpectInvalid(CompactTo(7, {First(0)}), "0 to 6");
  ExpectInvalid(db_->CompactFiles(compact_, {First(0)}, 2, 1),
                "output_path_id");
  compact_.output_file_size_limit = 0;
  ExpectInvalid(CompactTo(2, {First(0)}), "output_file_size_limit");
  compact_ = {};
  compact_.max_subcompactions = 1025;
  ExpectInvalid(CompactTo(2, {First(0)}), "max_subcompactions");
  compact_ = {};
  compact_.compression = kXpressCompression;
  EXPECT_TRUE(CompactTo(2, {First(0)}).IsNotSupported());
  compact_ = {};
  db_->DisableManualCompaction();
  EXPECT_TRUE(CompactTo(2, {First(0)}).IsManualCompactionPaused());
  db_->EnableManualCompaction();
  EXPECT_EQ(Levels(), before);
  EXPECT_EQ(CompactTo(2, {First(0)}), Status::OK());
  ExpectModel();
  options_.compaction_style = kCompactionStyleFIFO;
  Reopen();
  MakeTable(0, 9, "3");
  ExpectInvalid(CompactTo(1, {First(0)}), "0 to 0");
  EXPECT_EQ(CompactTo(0, {First(0)}), Status::OK());
  ExpectModel();
}

TEST_F(CompactFilesTest, AFileThatIsBeingCompactedIsRefused) {
  options_.disable_auto_compactions = false;
  options_.level0_file_num_compaction_trigger = 2;
  Open();
  MakeTable(0, 9, "1");
  MakeTable(0, 9, "2");  // makes a compaction due, which has not begun
  const std::string name = First(0);
  const Status refused = CompactTo(1, {name});
  EXPECT_TRUE(refused.IsAborted()) << refused;
  EXPECT_NE(refused.ToString().find(".sst"), std::string::npos) << refused;
  RunJobs();
  ExpectInvalid(CompactTo(1, {name}), name);  // it is gone
  ExpectModel();
}

// In RocksDB, the calling thread does the work, which no pause stops.
TEST_F(CompactFilesTest, APauseDoesNotDelayTheCaller) {
  Open();
  MakeTable(0, 9, "1");
  EXPECT_EQ(db_->PauseBackgroundWork(), Status::OK());
  EXPECT_EQ(CompactTo(1, {First(0)}), Status::OK());
  EXPECT_EQ(Levels(), "0,1");
  EXPECT_EQ(db_->ContinueBackgroundWork(), Status::OK());
  MakeTable(20, 29, "2");
  EXPECT_EQ(CompactTo(2, {First(1)}), Status::OK());
  EXPECT_EQ(db_->PauseBackgroundWork(), Status::OK());
  EXPECT_EQ(db_->PromoteL0(db_->DefaultColumnFamily(), 1), Status::OK());
  EXPECT_EQ(Levels(), "0,1,1");
  EXPECT_EQ(db_->ContinueBackgroundWork(), Status::OK());
  ExpectModel();
}

TEST_F(CompactFilesTest, PromoteL0IsNoManualCompactionToDisable) {
  Open();
  MakeTable(0, 9, "1");
  db_->DisableManualCompaction();
  EXPECT_EQ(db_->PromoteL0(db_->DefaultColumnFamily(), 1), Status::OK());
  EXPECT_EQ(Levels(), "0,1");
  db_->EnableManualCompaction();
  ExpectModel();
}

TEST_F(CompactFilesTest, ATableIngestedBesideMemoryWaitsForItsFlush) {
  Open();
  MakeTable(0, 9, "1");
  Put(Key(50), "memory");
  model_[Key(50)] = "memory";
  Ingest({2, 3}, "ingested");
  EXPECT_EQ(Levels(), "2");
  const std::string name = First(0);
  const Status refused = CompactTo(0, {name});
  EXPECT_TRUE(refused.IsAborted()) << refused;
  EXPECT_NE(refused.ToString().find(name.substr(1)), std::string::npos)
      << refused;
  EXPECT_NE(refused.ToString().find("flush"), std::string::npos) << refused;
  EXPECT_EQ(Levels(), "2");
  Flush();
  EXPECT_EQ(CompactTo(0, {name}), Status::OK());
  EXPECT_EQ(Property(DB::Properties::kBackgroundErrors), 0u);
  ExpectModel();
}

TEST_F(CompactFilesTest, AnErrorStopsWritesLikeThatOfAnyCompaction) {
  Open();
  MakeTable(0, 9, "1");
  fs_->SetFaultHook([](const SimulatedFileSystem::Call& call) {
    return call.operation == "create" && call.path.ends_with(".sst")
               ? Status::IOError(call.path, "injected")
               : Status::OK();
  });
  EXPECT_TRUE(CompactTo(1, {First(0)}).IsIOError());
  EXPECT_TRUE(info_.status.IsIOError());
  fs_->SetFaultHook(nullptr);
  EXPECT_EQ(Property(DB::Properties::kBackgroundErrors), 1u);
  EXPECT_EQ(db_->Resume(), Status::OK());
  EXPECT_EQ(CompactTo(1, {First(0)}), Status::OK());
  ExpectModel();
}

TEST_F(CompactFilesTest, RandomFilesReadAsAMap) {
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    Open();
    for (int i = 0; i < 40; ++i) {
      const int first = static_cast<int>(random.Uniform(90));
      MakeTable(first, first + static_cast<int>(random.Uniform(10)),
                std::to_string(i));
      std::vector<LiveFileMetaData> files;
      db_->GetLiveFilesMetaData(&files);
      const LiveFileMetaData& file = files[random.Uniform(files.size())];
      const int deeper = static_cast<int>(
          random.Uniform(static_cast<uint64_t>(7 - file.level)));
      compact_.output_file_size_limit = random.OneIn(2) ? 100 : UINT64_MAX;
      ASSERT_EQ(CompactTo(file.level + deeper, {file.name}), Status::OK());
      ExpectModel();
    }
    EXPECT_EQ(Property(DB::Properties::kBackgroundErrors), 0u);
    Reopen();
    ExpectModel();
    Destroy();
    model_.clear();
  }
}

// Changes of every kind, in memory and in tables, and ingested tables. What
// snapshots see stays. A file may have to wait for a flush.
TEST_F(CompactFilesTest, RandomFilesKeepEveryKindOfEntryAndSnapshots) {
  options_.merge_operator = MergeOperators::CreateStringAppendOperator(",");
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    Open();
    std::vector<std::pair<const Snapshot*, std::string>> snapshots;
    for (int i = 0; i < 40; ++i) {
      const std::string value = std::to_string(i);
      for (int n = 0; n < 15; ++n) ChangeAny(&random, value);
      if (random.OneIn(4)) {
        const int first = static_cast<int>(random.Uniform(90));
        Ingest({first, first + 3, first + 9}, "i" + value);
      }
      if (random.OneIn(5)) {
        const Snapshot* const snapshot = db_->GetSnapshot();
        snapshots.emplace_back(snapshot, ContentsAt(snapshot));
      }
      if (!random.OneIn(3)) Flush();
      std::vector<LiveFileMetaData> files;
      db_->GetLiveFilesMetaData(&files);
      if (files.empty()) continue;
      const LiveFileMetaData& file = files[random.Uniform(files.size())];
      const int deeper = static_cast<int>(
          random.Uniform(static_cast<uint64_t>(7 - file.level)));
      compact_.output_file_size_limit = random.OneIn(2) ? 100 : UINT64_MAX;
      const Status status = CompactTo(file.level + deeper, {file.name});
      if (status.IsAborted()) {
        Flush();
        ASSERT_EQ(CompactTo(file.level + deeper, {file.name}), Status::OK());
      } else {
        ASSERT_EQ(status, Status::OK());
      }
      ExpectModel();
      for (const auto& [snapshot, contents] : snapshots) {
        ASSERT_EQ(ContentsAt(snapshot), contents);
      }
    }
    for (const auto& one : snapshots) db_->ReleaseSnapshot(one.first);
    EXPECT_EQ(Property(DB::Properties::kBackgroundErrors), 0u);
    Reopen();
    ExpectModel();
    Destroy();
    model_.clear();
  }
}

TEST_F(CompactFilesTest, PromoteL0MovesTablesThatDoNotOverlap) {
  Open();
  EXPECT_EQ(db_->PromoteL0(db_->DefaultColumnFamily(), 2), Status::OK());
  MakeTable(20, 29, "1");
  MakeTable(0, 9, "2");
  const std::vector<LiveFileMetaData> before = Files(0);
  EXPECT_EQ(experimental::PromoteL0(db_.get(), db_->DefaultColumnFamily(), 2),
            Status::OK());
  EXPECT_EQ(Levels(), "0,0,2");
  EXPECT_EQ(Files(2).at(0).name, before.at(0).name);  // not rewritten
  EXPECT_EQ(Files(2).at(1).name, before.at(1).name);
  ExpectModel();
  Reopen();
  ExpectModel();
  // Level 2 is occupied, level 1 is not.
  MakeTable(5, 24, "3");
  ExpectInvalid(db_->PromoteL0(db_->DefaultColumnFamily(), 3), First(2));
  EXPECT_EQ(db_->PromoteL0(db_->DefaultColumnFamily(), 1), Status::OK());
  EXPECT_EQ(Levels(), "0,1,2");
  ExpectModel();
}

TEST_F(CompactFilesTest, PromoteL0RefusesWhatOverlaps) {
  Open();
  MakeTable(0, 9, "1");
  MakeTable(9, 20, "2");
  ColumnFamilyHandle* const family = db_->DefaultColumnFamily();
  ExpectInvalid(db_->PromoteL0(family, 1), "overlaps");
  ExpectInvalid(db_->PromoteL0(family, 0), "1 to 6");
  ExpectInvalid(db_->PromoteL0(family, 7), "1 to 6");
  ExpectInvalid(experimental::PromoteL0(nullptr, family), "nullptr");
  EXPECT_EQ(Levels(), "2");
  options_.compaction_style = kCompactionStyleFIFO;
  Reopen();
  EXPECT_TRUE(db_->PromoteL0(db_->DefaultColumnFamily(), 1).IsNotSupported());
}

TEST_F(CompactFilesTest, SuggestedRangesGoDownOneLevel) {
  options_.disable_auto_compactions = false;
  Open();
  ColumnFamilyHandle* const family = db_->DefaultColumnFamily();
  EXPECT_EQ(db_->SuggestCompactRange(family, nullptr, nullptr), Status::OK());
  MakeTable(0, 9, "1");
  Compact();
  MakeTable(0, 9, "2");
  RunJobs();
  EXPECT_EQ(Levels(), "1,1");
  const std::string from = Key(5);
  const std::string to = Key(7);
  const Slice begin = from;
  const Slice end = to;
  EXPECT_EQ(experimental::SuggestCompactRange(db_.get(), &begin, &end),
            Status::OK());
  RunJobs();
  EXPECT_EQ(Levels(), "0,1");
  EXPECT_EQ(Property(DB::Properties::kCompactionPending), 0u);
  ExpectModel();
  // A table elsewhere stays.
  MakeTable(60, 69, "2");
  EXPECT_EQ(experimental::SuggestCompactRange(db_.get(), &begin, &end),
            Status::OK());
  RunJobs();
  EXPECT_EQ(Levels(), "1,1");
  ExpectModel();
}

TEST_F(CompactFilesTest, SuggestionsWaitForAutomaticCompactions) {
  Open();
  MakeTable(0, 9, "1");
  Compact();
  MakeTable(0, 9, "2");
  const std::string before = Levels();
  ColumnFamilyHandle* const family = db_->DefaultColumnFamily();
  EXPECT_EQ(db_->SuggestCompactRange(family, nullptr, nullptr), Status::OK());
  RunJobs();
  EXPECT_EQ(Levels(), before);
  EXPECT_EQ(db_->EnableAutoCompaction({family}), Status::OK());
  RunJobs();
  EXPECT_NE(Levels(), before);
  ExpectModel();
  options_.compaction_style = kCompactionStyleUniversal;
  Reopen();
  EXPECT_TRUE(
      db_->SuggestCompactRange(db_->DefaultColumnFamily(), nullptr, nullptr)
          .IsNotSupported());
}

TEST_F(CompactFilesTest, EnableAutoCompactionStartsWhatIsDue) {
  options_.level0_file_num_compaction_trigger = 2;
  Open();
  for (int i = 0; i < 4; ++i) MakeTable(0, 9, std::to_string(i));
  RunJobs();
  EXPECT_EQ(Levels(), "4");
  EXPECT_EQ(db_->EnableAutoCompaction({db_->DefaultColumnFamily()}),
            Status::OK());
  EXPECT_FALSE(db_->GetOptions().disable_auto_compactions);
  RunJobs();
  EXPECT_EQ(Levels(), "0,1");
  ExpectModel();
  // A family that cannot be changed does not keep others from it.
  ColumnFamilyHandle* dropped = nullptr;
  ColumnFamilyHandle* kept = nullptr;
  ASSERT_EQ(db_->CreateColumnFamily(options_, "dropped", &dropped),
            Status::OK());
  ASSERT_EQ(db_->CreateColumnFamily(options_, "kept", &kept), Status::OK());
  ASSERT_EQ(db_->DropColumnFamily(dropped), Status::OK());
  EXPECT_FALSE(db_->EnableAutoCompaction({dropped, kept}).ok());
  EXPECT_FALSE(db_->GetOptions(kept).disable_auto_compactions);
  EXPECT_EQ(db_->DropColumnFamily(kept), Status::OK());
  EXPECT_EQ(db_->DestroyColumnFamilyHandle(dropped), Status::OK());
  EXPECT_EQ(db_->DestroyColumnFamilyHandle(kept), Status::OK());
  // And off again, live.
  EXPECT_EQ(db_->SetOptions({{"disable_auto_compactions", "true"}}),
            Status::OK());
  for (int i = 0; i < 4; ++i) MakeTable(0, 9, std::to_string(i));
  RunJobs();
  EXPECT_EQ(Levels(), "4,1");
  ExpectModel();
}

}  // namespace
}  // namespace tamis
