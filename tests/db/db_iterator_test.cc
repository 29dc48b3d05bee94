// SPDX-License-Identifier: Apache-2.0
//
// Iterators: both directions, bounds, tombstones, and the state that they pin.
#include "db/db_iterator.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/db/test_db.h"
#include "tests/support/comparators.h"
#include "util/base/random.h"

namespace tamis {
namespace {

using Model = std::map<std::string, std::string>;

// What an iterator over `model` within the bounds has to show.
class ModelIterator {
 public:
  ModelIterator(const Model& model, const ReadOptions& options) {
    for (const auto& entry : model) {
      const Slice key(entry.first);
      if (options.iterate_lower_bound != nullptr &&
          key < *options.iterate_lower_bound) {
        continue;
      }
      if (options.iterate_upper_bound != nullptr &&
          !(key < *options.iterate_upper_bound)) {
        continue;
      }
      entries_.push_back(entry);
    }
  }
  bool Valid() const { return at_ >= 0 && at_ < Size(); }
  void SeekToFirst() { at_ = 0; }
  void SeekToLast() { at_ = Size() - 1; }
  void Seek(const std::string& key) {
    for (at_ = 0; at_ < Size() && Entry().first < key; ++at_) {
    }
  }
  void SeekForPrev(const std::string& key) {
    for (at_ = Size() - 1; at_ >= 0 && Entry().first > key; --at_) {
    }
  }
  void Next() { ++at_; }
  void Prev() { --at_; }
  int Size() const { return static_cast<int>(entries_.size()); }
  const std::pair<std::string, std::string>& Entry() const {
    return entries_[static_cast<size_t>(at_)];
  }

 private:
  std::vector<std::pair<std::string, std::string>> entries_;
  int at_ = -1;
};

void ExpectSame(const Iterator& it, const ModelIterator& expected,
                const std::string& where) {
  ASSERT_TRUE(it.status().ok()) << it.status() << " " << where;
  ASSERT_EQ(it.Valid(), expected.Valid()) << where;
  if (!it.Valid()) return;
  ASSERT_EQ(it.key(), Slice(expected.Entry().first)) << where;
  ASSERT_EQ(it.value(), Slice(expected.Entry().second)) << where;
}

// Keys with odd numbers live, those with even ones were deleted or never were;
// versions lie in memtable, level 0 and deeper levels.
class DBIteratorTest : public DBTest {
 protected:
  void Fill() {
    options_.disable_auto_compactions = true;
    Open();
    for (int i = 0; i < kKeys; ++i) Change(i, "deep");
    Compact();
    for (int i = 0; i < kKeys; i += 3) Change(i, "level0");
    for (int i = 2; i < kKeys; i += 4) Remove(i);
    Flush();
    for (int i = 1; i < kKeys; i += 5) Change(i, "memory");
    for (int i = 0; i < kKeys; i += 4) Remove(i);
    for (int i = 10; i < 14; ++i) Remove(i);
  }
  void Change(int i, const std::string& stage) {
    model_[Key(i)] = stage + std::to_string(i);
    Put(Key(i), model_[Key(i)]);
  }
  void Remove(int i) {
    model_.erase(Key(i));
    Delete(Key(i));
  }

