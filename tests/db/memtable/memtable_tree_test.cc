// SPDX-License-Identifier: Apache-2.0
#include "db/memtable/memtable_tree.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/comparators.h"
#include "tests/support/effort.h"
#include "util/base/random.h"

namespace tamis {
namespace {

std::string InternalKey(const Slice& key, SequenceNumber sequence,
                        uint8_t type = kTypeValue) {
  std::string out;
  AppendInternalKey(&out, key, sequence, type);
  return out;
}

std::string Digits(uint64_t number, size_t size) {
  std::string digits = std::to_string(number);
  return std::string(size - std::min(size, digits.size()), '0') + digits;
}

// What keys look like, and in what order they come.
struct Pattern {
  const char* name;
  std::string (*key)(uint64_t i, Random* random);
};

std::string FewLetters(Random* random, size_t size_max) {
  static constexpr char kLetters[] = {'\0', 'a', '\xff'};
  std::string key(random->Uniform(size_max + 1), ' ');
  for (char& c : key) c = kLetters[random->Uniform(3)];
  return key;
}

const Pattern kPatterns[] = {
    {"few letters", [](uint64_t, Random* r) { return FewLetters(r, 10); }},
    {"zeros of every length",
     [](uint64_t, Random* r) { return std::string(r->Uniform(60), '\0'); }},
    {"random digits",
     [](uint64_t, Random* r) { return Digits(r->Uniform(1'000'000), 16); }},
    {"random bytes",
     [](uint64_t, Random* r) {
       std::string key(8, ' ');
       for (char& c : key) c = static_cast<char>(r->Uniform(256));
       return key;
     }},
    {"equal first eight bytes",
     [](uint64_t, Random* r) { return "01234567" + FewLetters(r, 9); }},
    {"a common prefix longer than a node keeps",
     [](uint64_t, Random* r) {
       return std::string(45, 'p') + Digits(r->Uniform(100'000), 6);
     }},
    {"prefixes of every length, some left early",
     [](uint64_t, Random* r) {
       return std::string(r->Uniform(40), 'p') + FewLetters(r, 3);
     }},
    {"a stranger now and then",
     [](uint64_t, Random* r) {
       if (r->OneIn(50)) return FewLetters(r, 4);
       return "user/" + Digits(r->Uniform(1'000'000), 12);
     }},
    {"three keys with many versions",
     [](uint64_t, Random* r) { return std::string(r->Uniform(3), 'k'); }},
    {"one key, empty", [](uint64_t, Random*) { return std::string(); }},
    {"ascending", [](uint64_t i, Random*) { return Digits(i, 16); }},
    {"descending",
     [](uint64_t i, Random*) { return Digits(10'000'000 - i, 16); }},
    {"ascending in three places",
     [](uint64_t i, Random*) {
       return std::string(1 + i % 3, 'x') + Digits(i, 9);
     }},
    {"ascending and descending",
     [](uint64_t i, Random*) {
       return Digits(i % 2 == 0 ? i : 10'000'000 - i, 16);
     }},
    {"ascending, then in between",
     [](uint64_t i, Random* r) {
       return i < 4000 ? Digits(2 * i, 9) : Digits(r->Uniform(8000), 9);
     }},
    // Heads that no other is above.
    {"bytes of ones of every length",
     [](uint64_t, Random* r) { return std::string(r->Uniform(60), '\xff'); }},
};

struct InternalLess {
  bool operator()(const std::string& a, const std::string& b) const {
    return order.Compare(a, b) < 0;
  }
  KeyOrder order;
};
using Model = std::map<std::string, std::string, InternalLess>;

void CheckScans(const Model& model, MemTableTree::Cursor* cursor) {
  cursor->SeekToFirst();
  for (const auto& [key, value] : model) {
    ASSERT_TRUE(cursor->Valid());
    ASSERT_EQ(cursor->entry().key(), Slice(key));
    ASSERT_EQ(cursor->entry().value(), Slice(value));
    cursor->Next();
  }
  ASSERT_FALSE(cursor->Valid());
  cursor->SeekToLast();
  for (auto at = model.rbegin(); at != model.rend(); ++at) {
    ASSERT_TRUE(cursor->Valid());
    ASSERT_EQ(cursor->entry().key(), Slice(at->first));
    cursor->Prev();
  }
  ASSERT_FALSE(cursor->Valid());
}

void CheckSeeks(const Model& model, const std::string& target,
                MemTableTree::Cursor* cursor) {
  const auto above = model.lower_bound(target);
  cursor->Seek(target);
  ASSERT_EQ(cursor->Valid(), above != model.end());
  if (cursor->Valid()) {
    ASSERT_EQ(cursor->entry().key(), Slice(above->first));
  }
  // As that one, or none if its user key is another.
  cursor->SeekInKey(target);
  const KeyOrder& order = model.key_comp().order;
  const bool in_key = above != model.end() &&
                      order.CompareUserKeys(ExtractUserKey(above->first),
                                            ExtractUserKey(target)) == 0;
  if (in_key || cursor->Valid()) {
    ASSERT_TRUE(cursor->Valid());
    ASSERT_EQ(cursor->entry().key(), Slice(above->first));
  }
  const auto beyond = model.upper_bound(target);
  cursor->SeekForPrev(target);
  ASSERT_EQ(cursor->Valid(), beyond != model.begin());
  if (!cursor->Valid()) return;
  ASSERT_EQ(cursor->entry().key(), Slice(std::prev(beyond)->first));
  cursor->Next();
  ASSERT_EQ(cursor->Valid(), beyond != model.end());
  if (cursor->Valid()) {
    ASSERT_EQ(cursor->entry().key(), Slice(beyond->first));
  }
}

void CheckAgainstMap(const Comparator* comparator, const Pattern& pattern,
                     uint64_t seed, uint64_t entries) {
  SCOPED_TRACE(std::string(comparator->Name()) + ", " + pattern.name +
               ", seed " + std::to_string(seed));
  const KeyOrder order(comparator);
  Arena arena;
  MemTableTree tree(order, &arena);
  Model model(InternalLess{order});
  Random random(seed);
  MemTableTree::Cursor cursor(&tree);
  const uint64_t stride = Stride();
  for (uint64_t i = 1; i <= entries; ++i) {
    const std::string key = pattern.key(i, &random);
    const uint8_t type = random.OneIn(4) ? kTypeDeletion : kTypeValue;
    const std::string value(random.Uniform(30), 'v');
    tree.Insert(key, PackSequenceAndType(i, type), value);
    model[InternalKey(key, i, type)] = value;
    // Small trees of every size, so that each boundary occurs.
    if (i <= 300 && i % stride == 0) CheckScans(model, &cursor);
    if (i % (7 * stride) == 0) {
      CheckSeeks(model,
                 InternalKey(pattern.key(random.Uniform(i + 2), &random),
                             random.Uniform(i + 2), kValueTypeForSeek),
                 &cursor);
    }
    if (testing::Test::HasFatalFailure()) return;
  }
  CheckScans(model, &cursor);
  uint64_t i = 0;
  for (const auto& entry : model) {
    if (++i % stride == 0) CheckSeeks(model, entry.first, &cursor);
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST(MemTableTreeTest, AgreesWithAMapInEveryOrderAndPattern) {
  const ByLength by_length;
  const Comparator* const orders[] = {BytewiseComparator(),
                                      ReverseBytewiseComparator(), &by_length};
  for (const Comparator* order : orders) {
    for (const Pattern& pattern : kPatterns) {
      CheckAgainstMap(order, pattern, 1, 5000);
      if (HasFatalFailure()) return;
    }
  }
}

// More than a node of nodes, so that inner nodes split, too.
TEST(MemTableTreeTest, AgreesWithAMapInThreeLevels) {
  constexpr uint64_t kNode = MemTableNode::kCapacity;
  for (const char* name :
       {"random digits", "ascending", "descending", "ascending and descending",
        "few letters", "a stranger now and then"}) {
    for (const Pattern& pattern : kPatterns) {
      if (std::string(name) != pattern.name) continue;
      CheckAgainstMap(BytewiseComparator(), pattern, 2, 2 * kNode * kNode);
      if (HasFatalFailure()) return;
    }
  }
}

TEST(MemTableTreeTest, KeysInOrderFillTheNodes) {
  for (const bool ascending : {true, false}) {
    Arena arena;
    MemTableTree tree(KeyOrder(BytewiseComparator()), &arena);
    constexpr uint64_t kEntries = 100'000;
    for (uint64_t i = 0; i < kEntries; ++i) {
      tree.Insert(Digits(ascending ? i : kEntries - i, 8), 1 << 8, Slice());
    }
    // Header, key, tail; head and pointer, with the node's own; an idle block.
    constexpr size_t kPerEntry = 8 + 8 + 8 + 16 + 2;
    EXPECT_LT(arena.MemoryUsage(), kEntries * kPerEntry * 9 / 8) << ascending;
  }
}

TEST(MemTableTreeTest, AnEmptyTreeHasNoEntries) {
  Arena arena;
  const MemTableTree tree(KeyOrder(BytewiseComparator()), &arena);
  EXPECT_LT(arena.MemoryUsage(), 5000u);
  MemTableTree::Cursor cursor(&tree);
  cursor.SeekToFirst();
  EXPECT_FALSE(cursor.Valid());
  cursor.SeekToLast();
  EXPECT_FALSE(cursor.Valid());
  cursor.Seek(InternalKey("a", 1));
  EXPECT_FALSE(cursor.Valid());
  cursor.SeekForPrev(InternalKey("a", 1));
  EXPECT_FALSE(cursor.Valid());
  cursor.SeekInKey(InternalKey("a", 1));
  EXPECT_FALSE(cursor.Valid());
}

// The value of each is its number, from 1. The writer announces a number after
// the entry is in.
class WhileAWriterInserts {
 public:
  WhileAWriterInserts(const Comparator* comparator, const Pattern& pattern,
                      uint64_t entries)
      : order_(comparator), tree_(order_, &arena_) {
    Random random(3);
    for (uint64_t i = 1; i <= entries; ++i) {
      keys_.push_back(pattern.key(i, &random));
    }
  }

  // Returns how often a reader saw something wrong.
  int Run() {
    std::vector<std::thread> readers;
    readers.emplace_back([this] { ScanAlways(true); });
    readers.emplace_back([this] { ScanAlways(false); });
    readers.emplace_back([this] { LookUpAlways(); });
    for (uint64_t i = 1; i <= keys_.size(); ++i) {
      tree_.Insert(keys_[i - 1], PackSequenceAndType(i, kTypeValue),
                   std::to_string(i));
      announced_.store(i, std::memory_order_release);
    }
    done_ = true;
    for (std::thread& reader : readers) reader.join();
    return failures_;
  }

 private:
  void Require(bool right) {
    if (!right) ++failures_;
  }

  // In strict order, and no entry is missed that was announced before.
  void ScanAlways(bool forward) {
    for (bool last = false; !last;) {
      last = done_;
      const uint64_t announced = announced_.load(std::memory_order_acquire);
      uint64_t seen = 0;
      const MemTableEntry* before = nullptr;
      MemTableTree::Cursor cursor(&tree_);
      forward ? cursor.SeekToFirst() : cursor.SeekToLast();
      while (cursor.Valid()) {
        const MemTableEntry* const entry = &cursor.entry();
        const uint64_t number = entry->tail() >> 8;
        Require(entry->value() == Slice(std::to_string(number)));
        if (number <= announced) ++seen;
        if (before != nullptr) {
          const int step = order_.Compare(before->key(), entry->key());
          Require(forward ? step < 0 : step > 0);
        }
        before = entry;
        forward ? cursor.Next() : cursor.Prev();
      }
      Require(seen == announced);
    }
  }

  // At a published sequence number, the newest version is the one that was
  // added with it, in both directions and with its neighbours. Also prefetches
  // for keys that the writer may insert at that moment.
  void LookUpAlways() {
    Random random(4);
    for (bool last = false; !last;) {
      last = done_;
      const uint64_t announced = announced_.load(std::memory_order_acquire);
      if (announced == 0) continue;
      const size_t soon = std::min<size_t>(announced, keys_.size() - 1);
      const bool prefetched =
          tree_.PrefetchForInsert(LookupKey(keys_[soon], kMaxSequenceNumber));
      // Only the writer keeps it from finding the place.
      if (order_.kind() != KeyOrder::Kind::kBytewise)
        Require(!prefetched);
      else if (last)
        Require(prefetched);
      const uint64_t wanted = 1 + random.Uniform(announced);
      const std::string& key = keys_[wanted - 1];
      const std::string target = InternalKey(key, wanted, kValueTypeForSeek);
      MemTableTree::Cursor cursor(&tree_);
      cursor.SeekInKey(target);
      Require(cursor.Valid() && cursor.entry().tail() >> 8 == wanted &&
              cursor.entry().user_key() == Slice(key));
      cursor.Seek(target);
      Require(cursor.Valid() && cursor.entry().tail() >> 8 == wanted);
      const MemTableEntry* const found =
          cursor.Valid() ? &cursor.entry() : nullptr;
      if (found == nullptr) continue;
      cursor.Next();
      if (cursor.Valid()) {
        Require(order_.Compare(found->key(), cursor.entry().key()) < 0);
      }
      cursor.SeekForPrev(found->key());
      Require(cursor.Valid() && &cursor.entry() == found);
      cursor.Prev();
      if (cursor.Valid()) {
        Require(order_.Compare(cursor.entry().key(), found->key()) < 0);
      }
    }
  }

  const KeyOrder order_;
  Arena arena_;
  MemTableTree tree_;
  std::vector<std::string> keys_;
  std::atomic<uint64_t> announced_{0};
  std::atomic<bool> done_{false};
  std::atomic<int> failures_{0};
};

// A root with two leaves, of which the second begins with "m".
TEST(MemTableDescentTest, GivesUpAtALockedNode) {
  const KeyOrder order(BytewiseComparator());
  Arena arena;
  const auto entry = [&arena](const Slice& key) {
    return MemTableEntry::New(key, PackSequenceAndType(7, kTypeValue), "v",
                              &arena);
  };
  MemTableNode left(0, /*bytewise=*/true);
  MemTableNode right(0, /*bytewise=*/true);
  MemTableInner top(1, /*bytewise=*/true);
  left.Insert(0, entry("a"));
  right.Insert(0, entry("m"));
  left.set_next(&right);
  top.set_child(0, &left);
  top.InsertChild(0, right.entry(0), &right);
  const std::atomic<MemTableNode*> root(&top);
  const std::string key = InternalKey("p", 9);
  const MemTableTarget target{.internal_key = key};
  const auto finds = [&] {
    MemTablePosition position;
    if (!TryDescend<IfLocked::kGiveUp>(root, target, order, &position)) {
      return false;
    }
    EXPECT_EQ(position.leaf, &right);
    EXPECT_EQ(position.place.index, 1U);
    return true;
  };
  EXPECT_TRUE(finds());
  for (MemTableNode* const node : {&right, static_cast<MemTableNode*>(&top)}) {
    node->Lock();
    EXPECT_FALSE(finds());
    node->Unlock();
    EXPECT_TRUE(finds());
  }
  left.Lock();  // not on the path
  EXPECT_TRUE(finds());
}

TEST(MemTableTreeTest, ReadersMissNothingWhileAWriterInserts) {
  for (const Pattern& pattern : kPatterns) {
    EXPECT_EQ(WhileAWriterInserts(BytewiseComparator(), pattern, 10'000).Run(),
              0)
        << pattern.name;
  }
  EXPECT_EQ(
      WhileAWriterInserts(ReverseBytewiseComparator(), kPatterns[2], 10'000)
          .Run(),
      0);
}

TEST(MemTableTreeTest, ReadersMissNothingWhileInnerNodesSplit) {
  constexpr uint64_t kNode = MemTableNode::kCapacity;
  for (const size_t pattern : {2U, 10U, 11U}) {
    EXPECT_EQ(WhileAWriterInserts(BytewiseComparator(), kPatterns[pattern],
                                  2 * kNode * kNode)
                  .Run(),
              0)
        << kPatterns[pattern].name;
  }
}

}  // namespace
}  // namespace tamis
