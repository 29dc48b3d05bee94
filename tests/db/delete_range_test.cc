// SPDX-License-Identifier: Apache-2.0
//
// Range deletions and single deletions as point reads see them, at all places
// of the tree for them and the entries that they delete.
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tests/db/test_db.h"
#include "tests/support/comparators.h"
#include "util/base/random.h"

namespace tamis {
namespace {

class DeleteRangeTest : public DBTest {
 protected:
  // The values of a, b, ... f: "1.3..." where only a and c are there.
  std::string Letters(const Snapshot* snapshot = nullptr) {
    std::string text;
    for (const char* const key : {"a", "b", "c", "d", "e", "f"}) {
      const std::string value = Get(key, snapshot);
      text += value == "NOT_FOUND" ? "." : value;
    }
    return text;
  }
  void PutLetters(const Slice& value) {
    for (const char* const key : {"a", "b", "c", "d", "e", "f"}) {
      Put(key, value);
    }
  }
  void SetFullFilter() {
    BlockBasedTableOptions table;
    table.filter_policy.reset(NewBloomFilterPolicy(10));
    SetTable(table);
  }
};

TEST_F(DeleteRangeTest, HidesOlderVersionsFromBeginToEnd) {
  Open();
  PutLetters("1");
  DeleteRange("b", "e");
  EXPECT_EQ(Letters(), "1...11");
  Put("c", "2");
  EXPECT_EQ(Letters(), "1.2.11");
}

// The places of the values and of the range deletion.
TEST_F(DeleteRangeTest, HidesAcrossMemtablesAndTables) {
  for (int values_at = 0; values_at < 3; ++values_at) {
    for (int tombstone_at = 0; tombstone_at < 2; ++tombstone_at) {
      Open();
      PutLetters("1");
      if (values_at >= 1) Flush();
      if (values_at == 2) Compact();
      DeleteRange("b", "e");
      if (tombstone_at == 1) Flush();
      EXPECT_EQ(Letters(), "1...11") << values_at << tombstone_at;
      Put("d", "2");
      Flush();
      EXPECT_EQ(Letters(), "1..211") << values_at << tombstone_at;
      Reopen();
      EXPECT_EQ(Letters(), "1..211") << values_at << tombstone_at;
      Compact();
      EXPECT_EQ(Letters(), "1..211") << values_at << tombstone_at;
      Destroy();
    }
  }
}

TEST_F(DeleteRangeTest, ANegativeFilterDoesNotHideTheTombstoneOfItsFile) {
  SetFullFilter();
  Open();
  PutLetters("1");
  Flush();
  Put("z", "1");
  DeleteRange("b", "e");
  Flush();
  ASSERT_EQ(Levels(), "2");
  const uint64_t useful = Tick(BLOOM_FILTER_USEFUL);
  EXPECT_EQ(Letters(), "1...11");
  EXPECT_GT(Tick(BLOOM_FILTER_USEFUL), useful);
}

TEST_F(DeleteRangeTest, AGetEndsAtTheSourceOfTheTombstone) {
  Open();
  PutLetters("1");
  Flush();
  DeleteRange("b", "e");
  const uint64_t hits = Tick(MEMTABLE_HIT);
  EXPECT_EQ(Get("c"), "NOT_FOUND");
  EXPECT_EQ(Tick(MEMTABLE_HIT), hits + 1);
}

TEST_F(DeleteRangeTest, ATableMayHoldOnlyRangeTombstones) {
  Open();
  PutLetters("1");
  Flush();
  Compact();
  DeleteRange("b", "e");
  Flush();
  EXPECT_EQ(Letters(), "1...11");
  EXPECT_EQ(LiveFiles().size(), 2u);
  Reopen();
  EXPECT_EQ(Letters(), "1...11");
}

TEST_F(DeleteRangeTest, SnapshotsSeeVersionsBeforeIt) {
  Open();
  PutLetters("1");
  const Snapshot* const before = db_->GetSnapshot();
  DeleteRange("b", "e");
  const Snapshot* const between = db_->GetSnapshot();
  PutLetters("2");
  DeleteRange("a", "c");
  for (int step = 0; step < 3; ++step) {
    EXPECT_EQ(Letters(before), "111111") << step;
    EXPECT_EQ(Letters(between), "1...11") << step;
    EXPECT_EQ(Letters(), "..2222") << step;
    if (step == 0) Flush();
    if (step == 1) Compact(/*force=*/true);
  }
  db_->ReleaseSnapshot(between);
  db_->ReleaseSnapshot(before);
  Compact(/*force=*/true);
  EXPECT_EQ(Letters(), "..2222");
}

TEST_F(DeleteRangeTest, MultiGetAppliesIt) {
  Open();
  PutLetters("1");
  Flush();
  DeleteRange("b", "e");
  std::vector<std::string> values;
  const auto statuses =
      db_->MultiGet(ReadOptions(), {"a", "b", "d", "e"}, &values);
  EXPECT_TRUE(statuses[0].ok());
  EXPECT_TRUE(statuses[1].IsNotFound());
  EXPECT_TRUE(statuses[2].IsNotFound());
  EXPECT_TRUE(statuses[3].ok());
}

TEST_F(DeleteRangeTest, ReversedBoundsAreRefused) {
  Open();
  PutLetters("1");
  const SequenceNumber before = db_->GetLatestSequenceNumber();
  EXPECT_TRUE(db_->DeleteRange(WriteOptions(), "e", "b").IsInvalidArgument());
  EXPECT_EQ(db_->GetLatestSequenceNumber(), before);
  DeleteRange("c", "c");
  EXPECT_EQ(db_->GetLatestSequenceNumber(), before + 1);
  EXPECT_EQ(Letters(), "111111");
  Reopen();
  EXPECT_EQ(Letters(), "111111");
}

TEST_F(DeleteRangeTest, BoundsFollowTheComparatorsOrder) {
  options_.comparator = ReverseBytewiseComparator();
  Open();
  PutLetters("1");
  EXPECT_TRUE(db_->DeleteRange(WriteOptions(), "b", "e").IsInvalidArgument());
  DeleteRange("e", "b");
  EXPECT_EQ(Letters(), "11...1");
  Flush();
  EXPECT_EQ(Letters(), "11...1");
  Compact(/*force=*/true);
  EXPECT_EQ(Letters(), "11...1");
}

TEST_F(DeleteRangeTest, IsRecoveredFromTheLog) {
  Open();
  PutLetters("1");
  DeleteRange("b", "d");
  SingleDelete("f");
  Reopen();
  EXPECT_EQ(Letters(), "1..11.");
  DeleteRange("a", "b");
  Reopen();
  EXPECT_EQ(Letters(), "...11.");
}

TEST_F(DeleteRangeTest, OneBatchMayPutBeforeAndAfterIt) {
  Open();
  WriteBatch batch;
  ASSERT_TRUE(batch.Put("b", "1").ok());
  ASSERT_TRUE(batch.Put("c", "1").ok());
  ASSERT_TRUE(batch.DeleteRange("a", "d").ok());
  ASSERT_TRUE(batch.Put("c", "2").ok());
  ASSERT_TRUE(db_->Write(WriteOptions(), &batch).ok());
  EXPECT_EQ(Letters(), "..2...");
  Flush();
  EXPECT_EQ(Letters(), "..2...");
}

TEST_F(DeleteRangeTest, TombstonesOfAClosedTableStillApply) {
  options_.max_open_files = 1;
  Open();
  PutLetters("1");
  Flush();
  DeleteRange("b", "e");
  Flush();
  EXPECT_EQ(Letters(), "1...11");
  Reopen();
  EXPECT_EQ(Letters(), "1...11");
}

TEST_F(DeleteRangeTest, SingleDeletionHidesLikeADeletion) {
  for (int flushed = 0; flushed < 4; ++flushed) {
    Open();
    Put("a", "1");
    if ((flushed & 1) != 0) Flush();
    SingleDelete("a");
    if ((flushed & 2) != 0) Flush();
    EXPECT_EQ(Get("a"), "NOT_FOUND") << flushed;
    Reopen();
    EXPECT_EQ(Get("a"), "NOT_FOUND") << flushed;
    Compact(/*force=*/true);
    EXPECT_EQ(Get("a"), "NOT_FOUND") << flushed;
    Put("a", "2");
    EXPECT_EQ(Get("a"), "2") << flushed;
    Destroy();
  }
}

// Bytewise; counts its calls.
class Counting : public NamedComparator {
 public:
  Counting() : NamedComparator("test.Counting") {}
  int Compare(const Slice& a, const Slice& b) const override {
    ++compared;
    return a.compare(b);
  }