  static constexpr int kKeys = 30;
  Model model_;
};

TEST_F(DBIteratorTest, AnEmptyDatabaseShowsNothing) {
  Open();
  for (int round = 0; round < 2; ++round) {
    const std::unique_ptr<Iterator> it(db_->NewIterator(ReadOptions()));
    EXPECT_FALSE(it->Valid());
    it->SeekToFirst();
    EXPECT_FALSE(it->Valid());
    it->SeekToLast();
    EXPECT_FALSE(it->Valid());
    it->Seek("");
    EXPECT_FALSE(it->Valid());
    it->SeekForPrev("z");
    EXPECT_FALSE(it->Valid());
    EXPECT_TRUE(it->status().ok());
    // The same when all there was is deleted.
    Put("a", "1");
    Delete("a");
  }
}

TEST_F(DBIteratorTest, SeeksAreRightAtAndBetweenKeys) {
  Fill();
  const std::unique_ptr<Iterator> it(db_->NewIterator(ReadOptions()));
  std::vector<std::string> targets = {"", "a", "key", "z", "\xff"};
  for (int i = 0; i < kKeys; ++i) {
    targets.push_back(Key(i));
    targets.push_back(Key(i) + "x");
  }
  ModelIterator expected(model_, ReadOptions());
  for (const std::string& target : targets) {
    it->Seek(target);
    expected.Seek(target);
    ExpectSame(*it, expected, "Seek " + target);
    it->SeekForPrev(target);
    expected.SeekForPrev(target);
    ExpectSame(*it, expected, "SeekForPrev " + target);
  }
}

TEST_F(DBIteratorTest, DirectionMayChangeAtEveryPosition) {
  Fill();
  const std::unique_ptr<Iterator> it(db_->NewIterator(ReadOptions()));
  // From every position, however it was reached: forth and back, back and
  // forth.
  for (int reached = 0; reached < 4; ++reached) {
    for (const auto& [key, value] : model_) {
      for (const char* steps : {"NP", "PN", "NNPP", "PPNN", "NPNP", "PNPN"}) {
        ModelIterator expected(model_, ReadOptions());
        expected.Seek(key);
        if (reached == 0) it->Seek(key);
        if (reached == 1) it->SeekForPrev(key);
        if (reached == 2) {
          for (it->SeekToFirst(); it->key() != Slice(key);) it->Next();
        }
        if (reached == 3) {
          for (it->SeekToLast(); it->key() != Slice(key);) it->Prev();
        }
        for (const char* step = steps; *step != '\0' && expected.Valid();
             ++step) {
          if (*step == 'N') {
            it->Next();
            expected.Next();
          } else {
            it->Prev();
            expected.Prev();
          }
          ExpectSame(*it, expected, key + " " + steps);
        }
      }
    }
  }
}

TEST_F(DBIteratorTest, BoundsHoldInEveryCallAndDirection) {
  Fill();
  const std::vector<std::optional<std::string>> bounds = {
      std::nullopt, "",      "key",   Key(0),        Key(3), Key(5) + "x",
      Key(12),      Key(15), Key(29), Key(29) + "x", "z"};
  for (const auto& lower : bounds) {
    for (const auto& upper : bounds) {
      const std::string low_bytes = lower.value_or("");
      const std::string high_bytes = upper.value_or("");
      const Slice lower_slice(low_bytes);
      const Slice upper_slice(high_bytes);
      ReadOptions options;
      if (lower) options.iterate_lower_bound = &lower_slice;
      if (upper) options.iterate_upper_bound = &upper_slice;
      const std::string where = "[" + low_bytes + ", " + high_bytes + ") ";
      const std::unique_ptr<Iterator> it(db_->NewIterator(options));
      ModelIterator expected(model_, options);
      it->SeekToFirst();
      for (expected.SeekToFirst(); expected.Valid();
           expected.Next(), it->Next()) {
        ExpectSame(*it, expected, where + "forward");
      }
      EXPECT_FALSE(it->Valid()) << where;
      it->SeekToLast();
      for (expected.SeekToLast(); expected.Valid();
           expected.Prev(), it->Prev()) {
        ExpectSame(*it, expected, where + "backward");
      }
      EXPECT_FALSE(it->Valid()) << where;
      for (const std::string& target :
           {std::string(), Key(2), Key(7), Key(12), Key(20) + "x", Key(40)}) {
        it->Seek(target);
        expected.Seek(target);
        ExpectSame(*it, expected, where + "Seek " + target);
        it->SeekForPrev(target);
        expected.SeekForPrev(target);
        ExpectSame(*it, expected, where + "SeekForPrev " + target);
      }
    }
  }
}

TEST_F(DBIteratorTest, RandomMovesAgreeWithAModel) {
  for (uint64_t seed = 1; seed <= 8; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    BlockBasedTableOptions table;
    table.block_size = 128;
    if (seed % 2 == 0) {
      table.index_type = BlockBasedTableOptions::kTwoLevelIndexSearch;
      table.metadata_block_size = 64;
      table.partition_filters = true;
    }
    SetTable(table);
    options_.write_buffer_size = 64 << 10;
    options_.target_file_size_base = 2 << 10;
    options_.max_bytes_for_level_base = 8 << 10;
    Destroy();
    Open();
    Model model;
    for (int i = 0; i < 1500; ++i) {
      const std::string key = Key(static_cast<int>(random.Uniform(200)));
      if (random.Uniform(3) == 0) {
        Delete(key);
        model.erase(key);
      } else {
        model[key] = Noise(random.Uniform(60), static_cast<uint64_t>(i));
        Put(key, model[key]);
      }
      if (random.Uniform(100) == 0) Flush();
      if (random.Uniform(50) == 0) RunJobs();
    }
    const std::unique_ptr<Iterator> it(db_->NewIterator(ReadOptions()));
    ModelIterator expected(model, ReadOptions());
    for (int step = 0; step < 2000; ++step) {
      const std::string target = Key(static_cast<int>(random.Uniform(210)));
      const uint64_t what = random.Uniform(it->Valid() ? 14 : 4);
      if (what == 0) {
        it->SeekToFirst();
        expected.SeekToFirst();
      } else if (what == 1) {
        it->SeekToLast();
        expected.SeekToLast();
      } else if (what == 2) {
        it->Seek(target);
        expected.Seek(target);
      } else if (what == 3) {
        it->SeekForPrev(target);
        expected.SeekForPrev(target);
      } else if (what < 9) {
        it->Next();
        expected.Next();
      } else {
        it->Prev();
        expected.Prev();
      }
      ExpectSame(*it, expected, "step " + std::to_string(step));
      if (HasFatalFailure()) return;
    }
  }
}

TEST_F(DBIteratorTest, AnIteratorKeepsItsSequenceNumberAndItsFiles) {
  options_.disable_auto_compactions = true;
  Open();
  for (int i = 0; i < 50; ++i) Put(Key(i), "old");
  Flush();
  Put(Key(7), "in memory");
  std::unique_ptr<Iterator> it(db_->NewIterator(ReadOptions()));
  const std::vector<std::string> before = FilesEndingIn(".sst");
  ASSERT_EQ(before.size(), 1u);

  for (int i = 0; i < 50; ++i) Put(Key(i), "new");
  Delete(Key(3));
  Compact(/*force=*/true);
  // The old table is still there, though no longer live.
  EXPECT_EQ(LiveFiles().size(), 1u);
  EXPECT_NE("/" + before[0], LiveFiles()[0].name);
  const auto now = FilesEndingIn(".sst");
  EXPECT_NE(std::find(now.begin(), now.end(), before[0]), now.end());
  EXPECT_GT(Property(DB::Properties::kNumLiveVersions), 1u);
  EXPECT_GT(Property(DB::Properties::kTotalSstFilesSize),
            Property(DB::Properties::kLiveSstFilesSize));

  int count = 0;
  for (it->SeekToFirst(); it->Valid(); it->Next(), ++count) {
    EXPECT_EQ(it->value(), Slice(count == 7 ? "in memory" : "old"));
  }
  EXPECT_TRUE(it->status().ok());
  EXPECT_EQ(count, 50);

  it.reset();
  EXPECT_EQ(TablesOnDisk(), 1u);
  EXPECT_NE(FilesEndingIn(".sst")[0], before[0]);
  EXPECT_EQ(Property(DB::Properties::kNumLiveVersions), 1u);
  EXPECT_EQ(Property(DB::Properties::kTotalSstFilesSize),
            Property(DB::Properties::kLiveSstFilesSize));
}

TEST_F(DBIteratorTest, WritesDuringAScanDoNotShow) {
  Open();
  for (int i = 0; i < 20; i += 2) Put(Key(i), "v");
  const std::unique_ptr<Iterator> it(db_->NewIterator(ReadOptions()));
  int seen = 0;
  for (it->SeekToFirst(); it->Valid(); it->Next(), ++seen) {
    Put(it->key().ToString() + "+", "later");
    Delete(it->key());
  }
  EXPECT_EQ(seen, 10);
  for (it->SeekToLast(); it->Valid(); it->Prev()) --seen;
  EXPECT_EQ(seen, 0);
}

TEST_F(DBIteratorTest, ManyVersionsOfOneKeyAreOneEntry) {
  Open();
  Put("a", "first");
  for (int i = 0; i < 2000; ++i) Put("b", std::to_string(i));
  Put("c", "last");
  EXPECT_EQ(Contents(), "a=first b=1999 c=last");
  Flush();
  EXPECT_EQ(OnlyTable().num_entries, 3u);
  EXPECT_EQ(Contents(), "a=first b=1999 c=last");
}

TEST_F(DBIteratorTest, AnUnreadableBlockIsAnErrorNotTheEnd) {
  BlockBasedTableOptions table;
  table.block_size = 256;
  table.no_block_cache = true;
  SetTable(table);
  Open();
  for (int i = 0; i < 100; ++i)
    Put(Key(i), Noise(50, static_cast<uint64_t>(i)));
  Flush();
  const std::string path =
      std::string(kTestDirectory) + "/" + FilesEndingIn(".sst")[0];
  std::string bytes;
  ASSERT_TRUE(fs_->GetContents(path, &bytes).ok());
  bytes[2000] = static_cast<char>(bytes[2000] ^ 1);
  db_.reset();
  ASSERT_TRUE(fs_->SetContents(path, bytes).ok());
  Open();
  const std::unique_ptr<Iterator> it(db_->NewIterator(ReadOptions()));
  int seen = 0;
  for (it->SeekToFirst(); it->Valid(); it->Next()) ++seen;
  EXPECT_TRUE(it->status().IsCorruption()) << it->status();
  EXPECT_GT(seen, 0);
  EXPECT_LT(seen, 100);
  int seen_backward = 0;
  for (it->SeekToLast(); it->Valid(); it->Prev()) ++seen_backward;
  EXPECT_TRUE(it->status().IsCorruption()) << it->status();
  EXPECT_LT(seen + seen_backward, 100);
  // Other keys can still be read, and the iterator continues after the block.
  it->SeekToFirst();
  EXPECT_TRUE(it->Valid());
  EXPECT_TRUE(it->status().ok());
  EXPECT_EQ(Get(Key(99)), Noise(50, 99));
}

TEST_F(DBIteratorTest, CountersCountEveryMove) {
  Open();
  for (int i = 0; i < 10; ++i) Put(Key(i), "0123456789");
  Delete(Key(4));
  Delete(Key(5));
  ASSERT_TRUE(options_.statistics->Reset().ok());
  get_perf_context()->Reset();
  const std::unique_ptr<Iterator> it(db_->NewIterator(ReadOptions()));
  it->Seek(Key(3));
  it->Next();  // over two tombstones and what they hide
  ASSERT_EQ(it->key(), Slice(Key(6)));
  EXPECT_EQ(get_perf_context()->internal_delete_skipped_count, 2u);
  EXPECT_EQ(get_perf_context()->internal_key_skipped_count, 2u);
  it->Prev();
  it->Seek("z");
  EXPECT_EQ(Tick(NUMBER_DB_SEEK), 2u);
  EXPECT_EQ(Tick(NUMBER_DB_SEEK_FOUND), 1u);
  EXPECT_EQ(Tick(NUMBER_DB_NEXT), 1u);
  EXPECT_EQ(Tick(NUMBER_DB_NEXT_FOUND), 1u);
  EXPECT_EQ(Tick(NUMBER_DB_PREV), 1u);
  EXPECT_EQ(Tick(NUMBER_DB_PREV_FOUND), 1u);
  EXPECT_EQ(Tick(ITER_BYTES_READ), 3 * (Key(0).size() + 10));
  EXPECT_EQ(get_perf_context()->iter_read_bytes, 3 * (Key(0).size() + 10));
}

TEST_F(DBIteratorTest, AReverseComparatorIsScannedInItsOwnOrder) {
  options_.comparator = ReverseBytewiseComparator();
  Open();
  for (const char* key : {"b", "a", "c"}) Put(key, key);
  Flush();
  Put("aa", "aa");
  Delete("c");
  for (int stage = 0; stage < 3; ++stage) {
    EXPECT_EQ(Contents(), "b=b aa=aa a=a");
    std::unique_ptr<Iterator> it(db_->NewIterator(ReadOptions()));
    it->Seek("az");
    ASSERT_TRUE(it->Valid());
    EXPECT_EQ(it->key(), Slice("aa"));
    it->SeekForPrev("az");
    ASSERT_TRUE(it->Valid());
    EXPECT_EQ(it->key(), Slice("b"));
    const Slice lower("b");
    const Slice upper("a");
    ReadOptions bounded;
    bounded.iterate_lower_bound = &lower;
    bounded.iterate_upper_bound = &upper;
    EXPECT_EQ(Contents(bounded), "b=b aa=aa");
    it.reset();
    if (stage == 0) Compact();
    if (stage == 1) Reopen();
  }
  db_.reset();
  options_.comparator = BytewiseComparator();
  const Status status = TryOpen();
  EXPECT_TRUE(status.IsInvalidArgument()) << status;
}

TEST_F(DBIteratorTest, KeysOfDifferentBytesMayBeEqual) {
  static const CaseInsensitive comparator;
  options_.comparator = &comparator;
  options_.disable_auto_compactions = true;
  Open();
  Put("Apple", "1");
  Put("BANANA", "1");
  Put("cherry", "1");
  Flush();
  // A filter compares only bytes, and would hide these equal keys.
  EXPECT_EQ(OnlyTable().filter_size, 0u);
  EXPECT_EQ(OnlyTable().filter_policy_name, "");
  EXPECT_EQ(Get("aPPLE"), "1");
  EXPECT_EQ(Get("banana"), "1");
  Put("banana", "2");
  Delete("CHERRY");
  EXPECT_EQ(Contents(), "Apple=1 banana=2");
  Compact();
  EXPECT_EQ(Contents(), "Apple=1 banana=2");
  EXPECT_EQ(OnlyTable().num_entries, 2u);
  EXPECT_EQ(Get("APPLE"), "1");
  EXPECT_EQ(Get("Banana"), "2");
  EXPECT_EQ(Get("cherry"), "NOT_FOUND");
  const std::unique_ptr<Iterator> it(db_->NewIterator(ReadOptions()));
  it->SeekForPrev("BANANA");
  ASSERT_TRUE(it->Valid());
  EXPECT_EQ(it->key(), Slice("banana"));
  it->Prev();
  ASSERT_TRUE(it->Valid());
  it->Next();
  ASSERT_TRUE(it->Valid());
  EXPECT_EQ(it->value(), Slice("2"));
}

}  // namespace
}  // namespace tamis
