// SPDX-License-Identifier: Apache-2.0
//
// SearchStored finds what a search of the whole block finds, and decodes no
// more than it needs.
#include "table/stored_search.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "table/block.h"
#include "table/block_builder.h"
#include "tests/support/random_entries.h"
#include "util/compression/compression.h"

namespace tamis {
namespace {

constexpr uint64_t kNewest = UINT64_MAX;  // a tail that shows every version

std::vector<CompressionType> Codecs() {
  std::vector<CompressionType> codecs;
  for (const CompressionType type : {kSnappyCompression, kLZ4Compression}) {
    if (StepDecoder::Supports(type)) codecs.push_back(type);
  }
  return codecs;
}

std::string Build(const Entries& entries, int restart_interval,
                  double hash_util_ratio = 0) {
  BlockBuilder builder(
      BlockBuilder::Options{.restart_interval = restart_interval,
                            .hash_util_ratio = hash_util_ratio});
  for (const auto& [key, value] : entries) builder.Add(key, value);
  return builder.Finish().ToString();
}

// A stored block in memory of exactly its size, so that AddressSanitizer sees
// what is read beside it.
class Stored {
 public:
  Stored(CompressionType codec, const std::string& bytes) : codec_(codec) {
    std::string packed;
    EXPECT_TRUE(Compress(codec, bytes, &packed));
    Set(packed);
  }
  void Set(const std::string& packed) {
    size_ = packed.size();
    packed_ = std::make_unique<char[]>(size_);
    packed.copy(packed_.get(), size_);
  }
  std::string packed() const { return {packed_.get(), size_}; }

  StoredAnswer Search(const Slice& user_key, uint64_t tail,
                      StoredMatch* match) {
    StepDecoder decoder;
    buffer_ = ByteBuffer();
    if (!decoder
             .Start(codec_, {packed_.get(), size_}, PayloadForm::kVersion2,
                    1 << 20, &buffer_)
             .ok()) {
      return StoredAnswer::kMalformed;
    }
    const StoredAnswer answer = SearchStored(&decoder, user_key, tail, match);
    decoded_ = decoder.decoded();
    return answer;
  }
  StoredAnswer Seek(const Slice& target, KeyBuffer* key, StoredEntry* found) {
    StepDecoder decoder;
    buffer_ = ByteBuffer();
    if (!decoder
             .Start(codec_, {packed_.get(), size_}, PayloadForm::kVersion2,
                    1 << 20, &buffer_)
             .ok()) {
      return StoredAnswer::kMalformed;
    }
    return SeekStored(&decoder, target, key, found);
  }
  size_t decoded() const { return decoded_; }

