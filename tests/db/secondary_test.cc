// SPDX-License-Identifier: Apache-2.0
//
// OpenAsSecondary and TryCatchUpWithPrimary: a secondary instance shows points
// of its primary's history, and changes nothing in its directory.
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tests/db/test_families.h"
#include "tests/support/databases.h"
#include "tests/support/effort.h"
#include "util/base/random.h"

namespace tamis {
namespace {

constexpr char kSecondary[] = "/parent/secondary";

class SecondaryTest : public FamiliesTest {
 protected:
  using Instance = Beside;
  Status TryFollow(const Names& families, Instance* instance) {
    std::vector<ColumnFamilyHandle*> handles;
    instance->handles.clear();
    const Status status =
        DB::OpenAsSecondary(options_, kTestDirectory, kSecondary,
                            Descriptors(families), &handles, &instance->db);
    TakeHandles(status, handles, instance);
    return status;
  }
  void Follow(const Names& families, Instance* instance) {
    const Status status = TryFollow(families, instance);
    ASSERT_TRUE(status.ok()) << status;
  }
  static void CatchUp(const Instance& instance) {
    const Status status = instance.db->TryCatchUpWithPrimary();
    ASSERT_TRUE(status.ok()) << status;
  }
};

TEST_F(SecondaryTest, ShowsWhatThePrimaryHasWrittenByTheLastCatchUp) {
  MakeFamilies({"a"});
  Put("a", "1", "one");
  Instance follower;
  Follow({"a"}, &follower);
  EXPECT_EQ(follower.Contents("a"), "1=one");
  Put("a", "2", "two");
  EXPECT_EQ(follower.Contents("a"), "1=one");
  CatchUp(follower);
  EXPECT_EQ(follower.Contents("a"), "1=one 2=two");
  EXPECT_EQ(follower.db->GetLatestSequenceNumber(),
            db_->GetLatestSequenceNumber());
  // From a log to a table, and on.
  FlushFamily("a");
  CatchUp(follower);
  EXPECT_EQ(follower.Contents("a"), "1=one 2=two");
  ASSERT_TRUE(db_->Delete(WriteOptions(), Family("a"), "1").ok());
  ASSERT_TRUE(db_->DeleteRange(WriteOptions(), Family("a"), "2", "3").ok());
  Put("a", "3", "three");
  EXPECT_EQ(follower.Contents("a"), "1=one 2=two");
  CatchUp(follower);
  EXPECT_EQ(follower.Contents("a"), "3=three");
  ASSERT_TRUE(db_->CompactRange({}, Family("a"), nullptr, nullptr).ok());
  Put("default", "x", "y");
  CatchUp(follower);
  EXPECT_EQ(follower.Contents("a"), "3=three");
  EXPECT_EQ(follower.Contents(), "x=y");
  CatchUp(follower);
  EXPECT_EQ(follower.Contents(), "x=y");
}

TEST_F(SecondaryTest, MemTablesGoWhenThePrimaryHasFlushed) {
  MakeFamilies({"a"});
  Instance follower;
  Follow({"a"}, &follower);
  const auto entries = [&](const std::string& family) {
    uint64_t active = 0;
    uint64_t immutable = 0;
    EXPECT_TRUE(follower.db->GetIntProperty(
        follower.Family(family), DB::Properties::kNumEntriesActiveMemTable,
        &active));
    EXPECT_TRUE(follower.db->GetIntProperty(
        follower.Family(family), DB::Properties::kNumEntriesImmMemTables,
        &immutable));
    return active + immutable;
  };
  for (int i = 0; i < 4; ++i) {
    ASSERT_TRUE(PutInAll({"default", "a"}, Key(i), "value").ok());
    CatchUp(follower);
    // The log of the other family's entries is a new one from here on.
    FlushFamily("a");
    CatchUp(follower);
    EXPECT_EQ(entries("a"), 0u) << i;
    EXPECT_EQ(entries("default"), static_cast<uint64_t>(i + 1));
  }
  FlushFamily("default");
  CatchUp(follower);
  EXPECT_EQ(entries("default"), 0u);
  EXPECT_EQ(follower.Contents(), follower.Contents("a"));
}

TEST_F(SecondaryTest, SnapshotsAndIteratorsKeepWhatTheySee) {
  MakeFamilies({"a"});
  ASSERT_TRUE(PutInAll({"default", "a"}, "key", "old").ok());
  FlushFamily("a");
  Instance follower;
  Follow({"a"}, &follower);
  const Snapshot* const snapshot = follower.db->GetSnapshot();
  const std::unique_ptr<Iterator> iterator(
      follower.db->NewIterator(ReadOptions(), follower.Family("a")));
  ReadOptions tailing;
  tailing.tailing = true;
  const std::unique_ptr<Iterator> tail(
      follower.db->NewIterator(tailing, follower.Family("a")));
  EXPECT_EQ(Scan(tail.get()), "key=old");
  // The primary knows of no snapshot: it drops the old value, and its table.
  ASSERT_TRUE(PutInAll({"default", "a"}, "key", "new").ok());
  for (const char* name : {"default", "a"}) {
    ASSERT_TRUE(db_->CompactRange({}, Family(name), nullptr, nullptr).ok());
  }
  CatchUp(follower);
  for (const char* name : {"default", "a"}) {
    EXPECT_EQ(follower.Contents(name), "key=new");
    EXPECT_EQ(follower.Contents(name, snapshot), "key=old");
  }
  EXPECT_EQ(Scan(iterator.get()), "key=old");
  ASSERT_TRUE(iterator->Refresh().ok());
  EXPECT_EQ(Scan(iterator.get()), "key=new");
  EXPECT_EQ(Scan(tail.get()), "key=new");
  follower.db->ReleaseSnapshot(snapshot);
}

TEST_F(SecondaryTest, ChangesNothingButItsLog) {
  MakeFamilies({"a"});
  Put("a", "table", "1");
  FlushFamily("a");
  Put("a", "log", "2");
  const auto before = Directory();
  {
    Instance follower;
    Follow({"a"}, &follower);
    EXPECT_EQ(follower.Contents("a"), "log=2 table=1");
    EXPECT_TRUE(follower.db->Put(WriteOptions(), "k", "v").IsNotSupported());
    EXPECT_TRUE(follower.db->Flush(FlushOptions()).IsNotSupported());
    EXPECT_TRUE(
        follower.db->CompactRange({}, nullptr, nullptr).IsNotSupported());
    ColumnFamilyHandle* handle = nullptr;
    EXPECT_TRUE(follower.db->CreateColumnFamily(options_, "b", &handle)
                    .IsNotSupported());
    CatchUp(follower);
    RunJobs();
  }
  EXPECT_EQ(Directory(), before);
  std::vector<std::string> names;
  ASSERT_TRUE(fs_->GetChildren(kSecondary, &names).ok());
  EXPECT_EQ(names, std::vector<std::string>{"LOG"});
  std::string log;
  ASSERT_TRUE(fs_->GetContents(std::string(kSecondary) + "/LOG", &log).ok());
  EXPECT_NE(log.find("event=caught_up"), std::string::npos) << log;
}

TEST_F(SecondaryTest, ErrorsSayWhatIsWrong) {
  MakeFamilies({});
  EXPECT_TRUE(db_->TryCatchUpWithPrimary().IsNotSupported());
  std::unique_ptr<DB> db;
  for (const char* path : {"", kTestDirectory}) {
    const Status status =
        DB::OpenAsSecondary(options_, kTestDirectory, path, &db);
    EXPECT_TRUE(status.IsInvalidArgument()) << status;
    EXPECT_EQ(db, nullptr);
  }
  Instance follower;
  EXPECT_TRUE(TryFollow({"unknown"}, &follower).IsInvalidArgument());
  EXPECT_TRUE(DB::OpenAsSecondary(options_, "/parent/none", kSecondary, &db)
                  .IsInvalidArgument());
  ASSERT_TRUE(
      DB::OpenAsSecondary(options_, kTestDirectory, kSecondary, &db).ok());
  ASSERT_TRUE(db->Close().ok());
  EXPECT_TRUE(db->TryCatchUpWithPrimary().IsShutdownInProgress());
}

TEST_F(SecondaryTest, FamiliesMadeAndDroppedLater) {
  MakeFamilies({"a", "b"});
  ASSERT_TRUE(PutInAll({"default", "a", "b"}, "key", "1").ok());
  Instance follower;
  Follow({"a"}, &follower);  // some may be left out
  Create("c");
  ASSERT_TRUE(PutInAll({"default", "a", "b", "c"}, "key", "2").ok());
  CatchUp(follower);
  EXPECT_EQ(follower.Contents("a"), "key=2");
  DropAndForget("a");
  ASSERT_TRUE(PutInAll({"default", "b", "c"}, "key", "3").ok());
  FlushFamily("default");
  CatchUp(follower);
  EXPECT_EQ(follower.Contents(), "key=3");
  EXPECT_EQ(follower.Contents("a"), "key=2");
  // Together with the others, too.
  std::vector<Iterator*> iterators;
  ASSERT_TRUE(
      follower.db
          ->NewIterators(ReadOptions(),
                         {follower.Family("a"), follower.Family("default")},
                         &iterators)
          .ok());
  EXPECT_EQ(Scan(iterators[0]), "key=2");
  EXPECT_EQ(Scan(iterators[1]), "key=3");
  for (const Iterator* iterator : iterators) delete iterator;
}

TEST_F(SecondaryTest, ThePrimaryMayEndAndStartAgain) {
  MakeFamilies({"a"});
  Instance follower;
  Follow({"a"}, &follower);
  std::string expected;
  for (int i = 0; i < 6; ++i) {
    Put("a", Key(i), "v");
    expected += (i == 0 ? "" : " ") + Key(i) + "=v";
    if (i % 2 == 0) {
      CatchUp(follower);
      EXPECT_EQ(follower.Contents("a"), expected);
    }
    ReopenFamilies();
    CatchUp(follower);
    EXPECT_EQ(follower.Contents("a"), expected);
  }
}

TEST_F(SecondaryTest, ADamagedRecordIsAnErrorAndReadsGoOn) {
  MakeFamilies({});
  Put("a", "1");
  Instance follower;
  Follow({}, &follower);
  Put("b", std::string(100, '2'));
  Put("c", "3");
  const std::string log = std::string(kTestDirectory) + "/" + CurrentLog();
  std::string bytes;
  ASSERT_TRUE(fs_->GetContents(log, &bytes).ok());
  std::string damaged = bytes;
  damaged[damaged.find("2222") + 50] ^= 1;
  CloseAll();
  ASSERT_TRUE(WriteStringToFile(fs_.get(), damaged, log, false).ok());
  for (int i = 0; i < 2; ++i) {
    const Status status = follower.db->TryCatchUpWithPrimary();
    EXPECT_TRUE(status.IsCorruption()) << status;
    EXPECT_NE(status.ToString().find(log), std::string::npos) << status;
    EXPECT_EQ(follower.Contents(), "a=1");
  }
  ASSERT_TRUE(WriteStringToFile(fs_.get(), bytes, log, false).ok());
  CatchUp(follower);
  EXPECT_EQ(follower.Contents(), "a=1 b=" + std::string(100, '2') + " c=3");
}

// A record up to the end of a block is gone: what follows is not shown without
// it.
TEST_F(SecondaryTest, AHoleInTheLogIsAnError) {
  MakeFamilies({});
  const std::string log = std::string(kTestDirectory) + "/" + CurrentLog();
  const auto bytes = [&] {
    std::string contents;
    EXPECT_TRUE(fs_->GetContents(log, &contents).ok());
    return contents;
  };
  Put("a", "1");
  const size_t first = bytes().size();
  Put("b", std::string(100, '2'));
  const size_t before = bytes().size();
  Instance follower;
  Follow({}, &follower);
  // The length of a longer value takes two bytes more.
  const size_t around = before - first - 100 + 2;
  constexpr size_t kBlock = 32768;
  Put("c", std::string(kBlock - before - around, '3'));
  ASSERT_EQ(bytes().size(), kBlock);
  Put("d", "4");
  std::string hole = bytes();
  CloseAll();
  hole.replace(before, kBlock - before, kBlock - before, '\0');
  ASSERT_TRUE(WriteStringToFile(fs_.get(), hole, log, false).ok());
  const Status status = follower.db->TryCatchUpWithPrimary();
  EXPECT_TRUE(status.IsCorruption()) << status;
  EXPECT_EQ(follower.Contents(), "a=1 b=" + std::string(100, '2'));
}

// The log as it is at each of its lengths, one after the other.
TEST_F(SecondaryTest, ARecordIsSeenWhenItIsComplete) {
  MakeFamilies({});
  Put("a", "1");
  Put("b", std::string(40'000, 'x'));  // in two blocks of the log
  Put("c", "3");
  const std::string log = std::string(kTestDirectory) + "/" + CurrentLog();
  std::string bytes;
  ASSERT_TRUE(fs_->GetContents(log, &bytes).ok());
  CloseAll();
  ASSERT_TRUE(WriteStringToFile(fs_.get(), "", log, false).ok());
  Instance follower;
  Follow({}, &follower);
  std::map<SequenceNumber, size_t> seen;  // where each first shows
  for (size_t n = 0; n <= bytes.size(); n += n < 100 ? 1 : 97) {
    ASSERT_TRUE(
        WriteStringToFile(fs_.get(), bytes.substr(0, n), log, false).ok());
    CatchUp(follower);
    seen.emplace(follower.db->GetLatestSequenceNumber(), n);
  }
  ASSERT_TRUE(WriteStringToFile(fs_.get(), bytes, log, false).ok());
  CatchUp(follower);
  EXPECT_EQ(follower.Contents(), "a=1 b=" + std::string(40'000, 'x') + " c=3");
  ASSERT_EQ(seen.size(), 3u);
  EXPECT_EQ(seen.begin()->second, 0u);
  EXPECT_GT(std::next(seen.begin())->second, 20u);
  EXPECT_GT(std::next(seen.begin(), 2)->second, 40'000u);
}

// A history of a primary with two families, of which each batch writes both.
class SecondaryHistoryTest : public SecondaryTest,
                             public testing::WithParamInterface<int> {
 protected:
  using Model = std::map<std::string, std::string>;

  void WriteSome() {
    WriteBatch batch;
    Model next = history_.back();
    for (uint64_t n = 1 + random_.Uniform(4); n > 0; --n) {
      const std::string key = Key(static_cast<int>(random_.Uniform(30)));
      if (random_.OneIn(4)) {
        const std::string end = Key(static_cast<int>(random_.Uniform(30)));
        if (end < key || random_.OneIn(2)) {
          for (const char* name : {"default", "a"}) {
            ASSERT_TRUE(batch.Delete(Family(name), key).ok());
          }
          next.erase(key);
        } else {
          for (const char* name : {"default", "a"}) {
            ASSERT_TRUE(batch.DeleteRange(Family(name), key, end).ok());
          }
          next.erase(next.lower_bound(key), next.lower_bound(end));
        }
        continue;
      }
      const std::string value = std::to_string(random_.Next() % 1000);
      for (const char* name : {"default", "a"}) {
        ASSERT_TRUE(batch.Put(Family(name), key, value).ok());
      }
      next[key] = value;
    }
    WriteOptions options;
    options.sync = random_.OneIn(8);
    ASSERT_TRUE(db_->Write(options, &batch).ok());
    history_.push_back(std::move(next));
  }
  void Act() {
    switch (random_.Uniform(10)) {
      case 0:
        return FlushFamily("a");
      case 1:
        return FlushFamily("default");
      case 2: {
        const char* const name = random_.OneIn(2) ? "a" : "default";
        ASSERT_TRUE(db_->CompactRange({}, Family(name), nullptr, nullptr).ok());
        return;
      }
      case 3:
        if (may_reopen_ && random_.OneIn(4)) ReopenFamilies();
        return;
      default:
        for (uint64_t n = random_.Uniform(8); n > 0; --n) WriteSome();
    }
  }
  // The number of writes that both families show, from `least` on.
  size_t Shown(const Instance& instance, size_t least) const {
    std::vector<Iterator*> made;
    EXPECT_TRUE(
        instance.db
            ->NewIterators(ReadOptions(),
                           {instance.Family("default"), instance.Family("a")},
                           &made)
            .ok());
    const std::unique_ptr<Iterator> first(made[0]);
    const std::unique_ptr<Iterator> second(made[1]);
    const std::string shown = Scan(first.get());
    EXPECT_EQ(Scan(second.get()), shown);
    for (size_t n = least; n < history_.size(); ++n) {
      std::string text;
      for (const auto& [key, value] : history_[n]) {
        text += (text.empty() ? "" : " ") + key + "=" + value;
      }
      if (text == shown) return n;
    }
    ADD_FAILURE() << "no point of the history from " << least << " of "
                  << history_.size() << " on: " << shown;
    return history_.size();
  }

  Random random_{static_cast<uint64_t>(GetParam()) + 1};
  std::vector<Model> history_{{}};  // after each write
  bool may_reopen_ = true;
};

// The primary also acts at some read of the secondary, while that catches up.
TEST_P(SecondaryHistoryTest, EveryCatchUpShowsALaterPointInTime) {
  options_.max_manifest_file_size = random_.OneIn(2) ? 400 : 1 << 20;
  MakeFamilies({"a"});
  for (int i = 0; i < 5; ++i) Act();
  auto follower = std::make_unique<Instance>();
  Follow({"a"}, follower.get());
  size_t shown = Shown(*follower, history_.size() - 1);
  for (int round = 0; round < 60 && !HasFailure(); ++round) {
    SCOPED_TRACE(round);
    for (uint64_t n = random_.Uniform(4); n > 0; --n) Act();
    ASSERT_EQ(Shown(*follower, shown), shown);
    const size_t least = history_.size() - 1;
    uint64_t reads = random_.Uniform(30);
    fs_->SetReadHook([&](const SimulatedFileSystem::Call&) {
      if (reads > 0 && --reads == 0) {
        may_reopen_ = false;
        for (uint64_t n = random_.Uniform(5); n > 0; --n) Act();
        may_reopen_ = true;
      }
      return Status::OK();
    });
    if (random_.OneIn(15)) {
      follower = std::make_unique<Instance>();
      Follow({"a"}, follower.get());
    } else {
      CatchUp(*follower);
    }
    fs_->SetReadHook(nullptr);
    shown = Shown(*follower, least);
  }
}

// Reads fail, one after the other: the secondary stays where it was, and goes
// on later.
TEST_P(SecondaryHistoryTest, AFailedCatchUpChangesNothing) {
  MakeFamilies({"a"});
  for (int i = 0; i < 5; ++i) Act();
  Instance follower;
  Follow({"a"}, &follower);
  size_t shown = Shown(follower, history_.size() - 1);
  for (int round = 0; round < 12 && !HasFailure(); ++round) {
    SCOPED_TRACE(round);
    for (int n = 0; n < 4; ++n) Act();
    bool has_failed = true;
    for (uint64_t fail_at = 1; has_failed; fail_at += Stride()) {
      uint64_t reads = 0;
      has_failed = false;
      fs_->SetReadHook([&](const SimulatedFileSystem::Call& call) {
        if (++reads != fail_at) return Status::OK();
        has_failed = true;
        return Status::IOError(call.path, "no read");
      });
      const Status status = follower.db->TryCatchUpWithPrimary();
      fs_->SetReadHook(nullptr);
      if (status.ok()) break;
      ASSERT_TRUE(status.IsIOError()) << status;
      ASSERT_EQ(Shown(follower, shown), shown) << fail_at;
      if (random_.OneIn(8)) Act();
    }
    CatchUp(follower);
    shown = Shown(follower, history_.size() - 1);
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, SecondaryHistoryTest,
                         testing::Range(0, static_cast<int>(SeedCount(20))));

}  // namespace
}  // namespace tamis
