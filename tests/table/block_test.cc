// SPDX-License-Identifier: Apache-2.0
#include "table/block.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "table/block_builder.h"
#include "tests/support/directories.h"
#include "tests/support/tables.h"
#include "util/base/random.h"

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

TEST_P(BlockIteratorTest, ScansForward) {
  Pairs got;
  for (it_.SeekToFirst(); it_.Valid(); it_.Next()) {
    got.emplace_back(it_.key().ToString(), it_.value().ToString());
  }
  EXPECT_TRUE(it_.status().ok()) << it_.status();
  EXPECT_EQ(got, pairs_);
}

TEST_P(BlockIteratorTest, ScansBackward) {
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

TEST(BlockTest, HandlesAreReadWholeOrDeltaEncoded) {
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
  EXPECT_TRUE(with_bit(29).ok());  // a hint
  EXPECT_TRUE(with_bit(30).IsCorruption());
}

TEST(BlockTest, WithoutDeltaEncodingEveryKeyIsWhole) {
  BlockBuilder builder({.restart_interval = 16, .share_prefixes = false});
  builder.Add("same1", "a");
  builder.Add("same2", "b");
  EXPECT_EQ(builder.Finish(), Slice(std::string("\0\5\1same1a\0\5\1same2b"
                                                "\0\0\0\0\1\0\0\0",
                                                26)));
}

TEST(BlockTest, HandlesAreDeltaEncodedWhereKeysShare) {
  BlockBuilder builder(4, BlockBuilder::ValueForm::kHandle);
  builder.AddHandle("key001", {0, 25});
  builder.AddHandle("key002", {30, 26});
  builder.AddHandle("key003", {61, 25});
  builder.AddHandle("other", {91, 25});     // shares nothing
  builder.AddHandle("other1", {121, 300});  // a restart
  builder.AddHandle("other2", {500, 300});  // behind a gap
  builder.AddHandle("other3", {805, 1});
  const std::string expected(
      "\x00\x06key001\x00\x19"
      "\x05\x01"
      "2\x02"
      "\x05\x01"
      "3\x01"
      "\x00\x05other\x5b\x19"
      "\x00\x06other1\x79\xac\x02"
      "\x00\x06other2\xf4\x03\xac\x02"
      "\x05\x01"
      "3\xd5\x04"
      "\0\0\0\0\x1b\0\0\0\2\0\0\0",
      67);
  const std::string block = builder.Finish().ToString();
  EXPECT_EQ(Slice(block).ToString(true), Slice(expected).ToString(true));
  BlockIterator it;
  Open(&it, block, Handles());
  const BlockHandle handles[] = {{0, 25},    {30, 26},   {61, 25}, {91, 25},
                                 {121, 300}, {500, 300}, {805, 1}};
  size_t i = 0;
  for (it.SeekToFirst(); it.Valid(); it.Next()) {
    ASSERT_LT(i, std::size(handles));
    EXPECT_EQ(it.handle(), handles[i++]);
  }
  EXPECT_EQ(i, std::size(handles));
  for (it.SeekToLast(); it.Valid(); it.Prev()) {
    EXPECT_EQ(it.handle(), handles[--i]);
  }
}

// Five keys, a restart every two; as RocksDB 11.9 writes it.
constexpr char kSeparated[] =
    "000d01006170706c650100000000000000"
    "020d027269636f740100000000000000"
    "000e030362616e616e610100000000000000"
    "030c0464616e610100000000000000"
    "000e00"
    "0a"
    "6368657272790100000000000000"
    "31"
    "3232"
    "333333"
    "34343434"
    "00000000"
    "21000000"
    "42000000"
    "54000000"
    "03000010";

TEST(BlockTest, SeparatedValuesAreFound) {
  BlockIterator it;
  Open(&it, FromHexDigits(kSeparated), Internal());
  ASSERT_TRUE(it.status().ok()) << it.status();
  const Pairs expected = {{"apple", "1"},
                          {"apricot", "22"},
                          {"banana", "333"},
                          {"bandana", "4444"},
                          {"cherry", ""}};
  size_t i = 0;
  const auto expect_at = [&](size_t at) {
    ASSERT_TRUE(it.Valid()) << at << it.status();
    EXPECT_EQ(ExtractUserKey(it.key()), Slice(expected[at].first));
    EXPECT_EQ(it.value(), Slice(expected[at].second));
  };
  for (it.SeekToFirst(); it.Valid(); it.Next()) expect_at(i++);
  EXPECT_EQ(i, expected.size());
  for (it.SeekToLast(); it.Valid(); it.Prev()) expect_at(--i);
  EXPECT_EQ(i, 0u);
  for (i = 0; i < expected.size(); ++i) {
    it.Seek(InternalKey(expected[i].first, 9));
    expect_at(i);
    it.SeekForPrev(InternalKey(expected[i].first, 0));
    expect_at(i);
    it.SeekForPrev(InternalKey(expected[i].first, 9));
    if (i == 0) {
      EXPECT_FALSE(it.Valid());
    } else {
      expect_at(i - 1);
    }
  }
  EXPECT_TRUE(it.status().ok()) << it.status();
}

TEST(BlockTest, SeparatedValuesAreCorruptionInABlockOfHandles) {
  BlockIterator it;
  Open(&it, FromHexDigits(kSeparated), Handles());
  EXPECT_TRUE(it.status().IsCorruption()) << it.status();
  it.SeekToFirst();
  EXPECT_FALSE(it.Valid());
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

// Scans and searches a block of any bytes. Sanitizers notice a read outside of
// it.
void ScanAnyBytes(const std::string& bytes, const BlockFormat& format) {
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
  if (format.keys == BlockFormat::Keys::kInternal) it.SeekForGet(target);
}

TEST(BlockTest, NoFlippedOrMissingByteMakesItReadOutside) {
  Pairs internal;
  for (const auto& [key, value] : SomePairs()) {
    internal.emplace_back(InternalKey(key, 5), value.substr(0, 10));
  }
  BlockBuilder handles(1, BlockBuilder::ValueForm::kHandle);
  for (int i = 0; i < 20; ++i) {
    handles.AddHandle("separator" + std::string(1, static_cast<char>('a' + i)),
                      {static_cast<uint64_t>(i) * 1000, 900});
  }
  BlockBuilder hashed({.restart_interval = 4, .hash_util_ratio = 0.75});
  for (const auto& [key, value] : internal) hashed.Add(key, value);
  const std::pair<std::string, BlockFormat> blocks[] = {
      {Build(internal, 4), Internal()},
      {hashed.Finish().ToString(), Internal()},
      {FromHexDigits(kSeparated), Internal()},
      {handles.Finish().ToString(), Handles()}};
  for (const auto& [block, format] : blocks) {
    for (size_t i = 0; i < block.size(); ++i) {
      ScanAnyBytes(block.substr(0, i), format);
      for (const int flip : {0x01, 0x80, 0xff}) {
        std::string copy = block;
        copy[i] = static_cast<char>(copy[i] ^ flip);
        ScanAnyBytes(copy, format);
      }
    }
  }
}

TEST(BlockCutRuleTest, ClosesWithinTheDeviationRatherThanOverfill) {
  const auto block_of = [](size_t bytes) {
    BlockBuilder block(16);
    block.Add("k", std::string(bytes - 4 - 8 - (bytes > 140 ? 1 : 0), 'v'));
    EXPECT_EQ(block.CurrentSize(), bytes);
    return block;
  };
  const BlockCutRule rule{.target = 1000, .deviation_percent = 10};
  EXPECT_TRUE(rule.ShouldCut(block_of(1000), 1, 1));
  EXPECT_TRUE(rule.ShouldCut(block_of(901), 50, 100));  // would overfill
  EXPECT_FALSE(
      rule.ShouldCut(block_of(900), 50, 100));          // not within 10 percent
  EXPECT_FALSE(rule.ShouldCut(block_of(901), 20, 30));  // fits
  // 4 + 1 + 50 + 1 for the entry: it fills the block to its last byte.
  EXPECT_FALSE(rule.ShouldCut(block_of(901), 50, 43));
  EXPECT_TRUE(rule.ShouldCut(block_of(901), 50, 44));
  const BlockCutRule exact{.target = 1000, .deviation_percent = 0};
  EXPECT_FALSE(exact.ShouldCut(block_of(999), 5000, 5000));
  // 4 + 2 + 10 + 100 for the entry, 5 for the trailer.
  const BlockCutRule align{
      .target = 1000, .deviation_percent = 10, .align = true};
  EXPECT_FALSE(align.ShouldCut(block_of(879), 10, 100));
  EXPECT_TRUE(align.ShouldCut(block_of(880), 10, 100));
  const BlockCutRule align_exact{
      .target = 1000, .deviation_percent = 0, .align = true};
  EXPECT_FALSE(align_exact.ShouldCut(block_of(879), 10, 100));
  EXPECT_TRUE(align_exact.ShouldCut(block_of(880), 10, 100));
}

TEST(BlockCutRuleTest, AnInvalidDeviationIsIgnored) {
  BlockBuilder block(16);
  block.Add("k", std::string(980, 'v'));
  for (const int percent : {-1, 0, 100, 101}) {
    const BlockCutRule rule{.target = 1000, .deviation_percent = percent};
    EXPECT_FALSE(rule.ShouldCut(block, 50, 100)) << percent;
  }
  const BlockCutRule aligned_to_all{
      .target = 1000, .deviation_percent = 100, .align = true};
  EXPECT_FALSE(aligned_to_all.ShouldCut(block, 50, 100));
}

}  // namespace
}  // namespace tamis