 private:
  const CompressionType codec_;
  std::unique_ptr<char[]> packed_;
  size_t size_ = 0;
  ByteBuffer buffer_;
  size_t decoded_ = 0;
};

bool HasGreater(const Entries& entries, const Slice& user_key) {
  return ExtractUserKey(entries.back().first).compare(user_key) > 0;
}

void CheckSearch(Stored* stored, const Entries& entries,
                 const std::string& user_key, uint64_t tail) {
  StoredMatch match;
  const StoredAnswer answer = stored->Search(user_key, tail, &match);
  const auto* const expected = FirstVisible(entries, user_key, tail);
  switch (answer) {
    case StoredAnswer::kFound:
      EXPECT_NE(expected, nullptr);
      if (expected == nullptr) break;
      EXPECT_EQ(match.tail, ExtractTail(expected->first));
      EXPECT_EQ(match.value.ToString(), expected->second);
      break;
    case StoredAnswer::kPassed:
      EXPECT_EQ(expected, nullptr);
      EXPECT_TRUE(HasGreater(entries, user_key));
      break;
    case StoredAnswer::kEnded:
      EXPECT_EQ(expected, nullptr);
      EXPECT_FALSE(HasGreater(entries, user_key));
      break;
    case StoredAnswer::kMalformed:
      ADD_FAILURE() << "malformed";
  }
}

// Returns the offset where each entry of the block ends.
std::vector<size_t> EntryEnds(const std::string& block) {
  const std::string file = "test.sst";
  BlockIterator it;
  it.Open(PinnedBytes::Borrow(block),
          {.keys = BlockFormat::Keys::kInternal, .order = &Bytewise()},
          {&file, 0});
  std::vector<size_t> ends;
  for (it.SeekToFirst(); it.Valid(); it.Next()) {
    ends.push_back(static_cast<size_t>(it.value().end() - block.data()));
  }
  EXPECT_TRUE(it.status().ok()) << it.status();
  return ends;
}

// `ends` is what EntryEnds returns.
void CheckSeek(Stored* stored, const Entries& entries,
               const std::vector<size_t>& ends, const std::string& user_key,
               uint64_t tail) {
  std::string target = user_key;
  PutFixed64(&target, tail);
  const auto expected = std::find_if(
      entries.begin(), entries.end(), [&target](const auto& entry) {
        return Bytewise().Compare(entry.first, target) >= 0;
      });
  KeyBuffer key;
  StoredEntry found;
  const StoredAnswer answer = stored->Seek(target, &key, &found);
  if (expected == entries.end()) {
    EXPECT_EQ(answer, StoredAnswer::kEnded);
    return;
  }
  ASSERT_EQ(answer, StoredAnswer::kFound);
  EXPECT_EQ(found.key.ToString(true), Slice(expected->first).ToString(true));
  EXPECT_EQ(found.value.ToString(), expected->second);
  const auto i = static_cast<size_t>(expected - entries.begin());
  ASSERT_EQ(ends.size(), entries.size());
  EXPECT_EQ(found.offset, i == 0 ? 0 : ends[i - 1]);
  EXPECT_EQ(found.end, ends[i]);
}

class StoredSearchTest : public testing::TestWithParam<CompressionType> {};

TEST_P(StoredSearchTest, AgreesWithAModel) {
  constexpr uint64_t kSeeds = 4000;
  for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    const uint64_t kind = random.Uniform(kKeyKinds);
    const Entries entries = RandomEntries(&random, kind);
    const std::string block =
        Build(entries, 1 + static_cast<int>(random.Uniform(32)),
              random.OneIn(4) ? 0.75 : 0);
    const std::vector<size_t> ends = EntryEnds(block);
    Stored stored(GetParam(), block);
    for (int i = 0; i < 30; ++i) {
      const auto [user_key, tail] = RandomSoughtKey(&random, entries, kind);
      for (const uint64_t visible : {tail, tail + 1, tail - 1}) {
        CheckSearch(&stored, entries, user_key, visible);
        CheckSeek(&stored, entries, ends, user_key, visible);
        if (HasFailure()) return;
      }
    }
  }
}

TEST_P(StoredSearchTest, EveryEntryIsFoundAndNoMoreIsDecoded) {
  Entries entries;
  size_t bytes = 0;
  std::vector<size_t> ends;
  for (int i = 0; i < 400; ++i) {
    std::string number = std::to_string(1000000 + i * 7);
    std::string value;
    Random random(static_cast<uint64_t>(i));
    while (value.size() < 100)
      value.push_back(static_cast<char>(random.Next()));
    entries.emplace_back(InternalKey(number, 5), value);
    bytes += 3 + number.size() + 8 + value.size();
    ends.push_back(bytes);
  }
  const std::string block = Build(entries, 16);
  Stored stored(GetParam(), block);
  for (size_t i = 0; i < entries.size(); ++i) {
    const std::string user_key = ExtractUserKey(entries[i].first).ToString();
    CheckSearch(&stored, entries, user_key, kNewest);
    EXPECT_LE(stored.decoded(), ends[i] + 2000) << i;
  }
}

TEST_P(StoredSearchTest, VersionsAreComparedThroughSharedTails) {
  Entries entries;
  for (SequenceNumber sequence = 300; sequence > 0; --sequence) {
    entries.emplace_back(InternalKey("key", sequence),
                         std::to_string(sequence));
  }
  entries.emplace_back(InternalKey("kez", 7), "after");
  Stored stored(GetParam(), Build(entries, 16));
  for (SequenceNumber sequence = 0; sequence < 310; ++sequence) {
    CheckSearch(&stored, entries, "key",
                PackSequenceAndType(sequence, kTypeValue));
  }
}

TEST_P(StoredSearchTest, AMalformedBlockIsLeftToOthersAndHarmsNothing) {
  Random random(1);
  uint64_t left = 0;
  for (int round = 0; round < 3000; ++round) {
    const Entries entries = RandomEntries(&random, random.Uniform(kKeyKinds));
    Stored stored(GetParam(), Build(entries, 8));
    std::string packed = stored.packed();
    for (uint64_t n = 1 + random.Uniform(4); n > 0; --n) {
      packed[random.Uniform(packed.size())] = static_cast<char>(random.Next());
    }
    if (random.OneIn(4)) packed.resize(random.Uniform(packed.size()));
    stored.Set(packed);
    StoredMatch match;
    const std::string user_key =
        ExtractUserKey(entries[random.Uniform(entries.size())].first)
            .ToString();
    left +=
        stored.Search(user_key, kNewest, &match) == StoredAnswer::kMalformed;
  }
  EXPECT_GT(left, 300u);
}

// The block is right, its entries are not.
TEST_P(StoredSearchTest, MalformedEntriesAreLeftToOthers) {
  const Entries entries = {{InternalKey("a", 1), "1"},
                           {InternalKey("b", 1), "2"},
                           {InternalKey("c", 1), "3"}};
  const std::string block = Build(entries, 16);
  const auto search = [](std::string bytes) {
    StoredMatch match;
    return Stored(GetParam(), bytes).Search("c", kNewest, &match);
  };
  EXPECT_EQ(search(block), StoredAnswer::kFound);
  const size_t second = 3 + 9 + 1;
  for (const auto& [at, byte] :
       {std::pair<size_t, int>{second, 100},        // shares more than there is
        std::pair<size_t, int>{second + 1, 2},      // a key without a tail
        std::pair<size_t, int>{second + 1, 120},    // beyond the block
        std::pair<size_t, int>{second + 2, 120},    // the same
        std::pair<size_t, int>{second + 2, 15}}) {  // into the restart points
    std::string bytes = block;
    bytes[at] = static_cast<char>(byte);
    EXPECT_EQ(search(bytes), StoredAnswer::kMalformed) << at << " " << byte;
  }
  for (size_t size = 0; size < block.size(); ++size) {
    EXPECT_EQ(search(block.substr(0, size)), StoredAnswer::kMalformed) << size;
  }
  // An entry ends within what it shares with the tail of the one before.
  std::string shorter =
      Build({{InternalKey("c", 7), "1"}, {InternalKey("c\x01", 1), "2"}}, 16);
  ASSERT_EQ(shorter[second], 2);  // "c" and a byte of the tail
  shorter[second] = 6;
  shorter[second + 1] = 2;  // an empty user key
  StoredMatch match;
  EXPECT_EQ(Stored(GetParam(), shorter).Search("c\x01", kNewest, &match),
            StoredAnswer::kMalformed);
  std::string flags = block;
  flags.back() = static_cast<char>(flags.back() | 0x40);  // reserved
  EXPECT_EQ(search(flags), StoredAnswer::kMalformed);
}

INSTANTIATE_TEST_SUITE_P(Codecs, StoredSearchTest, testing::ValuesIn(Codecs()),
                         [](const auto& of) {
                           return std::string(CompressionTypeName(of.param));
                         });

}  // namespace
}  // namespace tamis
