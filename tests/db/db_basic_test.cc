// SPDX-License-Identifier: Apache-2.0
//
// Basic calls: put, get, delete, snapshots, open and close.
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/repair.h"

#include "tests/db/test_db.h"
#include "tests/support/directories.h"
#include "tests/support/locked.h"

namespace tamis {
namespace {

using DBBasicTest = DBTest;

TEST_F(DBBasicTest, GetSeesTheLastPut) {
  Open();
  EXPECT_EQ(Get("a"), "NOT_FOUND");
  Put("a", "1");
  EXPECT_EQ(Get("a"), "1");
  Put("a", "2");
  EXPECT_EQ(Get("a"), "2");
  Delete("a");
  EXPECT_EQ(Get("a"), "NOT_FOUND");
  Delete("never");
  Put("a", "3");
  EXPECT_EQ(Get("a"), "3");
}

TEST_F(DBBasicTest, KeysAndValuesMayHoldAnyBytes) {
  Open();
  const std::vector<std::string> keys = {"", std::string(1, '\0'),
                                         std::string("a\0b", 3), "\xff\xff",
                                         std::string(100'000, 'k')};
  for (int round = 0; round < 3; ++round) {
    for (size_t i = 0; i < keys.size(); ++i) {
      if (round == 0) Put(keys[i], Noise(i * 1000, i));
      EXPECT_EQ(Get(keys[i]), Noise(i * 1000, i)) << round << " " << i;
    }
    if (round == 0) Flush();
    if (round == 1) Compact(/*force=*/true);
  }
  EXPECT_EQ(Get("\xff"), "NOT_FOUND");
}

TEST_F(DBBasicTest, EveryStageAnswersTheSame) {
  Open();
  Put("a", "old");
  Put("b", "old");
  Put("c", "kept");
  Flush();
  Put("a", "new");
  Delete("b");
  const std::string expected = "a=new c=kept";
  EXPECT_EQ(Contents(), expected);
  Flush();
  EXPECT_EQ(Levels(), "2");
  EXPECT_EQ(Contents(), expected);
  EXPECT_EQ(Get("b"), "NOT_FOUND");
  Compact();
  EXPECT_EQ(Levels(), "0,1");
  EXPECT_EQ(Contents(), expected);
  EXPECT_EQ(Get("b"), "NOT_FOUND");
  Reopen();
  EXPECT_EQ(Contents(), expected);
  EXPECT_EQ(Get("a"), "new");
  EXPECT_EQ(Get("b"), "NOT_FOUND");
}

TEST_F(DBBasicTest, ABatchIsAppliedInOrderAndAtomically) {
  Open();
  WriteBatch batch;
  ASSERT_TRUE(batch.Put("a", "1").ok());
  ASSERT_TRUE(batch.Put("b", "1").ok());
  ASSERT_TRUE(batch.Delete("a").ok());
  ASSERT_TRUE(batch.Put("b", "2").ok());
  ASSERT_TRUE(batch.PutLogData("for the log alone").ok());
  const SequenceNumber before = db_->GetLatestSequenceNumber();
  ASSERT_TRUE(db_->Write(WriteOptions(), &batch).ok());
  EXPECT_EQ(Contents(), "b=2");
  EXPECT_EQ(db_->GetLatestSequenceNumber(), before + 4);
  // A batch may be written again.
  Put("a", "back");
  ASSERT_TRUE(db_->Write(WriteOptions(), &batch).ok());
  EXPECT_EQ(Contents(), "b=2");
  Reopen();
  EXPECT_EQ(Contents(), "b=2");
}

TEST_F(DBBasicTest, AnEmptyBatchChangesNothing) {
  Open();
  Put("a", "1");
  const SequenceNumber before = db_->GetLatestSequenceNumber();
  WriteBatch empty;
  EXPECT_TRUE(db_->Write(WriteOptions(), &empty).ok());
  WriteOptions sync;
  sync.sync = true;
  EXPECT_TRUE(db_->Write(sync, &empty).ok());
  EXPECT_EQ(db_->GetLatestSequenceNumber(), before);
  Reopen();
  EXPECT_EQ(Contents(), "a=1");
  EXPECT_TRUE(db_->Write(WriteOptions(), nullptr).IsInvalidArgument());
}

TEST_F(DBBasicTest, ALargeBatchSurvivesReopen) {
  Open();
  WriteBatch batch;
  for (int i = 0; i < 3000; ++i) {
    ASSERT_TRUE(batch.Put(Key(i), Noise(1000, static_cast<uint64_t>(i))).ok());
  }
  ASSERT_TRUE(db_->Write(WriteOptions(), &batch).ok());
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < 3000; i += 7) {
      ASSERT_EQ(Get(Key(i)), Noise(1000, static_cast<uint64_t>(i))) << i;
    }
    Reopen();
  }
}

TEST_F(DBBasicTest, AMalformedBatchIsRefusedAndNotLogged) {
  Open();
  Put("a", "1");
  WriteBatch broken(std::string("not a batch at all"));
  EXPECT_TRUE(db_->Write(WriteOptions(), &broken).IsCorruption());
  WriteBatch counts_wrong;
  ASSERT_TRUE(counts_wrong.Put("b", "2").ok());
  std::string bytes = counts_wrong.Data();
  bytes[8] = 7;
  WriteBatch lies(bytes);
  EXPECT_TRUE(db_->Write(WriteOptions(), &lies).IsCorruption());
  Put("c", "3");
  Reopen();
  EXPECT_EQ(Contents(), "a=1 c=3");
}

TEST_F(DBBasicTest, SnapshotsSeeTheSameThroughFlushAndCompaction) {
  Open();
  Put("a", "1");
  Put("b", "1");
  const Snapshot* first = db_->GetSnapshot();
  Put("a", "2");
  Delete("b");
  Put("c", "2");
  const Snapshot* second = db_->GetSnapshot();
  EXPECT_LT(first->GetSequenceNumber(), second->GetSequenceNumber());
  EXPECT_EQ(Property(DB::Properties::kNumSnapshots), 2u);
  Put("a", "3");
  Put("b", "3");
  Delete("c");
  ReadOptions at_first;
  at_first.snapshot = first;
  ReadOptions at_second;
  at_second.snapshot = second;
  for (int stage = 0; stage < 4; ++stage) {
    EXPECT_EQ(Contents(at_first), "a=1 b=1") << stage;
    EXPECT_EQ(Contents(at_second), "a=2 c=2") << stage;
    EXPECT_EQ(Contents(), "a=3 b=3") << stage;
    EXPECT_EQ(Get("b", second), "NOT_FOUND") << stage;
    EXPECT_EQ(Get("c", first), "NOT_FOUND") << stage;
    if (stage == 0) Flush();
    if (stage == 1) Compact();
    if (stage == 2) Compact(/*force=*/true);
  }
  db_->ReleaseSnapshot(first);
  Compact(/*force=*/true);
  EXPECT_EQ(Contents(at_second), "a=2 c=2");
  db_->ReleaseSnapshot(second);
  db_->ReleaseSnapshot(nullptr);
  EXPECT_EQ(Property(DB::Properties::kNumSnapshots), 0u);
  {
    const ManagedSnapshot taken(db_.get());
    const ManagedSnapshot taken_over(db_.get(), db_->GetSnapshot());
    const ManagedSnapshot none(db_.get(), nullptr);
    EXPECT_EQ(taken.snapshot()->GetSequenceNumber(),
              taken_over.snapshot()->GetSequenceNumber());
    EXPECT_EQ(none.snapshot(), nullptr);
    EXPECT_EQ(Property(DB::Properties::kNumSnapshots), 2u);
  }
  EXPECT_EQ(Property(DB::Properties::kNumSnapshots), 0u);
  Compact(/*force=*/true);
  EXPECT_EQ(OnlyTable().num_entries, 2u);
  EXPECT_EQ(Contents(), "a=3 b=3");
}

TEST_F(DBBasicTest, CompactRangeLeavesNoTraceOfDeletedKeys) {
  Open();
  for (int i = 0; i < 100; ++i) Put(Key(i), "v");
  Flush();
  for (int i = 0; i < 100; i += 2) Delete(Key(i));
  Flush();
  Compact();
  EXPECT_EQ(OnlyTable().num_entries, 50u);
  EXPECT_EQ(OnlyTable().num_deletions, 0u);
  for (int i = 1; i < 100; i += 2) Delete(Key(i));
  Compact();
  EXPECT_EQ(Levels(), "");
  EXPECT_EQ(TablesOnDisk(), 0u);
}

TEST_F(DBBasicTest, CompactRangeDropsTombstonesOfALoneTable) {
  Open();
  Put("a", "1");
  Put("b", "1");
  Delete("a");
  Flush();
  EXPECT_EQ(OnlyTable().num_deletions, 1u);
  Compact();
  EXPECT_EQ(OnlyTable().num_entries, 1u);
  EXPECT_EQ(OnlyTable().num_deletions, 0u);
}

TEST_F(DBBasicTest, CompactRangeTouchesOnlyTheRange) {
  options_.disable_auto_compactions = true;
  options_.target_file_size_base = 1;  // a file a key
  Open();
  for (const char* key : {"a", "b", "c", "d"}) Put(key, "1");
  Compact();
  EXPECT_EQ(Levels(), "0,4");
  const Slice begin("b");
  const Slice end("c");
  std::vector<uint64_t> before;
  for (const auto& file : LiveFiles()) before.push_back(file.file_number);
  CompactRangeOptions force;
  force.bottommost_level_compaction = BottommostLevelCompaction::kForce;
  ASSERT_TRUE(db_->CompactRange(force, &begin, &end).ok());
  const auto after = LiveFiles();
  ASSERT_EQ(after.size(), 4u);
  EXPECT_EQ(after[0].file_number, before[0]);
  EXPECT_NE(after[1].file_number, before[1]);
  EXPECT_NE(after[2].file_number, before[2]);
  EXPECT_EQ(after[3].file_number, before[3]);
  EXPECT_EQ(Contents(), "a=1 b=1 c=1 d=1");
}

TEST_F(DBBasicTest, PinnedValuesOutliveOverwriteAndCompaction) {
  Open();
  const std::string large = Noise(5000, 1);
  Put("large", large);
  Put("edge", std::string(256, 'e'));
  Put("above", std::string(257, 'a'));
  PinnableSlice in_memory;
  ASSERT_TRUE(db_->Get(ReadOptions(), "large", &in_memory).ok());
  EXPECT_EQ(in_memory.ToString(), large);
  Flush();
  PinnableSlice pinned;
  PinnableSlice copied;
  PinnableSlice above;
  ASSERT_TRUE(db_->Get(ReadOptions(), "large", &pinned).ok());
  ASSERT_TRUE(db_->Get(ReadOptions(), "edge", &copied).ok());
  ASSERT_TRUE(db_->Get(ReadOptions(), "above", &above).ok());
  EXPECT_TRUE(pinned.IsPinned());
  EXPECT_FALSE(copied.IsPinned());
  EXPECT_TRUE(above.IsPinned());
  EXPECT_GT(Property(DB::Properties::kBlockCachePinnedUsage), 0u);

  for (const char* key : {"large", "edge", "above"}) Put(key, "new");
  Compact(/*force=*/true);
  EXPECT_EQ(TablesOnDisk(), 1u);
  EXPECT_EQ(Get("large"), "new");
  EXPECT_EQ(in_memory.ToString(), large);
  EXPECT_EQ(pinned.ToString(), large);
  EXPECT_EQ(copied.ToString(), std::string(256, 'e'));
  EXPECT_EQ(above.ToString(), std::string(257, 'a'));
  pinned.Reset();
  above.Reset();
  // A slice that is used again holds the new value alone.
  ASSERT_TRUE(db_->Get(ReadOptions(), "large", &copied).ok());
  EXPECT_EQ(copied.ToString(), "new");
  EXPECT_TRUE(db_->Get(ReadOptions(), "absent", &copied).IsNotFound());
  EXPECT_TRUE(copied.empty());
}

TEST_F(DBBasicTest, PinnedValuesNeedNoCache) {
  BlockBasedTableOptions table;
  table.no_block_cache = true;
  SetTable(table);
  Open();
  Put("large", Noise(5000, 1));
  Flush();
  PinnableSlice value;
  ASSERT_TRUE(db_->Get(ReadOptions(), "large", &value).ok());
  Compact(/*force=*/true);
  EXPECT_EQ(value.ToString(), Noise(5000, 1));
}

TEST_F(DBBasicTest, CallsAfterCloseFailCleanly) {
  Open();
  Put("a", "1");
  Flush();
  Put("b", "2");
  EXPECT_TRUE(db_->Close().ok());
  EXPECT_TRUE(db_->Close().ok());
  EXPECT_TRUE(db_->Put(WriteOptions(), "c", "3").IsShutdownInProgress());
  EXPECT_TRUE(db_->Delete(WriteOptions(), "a").IsShutdownInProgress());
  WriteBatch batch;
  EXPECT_TRUE(db_->Write(WriteOptions(), &batch).IsShutdownInProgress());
  std::string value;
  EXPECT_TRUE(db_->Get(ReadOptions(), "a", &value).IsShutdownInProgress());
  EXPECT_TRUE(db_->Flush(FlushOptions()).IsShutdownInProgress());
  EXPECT_TRUE(db_->FlushWAL(true).IsShutdownInProgress());
  EXPECT_TRUE(db_->Resume().IsShutdownInProgress());
  EXPECT_TRUE(db_->CompactRange(CompactRangeOptions(), nullptr, nullptr)
                  .IsShutdownInProgress());
  const std::unique_ptr<Iterator> it(db_->NewIterator(ReadOptions()));
  it->SeekToFirst();
  EXPECT_FALSE(it->Valid());
  EXPECT_TRUE(it->status().IsShutdownInProgress());
  EXPECT_FALSE(db_->GetProperty(DB::Properties::kStats, &value));
  TablePropertiesCollection tables;
  EXPECT_TRUE(db_->GetPropertiesOfAllTables(&tables).IsShutdownInProgress());
  Reopen();
  EXPECT_EQ(Contents(), "a=1 b=2");
}

TEST_F(DBBasicTest, RepeatedOpensLoseNothingAndLeaveNoObsoleteFiles) {
  for (int round = 0; round < 12; ++round) {
    Open();
    for (int i = 0; i < round; ++i) {
      EXPECT_EQ(Get(Key(i)), "v" + std::to_string(i)) << round;
    }
    Put(Key(round), "v" + std::to_string(round));
    if (round % 3 == 2) Flush();
    RunJobs();
    ASSERT_TRUE(db_->Close().ok());
    EXPECT_EQ(FilesEndingIn(".log").size(), 1u) << round;
    EXPECT_EQ(TablesOnDisk(), LiveFiles().size()) << round;
    db_.reset();
    std::vector<std::string> names;
    ASSERT_TRUE(fs_->GetChildren(kTestDirectory, &names).ok());
    EXPECT_EQ(std::count_if(names.begin(), names.end(),
                            [](const std::string& name) {
                              return name.starts_with("MANIFEST-");
                            }),
              1);
  }
}

TEST_F(DBBasicTest, IdentityIsCreatedOnceAndKept) {
  Open();
  std::string identity;
  ASSERT_TRUE(db_->GetDbIdentity(&identity).ok());
  std::string session;
  ASSERT_TRUE(db_->GetDbSessionId(session).ok());
  EXPECT_EQ(session.size(), 20u);
  EXPECT_NE(session, identity);
  EXPECT_EQ(identity.size(), 36u);
  std::string file;
  ASSERT_TRUE(
      fs_->GetContents(std::string(kTestDirectory) + "/IDENTITY", &file).ok());
  EXPECT_EQ(file, identity);
  Put("a", "1");
  Flush();
  EXPECT_EQ(OnlyTable().db_id, identity);
  Reopen();
  std::string again;
  ASSERT_TRUE(db_->GetDbIdentity(&again).ok());
  EXPECT_EQ(again, identity);
  EXPECT_EQ(db_->GetName(), kTestDirectory);
}

TEST_F(DBBasicTest, OpenOfAMissingDatabaseNeedsCreateIfMissing) {
  options_.create_if_missing = false;
  const Status status = TryOpen();
  EXPECT_TRUE(status.IsInvalidArgument()) << status;
  EXPECT_EQ(db_, nullptr);
  EXPECT_TRUE(fs_->FileExists(kTestDirectory).IsPathNotFound());
  options_.create_if_missing = true;
  Open();
  options_.create_if_missing = false;
  Reopen();
}

TEST_F(DBBasicTest, ErrorIfExistsKeepsAnExistingDatabase) {
  options_.error_if_exists = true;
  Open();  // there is none yet
  Put("a", "1");
  db_.reset();
  const Status status = TryOpen();
  EXPECT_TRUE(status.IsInvalidArgument()) << status;
  options_.error_if_exists = false;
  Open();
  EXPECT_EQ(Contents(), "a=1");
}

TEST_F(DBBasicTest, ASecondOpenIsRefusedWhileTheFirstLives) {
  Open();
  std::unique_ptr<DB> second;
  const Status status = DB::Open(options_, kTestDirectory, &second);
  EXPECT_TRUE(SaysLocked(status)) << status;
  EXPECT_EQ(second, nullptr);
  Put("a", "1");
  ASSERT_TRUE(db_->Close().ok());
  ASSERT_TRUE(DB::Open(options_, kTestDirectory, &second).ok());
}

TEST_F(DBBasicTest, TheRawPointerOverloadOpens) {
  DB* raw = nullptr;
  ASSERT_TRUE(DB::Open(options_, kTestDirectory, &raw).ok());
  db_.reset(raw);
  Put("a", "1");
  EXPECT_EQ(Get("a"), "1");
  EXPECT_EQ(db_->DefaultColumnFamily()->GetName(), "default");
  EXPECT_EQ(db_->DefaultColumnFamily()->GetID(), 0u);
  options_.create_if_missing = true;
  DB* none = raw;
  EXPECT_FALSE(DB::Open(options_, kTestDirectory, &none).ok());
  EXPECT_EQ(none, nullptr);
}

TEST_F(DBBasicTest, DestroyRemovesOnlyTheDatabase) {
  Open();
  for (int i = 0; i < 10; ++i) {
    Put(Key(i), "v");
    Flush();
  }
  EXPECT_TRUE(SaysLocked(DestroyDB(kTestDirectory, options_)));
  EXPECT_EQ(Get(Key(3)), "v");
  db_.reset();
  const std::string foreign = std::string(kTestDirectory) + "/notes.txt";
  ASSERT_TRUE(WriteStringToFile(fs_.get(), "mine", foreign, true).ok());
  ASSERT_TRUE(DestroyDB(kTestDirectory, options_).ok());
  std::vector<std::string> names;
  ASSERT_TRUE(fs_->GetChildren(kTestDirectory, &names).ok());
  EXPECT_EQ(names, std::vector<std::string>{"notes.txt"});

  ASSERT_TRUE(fs_->RemoveFile(foreign).ok());
  Open();
  EXPECT_EQ(Contents(), "");
  Destroy();
  EXPECT_TRUE(fs_->FileExists(kTestDirectory).IsPathNotFound());
  EXPECT_TRUE(DestroyDB(kTestDirectory, options_).ok());  // nothing there
}

TEST_F(DBBasicTest, WorksOnThreadsAndRealFiles) {
  const TemporaryDirectory temporary;
  const std::string directory = temporary.Path("db");
  Options options;
  options.create_if_missing = true;
  options.write_buffer_size = 64 << 10;
  options.level0_file_num_compaction_trigger = 2;
  std::unique_ptr<DB> db;
  for (int round = 0; round < 2; ++round) {
    ASSERT_TRUE(DB::Open(options, directory + "/", &db).ok());
    EXPECT_EQ(db->GetName(), directory);
    for (int i = 0; i < 2000; ++i) {
      const std::string value = Noise(200, static_cast<uint64_t>(i + round));
      ASSERT_TRUE(db->Put(WriteOptions(), Key(i), value).ok());
    }
    db.reset();
  }
  ASSERT_TRUE(DB::Open(options, directory, &db).ok());
  std::string value;
  for (int i = 0; i < 2000; ++i) {
    ASSERT_TRUE(db->Get(ReadOptions(), Key(i), &value).ok());
    EXPECT_EQ(value, Noise(200, static_cast<uint64_t>(i + 1)));
  }
  db.reset();
  EXPECT_TRUE(DestroyDB(directory, options).ok());
  EXPECT_TRUE(NewPosixFileSystem()->FileExists(directory).IsPathNotFound());
}

// A power cut during a creation may keep the name of any file, and not the
// others'.
TEST_F(DBBasicTest, AnInterruptedCreationIsRepeated) {
  const std::string directory = std::string(kTestDirectory) + "/";
  const std::string current = directory + "CURRENT";
  const std::string manifest = directory + "MANIFEST-000001";
  // The first OPTIONS file is written when the creation is durable.
  const auto lose = [&](const std::string& path) {
    db_.reset();
    ASSERT_TRUE(fs_->RemoveFile(path).ok());
    std::vector<std::string> names;
    ASSERT_TRUE(fs_->GetChildren(directory, &names).ok());
    for (const std::string& name : names) {
      if (!name.starts_with("OPTIONS-")) continue;
      ASSERT_TRUE(fs_->RemoveFile(directory + name).ok());
    }
  };
  Open();
  db_.reset();
  ASSERT_TRUE(fs_->RenameFile(current, "/parent/current").ok());
  EXPECT_TRUE(TryOpen().IsCorruption()) << "it has an OPTIONS file";
  ASSERT_TRUE(fs_->RenameFile("/parent/current", current).ok());
  Open();
  lose(current);
  Open();
  lose(manifest);
  // While it is repeated, CURRENT names nothing that may be torn.
  fs_->SetFaultHook([&](const SimulatedFileSystem::Call& call) {
    if (call.operation != "append" || call.path != manifest) {
      return SimulatedFileSystem::Fault(Status::OK());
    }
    return SimulatedFileSystem::Fault(Status::NoSpace("full"), /*kept=*/10);
  });
  EXPECT_TRUE(TryOpen().IsNoSpace());
  fs_->SetFaultHook(nullptr);
  EXPECT_TRUE(fs_->FileExists(current).IsPathNotFound());
  Open();
  lose(manifest);
  options_.wal_dir = "/parent/logs";
  Open();
  EXPECT_TRUE(fs_->FileExists(directory + "000002.log").IsPathNotFound())
      << "the one of the interrupted creation";
  db_.reset();
  options_.wal_dir.clear();
  Destroy();
  ASSERT_TRUE(fs_->RemoveFile("/parent/logs/000002.log").ok());

  Open();
  lose(manifest);
  options_.create_if_missing = false;
  EXPECT_TRUE(TryOpen().IsCorruption()) << "nothing may be created";
  options_.create_if_missing = true;
  Open();
  Put("a", "1");
  lose(current);
  EXPECT_TRUE(TryOpen().IsCorruption()) << "the log has a write";
  ASSERT_EQ(RepairDB(kTestDirectory, options_), Status::OK());
  Destroy();

  Open();
  Put("a", "1");
  lose(manifest);
  const Status status = TryOpen();
  EXPECT_TRUE(status.IsCorruption()) << status;
  EXPECT_NE(status.message().find("MANIFEST-000001"), std::string::npos)
      << status;
}

// A power cut during a creation leaves any bytes in IDENTITY.
TEST_F(DBBasicTest, ARepeatedCreationMakesANewId) {
  ASSERT_TRUE(fs_->CreateDirIfMissing(kTestDirectory).ok());
  const std::string path = std::string(kTestDirectory) + "/IDENTITY";
  const std::string left(36, '\0');
  ASSERT_TRUE(WriteStringToFile(fs_.get(), left, path, true).ok());
  Open();
  std::string id;
  ASSERT_TRUE(db_->GetDbIdentity(&id).ok());
  EXPECT_NE(id, left);
  EXPECT_EQ(id.size(), 36u);
  Reopen();
  std::string later;
  ASSERT_TRUE(db_->GetDbIdentity(&later).ok());
  EXPECT_EQ(later, id);
}

}  // namespace
}  // namespace tamis
