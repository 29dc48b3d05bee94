// SPDX-License-Identifier: Apache-2.0
#include "table/block.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "table/block_builder.h"
#include "tests/support/tables.h"
#include "util/random.h"

namespace tamis {
namespace {

using Pairs = std::vector<std::pair<std::string, std::string>>;

const std::string kFile = "test.sst";

BlockFormat Bytes() { return {}; }
BlockFormat Internal() {
  return {BlockFormat::Keys::kInternal, BlockFormat::Values::kLengthPrefixed,
          &Bytewise()};
}
BlockFormat Handles() {
  return {BlockFormat::Keys::kUser, BlockFormat::Values::kHandle, &Bytewise()};
}

std::string Build(const Pairs& pairs, int restart_interval) {
  BlockBuilder builder(restart_interval);
  for (const auto& [key, value] : pairs) builder.Add(key, value);
  EXPECT_EQ(builder.num_entries(), pairs.size());
  const size_t size = builder.CurrentSize();
  const std::string block = builder.Finish().ToString();
  EXPECT_EQ(block.size(), size);
  return block;
}

void Open(BlockIterator* it, const std::string& block,
          const BlockFormat& format) {
  it->Open(PinnedBytes::Own(block), format, {&kFile, 4711});
}

// Sorted, with shared prefixes, an empty key, and one above 120 bytes.
Pairs SomePairs() {
  std::map<std::string, std::string> pairs;
  Random random(7);
  pairs[""] = "empty";
  pairs[std::string(500, 'p')] = "long";
  pairs[std::string(499, 'p') + "q"] = "long, too";
  while (pairs.size() < 60) {
    char key[32];
    std::snprintf(key, sizeof(key), "prefix%03d",
                  static_cast<int>(random.Uniform(900)));
    pairs[key] = std::string(static_cast<size_t>(random.Uniform(200)), 'v');
  }
  return {pairs.begin(), pairs.end()};
}

class BlockIteratorTest : public testing::TestWithParam<int> {
 protected:
  void SetUp() override { Open(&it_, Build(pairs_, GetParam()), Bytes()); }
  const Pairs pairs_ = SomePairs();
  BlockIterator it_;
};

TEST_P(BlockIteratorTest, WalksForward) {
  Pairs got;
  for (it_.SeekToFirst(); it_.Valid(); it_.Next()) {
    got.emplace_back(it_.key().ToString(), it_.value().ToString());
  }
  EXPECT_TRUE(it_.status().ok()) << it_.status();
  EXPECT_EQ(got, pairs_);
}

TEST_P(BlockIteratorTest, WalksBackward) {
  Pairs got;
  for (it_.SeekToLast(); it_.Valid(); it_.Prev()) {
    got.emplace_back(it_.key().ToString(), it_.value().ToString());
  }
  EXPECT_TRUE(it_.status().ok()) << it_.status();
  std::reverse(got.begin(), got.end());
  EXPECT_EQ(got, pairs_);
}

TEST_P(BlockIteratorTest, SeeksLikeAMap) {
  const std::map<std::string, std::string> model(pairs_.begin(), pairs_.end());
  Random random(99);
  for (int i = 0; i < 2000; ++i) {
    std::string target = pairs_[random.Uniform(pairs_.size())].first;
    if (random.OneIn(2)) target += static_cast<char>(random.Uniform(256));
    if (random.OneIn(3) && !target.empty()) target.pop_back();
    it_.Seek(target);
    const auto at = model.lower_bound(target);
    ASSERT_EQ(it_.Valid(), at != model.end());
    if (it_.Valid()) {
      ASSERT_EQ(it_.key(), Slice(at->first));
    }

    it_.SeekForPrev(target);
    auto before = model.upper_bound(target);
    ASSERT_EQ(it_.Valid(), before != model.begin());
    if (it_.Valid()) {
      ASSERT_EQ(it_.key(), Slice((--before)->first));
    }
  }
}

TEST_P(BlockIteratorTest, ChangesDirectionAnywhere) {
  for (size_t i = 1; i + 1 < pairs_.size(); ++i) {
    it_.Seek(pairs_[i].first);
    it_.Next();
    ASSERT_EQ(it_.key(), Slice(pairs_[i + 1].first));
    it_.Prev();
    ASSERT_EQ(it_.key(), Slice(pairs_[i].first));
    it_.Prev();
    ASSERT_EQ(it_.key(), Slice(pairs_[i - 1].first));
    it_.Next();
    ASSERT_EQ(it_.key(), Slice(pairs_[i].first));
  }
}

INSTANTIATE_TEST_SUITE_P(RestartIntervals, BlockIteratorTest,
                         testing::Values(1, 2, 3, 16, 1000));

TEST(BlockTest, SeekPastLastKeyIsInvalid) {
  BlockIterator it;
  Open(&it, Build({{"a", "1"}, {"b", "2"}}, 16), Bytes());
  it.Seek("c");
  EXPECT_FALSE(it.Valid());
  EXPECT_TRUE(it.status().ok());
  it.SeekForPrev("A");
  EXPECT_FALSE(it.Valid());
  EXPECT_TRUE(it.status().ok());
}

TEST(BlockTest, EmptyBlockHasNoEntries) {
  BlockIterator it;
  Open(&it, Build({}, 16), Bytes());
  it.SeekToFirst();
  EXPECT_FALSE(it.Valid());
  it.SeekToLast();
  EXPECT_FALSE(it.Valid());
  it.Seek("a");
  EXPECT_FALSE(it.Valid());
  it.SeekForPrev("a");
  EXPECT_FALSE(it.Valid());
  EXPECT_TRUE(it.status().ok()) << it.status();
}

TEST(BlockTest, HandlesAreReadWholeOrAsDifferences) {
  // Three entries, restart interval 4: (0,25), (30,26), (61,27).
  std::string block(
      "\x00\x06"
      "key001"
      "\x00\x19",
      10);
  block += std::string(
      "\x04\x01"
      "1"
      "\x02",
      4);
  block += std::string(
      "\x04\x01"
      "2"
      "\x02",
      4);
  PutFixed32(&block, 0);
  PutFixed32(&block, 1);
  BlockIterator it;
  Open(&it, block, Handles());
  const BlockHandle expected[] = {{0, 25}, {30, 26}, {61, 27}};
  size_t i = 0;
  for (it.SeekToFirst(); it.Valid(); it.Next()) {
    ASSERT_LT(i, std::size(expected));
    EXPECT_EQ(it.handle(), expected[i++]);
  }
  EXPECT_EQ(i, 3u);
  for (it.SeekToLast(); it.Valid(); it.Prev()) {
    EXPECT_EQ(it.handle(), expected[--i]);
  }
  EXPECT_EQ(i, 0u);
  EXPECT_TRUE(it.status().ok()) << it.status();
}

TEST(BlockTest, FlagsOfTheLastWordAreUnderstoodOrRefused) {
  const std::string block = Build({{"a", "1"}}, 1);
  const auto with_bit = [&](int bit) {
    std::string copy = block;
    char* const last = copy.data() + copy.size() - 4;
    EncodeFixed32(last, DecodeFixed32(last) | (uint32_t{1} << bit));
    BlockIterator it;
    Open(&it, copy, Bytes());
    it.SeekToFirst();
    return it.status();
  };
  EXPECT_TRUE(with_bit(28).IsNotSupported());
  EXPECT_TRUE(with_bit(29).ok());  // a hint
  EXPECT_TRUE(with_bit(30).IsCorruption());
}

TEST(BlockTest, HashIndexIsPassedOver) {
  std::string block = Build({{"a", "1"}, {"b", "2"}}, 1);
  block.resize(block.size() - 4);
  block += std::string("\x00\xff\x01", 3);
  PutFixed16(&block, 3);
  PutFixed32(&block, 2 | (uint32_t{1} << 31));
  BlockIterator it;
  Open(&it, block, Bytes());
  it.Seek("b");
  ASSERT_TRUE(it.Valid()) << it.status();
  EXPECT_EQ(it.value(), Slice("2"));
}

TEST(BlockTest, KeyTooShortForATailIsCorruption) {
  BlockIterator it;
  Open(&it, Build({{"short", "1"}}, 1), Internal());
  it.SeekToFirst();
  EXPECT_FALSE(it.Valid());
  ASSERT_TRUE(it.status().IsCorruption());
  EXPECT_NE(it.status().message().find("test.sst"), std::string::npos);
  EXPECT_NE(it.status().message().find("4711"), std::string::npos);
}

// Walks over bytes that may be anything; sanitizers say whether it was right
// to.
void WalkOver(const std::string& bytes, const BlockFormat& format) {
  BlockIterator it;
  Open(&it, bytes, format);
  size_t steps = 0;
  for (it.SeekToFirst(); it.Valid(); it.Next()) {
    ASSERT_LE(++steps, bytes.size());
  }
  steps = 0;
  for (it.SeekToLast(); it.Valid(); it.Prev()) {
    ASSERT_LE(++steps, bytes.size());
  }
  const std::string target = InternalKey("prefix500", 5);
  it.Seek(target);
  it.SeekForPrev(target);
}

TEST(BlockTest, NoFlippedOrMissingByteMakesItReadElsewhere) {
  Pairs internal;
  for (const auto& [key, value] : SomePairs()) {
    internal.emplace_back(InternalKey(key, 5), value.substr(0, 10));
  }
  BlockBuilder handles(1, BlockBuilder::ValueForm::kHandle);
  for (int i = 0; i < 20; ++i) {
    std::string value;
    BlockHandle{static_cast<uint64_t>(i) * 1000, 900}.EncodeTo(&value);
    handles.Add("separator" + std::string(1, static_cast<char>('a' + i)),
                value);
  }
  const std::pair<std::string, BlockFormat> blocks[] = {
      {Build(internal, 4), Internal()},
      {handles.Finish().ToString(), Handles()}};
  for (const auto& [block, format] : blocks) {
    for (size_t i = 0; i < block.size(); ++i) {
      WalkOver(block.substr(0, i), format);
      for (const int flip : {0x01, 0x80, 0xff}) {
        std::string copy = block;
        copy[i] = static_cast<char>(copy[i] ^ flip);
        WalkOver(copy, format);
      }
    }
  }
}

TEST(BlockCutRuleTest, ClosesWithinTheDeviationRatherThanOverfill) {
  const BlockCutRule rule{.target = 1000, .deviation_percent = 10};
  EXPECT_TRUE(rule.ShouldCut(1000, 1, 1, false));
  EXPECT_TRUE(rule.ShouldCut(901, 50, 100, false));   // would overfill
  EXPECT_FALSE(rule.ShouldCut(900, 50, 100, false));  // not within 10 percent
  EXPECT_FALSE(rule.ShouldCut(901, 20, 30, false));   // fits
  const BlockCutRule exact{.target = 1000, .deviation_percent = 0};
  EXPECT_FALSE(exact.ShouldCut(999, 5000, 5000, false));
}

}  // namespace
}  // namespace tamis
