// SPDX-License-Identifier: Apache-2.0
#include "table/block_tags.h"

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "table/block_builder.h"
#include "table/block_tags_match.h"
#include "tests/support/random_entries.h"
#include "util/base/random.h"
#include "util/coding/hash.h"

namespace tamis {
namespace {

const std::string kFile = "test.sst";

std::string BuildBlock(const Entries& entries, int restart_interval) {
  BlockBuilder builder(restart_interval);
  for (const auto& [key, value] : entries) builder.Add(key, value);
  return builder.Finish().ToString();
}

// A block and its tags, each in memory of exactly its size, so that
// AddressSanitizer sees what is read beside it.
class Tagged {
 public:
  explicit Tagged(const std::string& bytes)
      : block_(new char[bytes.size()]), size_(bytes.size()) {
    std::memcpy(block_.get(), bytes.data(), size_);
    if (!BlockParts::Parse(block(), {&kFile, 0}, &parts_).ok()) return;
    const BlockTagsBuilder builder(parts_);
    side_bytes_ = builder.bytes();
    if (side_bytes_ == 0) return;
    side_ = std::make_unique<char[]>(side_bytes_);
    builder.Write(side_.get());
  }

  bool has_tags() const { return side_bytes_ > 0; }
  size_t side_bytes() const { return side_bytes_; }
  Slice block() const { return {block_.get(), size_}; }
  BlockTags tags() const { return BlockTags(side_.get(), block()); }

