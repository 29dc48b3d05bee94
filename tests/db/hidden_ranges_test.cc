// SPDX-License-Identifier: Apache-2.0
//
// An iterator does not visit the keys that a range deletion hides, wherever
// they and the deletion are. Counted, not timed.
#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/perf_context.h"

#include "tests/db/test_db.h"
#include "util/base/random.h"

namespace tamis {
namespace {

constexpr uint64_t kKeys = 20'000;
// The entries of one leaf of a memtable, and those before the first seek.
constexpr uint64_t kVisitedMax = 300;

std::string KeyOf(uint64_t number) {
  std::string key = std::to_string(number);
  return std::string(8 - key.size(), '0') + key;
}

class HiddenRangesTest : public DBTest {
 protected:
  HiddenRangesTest() {
    options_.disable_auto_compactions = true;
    options_.write_buffer_size = 64 << 20;
    options_.target_file_size_base = 1 << 20;
  }

  void Fill(uint64_t begin = 0, uint64_t end = kKeys) {
    for (uint64_t i = begin; i < end; ++i) Put(KeyOf(i), "value");
  }
  // Does what `move` does with a new iterator, and checks that it shows the key
  // and has visited few hidden entries.
  template <typename Move>
  void ExpectFew(uint64_t shown, const Move& move, const char* what,
                 const ReadOptions& read = ReadOptions()) {
    SCOPED_TRACE(what);
    const std::unique_ptr<Iterator> it(db_->NewIterator(read));
    get_perf_context()->Reset();
    move(it.get());
    ASSERT_TRUE(it->Valid()) << it->status().ToString();
    EXPECT_EQ(it->key(), Slice(KeyOf(shown)));
    EXPECT_LE(get_perf_context()->internal_delete_skipped_count, kVisitedMax);
    EXPECT_LE(get_perf_context()->internal_key_skipped_count, kVisitedMax);
    EXPECT_GT(get_perf_context()->internal_range_del_reseek_count, 0u);
  }
  // With [100, kKeys - 100) deleted.
  void ExpectFewInBothDirections(const ReadOptions& read = ReadOptions()) {
    ExpectFew(
        kKeys - 100, [](Iterator* it) { it->Seek(KeyOf(100)); }, "Seek", read);
    ExpectFew(
        99, [](Iterator* it) { it->SeekForPrev(KeyOf(kKeys - 101)); },
        "SeekForPrev", read);
    ExpectFew(
        kKeys - 100,
        [](Iterator* it) {
          it->Seek(KeyOf(99));
          it->Next();
        },
        "Next", read);
    ExpectFew(
        99,
        [](Iterator* it) {
          it->Seek(KeyOf(kKeys - 100));
          it->Prev();
        },
        "Prev", read);
  }
};

// How deep the keys, and the deletion, are: 0 memtable, 1 level 0, 2 below.
TEST_F(HiddenRangesTest, AreNotVisitedInAnyPlace) {
  for (int keys = 0; keys <= 2; ++keys) {
    for (int deletion = 0; deletion <= keys; ++deletion) {
      // One flush or compaction of both drops the keys.
      if (deletion == keys && keys > 0) continue;
      SCOPED_TRACE(std::to_string(keys) + " " + std::to_string(deletion));
      Destroy();
      Open();
      Fill();
      if (keys > 0) Flush();
      if (keys == 2) Compact();
      DeleteRange(KeyOf(100), KeyOf(kKeys - 100));
      if (deletion == 1) Flush();
      ExpectFewInBothDirections();
    }
  }
}

TEST_F(HiddenRangesTest, AreNotVisitedInManyFilesOfOneLevel) {
  options_.target_file_size_base = 4 << 10;
  Open();
  Fill();
  Flush();
  Compact();
  ASSERT_GT(LiveFiles().size(), 5u);
  DeleteRange(KeyOf(100), KeyOf(kKeys - 100));
  ExpectFewInBothDirections();
  Flush();
  ExpectFewInBothDirections();
}

TEST_F(HiddenRangesTest, AreNotVisitedInAllPlacesAtOnce) {
  Open();
  Fill();
  Flush();
  Compact();
  Fill();
  Flush();
  Fill();
  DeleteRange(KeyOf(100), KeyOf(kKeys - 100));
  ExpectFewInBothDirections();
}

// Each range deletion hides ten keys, together all but the first and last 100.
TEST_F(HiddenRangesTest, AreNotVisitedUnderManyAdjacentRanges) {
  for (const bool keys_flushed : {false, true}) {
    for (const bool ranges_flushed : {false, true}) {
      if (ranges_flushed && !keys_flushed) continue;
      SCOPED_TRACE(std::to_string(keys_flushed) +
                   std::to_string(ranges_flushed));
      Destroy();
      Open();
      Fill();
      if (keys_flushed) Flush();
      for (uint64_t i = kKeys - 100; i > 100; i -= 10) {
        DeleteRange(KeyOf(i - 10), KeyOf(i));
      }
      if (ranges_flushed) Flush();
      ExpectFewInBothDirections();
    }
  }
}

TEST_F(HiddenRangesTest, AreNotVisitedUnderOverlappingRanges) {
  Open();
  Fill();
  Random random(301);
  for (uint64_t i = 100; i < kKeys - 100; i += 10) {
    const uint64_t end = i + 10 + random.Uniform(1000);
    DeleteRange(KeyOf(i), KeyOf(std::min(end, kKeys - 100)));
  }
  ExpectFewInBothDirections();
}

// As a queue does: keys are added at one end, and removed from the other, by
// ranges. Each leaf of the memtable has another mark.
TEST_F(HiddenRangesTest, OfAQueueFewAreVisited) {
  constexpr uint64_t kQueued = 1000;
  constexpr uint64_t kStep = 10;
  Open();
  Fill(0, kQueued);
  for (uint64_t i = kQueued; i < kKeys; i += kStep) {
    Fill(i, i + kStep);
    DeleteRange(KeyOf(i - kQueued), KeyOf(i - kQueued + kStep));
  }
  const std::unique_ptr<Iterator> it(db_->NewIterator(ReadOptions()));
  get_perf_context()->Reset();
  it->SeekToFirst();
  ASSERT_TRUE(it->Valid());
  EXPECT_EQ(it->key(), Slice(KeyOf(kKeys - kQueued)));
  EXPECT_LE(get_perf_context()->internal_delete_skipped_count, kKeys / 5);
}

TEST_F(HiddenRangesTest, KeysWrittenSinceAreShown) {
  Open();
  Fill();
  DeleteRange(KeyOf(100), KeyOf(kKeys - 100));
  Put(KeyOf(7000), "again");
  ExpectFew(
      7000, [](Iterator* it) { it->Seek(KeyOf(100)); }, "Seek");
  ExpectFew(
      7000, [](Iterator* it) { it->SeekForPrev(KeyOf(kKeys - 101)); },
      "SeekForPrev");
  DeleteRange(KeyOf(0), KeyOf(50));
  ExpectFew(
      kKeys - 100, [](Iterator* it) { it->Seek(KeyOf(7001)); }, "the rest");
}

TEST_F(HiddenRangesTest, ASnapshotSkipsByWhatItSees) {
  Open();
  Fill();
  const Snapshot* const before = db_->GetSnapshot();
  DeleteRange(KeyOf(100), KeyOf(kKeys - 100));
  const Snapshot* const between = db_->GetSnapshot();
  Fill(100, 200);
  DeleteRange(KeyOf(0), KeyOf(kKeys));
  ReadOptions read;
  read.snapshot = between;
  ExpectFewInBothDirections(read);
  read.snapshot = before;
  const std::unique_ptr<Iterator> it(db_->NewIterator(read));
  uint64_t count = 0;
  for (it->SeekToFirst(); it->Valid(); it->Next()) ++count;
  EXPECT_EQ(count, kKeys);
  db_->ReleaseSnapshot(between);
  db_->ReleaseSnapshot(before);
}

TEST_F(HiddenRangesTest, AnUpperBoundWithinTheRangeEndsTheScan) {
  Open();
  Fill();
  Flush();
  DeleteRange(KeyOf(100), KeyOf(kKeys - 100));
  const std::string bound = KeyOf(10'000);
  const Slice upper(bound);
  ReadOptions read;
  read.iterate_upper_bound = &upper;
  const std::unique_ptr<Iterator> it(db_->NewIterator(read));
  it->Seek(KeyOf(100));
  EXPECT_FALSE(it->Valid());
  EXPECT_TRUE(it->status().ok());
  it->SeekToLast();
  ASSERT_TRUE(it->Valid());
  EXPECT_EQ(it->key(), Slice(KeyOf(99)));
}

// With dense ranges, so that seeks are common, and with the range deletions,
// the versions and the snapshots in every place.
TEST_F(HiddenRangesTest, RandomHistoriesAgreeWithAMap) {
  constexpr uint64_t kFew = 2000;
  for (uint64_t seed = 0; seed < 3; ++seed) {
    SCOPED_TRACE(seed);
    Destroy();
    options_.target_file_size_base = 4 << 10;
    Open();
    Random random(seed);
    std::map<std::string, std::string> map;
    std::vector<std::pair<const Snapshot*, std::map<std::string, std::string>>>
        old;
    const auto check = [&](const Snapshot* snapshot,
                           const std::map<std::string, std::string>& expected) {
      ReadOptions read;
      read.snapshot = snapshot;
      const std::unique_ptr<Iterator> it(db_->NewIterator(read));
      it->SeekToFirst();
      for (const auto& [key, value] : expected) {
        ASSERT_TRUE(it->Valid()) << key;
        ASSERT_EQ(it->key(), Slice(key));
        ASSERT_EQ(it->value(), Slice(value));
        it->Next();
      }
      ASSERT_FALSE(it->Valid());
      it->SeekToLast();
      for (auto at = expected.rbegin(); at != expected.rend(); ++at) {
        ASSERT_TRUE(it->Valid()) << at->first;
        ASSERT_EQ(it->key(), Slice(at->first));
        ASSERT_EQ(it->value(), Slice(at->second));
        it->Prev();
      }
      ASSERT_FALSE(it->Valid());
      for (int i = 0; i < 50; ++i) {
        const std::string target = KeyOf(random.Uniform(kFew));
        const auto at = expected.lower_bound(target);
        it->Seek(target);
        ASSERT_EQ(it->Valid(), at != expected.end());
        if (it->Valid()) {
          ASSERT_EQ(it->key(), Slice(at->first));
        }
        it->SeekForPrev(target);
        const auto after = expected.upper_bound(target);
        ASSERT_EQ(it->Valid(), after != expected.begin());
        if (it->Valid()) {
          ASSERT_EQ(it->key(), Slice(std::prev(after)->first));
        }
      }
    };
    for (int round = 0; round < 20; ++round) {
      const uint64_t begin = random.Uniform(kFew);
      const uint64_t writes = random.Uniform(400);
      for (uint64_t i = 0; i < writes; ++i) {
        const std::string key =
            KeyOf(random.OneIn(2) ? (begin + i) % kFew : random.Uniform(kFew));
        map[key] = std::to_string(round);
        Put(key, map[key]);
      }
      for (uint64_t i = random.Uniform(4); i > 0; --i) {
        const std::string from = KeyOf(random.Uniform(kFew));
        const std::string to =
            KeyOf(std::stoull(from) + random.Uniform(kFew / 2));
        map.erase(map.lower_bound(from), map.lower_bound(to));
        DeleteRange(from, to);
      }
      if (random.OneIn(4)) old.emplace_back(db_->GetSnapshot(), map);
      if (random.OneIn(3)) Flush();
      if (random.OneIn(8)) Compact();
      check(nullptr, map);
      if (!old.empty()) {
        const auto& [snapshot, then] = old[random.Uniform(old.size())];
        check(snapshot, then);
      }
      if (HasFatalFailure()) return;
    }
    for (const auto& [snapshot, then] : old) db_->ReleaseSnapshot(snapshot);
  }
}

}  // namespace
}  // namespace tamis
