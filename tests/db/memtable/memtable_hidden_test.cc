// SPDX-License-Identifier: Apache-2.0
//
// An iterator over a memtable passes what a range tombstone hides, all of it
// and nothing else.
#include <algorithm>
#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/perf_context.h"

#include "db/memtable/memtable.h"
#include "tests/support/comparators.h"
#include "util/base/random.h"

namespace tamis {
namespace {

std::string KeyOf(uint64_t number) {
  std::string key = std::to_string(number);
  return std::string(8 - key.size(), '0') + key;
}

std::string NewestOf(const Slice& key) {
  std::string out;
  AppendInternalKey(&out, key, kMaxSequenceNumber, kTypeValue);
  return out;
}

// A tombstone that covers the keys up to `to`, or from it on.
class Hidden final : public HiddenRun {
 public:
  Hidden(std::string to, SequenceNumber sequence)
      : to_(std::move(to)), sequence_(sequence) {}
  bool Find(SequenceNumber newest, std::string* end) const override {
    *end = to_;
    return newest < sequence_;
  }

 private:
  const std::string to_;
  const SequenceNumber sequence_;
};

// A memtable and a sorted copy of its entries.
class Filled {
 public:
  explicit Filled(const Comparator* comparator = BytewiseComparator())
      : order(comparator), table(order, 1, FileNumber(1)) {}

  void Put(uint64_t number) {
    table.Add(++sequence, kTypeValue, KeyOf(number), "v");
    keys.emplace_back();
    AppendInternalKey(&keys.back(), KeyOf(number), sequence, kTypeValue);
  }
  void DeleteRange(uint64_t begin, uint64_t end) {
    table.Add(++sequence, kTypeRangeDeletion, KeyOf(begin), KeyOf(end));
  }
  void Sort() {
    std::sort(keys.begin(), keys.end(), [this](const auto& a, const auto& b) {
      return order.Compare(a, b) < 0;
    });
  }
  // Which of the sorted keys the iterator is at; keys.size() if none.
  size_t PlaceOf(const InternalIterator& it) const {
    if (!it.Valid()) return keys.size();
    const auto place =
        std::lower_bound(keys.begin(), keys.end(), it.key(),
                         [this](const std::string& a, const Slice& b) {
                           return order.Compare(a, b) < 0;
                         });
    EXPECT_EQ(it.key(), Slice(*place));
    return static_cast<size_t>(place - keys.begin());
  }

