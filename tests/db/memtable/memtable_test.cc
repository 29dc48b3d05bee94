// SPDX-License-Identifier: Apache-2.0
#include "db/memtable/memtable.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/perf_context.h"

#include "tests/support/comparators.h"
#include "util/base/random.h"

namespace tamis {
namespace {

std::string Get(const MemTable& table, const Slice& key,
                SequenceNumber sequence) {
  PinnableSlice value;
  GetContext context(&value);
  table.Get(LookupKey(key, sequence), FilterKey(key), &context);
  switch (context.state()) {
    case GetContext::State::kFound:
      return value.ToString();
    case GetContext::State::kDeleted:
      return "(deleted)";
    case GetContext::State::kAbsent:
      return "(absent)";
    default:
      return context.status().ToString();
  }
}

std::string InternalKey(const Slice& key, SequenceNumber sequence,
                        uint8_t type = kTypeValue) {
  std::string out;
  AppendInternalKey(&out, key, sequence, type);
  return out;
}

TEST(MemTableTest, AnEmptyTableHasNoEntries) {
  const MemTable table(KeyOrder(BytewiseComparator()), 5, FileNumber(12));
  EXPECT_TRUE(table.empty());
  EXPECT_EQ(table.log_number(), FileNumber(12));
  EXPECT_EQ(Get(table, "a", 100), "(absent)");
  const auto it = table.NewIterator();
  it->SeekToFirst();
  EXPECT_FALSE(it->Valid());
  it->SeekToLast();
  EXPECT_FALSE(it->Valid());
  it->Seek(InternalKey("a", 1));
  EXPECT_FALSE(it->Valid());
  it->SeekForPrev(InternalKey("a", 1));
  EXPECT_FALSE(it->Valid());
  EXPECT_TRUE(it->status().ok());
}

TEST(MemTableTest, GetSeesTheNewestVisibleVersion) {
  MemTable table(KeyOrder(BytewiseComparator()), 0, FileNumber(1));
  table.Add(1, kTypeValue, "k", "one");
  table.Add(3, kTypeDeletion, "k", "");
  table.Add(5, kTypeValue, "k", "five");
  table.Add(6, kTypeValue, std::string("k\0", 2), "other");
  const struct {
    SequenceNumber at;
    const char* value;
  } cases[] = {{0, "(absent)"},  {1, "one"},  {2, "one"}, {3, "(deleted)"},
               {4, "(deleted)"}, {5, "five"}, {6, "five"}};
  for (const auto& c : cases) EXPECT_EQ(Get(table, "k", c.at), c.value) << c.at;
  EXPECT_EQ(Get(table, "j", 9), "(absent)");
  EXPECT_EQ(Get(table, "", 9), "(absent)");
  EXPECT_EQ(table.num_entries(), 4u);
  EXPECT_EQ(table.num_deletes(), 1u);
}

TEST(MemTableTest, OperandsAreShownDownToTheBase) {
  MemTable table(KeyOrder(BytewiseComparator()), 0, FileNumber(1));
  table.Add(1, kTypeDeletion, "k", "");
  table.Add(2, kTypeMerge, "k", "x");
  table.Add(3, kTypeMerge, "k", "y");
  PinnableSlice value;
  GetContext context(&value);
  table.Get(LookupKey("k", 9), FilterKey("k"), &context);
  EXPECT_EQ(context.operands(), (std::vector<std::string>{"y", "x"}));
}

TEST(MemTableTest, RangeTombstonesHideOnlyOlderVersions) {
  MemTable table(KeyOrder(BytewiseComparator()), 0, FileNumber(1));
  table.Add(1, kTypeValue, "b", "one");
  table.Add(2, kTypeValue, "d", "two");
  table.Add(3, kTypeRangeDeletion, "a", "d");
  table.Add(4, kTypeValue, "c", "four");
  const struct {
    const char* key;
    SequenceNumber at;
    const char* value;
  } cases[] = {{"b", 2, "one"},       {"b", 3, "(deleted)"},
               {"d", 9, "two"},       {"c", 3, "(absent)"},
               {"c", 4, "four"},      {"a", 9, "(absent)"},
               {"b", 9, "(deleted)"}, {"e", 9, "(absent)"}};
  for (const auto& c : cases) {
    EXPECT_EQ(Get(table, c.key, c.at), c.value) << c.key << c.at;
  }
  // Not among the entries of the iterator.
  const auto it = table.NewIterator();
  int count = 0;
  for (it->SeekToFirst(); it->Valid(); it->Next()) ++count;
  EXPECT_EQ(count, 3);
  EXPECT_EQ(table.num_entries(), 4u);
  EXPECT_EQ(table.num_deletes(), 1u);
}

TEST(MemTableTest, DebugStringShowsEntriesAndRanges) {
  MemTable table(KeyOrder(BytewiseComparator()), 1, FileNumber(12));
  table.Add(1, kTypeValue, "b", "two");
  table.Add(2, kTypeDeletion, "a", "");
  table.Add(3, kTypeRangeDeletion, "c", "e");
  const std::string text = table.DebugString();
  EXPECT_EQ(text.substr(0, text.find(", bytes")),
            "memtable: entries 3, deletes 2");
  EXPECT_EQ(text.substr(text.find('\n') + 1),
            "  " + PrintableInternalKey(InternalKey("a", 2, kTypeDeletion)) +
                " = \n  " + PrintableInternalKey(InternalKey("b", 1)) +
                " = two\n  [c, e) deleted at 3\n");
  EXPECT_EQ(table.DebugString(1).find("two"), std::string::npos);
}

TEST(MemTableTest, EmptyRangesAreIgnored) {
  MemTable table(KeyOrder(BytewiseComparator()), 0, FileNumber(1));
  table.Add(1, kTypeRangeDeletion, "m", "m");
  table.Add(2, kTypeRangeDeletion, "p", "k");
  EXPECT_TRUE(table.RangeTombstones(9).empty());
  EXPECT_TRUE(table.empty());
  table.Add(3, kTypeRangeDeletion, "a", "k");
  EXPECT_TRUE(table.RangeTombstones(2).empty());
  EXPECT_EQ(table.RangeTombstones(3).Covering("d"), 3u);
  std::vector<RangeTombstone> all;
  table.AppendRangeTombstones(&all);
  EXPECT_EQ(all, (std::vector<RangeTombstone>{{"a", "k", 3}}));
}

TEST(MemTableTest, AnyNumberOfTombstonesIsSearchedRight) {
  MemTable table(KeyOrder(BytewiseComparator()), 0, FileNumber(1));
  std::vector<RangeTombstone> all;
  Random random(301);
  const auto random_key = [&random] {
    return std::string(1, static_cast<char>('a' + random.Uniform(20)));
  };
  for (SequenceNumber s = 1; s <= 2000; ++s) {
    const RangeTombstone added{random_key(), random_key(), s};
    table.Add(s, kTypeRangeDeletion, added.begin, added.end);
    all.push_back(added);
    for (int i = 0; i < 3; ++i) {
      const std::string key = random_key();
      const SequenceNumber at = 1 + random.Uniform(s);
      bool covered = false;
      for (const RangeTombstone& t : all) {
        covered |= t.sequence <= at && t.begin <= key && key < t.end;
      }
      PinnableSlice value;
      GetContext context(&value);
      table.Get(LookupKey(key, at), FilterKey(key), &context);
      ASSERT_EQ(context.needs_no_older(), covered) << s << key << at;
    }
  }
}

TEST(MemTableTest, RangeTombstonesCountAsMemory) {
  MemTable table(KeyOrder(BytewiseComparator()), 0, FileNumber(1));
  const size_t before = table.ApproximateMemoryUsage();
  for (SequenceNumber s = 1; s <= 1000; ++s) {
    table.Add(s, kTypeRangeDeletion, "a", std::string(100, 'b'));
  }
  EXPECT_GE(table.ApproximateMemoryUsage(), before + 100'000);
  EXPECT_FALSE(table.empty());
}

TEST(MemTableTest, FilterDoesNotHideARangeTombstone) {
  MemTable table(KeyOrder(BytewiseComparator()), 0, FileNumber(1),
                 /*bloom_bytes=*/4096);
  table.Add(1, kTypeRangeDeletion, "a", "z");
  PinnableSlice value;
  GetContext context(&value);
  table.Get(LookupKey("k", 9), FilterKey("k"), &context);
  EXPECT_FALSE(context.done());
  EXPECT_TRUE(context.needs_no_older());
}

TEST(MemTableTest, ReadersSeePublishedTombstonesWhileAWriterAdds) {
  MemTable table(KeyOrder(BytewiseComparator()), 0, FileNumber(1));
  constexpr SequenceNumber kTombstones = 300;
  const auto begin_of = [](SequenceNumber s) {
    return "k" + std::to_string(1000 + s);
  };
  std::atomic<SequenceNumber> announced{0};
  std::atomic<int> failures{0};
  const auto read = [&] {
    for (;;) {
      const SequenceNumber now = announced.load(std::memory_order_acquire);
      if (now == kTombstones) return;
      if (now == 0) continue;
      if (table.RangeTombstones(now).Covering(begin_of(now)) != now ||
          table.RangeTombstones(now - 1).Covering(begin_of(now)) != 0) {
        ++failures;
      }
      PinnableSlice value;
      GetContext context(&value);
      table.Get(LookupKey(begin_of(now), now), FilterKey(begin_of(now)),
                &context);
      if (!context.needs_no_older()) ++failures;
    }
  };
  std::vector<std::thread> readers;
  for (int i = 0; i < 2; ++i) readers.emplace_back(read);
  for (SequenceNumber s = 1; s <= kTombstones; ++s) {
    table.Add(s, kTypeRangeDeletion, begin_of(s), begin_of(s + 1));
    announced.store(s, std::memory_order_release);
  }
  for (std::thread& reader : readers) reader.join();
  EXPECT_EQ(failures.load(), 0);
}

TEST(MemTableTest, AValueOutlivesTheMemTable) {
  PinnableSlice value;
  {
    MemTable table(KeyOrder(BytewiseComparator()), 0, FileNumber(1));
    table.Add(1, kTypeValue, "k", std::string(5000, 'v'));
    GetContext context(&value);
    table.Get(LookupKey("k", 9), FilterKey("k"), &context);
  }
  EXPECT_FALSE(value.IsPinned());
  EXPECT_EQ(value, Slice(std::string(5000, 'v')));
}

TEST(MemTableTest, CountsReadsAndSeeks) {
  SetPerfLevel(kEnableCount);
  get_perf_context()->Reset();
  MemTable table(KeyOrder(BytewiseComparator()), 0, FileNumber(1));
  Get(table, "k", 1);
  table.NewIterator()->Seek(InternalKey("k", 1));
  EXPECT_EQ(get_perf_context()->get_from_memtable_count, 1u);
  EXPECT_EQ(get_perf_context()->seek_on_memtable_count, 1u);
}

struct InternalLess {
  bool operator()(const std::string& a, const std::string& b) const {
    return order.Compare(a, b) < 0;
  }
  KeyOrder order;
};

void CheckAgainstMap(const Comparator* comparator, uint64_t seed) {
  SCOPED_TRACE(std::string(comparator->Name()) + " seed " +
               std::to_string(seed));
  const KeyOrder order(comparator);
  MemTable table(order, 0, FileNumber(1));
  std::map<std::string, std::string, InternalLess> model(InternalLess{order});
  Random random(seed);
  // Few letters, with 0 and 255, so that keys are prefixes of each other.
  const auto random_key = [&random] {
    static constexpr char kLetters[] = {'\0', 'a', '\xff'};
    std::string key(random.Uniform(11), ' ');
    for (char& c : key) c = kLetters[random.Uniform(3)];
    return key;
  };
  for (SequenceNumber sequence = 1; sequence <= 3000; ++sequence) {
    const std::string key = random_key();
    const ValueType type = random.OneIn(4) ? kTypeDeletion : kTypeValue;
    const std::string value =
        type == kTypeValue ? std::string(random.Uniform(300), 'v') : "";
    table.Add(sequence, type, key, value);
    model[InternalKey(key, sequence, type)] = value;
  }

  const auto it = table.NewIterator();
  it->SeekToFirst();
  for (const auto& [key, value] : model) {
    ASSERT_TRUE(it->Valid());
    EXPECT_EQ(it->key(), Slice(key));
    EXPECT_EQ(it->value(), Slice(value));
    it->Next();
  }
  EXPECT_FALSE(it->Valid());
  it->SeekToLast();
  for (auto at = model.rbegin(); at != model.rend(); ++at) {
    ASSERT_TRUE(it->Valid());
    EXPECT_EQ(it->key(), Slice(at->first));
    it->Prev();
  }
  EXPECT_FALSE(it->Valid());

  for (int i = 0; i < 2000; ++i) {
    const std::string target =
        InternalKey(random_key(), random.Uniform(3002), kValueTypeForSeek);
    const auto above = model.lower_bound(target);
    it->Seek(target);
    ASSERT_EQ(it->Valid(), above != model.end());
    if (it->Valid()) {
      EXPECT_EQ(it->key(), Slice(above->first));
    }
    it->SeekForPrev(target);
    ASSERT_EQ(it->Valid(), above != model.begin());
    if (it->Valid()) {
      EXPECT_EQ(it->key(), Slice(std::prev(above)->first));
    }
  }
  // An entry itself is at or before itself.
  for (const auto& entry : model) {
    it->SeekForPrev(entry.first);
    ASSERT_TRUE(it->Valid());
    EXPECT_EQ(it->key(), Slice(entry.first));
  }
}

TEST(MemTableTest, AgreesWithAMapInEveryOrder) {
  const ByLength by_length;
  for (uint64_t seed = 1; seed <= 3; ++seed) {
    CheckAgainstMap(BytewiseComparator(), seed);
    CheckAgainstMap(ReverseBytewiseComparator(), seed);
    CheckAgainstMap(&by_length, seed);
  }
}

TEST(MemTableTest, AscendingDescendingAndInterleavedKeysAreSorted) {
  for (int pattern = 0; pattern < 3; ++pattern) {
    MemTable table(KeyOrder(BytewiseComparator()), 0, FileNumber(1));
    constexpr int kKeys = 5000;
    for (int i = 0; i < kKeys; ++i) {
      const int n = pattern == 0   ? i
                    : pattern == 1 ? kKeys - i
                                   : (i % 2 == 0 ? i : 100000 - i);
      std::string key = std::to_string(n);
      key.insert(0, 8 - key.size(), '0');
      table.Add(static_cast<SequenceNumber>(i + 1), kTypeValue, key, key);
    }
    const auto it = table.NewIterator();
    std::string last;
    int count = 0;
    for (it->SeekToFirst(); it->Valid(); it->Next(), ++count) {
      EXPECT_LT(last, it->value().ToString());
      last = it->value().ToString();
    }
    EXPECT_EQ(count, kKeys) << pattern;
  }
}

// The writer announces each sequence number after Add; readers must find what
// was announced, whole and in order, while the writer continues.
TEST(MemTableTest, ReadersSeePublishedEntriesWhileAWriterAdds) {
  MemTable table(KeyOrder(BytewiseComparator()), 0, FileNumber(1));
  constexpr SequenceNumber kEntries = 30000;
  constexpr uint64_t kKeys = 3000;
  const auto key_of = [](SequenceNumber sequence) {
    return "key" + std::to_string(sequence * 7919 % kKeys);
  };
  std::atomic<SequenceNumber> announced{0};
  std::atomic<int> failures{0};

  const auto read = [&](uint64_t seed) {
    Random random(seed);
    while (true) {
      const SequenceNumber now = announced.load(std::memory_order_acquire);
      if (now == kEntries) return;
      if (now == 0) continue;
      const SequenceNumber wanted = 1 + random.Uniform(now);
      const std::string got = Get(table, key_of(wanted), wanted);
      if (got != key_of(wanted) + "@" + std::to_string(wanted)) ++failures;

      const auto it = table.NewIterator();
      it->Seek(InternalKey(key_of(wanted), wanted, kValueTypeForSeek));
      std::string last;
      for (int steps = 0; steps < 20 && it->Valid(); ++steps, it->Next()) {
        const std::string user_key = ExtractUserKey(it->key()).ToString();
        if (user_key < last) ++failures;
        if (!it->value().starts_with(user_key)) ++failures;
        last = user_key;
      }
      if (it->Valid()) {
        it->Prev();
        if (!it->Valid()) ++failures;
      }
    }
  };
  std::vector<std::thread> readers;
  for (uint64_t seed = 1; seed <= 3; ++seed) readers.emplace_back(read, seed);
  for (SequenceNumber s = 1; s <= kEntries; ++s) {
    table.Add(s, kTypeValue, key_of(s), key_of(s) + "@" + std::to_string(s));
    announced.store(s, std::memory_order_release);
  }
  for (std::thread& reader : readers) reader.join();
  EXPECT_EQ(failures.load(), 0);
}

TEST(MemTableTest, FilterSkipsTheSearchOnlyForAbsentKeys) {
  const KeyOrder order(BytewiseComparator());
  MemTable table(order, 1, FileNumber(1), /*bloom_bytes=*/4096);
  EXPECT_EQ(table.bloom_bytes(), 4096u);
  for (int i = 0; i < 100; ++i) {
    table.Add(static_cast<SequenceNumber>(i + 1), kTypeValue,
              "key" + std::to_string(i), "v");
  }
  SetPerfLevel(kEnableCount);
  get_perf_context()->Reset();
  for (int i = 0; i < 200; ++i) {
    const std::string key = "key" + std::to_string(i);
    PinnableSlice value;
    GetContext context(&value);
    table.Get(LookupKey(key, 1000), FilterKey(key), &context);
    EXPECT_EQ(context.state(),
              i < 100 ? GetContext::State::kFound : GetContext::State::kAbsent);
  }
  const PerfContext& perf = *get_perf_context();
  EXPECT_EQ(perf.bloom_memtable_hit_count + perf.bloom_memtable_miss_count,
            200u);
  EXPECT_GT(perf.bloom_memtable_miss_count, 90u);
  EXPECT_EQ(perf.get_from_memtable_count, perf.bloom_memtable_hit_count);
}

}  // namespace
}  // namespace tamis