 private:
  const std::unique_ptr<char[]> block_;
  const size_t size_;
  BlockParts parts_;
  size_t side_bytes_ = 0;
  std::unique_ptr<char[]> side_;
};

bool Find(const BlockTags& tags, const Slice& user_key, uint64_t tail,
          BlockTags::Found* found) {
  return tags.Find(user_key, Hash64(user_key), tail, found);
}

void CheckPositions(const Tagged& tagged, const Entries& entries) {
  const BlockTags tags = tagged.tags();
  ASSERT_EQ(tags.count(), entries.size());
  uint32_t next = 0;
  for (uint32_t i = 0; i < tags.count(); ++i) {
    KeyBuffer buffer;
    const BlockTags::Position at = tags.At(i, &buffer);
    EXPECT_EQ(at.key.ToString(), entries[i].first);
    EXPECT_EQ(at.value.ToString(), entries[i].second);
    EXPECT_EQ(at.offset, next);
    next = at.next;
  }
}

void CheckFind(const Tagged& tagged, const Entries& entries,
               const std::string& user_key, uint64_t tail) {
  BlockTags::Found found;
  const auto* const expected = FirstVisible(entries, user_key, tail);
  ASSERT_EQ(Find(tagged.tags(), user_key, tail, &found), expected != nullptr);
  if (expected == nullptr) return;
  EXPECT_EQ(found.tail, ExtractTail(expected->first));
  EXPECT_EQ(found.value.ToString(), expected->second);
  EXPECT_EQ(&entries[found.index], expected);
}

void CheckLowerBound(const Tagged& tagged, const Entries& entries,
                     const std::string& target) {
  const auto expected =
      std::lower_bound(entries.begin(), entries.end(), target,
                       [](const auto& entry, const std::string& key) {
                         return Bytewise().Compare(entry.first, key) < 0;
                       });
  ASSERT_EQ(tagged.tags().LowerBound(target),
            static_cast<size_t>(expected - entries.begin()))
      << InternalKeyToString(target);
  BlockIterator it;
  it.Open(PinnedBytes::Borrow(tagged.block()),
          {BlockFormat::Keys::kInternal, BlockFormat::Values::kLengthPrefixed,
           &Bytewise()},
          {&kFile, 0});
  it.Seek(target);
  ASSERT_EQ(it.Valid(), expected != entries.end());
  if (it.Valid()) {
    KeyBuffer buffer;
    const auto i = static_cast<uint32_t>(expected - entries.begin());
    EXPECT_EQ(tagged.tags().At(i, &buffer).key, it.key());
  }
}

TEST(BlockTagsTest, AgreeWithAModelAndTheIterator) {
  constexpr uint64_t kSeeds = 6000;
  uint64_t tagged_blocks = 0;
  for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    const uint64_t kind = random.Uniform(kKeyKinds);
    const Entries entries = RandomEntries(&random, kind);
    const Tagged tagged(
        BuildBlock(entries, 1 + static_cast<int>(random.Uniform(32))));
    if (!tagged.has_tags()) continue;
    ++tagged_blocks;
    ASSERT_NO_FATAL_FAILURE(CheckPositions(tagged, entries));
    for (int i = 0; i < 30; ++i) {
      auto [user_key, tail] = RandomSoughtKey(&random, entries, kind);
      ASSERT_NO_FATAL_FAILURE(CheckFind(tagged, entries, user_key, tail));
      ASSERT_NO_FATAL_FAILURE(CheckFind(tagged, entries, user_key, tail + 1));
      ASSERT_NO_FATAL_FAILURE(CheckFind(tagged, entries, user_key, tail - 1));
      PutFixed64(&user_key, tail);
      ASSERT_NO_FATAL_FAILURE(CheckLowerBound(tagged, entries, user_key));
    }
  }
  EXPECT_GT(tagged_blocks, kSeeds / 2);
}

Entries DecimalEntries(uint64_t begin, size_t count, size_t value_bytes) {
  Entries entries;
  for (size_t i = 0; i < count; ++i) {
    const std::string number = std::to_string(begin + 2 * i);
    entries.emplace_back(
        InternalKey(std::string(16 - number.size(), '0') + number, 7),
        std::string(value_bytes, 'v'));
  }
  return entries;
}

TEST(BlockTagsTest, AbsentKeysAreNeverFound) {
  constexpr uint64_t kAbsent = 1000000;
  for (const auto& [count, value_bytes] : {std::pair{36, 90}, {150, 10}}) {
    const Entries entries = DecimalEntries(123400, static_cast<size_t>(count),
                                           static_cast<size_t>(value_bytes));
    const Tagged tagged(BuildBlock(entries, 16));
    ASSERT_TRUE(tagged.has_tags());
    std::set<std::string> present;
    for (const auto& entry : entries) {
      present.insert(ExtractUserKey(entry.first).ToString());
    }
    Random random(11);
    int found_count = 0;
    BlockTags::Found found;
    for (uint64_t i = 0; i < kAbsent; ++i) {
      // Present keys of which a few digits are others.
      std::string key =
          ExtractUserKey(entries[random.Uniform(entries.size())].first)
              .ToString();
      for (uint64_t n = 1 + random.Uniform(3); n > 0; --n) {
        key[random.Uniform(key.size())] =
            static_cast<char>('0' + random.Uniform(10));
      }
      if (present.count(key) > 0) continue;
      found_count += Find(tagged.tags(), key, ~uint64_t{0}, &found) ? 1 : 0;
    }
    EXPECT_EQ(found_count, 0) << count << " entries";
  }
}

TEST(BlockTagsTest, EqualTagsAndHeadsDoNotProveAKey) {
  // The hash is the caller's word: with a present key's, every other absent
  // key meets its tag.
  const Entries entries = DecimalEntries(0, 36, 90);
  const Tagged tagged(BuildBlock(entries, 16));
  BlockTags::Found found;
  const std::string last = ExtractUserKey(entries[35].first).ToString();
  for (size_t i = 0; i < last.size(); ++i) {
    std::string other = last;
    other[i] = 'x';
    EXPECT_FALSE(tagged.tags().Find(other, Hash64(last), ~uint64_t{0}, &found));
  }
  EXPECT_TRUE(tagged.tags().Find(last, Hash64(last), ~uint64_t{0}, &found));
}

TEST(BlockTagsTest, TagsOfUsualBlocksTakeATenth) {
  const std::string usual = BuildBlock(DecimalEntries(5000000, 36, 100), 16);
  EXPECT_LT(Tagged(usual).side_bytes() * 10, usual.size());
  const std::string small = BuildBlock(DecimalEntries(5000000, 173, 10), 16);
  const Tagged tagged(small);
  EXPECT_TRUE(tagged.has_tags());
  EXPECT_LE(tagged.side_bytes() * 4, small.size());
}

TEST(BlockTagsTest, UnsuitableBlocksGetNoTags) {
  EXPECT_FALSE(Tagged(BuildBlock({}, 16)).has_tags()) << "empty";
  EXPECT_FALSE(Tagged(BuildBlock(DecimalEntries(0, 100, 0), 16)).has_tags())
      << "entries so small that tags would cost a third";
  EXPECT_FALSE(Tagged(BuildBlock(DecimalEntries(0, 2, 40000), 16)).has_tags())
      << "offsets above 64 KiB";
  EXPECT_TRUE(Tagged(BuildBlock(DecimalEntries(0, 2, 30000), 16)).has_tags());
  EXPECT_TRUE(Tagged(BuildBlock(DecimalEntries(0, 1024, 30), 16)).has_tags());
  EXPECT_FALSE(Tagged(BuildBlock(DecimalEntries(0, 1025, 30), 16)).has_tags());
  EXPECT_FALSE(
      Tagged(BuildBlock({{"short", std::string(200, 'v')}}, 16)).has_tags())
      << "no internal key";
}

TEST(BlockTagsTest, BlocksWithWrongRestartsGetNoTags) {
  const std::string good = BuildBlock(DecimalEntries(0, 36, 100), 16);
  ASSERT_TRUE(Tagged(good).has_tags());
  const size_t restarts = good.size() - 4 * sizeof(uint32_t);
  for (size_t i = 0; i < 3; ++i) {
    for (const uint32_t change : {1U, ~0U, 1000000U}) {
      std::string bad = good;
      char* const p = bad.data() + restarts + i * sizeof(uint32_t);
      EncodeFixed32(p, DecodeFixed32(p) + change);
      EXPECT_FALSE(Tagged(bad).has_tags()) << "restart " << i;
    }
  }
  // An entry that shares bytes with the one before is no place to begin at.
  KeyBuffer buffer;
  std::string bad = good;
  const Tagged tagged(good);
  EncodeFixed32(bad.data() + restarts + sizeof(uint32_t),
                tagged.tags().At(5, &buffer).offset);
  EXPECT_FALSE(Tagged(bad).has_tags());
}

// What is tagged at all reads as the iterator reads it, wherever bits fell.
TEST(BlockTagsTest, DamagedBlocksGetNoTagsOrAgreeWithTheIterator) {
  for (uint64_t seed = 1; seed <= 4000; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    const uint64_t kind = random.Uniform(kKeyKinds);
    const Entries entries = RandomEntries(&random, kind);
    std::string bytes =
        BuildBlock(entries, 1 + static_cast<int>(random.Uniform(32)));
    for (uint64_t n = 1 + random.Uniform(4); n > 0; --n) {
      bytes[random.Uniform(bytes.size())] ^=
          static_cast<char>(1 << random.Uniform(8));
    }
    const Tagged tagged(bytes);
    if (!tagged.has_tags()) continue;
    BlockIterator it;
    it.Open(PinnedBytes::Borrow(tagged.block()),
            {BlockFormat::Keys::kInternal, BlockFormat::Values::kLengthPrefixed,
             &Bytewise()},
            {&kFile, 0});
    const BlockTags tags = tagged.tags();
    uint32_t i = 0;
    KeyBuffer buffer;
    for (it.SeekToFirst(); it.Valid(); it.Next(), ++i) {
      ASSERT_LT(i, tags.count());
      const BlockTags::Position at = tags.At(i, &buffer);
      ASSERT_EQ(at.key, it.key());
      ASSERT_EQ(at.value, it.value());
    }
    ASSERT_TRUE(it.status().ok()) << it.status();
    ASSERT_EQ(i, tags.count());
    // Keys may be out of order now: any answer, but an answer.
    for (int query = 0; query < 20; ++query) {
      std::string user_key = RandomKey(&random, kind);
      BlockTags::Found found;
      Find(tags, user_key, RandomTail(&random), &found);
      PutFixed64(&user_key, RandomTail(&random));
      ASSERT_LE(tags.LowerBound(user_key), tags.count());
    }
  }
}

TEST(BlockTagsMatchTest, PortableAndVectorizedAgree) {
  Random random(3);
  for (int i = 0; i < 100000; ++i) {
    char tags[kTagsAtOnce];
    const auto tag = static_cast<uint8_t>(random.Next());
    uint32_t expected = 0;
    for (uint32_t j = 0; j < kTagsAtOnce; ++j) {
      // Near misses: one bit off, or the same but for the top bit.
      const uint64_t kind = random.Uniform(4);
      const int byte = kind == 0   ? tag
                       : kind == 1 ? tag ^ (1 << random.Uniform(8))
                                   : static_cast<int>(random.Uniform(256));
      tags[j] = static_cast<char>(byte);
      if (static_cast<uint8_t>(byte) == tag) expected |= 1U << j;
    }
    ASSERT_EQ(MatchTagsPortable(tags, tag), expected);
    ASSERT_EQ(MatchTags(tags, tag), expected);
  }
}

}  // namespace
}  // namespace tamis
