// SPDX-License-Identifier: Apache-2.0
//
// All families share a log: how long it is kept, and which writes it lacks.
//
// Shows D4 to D6 of docs/durability.md.
#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "db/base/file_names.h"
#include "db/manifest/manifest_state.h"
#include "db/manifest/version_edit.h"
#include "db/wal/log_reader.h"
#include "tests/db/test_families.h"

namespace tamis {
namespace {

class WalRetentionTest : public FamiliesTest {
 protected:
  // The counts of AtomicGroup in the MANIFEST, in order; -1: none.
  std::vector<int> Groups() {
    std::vector<int> groups;
    const auto state = ReadManifest(fs_.get(), kTestDirectory);
    EXPECT_TRUE(state.ok()) << state.status();
    if (!state.ok()) return groups;
    const std::string path = std::string(kTestDirectory) + "/" + state->name;
    const auto reader =
        LogReader::Open(fs_.get(), path, state->number, LogKind::kManifest);
    EXPECT_TRUE(reader.ok()) << reader.status();
    if (!reader.ok()) return groups;
    std::string record;
    while ((*reader)->ReadRecord(&record) == LogReader::Outcome::kRecord) {
      const auto edit = VersionEdit::Decode(record);
      EXPECT_TRUE(edit.ok()) << edit.status();
      groups.push_back(edit->atomic_group_remaining
                           ? static_cast<int>(*edit->atomic_group_remaining)
                           : -1);
    }
    return groups;
  }
  // A table is being written when this is called.
  void FlushFamilyAmid(const std::string& name,
                       const std::function<void()>& meanwhile) {
    bool done = false;
    fs_->SetFaultHook([&](const SimulatedFileSystem::Call& call) {
      if (call.path.ends_with(".sst") && !done) {
        done = true;
        meanwhile();
      }
      return Status::OK();
    });
    FlushFamily(name);
    fs_->SetFaultHook(nullptr);
    EXPECT_TRUE(done);
  }
  void Freeze(const std::string& name) {
    FlushOptions options;
    options.wait = false;
    options.allow_write_stall = true;  // called amid a flush
    const Status status = db_->Flush(options, Family(name));
    ASSERT_TRUE(status.ok()) << status;
  }
  static WriteOptions Unlogged() {
    WriteOptions options;
    options.disableWAL = true;
    return options;
  }
};

TEST_F(WalRetentionTest, ALogIsKeptUntilNoFamilyNeedsIt) {
  MakeFamilies({"a", "b", "idle"});
  Put("a", "k", "1");
  Put("b", "k", "2");
  const std::string log = Logs().at(0);
  FlushFamily("a");
  EXPECT_EQ(Logs().size(), 2u);
  EXPECT_EQ(Logs().at(0), log);
  PowerCut(1, CrashStyle::kKeepAll);
  ReopenFamilies();
  EXPECT_EQ(AllContents(), "default:  | a: k=1 | b: k=2 | idle: ");

  Put("a", "k", "3");
  Put("b", "k", "4");
  FlushFamily("a");
  EXPECT_EQ(Logs().size(), 2u);
  FlushFamily("b");
  EXPECT_EQ(Logs().size(), 1u);  // a family that is not written pins nothing
  ReopenFamilies();
  EXPECT_EQ(AllContents(), "default:  | a: k=3 | b: k=4 | idle: ");
}

TEST_F(WalRetentionTest, AboveTheLimitFamiliesThatPinTheOldestLogAreFlushed) {
  options_.max_total_wal_size = 20'000;
  MakeFamilies({"idle", "new", "old"});
  Put("old", "k", "1");
  Put("default", "k", "1");
  FlushFamily("default");
  EXPECT_EQ(Logs().size(), 2u);  // "old" has its only entry in the first
  for (int i = 0; i < 15; ++i) Put("new", Key(i), Noise(1000, 1));
  RunJobs();
  EXPECT_EQ(TablesOf("old"), 0u);  // not yet
  for (int i = 15; i < 25; ++i) Put("new", Key(i), Noise(1000, 1));
  RunJobs();
  EXPECT_EQ(TablesOf("old"), 1u);
  EXPECT_EQ(TablesOf("new"), 0u);  // it is in a later log
  EXPECT_EQ(TablesOf("default"), 1u);
  EXPECT_EQ(PropertyOf("old", "rocksdb.num-entries-active-mem-table"), 0u);
  // And so on: now it is the turn of "new".
  for (int i = 25; i < 50; ++i) Put("new", Key(i), Noise(1000, 1));
  RunJobs();
  EXPECT_GE(TablesOf("new"), 1u);
  EXPECT_LE(Logs().size(), 2u);
}

TEST_F(WalRetentionTest, WithoutTheOptionTheLimitGrowsWithTheMemtables) {
  options_.write_buffer_size = 64 << 10;
  options_.max_write_buffer_number = 2;
  MakeFamilies({"pins"});
  Put("pins", "k", "1");
  // Four times 2 memtables of 64 KiB for each of two families: 1 MiB.
  for (int i = 0; i < 100; ++i) {
    Put("default", Key(i), Noise(8000, 1));
    RunJobs();
  }
  EXPECT_EQ(TablesOf("pins"), 0u);
  for (int i = 0; i < 60; ++i) {
    Put("default", Key(i), Noise(8000, 1));
    RunJobs();
  }
  EXPECT_EQ(TablesOf("pins"), 1u);
}

TEST_F(WalRetentionTest, ADroppedFamilyDoesNotDisableTheLimit) {
  options_.max_total_wal_size = 20'000;
  MakeFamilies({"gone", "new"});
  Put("gone", "k", "1");
  Put("default", "k", "1");
  FlushFamily("default");
  Put("new", "k", "1");
  DropAndForget("gone");
  for (int i = 0; i < 50; ++i) Put("new", Key(i), Noise(1000, 1));
  RunJobs();
  EXPECT_GE(TablesOf("new"), 1u);
  uint64_t bytes = 0;
  for (const std::string& log : Logs()) bytes += SizeOf(log);
  EXPECT_LE(bytes, 2 * options_.max_total_wal_size);
}

TEST_F(WalRetentionTest, AnUnloggedWriteIsLostInACrashAndKeptByClose) {
  MakeFamilies({"a"});
  Put("a", "logged", "1");
  const uint64_t log = SizeOf(Logs().back());
  ASSERT_TRUE(db_->Put(Unlogged(), Family("a"), "unlogged", "2").ok());
  EXPECT_EQ(SizeOf(Logs().back()), log);
  Put("a", "logged later", "3");
  EXPECT_EQ(ContentsOf("a"), "logged=1 logged later=3 unlogged=2");
  PowerCut(1, CrashStyle::kKeepAll);
  ReopenFamilies();
  EXPECT_EQ(ContentsOf("a"), "logged=1 logged later=3");

  ASSERT_TRUE(db_->Put(Unlogged(), Family("a"), "flushed", "4").ok());
  FlushFamily("a");
  PowerCut(1, CrashStyle::kDropAll);
  ReopenFamilies();
  EXPECT_EQ(ContentsOf("a"), "flushed=4 logged=1 logged later=3");

  ASSERT_TRUE(PutInAll({"default", "a"}, "closed", "5", Unlogged()).ok());
  handles_.clear();
  ASSERT_TRUE(db_->Close().ok());
  db_.reset();
  ReopenFamilies();
  EXPECT_EQ(GetIn("a", "closed"), "5");
  EXPECT_EQ(GetIn("default", "closed"), "5");
}

TEST_F(WalRetentionTest, CloseReportsUnloggedWritesThatAreLost) {
  MakeFamilies({});
  ASSERT_TRUE(db_->Put(Unlogged(), "k", "v").ok());
  fs_->SetFaultHook([](const SimulatedFileSystem::Call& call) {
    return call.path.ends_with(".sst") ? Status::NoSpace(call.path)
                                       : Status::OK();
  });
  handles_.clear();
  const Status status = db_->Close();
  EXPECT_TRUE(status.IsNoSpace()) << status;
}

TEST_F(WalRetentionTest, CloseKeepsEveryUnloggedWriteThatReturned) {
  options_.job_runner = nullptr;
  for (int round = 0; round < 50; ++round) {
    MakeFamilies({"a"});
    ColumnFamilyHandle* const a = Family("a");
    std::atomic<int> written{0};
    std::thread writer([&] {
      WriteOptions options = Unlogged();
      while (db_->Put(options, a, Key(written), "v").ok()) ++written;
    });
    while (written < 20) std::this_thread::yield();
    EXPECT_TRUE(db_->Close().ok());
    writer.join();
    ReopenFamilies();
    for (int i = 0; i < written; ++i) EXPECT_EQ(GetIn("a", Key(i)), "v") << i;
    CloseAll();
    ASSERT_TRUE(DestroyDB(kTestDirectory, options_).ok());
  }
}

TEST_F(WalRetentionTest, ALogIsKeptForTheOlderOfTwoImmutableMemtables) {
  MakeFamilies({"a", "b"});
  Put("a", "k1", "1");
  Put("b", "k", "1");
  FlushFamilyAmid("b", [this] {
    Freeze("a");
    Put("a", "k2", "2");
    Freeze("a");
  });
  EXPECT_EQ(TablesOf("a"), 0u);
  PowerCut(1, CrashStyle::kKeepAll);
  ReopenFamilies();
  EXPECT_EQ(AllContents(), "default:  | a: k1=1 k2=2 | b: k=1");
}

TEST_F(WalRetentionTest, MemtablesSwitchedDuringAFlushWaitForTheNext) {
  MakeFamilies({"a"});
  Put("a", "k1", "1");
  FlushFamilyAmid("a", [this] {
    Put("a", "k2", "2");
    Freeze("a");
  });
  EXPECT_EQ(AllContents(), "default:  | a: k1=1 k2=2");
  RunJobs();
  EXPECT_EQ(TablesOf("a"), 2u);
  EXPECT_EQ(AllContents(), "default:  | a: k1=1 k2=2");
}

TEST_F(WalRetentionTest, NoLogAndSyncExcludeEachOther) {
  MakeFamilies({});
  WriteOptions options = Unlogged();
  options.sync = true;
  EXPECT_TRUE(db_->Put(options, "k", "v").IsInvalidArgument());
  EXPECT_EQ(Contents(), "");
}

TEST_F(WalRetentionTest, AtomicFlushWritesAllFamiliesAsOneGroup) {
  options_.atomic_flush = true;
  MakeFamilies({"a", "b", "idle"});
  ASSERT_TRUE(PutInAll({"default", "a", "b"}, "k", "1").ok());
  EXPECT_EQ(Logs().size(), 1u);
  const size_t before = Groups().size();
  FlushFamily("a");
  for (const char* name : {"default", "a", "b"}) {
    EXPECT_EQ(TablesOf(name), 1u) << name;
  }
  EXPECT_EQ(TablesOf("idle"), 0u);
  std::vector<int> groups = Groups();
  groups.erase(groups.begin(), groups.begin() + static_cast<long>(before));
  EXPECT_EQ(groups, (std::vector<int>{2, 1, 0}));
  EXPECT_EQ(Logs().size(), 1u);
}

TEST_F(WalRetentionTest, WithoutAtomicFlushOnlyTheFamilyIsFlushed) {
  MakeFamilies({"a", "b"});
  ASSERT_TRUE(PutInAll({"default", "a", "b"}, "k", "1").ok());
  const size_t before = Groups().size();
  FlushFamily("a");
  EXPECT_EQ(TablesOf("a"), 1u);
  EXPECT_EQ(LiveFiles().size(), 1u);
  std::vector<int> groups = Groups();
  groups.erase(groups.begin(), groups.begin() + static_cast<long>(before));
  EXPECT_EQ(groups, (std::vector<int>{-1}));
}

TEST_F(WalRetentionTest, AFullMemtableFlushesAllFamiliesWithAtomicFlush) {
  options_.atomic_flush = true;
  options_of_["small"] = options_;
  options_of_["small"].write_buffer_size = 64 << 10;
  MakeFamilies({"large", "small"});
  Put("large", "k", "1");
  for (int i = 0; i < 3; ++i) Put("small", Key(i), Noise(40'000, 1));
  RunJobs();
  EXPECT_GE(TablesOf("small"), 1u);
  EXPECT_EQ(TablesOf("large"), 1u);
}

// Without a log, the group is all that keeps the batch whole.
TEST_F(WalRetentionTest, AfterAPowerFailureAnAtomicFlushIsInAllFamiliesOrNone) {
  options_.atomic_flush = true;
  const Names all = {"default", "a", "b"};
  int found = 0;
  bool whole_run = false;
  for (uint64_t cut = 1; !whole_run; ++cut) {
    SCOPED_TRACE("power fails at call " + std::to_string(cut));
    MakeFamilies({"a", "b"});
    ASSERT_TRUE(PutInAll(all, "k", "1", Unlogged()).ok());
    const uint64_t begin = fs_->calls();
    fs_->SetFaultHook([&](const SimulatedFileSystem::Call& call) {
      if (call.number == begin + cut) fs_->CutPower();
      return Status::OK();
    });
    const bool flushed = db_->Flush(FlushOptions(), Family("a")).ok();
    whole_run = fs_->calls() < begin + cut;
    PowerCut(cut);
    ReopenFamilies();
    const std::string contents = AllContents();
    if (contents != "default:  | a:  | b: " || flushed) {
      EXPECT_EQ(contents, "default: k=1 | a: k=1 | b: k=1");
      ++found;
    }
    CloseAll();
    ASSERT_TRUE(DestroyDB(kTestDirectory, options_).ok());
  }
  EXPECT_GT(found, 1);
}

}  // namespace
}  // namespace tamis
