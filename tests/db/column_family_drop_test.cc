// SPDX-License-Identifier: Apache-2.0
//
// A dropped family: gone for writers and from the directory, but readable
// through its handles.
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "db/manifest/manifest_state.h"
#include "tests/db/test_families.h"

namespace tamis {
namespace {

class ColumnFamilyDropTest : public FamiliesTest {
 protected:
  Status CompactFamily(const std::string& name) {
    return db_->CompactRange(CompactRangeOptions(), Family(name), nullptr,
                             nullptr);
  }
  // Calls `act` when a table of the database is created.
  void AtNextTable(std::function<void()> act) {
    fs_->SetFaultHook([this, act](const SimulatedFileSystem::Call& call) {
      if (call.operation == "create" && call.path.ends_with(".sst")) {
        fs_->SetFaultHook(nullptr);
        act();
      }
      return Status::OK();
    });
  }
};

TEST_F(ColumnFamilyDropTest,
       HandlesIteratorsAndSnapshotsStillReadADroppedFamily) {
  MakeFamilies({"a", "b"});
  Put("a", "table", "1");
  FlushFamily("a");
  Put("a", "memtable", "2");
  const Snapshot* snapshot = db_->GetSnapshot();
  Put("a", "memtable", "3");
  const std::unique_ptr<Iterator> it(
      db_->NewIterator(ReadOptions(), Family("a")));
  Drop("a");
  EXPECT_EQ(Listed(), (std::vector<std::string>{"default", "b"}));
  EXPECT_EQ(ContentsOf("a"), "memtable=3 table=1");
  EXPECT_EQ(GetIn("a", "table"), "1");
  EXPECT_EQ(ContentsOf("a", snapshot), "memtable=2 table=1");
  EXPECT_EQ(Scan(it.get()), "memtable=3 table=1");
  EXPECT_EQ(Family("a")->GetName(), "a");
  EXPECT_EQ(PropertyOf("a", "rocksdb.num-entries-active-mem-table"), 2u);
  std::vector<Iterator*> iterators;
  ASSERT_TRUE(
      db_->NewIterators(ReadOptions(), {Family("b"), Family("a")}, &iterators)
          .ok());
  EXPECT_EQ(Scan(iterators[1]), "memtable=3 table=1");
  for (Iterator* one : iterators) delete one;
  db_->ReleaseSnapshot(snapshot);
}

TEST_F(ColumnFamilyDropTest, AWriteToAMissingFamilyChangesNothing) {
  MakeFamilies({"gone", "b"});
  Drop("gone");
  const uint64_t log = SizeOf(Logs().back());
  const SequenceNumber sequence = db_->GetLatestSequenceNumber();
  Status status = db_->Put(WriteOptions(), Family("gone"), "k", "v");
  EXPECT_TRUE(status.IsInvalidArgument()) << status;
  EXPECT_NE(status.message().find(std::to_string(Family("gone")->GetID())),
            std::string::npos)
      << status;
  // Not even the part of the batch that could be written.
  EXPECT_TRUE(PutInAll({"b", "gone"}, "k", "v").IsInvalidArgument());
  EXPECT_TRUE(PutInAll({"gone", "b"}, "k", "v").IsInvalidArgument());
  EXPECT_EQ(SizeOf(Logs().back()), log);
  EXPECT_EQ(db_->GetLatestSequenceNumber(), sequence);
  EXPECT_EQ(ContentsOf("b"), "");
  EXPECT_EQ(ContentsOf("gone"), "");

  status = db_->Flush(FlushOptions(), Family("gone"));
  EXPECT_TRUE(status.IsColumnFamilyDropped()) << status;
  status = CompactFamily("gone");
  EXPECT_TRUE(status.IsColumnFamilyDropped()) << status;
  Put("b", "k", "v");  // no error of the database
}

TEST_F(ColumnFamilyDropTest, DefaultCannotBeDroppedNorAnyFamilyTwice) {
  MakeFamilies({"a"});
  EXPECT_TRUE(
      db_->DropColumnFamily(db_->DefaultColumnFamily()).IsInvalidArgument());
  EXPECT_TRUE(db_->DropColumnFamily(Family("default")).IsInvalidArgument());
  EXPECT_TRUE(db_->DestroyColumnFamilyHandle(db_->DefaultColumnFamily())
                  .IsInvalidArgument());
  Drop("a");
  const Status status = db_->DropColumnFamily(Family("a"));
  EXPECT_TRUE(status.IsInvalidArgument()) << status;
  EXPECT_NE(status.message().find("a"), std::string::npos);
}

TEST_F(ColumnFamilyDropTest, TablesAreDeletedWithTheirLastReference) {
  MakeFamilies({"a", "b"});
  for (int i = 0; i < 2; ++i) {
    Put("a", Key(i), "value");
    FlushFamily("a");
  }
  Put("b", "key", "value");
  FlushFamily("b");
  std::unique_ptr<Iterator> it(db_->NewIterator(ReadOptions(), Family("a")));
  Drop("a");
  RunJobs();
  EXPECT_EQ(TablesOnDisk(), 3u);
  handles_.erase("a");
  EXPECT_EQ(TablesOnDisk(), 3u);
  it->SeekToFirst();
  EXPECT_TRUE(it->Valid());
  it.reset();
  EXPECT_EQ(TablesOnDisk(), 1u);
  EXPECT_EQ(TablesOf("b"), 1u);
}

TEST_F(ColumnFamilyDropTest, AFullMemtablePinsNoTables) {
  options_of_["a"].write_buffer_size = 64 << 10;
  MakeFamilies({"a"});
  Put("a", "table", "value");
  FlushFamily("a");
  // To be switched by the next write, which does not come.
  Put("a", "large", Noise(100'000, 1));
  DropAndForget("a");
  EXPECT_EQ(TablesOnDisk(), 0u);
}

TEST_F(ColumnFamilyDropTest, TheDropSurvivesAPowerFailureAndDeletesTheTables) {
  MakeFamilies({"a", "b"});
  Put("a", "key", "value");
  FlushFamily("a");
  Put("a", "in log", "value");
  ASSERT_TRUE(db_->SyncWAL().ok());
  Drop("a");
  PowerCut(1, CrashStyle::kDropAll);
  EXPECT_EQ(Listed(), (std::vector<std::string>{"default", "b"}));
  OpenFamilies({"b"});
  EXPECT_EQ(TablesOnDisk(), 0u);
}

TEST_F(ColumnFamilyDropTest, ARecreatedNameIsANewFamily) {
  MakeFamilies({"a"});
  Put("a", "old table", "1");
  FlushFamily("a");
  Put("a", "old log", "1");
  auto old = std::move(handles_["a"]);
  ASSERT_TRUE(db_->DropColumnFamily(old.get()).ok());
  Create("a");
  EXPECT_NE(Family("a")->GetID(), old->GetID());
  EXPECT_EQ(ContentsOf("a"), "");
  Put("a", "new", "2");
  EXPECT_EQ(ContentsIn(db_.get(), old.get()), "old log=1 old table=1");
  EXPECT_TRUE(
      db_->Put(WriteOptions(), old.get(), "k", "v").IsInvalidArgument());
  ASSERT_TRUE(db_->SyncWAL().ok());
  old.reset();
  PowerCut();
  OpenFamilies({"a"});
  EXPECT_EQ(ContentsOf("a"), "new=2");
}

TEST_F(ColumnFamilyDropTest, IdsAreNeverReused) {
  MakeFamilies({});
  uint32_t highest = 0;
  for (int round = 0; round < 3; ++round) {
    for (const char* name : {"x", "y"}) {
      Create(name);
      EXPECT_GT(Family(name)->GetID(), highest);
      highest = Family(name)->GetID();
    }
    DropAndForget("y");
    DropAndForget("x");
    ReopenFamilies();
    const auto manifest = ReadManifest(fs_.get(), kTestDirectory);
    ASSERT_TRUE(manifest.ok()) << manifest.status();
    EXPECT_EQ(manifest->max_column_family, FamilyId(highest));
    EXPECT_EQ(manifest->families.size(), 1u);
  }
}

TEST_F(ColumnFamilyDropTest, ScheduledJobsOfADroppedFamilyAreCancelled) {
  options_.level0_file_num_compaction_trigger = 2;
  MakeFamilies({"a", "b"});
  FlushOptions no_wait;
  no_wait.wait = false;
  Put("a", "key", "1");
  ASSERT_TRUE(db_->Flush(no_wait, Family("a")).ok());
  EXPECT_GT(runner_->pending(), 0u);
  DropAndForget("a");
  RunJobs();
  EXPECT_EQ(TablesOnDisk(), 0u);
  EXPECT_EQ(Property(DB::Properties::kBackgroundErrors), 0u);

  // The same for a compaction, which its second table makes due.
  for (int i = 0; i < 2; ++i) {
    Put("b", "key", "1");
    ASSERT_TRUE(db_->Flush(no_wait, Family("b")).ok());
    ASSERT_TRUE(runner_->RunOne());
  }
  EXPECT_EQ(TablesOf("b"), 2u);
  EXPECT_GT(runner_->pending(), 0u);
  DropAndForget("b");
  RunJobs();
  EXPECT_EQ(TablesOnDisk(), 0u);
  EXPECT_EQ(Property(DB::Properties::kBackgroundErrors), 0u);
  Put("key", "after");
  Flush();
  EXPECT_EQ(Contents(), "key=after");
}

TEST_F(ColumnFamilyDropTest, ARunningFlushLeavesNoTable) {
  MakeFamilies({"a", "b"});
  Put("a", "key", "1");
  Put("b", "key", "2");
  bool dropped = false;
  AtNextTable([&] {
    dropped = true;
    DropAndForget("a");
  });
  FlushOptions no_wait;
  no_wait.wait = false;
  ASSERT_TRUE(db_->Flush(no_wait, Family("a")).ok());
  RunJobs();
  EXPECT_TRUE(dropped);
  EXPECT_EQ(TablesOnDisk(), 0u);
  EXPECT_EQ(Property(DB::Properties::kBackgroundErrors), 0u);
  FlushFamily("b");
  ReopenFamilies();
  EXPECT_EQ(AllContents(), "default:  | b: key=2");
}

TEST_F(ColumnFamilyDropTest, AFlushOfAllFamiliesSkipsADroppedOne) {
  options_.atomic_flush = true;
  MakeFamilies({"a", "b"});
  ASSERT_TRUE(PutInAll({"default", "a", "b"}, "key", "1").ok());
  AtNextTable([&] { DropAndForget("a"); });
  FlushFamily("b");
  EXPECT_EQ(TablesOnDisk(), 2u);
  EXPECT_EQ(TablesOf("default"), 1u);
  EXPECT_EQ(TablesOf("b"), 1u);
  ReopenFamilies();
  EXPECT_EQ(AllContents(), "default: key=1 | b: key=1");
}

TEST_F(ColumnFamilyDropTest, ARunningCompactionLeavesNoTable) {
  MakeFamilies({"a"});
  for (int i = 0; i < 2; ++i) {
    Put("a", "key", "1");
    FlushFamily("a");
  }
  AtNextTable([&] { Drop("a"); });
  const Status status = CompactFamily("a");
  EXPECT_TRUE(status.IsColumnFamilyDropped()) << status;
  EXPECT_EQ(ContentsOf("a"), "key=1");
  EXPECT_EQ(TablesOnDisk(), 2u);
  handles_.erase("a");
  EXPECT_EQ(TablesOnDisk(), 0u);
  EXPECT_EQ(Property(DB::Properties::kBackgroundErrors), 0u);
}

// Each is there or not, and what was acknowledged is as it was said to be.
TEST_F(ColumnFamilyDropTest, APowerFailureLeavesEachFamilyWholeOrAbsent) {
  bool whole_run = false;
  for (uint64_t cut = 1; !whole_run; ++cut) {
    SCOPED_TRACE("power fails at call " + std::to_string(cut));
    MakeFamilies({"old"});
    Put("old", "key", "1");
    FlushFamily("old");
    const uint64_t begin = fs_->calls();
    fs_->SetFaultHook([&](const SimulatedFileSystem::Call& call) {
      if (call.number == begin + cut) fs_->CutPower();
      return Status::OK();
    });
    const bool created = TryCreate("new").ok();
    WriteOptions sync;
    sync.sync = true;
    const bool written =
        created && db_->Put(sync, Family("new"), "key", "2").ok();
    const bool dropped = written && db_->DropColumnFamily(Family("old")).ok();
    whole_run = fs_->calls() < begin + cut;
    PowerCut(cut);
    const std::vector<std::string> listed = Listed();
    Names found(listed.begin(), listed.end());
    if (created) {
      EXPECT_TRUE(found.contains("new"));
    }
    if (dropped) {
      EXPECT_FALSE(found.contains("old"));
    }
    if (!written) {
      EXPECT_TRUE(found.contains("old"));
    }
    OpenFamilies(found);
    if (found.contains("old")) {
      EXPECT_EQ(ContentsOf("old"), "key=1");
    }
    if (written) {
      EXPECT_EQ(ContentsOf("new"), "key=2");
    }
    CloseAll();
    ASSERT_TRUE(DestroyDB(kTestDirectory, options_).ok());
  }
}

}  // namespace
}  // namespace tamis