  const KeyOrder order;
  MemTable table;
  SequenceNumber sequence = 0;
  std::vector<std::string> keys;
};

constexpr uint64_t kKeys = 30'000;  // three levels of nodes

TEST(MemTableHiddenTest, OneSeekPassesAllThatTheNewestTombstoneHides) {
  Filled f;
  for (uint64_t i = 0; i < kKeys; ++i) f.Put(i);
  f.DeleteRange(100, 29'900);
  const auto it = f.table.NewIterator();
  it->Seek(NewestOf(KeyOf(200)));
  it->NextAfterHidden(Hidden(KeyOf(29'900), f.sequence));
  ASSERT_TRUE(it->Valid());
  EXPECT_EQ(ExtractUserKey(it->key()), Slice(KeyOf(29'900)));
  it->SeekForPrev(NewestOf(KeyOf(29'000)));
  it->PrevBeforeHidden(Hidden(KeyOf(100), f.sequence));
  ASSERT_TRUE(it->Valid());
  EXPECT_EQ(ExtractUserKey(it->key()), Slice(KeyOf(99)));
}

TEST(MemTableHiddenTest, NewerEntriesAreShownAndOlderOnesStillPassed) {
  Filled f;
  for (uint64_t i = 0; i < kKeys; ++i) f.Put(i);
  f.DeleteRange(0, kKeys);
  const SequenceNumber tombstone = f.sequence;
  f.Put(15'000);
  f.DeleteRange(29'000, 29'001);  // makes another mark
  f.Put(29'999);
  const auto it = f.table.NewIterator();
  // The hidden entries of a leaf with a newer one are passed one by one.
  const auto calls_to = [&](uint64_t number, const auto& move) {
    int calls = 0;
    for (; it->Valid() && ExtractSequence(it->key()) < tombstone; ++calls) {
      move();
    }
    EXPECT_TRUE(it->Valid());
    EXPECT_EQ(ExtractUserKey(it->key()), Slice(KeyOf(number)));
    return calls;
  };
  const auto next = [&] {
    it->NextAfterHidden(Hidden(KeyOf(kKeys), tombstone));
  };
  it->SeekToFirst();
  EXPECT_LE(calls_to(15'000, next), 130);
  it->Next();
  EXPECT_LE(calls_to(29'999, next), 260);
  const auto prev = [&] { it->PrevBeforeHidden(Hidden(KeyOf(0), tombstone)); };
  it->SeekForPrev(NewestOf(KeyOf(29'998)));
  EXPECT_LE(calls_to(15'000, prev), 260);
}

TEST(MemTableHiddenTest, ATombstoneOlderThanAllEntriesPassesNone) {
  Filled f;
  f.sequence = 100;
  for (uint64_t i = 0; i < 1000; ++i) f.Put(i);
  const auto it = f.table.NewIterator();
  it->SeekToFirst();
  it->NextAfterHidden(Hidden(KeyOf(1000), 50));
  ASSERT_TRUE(it->Valid());
  EXPECT_EQ(ExtractUserKey(it->key()), Slice(KeyOf(1)));
  it->PrevBeforeHidden(Hidden(KeyOf(0), 50));
  ASSERT_TRUE(it->Valid());
  EXPECT_EQ(ExtractUserKey(it->key()), Slice(KeyOf(0)));
}

TEST(MemTableHiddenTest, TheSeeksAreCounted) {
  Filled f;
  for (uint64_t i = 0; i < 1000; ++i) f.Put(i);
  f.DeleteRange(0, 1000);
  const auto it = f.table.NewIterator();
  it->SeekToFirst();
  get_perf_context()->Reset();
  it->NextAfterHidden(Hidden(KeyOf(500), f.sequence));
  EXPECT_EQ(get_perf_context()->internal_range_del_reseek_count, 1u);
  it->PrevBeforeHidden(Hidden(KeyOf(400), f.sequence));
  EXPECT_EQ(get_perf_context()->internal_range_del_reseek_count, 2u);
  EXPECT_EQ(ExtractUserKey(it->key()), Slice(KeyOf(399)));
}

class RandomHiddenTest : public ::testing::TestWithParam<uint64_t> {};

// From random entries that a random tombstone hides, in either direction.
TEST_P(RandomHiddenTest, PassesOnlyHiddenEntries) {
  const uint64_t seed = GetParam();
  const CaseInsensitive user;
  const Comparator* const orders[] = {BytewiseComparator(),
                                      ReverseBytewiseComparator(), &user};
  const bool reverse = seed % 3 == 1;
  Filled f(orders[seed % 3]);
  Random random(seed);
  struct Range {
    uint64_t begin, end;
    SequenceNumber sequence;
  };
  std::vector<Range> ranges;
  uint64_t appended = 0;
  for (uint64_t i = 0; i < 12'000; ++i) {
    if (random.OneIn(300)) {
      const uint64_t a = random.Uniform(kKeys);
      const uint64_t b = std::min(a + random.Uniform(kKeys), kKeys);
      reverse ? f.DeleteRange(b, a) : f.DeleteRange(a, b);
      if (a != b) ranges.push_back({a, b, f.sequence});
    } else {
      f.Put(seed % 2 == 0 ? random.Uniform(kKeys) : appended++ % kKeys);
    }
  }
  f.Sort();
  const auto it = f.table.NewIterator();
  size_t passed = 0;
  for (int round = 0; round < 3000; ++round) {
    const Range& range = ranges[random.Uniform(ranges.size())];
    const std::string from = KeyOf(reverse ? range.end : range.begin);
    const std::string to = KeyOf(reverse ? range.begin : range.end);
    const auto hidden = [&](size_t i) {
      const Slice key = ExtractUserKey(f.keys[i]);
      return ExtractSequence(f.keys[i]) < range.sequence &&
             f.order.CompareUserKeys(from, key) <= 0 &&
             f.order.CompareUserKeys(key, to) < 0;
    };
    const size_t at = random.Uniform(f.keys.size());
    if (!hidden(at)) continue;
    it->Seek(f.keys[at]);
    ASSERT_EQ(f.PlaceOf(*it), at);
    if (random.OneIn(2)) {
      it->NextAfterHidden(Hidden(to, range.sequence));
      const size_t landed = f.PlaceOf(*it);
      ASSERT_GT(landed, at);
      for (size_t i = at + 1; i < landed; ++i) ASSERT_TRUE(hidden(i)) << i;
      passed += landed - at - 1;
    } else {
      it->PrevBeforeHidden(Hidden(from, range.sequence));
      // Before the first place, f.keys.size() is returned.
      const size_t landed = it->Valid() ? f.PlaceOf(*it) : SIZE_MAX;
      ASSERT_LT(landed + 1, at + 1);
      for (size_t i = landed + 1; i < at; ++i) ASSERT_TRUE(hidden(i)) << i;
      passed += at - (landed + 1);
    }
  }
  // In random order, almost every leaf has the newest entries, too.
  EXPECT_GT(passed, seed % 2 == 0 ? 50u : 3000u);
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomHiddenTest,
                         ::testing::Range(uint64_t{0}, uint64_t{6}));

// A writer deletes all keys again and again, and writes every tenth anew. A
// reader that passes what the last tombstone hides sees each of these.
TEST(MemTableHiddenTest, ReadersMissNoEntryWhileTheWriterAdds) {
  constexpr uint64_t kShown = 200;
  constexpr int kRounds = 30;
  MemTable table(KeyOrder(BytewiseComparator()), 1, FileNumber(1));
  // Of the tombstone whose kShown new entries are complete.
  std::atomic<SequenceNumber> complete{0};
  std::atomic<bool> ended{false};
  const auto read = [&] {
    int reads = 0;
    while (!ended.load() || reads < 3) {
      const SequenceNumber tombstone = complete.load();
      if (tombstone == 0) continue;
      const SequenceNumber visible = tombstone + kShown;
      const auto it = table.NewIterator();
      uint64_t shown = 0;
      for (it->SeekToFirst(); it->Valid();) {
        const SequenceNumber sequence = ExtractSequence(it->key());
        if (sequence > tombstone && sequence <= visible) ++shown;
        if (sequence < tombstone) {
          it->NextAfterHidden(Hidden("9", tombstone));
        } else {
          it->Next();
        }
      }
      ASSERT_EQ(shown, kShown);
      shown = 0;
      for (it->SeekToLast(); it->Valid();) {
        const SequenceNumber sequence = ExtractSequence(it->key());
        if (sequence > tombstone && sequence <= visible) ++shown;
        if (sequence < tombstone) {
          it->PrevBeforeHidden(Hidden("0", tombstone));
        } else {
          it->Prev();
        }
      }
      ASSERT_EQ(shown, kShown);
      ++reads;
    }
  };
  std::vector<std::thread> readers;
  for (int i = 0; i < 2; ++i) readers.emplace_back(read);
  SequenceNumber sequence = 0;
  for (int round = 0; round < kRounds; ++round) {
    const SequenceNumber tombstone = ++sequence;
    table.Add(tombstone, kTypeRangeDeletion, "0", "9");
    for (uint64_t i = 0; i < kShown; ++i) {
      table.Add(++sequence, kTypeValue,
                KeyOf((i * 7919 + static_cast<uint64_t>(round)) % 20'000), "v");
    }
    complete.store(tombstone);
  }
  ended.store(true);
  for (std::thread& reader : readers) reader.join();
}

}  // namespace
}  // namespace tamis