  mutable size_t compared = 0;
};

// Neither is rebuilt when there is one more.
TEST_F(DeleteRangeTest, AReadAfterEachSearchesFewTombstones) {
  const Counting counting;
  options_.comparator = &counting;
  Open();
  Put(Key(500'000), "1");
  Random random(301);
  const auto delete_range = [&] {
    const int at = static_cast<int>(random.Uniform(400'000));
    DeleteRange(Key(at), Key(at + 10));
  };
  for (int i = 0; i < 3000; ++i) delete_range();
  for (int i = 0; i < 100; ++i) {
    delete_range();
    counting.compared = 0;
    delete_range();
    std::unique_ptr<Iterator>(db_->NewIterator(ReadOptions()));
    EXPECT_LE(counting.compared, 300u);
    counting.compared = 0;
    EXPECT_EQ(Get(Key(500'000)), "1");
    EXPECT_LE(counting.compared, 100u);
  }
  db_.reset();
}

// Iterators and snapshots of every age, each against the map of its time.
TEST_F(DeleteRangeTest, EveryIteratorAndSnapshotAgreesWithItsModel) {
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    Open();
    Random random(seed);
    struct Reader {
      const Snapshot* snapshot;
      std::unique_ptr<Iterator> it;  // nullptr: made when it is looked at
      std::map<std::string, std::string> model;
    };
    std::vector<Reader> readers;
    std::map<std::string, std::string> model;
    constexpr uint64_t kKeys = 60;
    const auto random_key = [&] {
      return Key(static_cast<int>(random.Uniform(kKeys)));
    };
    for (int step = 0; step < 400; ++step) {
      if (random.OneIn(2)) {
        const std::string key = random_key();
        model[key] = std::to_string(step);
        Put(key, model[key]);
      } else {
        std::string begin = random_key();
        std::string end = random_key();
        if (end < begin) std::swap(begin, end);
        DeleteRange(begin, end);
        model.erase(model.lower_bound(begin), model.lower_bound(end));
      }
      if (random.OneIn(150)) Flush();
      if (!random.OneIn(10)) continue;
      Reader reader = {db_->GetSnapshot(), nullptr, model};
      if (random.OneIn(2)) reader.it.reset(db_->NewIterator(ReadOptions()));
      readers.push_back(std::move(reader));
    }
    for (Reader& reader : readers) {
      ReadOptions at;
      at.snapshot = reader.snapshot;
      if (reader.it == nullptr) reader.it.reset(db_->NewIterator(at));
      std::map<std::string, std::string> forward;
      std::map<std::string, std::string> backward;
      Iterator* const it = reader.it.get();
      for (it->SeekToFirst(); it->Valid(); it->Next()) {
        forward[it->key().ToString()] = it->value().ToString();
      }
      for (it->SeekToLast(); it->Valid(); it->Prev()) {
        backward[it->key().ToString()] = it->value().ToString();
      }
      ASSERT_EQ(forward, reader.model) << "seed " << seed;
      ASSERT_EQ(backward, reader.model) << "seed " << seed;
      for (uint64_t i = 0; i < kKeys; ++i) {
        const std::string key = Key(static_cast<int>(i));
        const auto found = reader.model.find(key);
        ASSERT_EQ(Get(key, reader.snapshot),
                  found == reader.model.end() ? "NOT_FOUND" : found->second);
      }
      reader.it.reset();
      db_->ReleaseSnapshot(reader.snapshot);
    }
    Destroy();
  }
}

// Puts, deletions and range deletions at random, flushed and compacted now and
// then, against a map.
TEST_F(DeleteRangeTest, AgreesWithAMap) {
  SetFullFilter();
  options_.write_buffer_size = 64 << 10;
  options_.target_file_size_base = 16 << 10;
  for (uint64_t seed = 1; seed <= 3; ++seed) {
    Open();
    Random random(seed);
    std::map<std::string, std::string> model;
    constexpr uint64_t kKeys = 400;
    const auto random_key = [&] {
      return Key(static_cast<int>(random.Uniform(kKeys)));
    };
    for (int step = 0; step < 3000; ++step) {
      const uint64_t what = random.Uniform(100);
      const std::string key = random_key();
      if (what < 70) {
        const std::string value = std::to_string(step) + Noise(100, seed);
        Put(key, value);
        model[key] = value;
      } else if (what < 80) {
        Delete(key);
        model.erase(key);
      } else if (what < 97) {
        std::string end = random_key();
        if (end < key) continue;
        if (random.OneIn(2)) end = std::min(end, key + "0");
        DeleteRange(key, end);
        model.erase(model.lower_bound(key), model.lower_bound(end));
      } else if (what < 99) {
        Flush();
      } else {
        Compact(random.OneIn(2));
      }
      if (step % 500 == 499) Reopen();
      if (step % 100 != 99) continue;
      SCOPED_TRACE(testing::Message() << "seed " << seed << " step " << step);
      ASSERT_NO_FATAL_FAILURE(ExpectReadsAs(model, kKeys));
    }
    Destroy();
  }
}

}  // namespace
}  // namespace tamis
