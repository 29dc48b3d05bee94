// SPDX-License-Identifier: Apache-2.0
#include "filter/block_based_placement.h"

#include "filter/leveldb_bloom.h"
#include "tests/filter/fake_filter_store.h"
#include "tests/filter/filter_test_util.h"
#include "util/coding/coding.h"

namespace tamis {

namespace {

FilterPlan Plan(const FilterCodec* codec, double bits_per_key) {
  FilterPlan plan;
  plan.new_builder = [=] { return codec->NewBuilder(bits_per_key); };
  plan.placement = FilterPlacement::kBlockBased;
  return plan;
}

// Replays the calls that a recorded table got; the filters that came out.
std::vector<std::string> Replay(const nlohmann::json& steps,
                                const FilterPlan& plan,
                                uint64_t* num_keys = nullptr) {
  BlockBasedFilterWriter writer(plan);
  FakeFilterStore store;
  for (const auto& step : steps) {
    if (step[0] == "add") {
      const std::string key = FromHex(step[1].get<std::string>());
      writer.Add(FilterKey(key));
    } else {
      writer.StartDataBlock(step[1].get<uint64_t>());
    }
  }
  EXPECT_TRUE(writer.Finish(store).ok());
  if (num_keys != nullptr) *num_keys = writer.num_keys();
  return store.filters;
}

// Every key is found in the block it was added to.
void CheckAnswers(const nlohmann::json& steps, const std::string& block,
                  const std::string& family) {
  FakeFilterStore store;
  store.filters = {block};
  const BlockBasedFilterReader reader({FilterPlacement::kBlockBased, family},
                                      &store);
  uint64_t offset = 0;
  for (const auto& step : steps) {
    if (step[0] == "start_block") {
      offset = step[1].get<uint64_t>();
      continue;
    }
    const std::string key = FromHex(step[1].get<std::string>());
    EXPECT_TRUE(reader.BlockMayMatch(FilterKey(key), offset, {})) << key;
  }
}

bool Ask(const std::string& block, const std::string& key, uint64_t offset) {
  // Of exactly its size, for AddressSanitizer.
  class Source final : public FilterSource {
   public:
    explicit Source(const std::string& bytes) : bytes_(bytes) {}
    Result<PinnedBytes> Load(const FilterPosition&,
                             const ReadContext&) const override {
      std::string exact(bytes_.data(), bytes_.size());
      exact.shrink_to_fit();
      return PinnedBytes::Own(std::move(exact));
    }

   private:
    const std::string& bytes_;
  };
  const Source source(block);
  const BlockBasedFilterReader reader(
      {FilterPlacement::kBlockBased, std::string(kBuiltinBloomFamily)},
      &source);
  return reader.BlockMayMatch(FilterKey(key), offset, {});
}

// chunks, then offsets, then their start, then the base.
std::string Assemble(const std::string& chunks,
                     const std::vector<uint32_t>& offsets, uint32_t start,
                     uint8_t base_log2) {
  std::string block = chunks;
  for (uint32_t offset : offsets) PutFixed32(&block, offset);
  PutFixed32(&block, start);
  block.push_back(static_cast<char>(base_log2));
  return block;
}

}  // namespace

TEST(BlockBasedPlacementTest, BytesAreThoseOfRocksDB) {
  TAMIS_LOAD_VECTORS(vectors, "rocksdb629_block_based_filter.json");
  int with_prefixes = 0;
  for (const auto& vector : vectors) {
    FilterPlan plan = Plan(LevelDBBloomSignedTailCodec(),
                           vector["bits_per_key"].get<double>());
    plan.whole_keys = vector["whole_key_filtering"].get<bool>();
    const auto prefix_length = vector["prefix_len"].get<size_t>();
    if (prefix_length != 0) {
      plan.prefix_extractor.reset(NewFixedPrefixTransform(prefix_length));
      ++with_prefixes;
    }
    uint64_t num_keys = 0;
    const auto filters = Replay(vector["steps"], plan, &num_keys);
    const auto golden = FromHex(vector["filter_block_hex"].get<std::string>());
    EXPECT_EQ(num_keys, vector["entries_added"].get<uint64_t>());
    if (vector["is_empty"].get<bool>()) {
      EXPECT_TRUE(filters.empty());
      continue;
    }
    EXPECT_EQ(filters, std::vector<std::string>{golden});
    if (plan.whole_keys) {
      CheckAnswers(vector["steps"], golden, "rocksdb.BuiltinBloomFilter");
    }
  }
  EXPECT_EQ(vectors.size(), 44u);
  EXPECT_EQ(with_prefixes, 22);
}

TEST(BlockBasedPlacementTest, BytesAreThoseOfLevelDB) {
  TAMIS_LOAD_VECTORS(vectors, "leveldb_filter_block.json");
  for (const auto& vector : vectors) {
    const auto golden = FromHex(vector["filter_block_hex"].get<std::string>());
    EXPECT_EQ(Replay(vector["steps"], Plan(LevelDBBloomCodec(), 10)),
              std::vector<std::string>{golden})
        << vector["file"];
    CheckAnswers(vector["steps"], golden, "leveldb.BuiltinBloomFilter2");
  }
}

TEST(BlockBasedPlacementTest, ABlockBelongsToTheChunkOfItsStart) {
  BlockBasedFilterWriter writer(Plan(LevelDBBloomSignedTailCodec(), 20));
  FakeFilterStore store;
  writer.StartDataBlock(0);
  writer.Add(FilterKey("first"));
  writer.StartDataBlock(2000);  // same 2 KiB
  writer.Add(FilterKey("second"));
  writer.StartDataBlock(9000);
  writer.Add(FilterKey("third"));
  EXPECT_EQ(writer.num_keys(), 3u);
  ASSERT_TRUE(writer.Finish(store).ok());
  EXPECT_EQ(writer.num_keys(), 3u);
  ASSERT_EQ(store.filters.size(), 1u);
  const std::string& block = store.filters[0];
  const struct {
    const char* key;
    uint64_t offset;
    bool may_match;
  } cases[] = {{"first", 0, true},
               {"first", 2047, true},
               {"second", 2000, true},
               {"second", 0, true},
               {"third", 9000, true},
               {"third", 8192, true},
               {"first", 9000, false},
               {"third", 0, false},
               {"first", 2048, false},  // an empty chunk
               {"third", 8191, false},
               {"first", 10240, true},  // past the last chunk: not known
               {"first", UINT64_MAX, true}};
  for (const auto& c : cases) {
    EXPECT_EQ(Ask(block, c.key, c.offset), c.may_match)
        << c.key << " at " << c.offset;
  }
}

TEST(BlockBasedPlacementTest, DuplicatesTakeSpaceAsInRocksDB) {
  BlockBasedFilterWriter writer(Plan(LevelDBBloomSignedTailCodec(), 10));
  FakeFilterStore store;
  for (int i = 0; i < 100; ++i) writer.Add(FilterKey("same"));
  EXPECT_EQ(writer.num_keys(), 100u);
  ASSERT_TRUE(writer.Finish(store).ok());
  ASSERT_EQ(store.filters.size(), 1u);
  EXPECT_EQ(store.filters[0].size(), 125u + 1 + 4 + 4 + 1);
}

TEST(BlockBasedPlacementTest, MalformedBlocksMayMatch) {
  const std::string chunk =
      BuildFilter(*LevelDBBloomSignedTailCodec(), 20, {"a"});
  const auto size = static_cast<uint32_t>(chunk.size());
  ASSERT_FALSE(Ask(Assemble(chunk, {0}, size, 11), "absent", 0));
  const struct {
    const char* why;
    std::string block;
  } cases[] = {
      {"no bytes", ""},
      {"shorter than its tail", std::string(4, '\0')},
      {"only a tail", Assemble("", {}, 0, 11)},
      {"offsets start in the tail", Assemble(chunk, {0}, size + 5, 11)},
      {"offsets start far away", Assemble(chunk, {0}, 0xffffffff, 11)},
      {"chunk behind the offsets", Assemble(chunk, {0, size + 4}, size, 11)},
      {"chunk ends before it starts", Assemble(chunk, {5, 3}, size, 11)},
      {"base beyond 64 bits", Assemble(chunk, {0}, size, 64)},
      {"base of 255", Assemble(chunk, {0}, size, 255)},
      {"reserved probe count",
       Assemble(chunk.substr(0, size - 1) + '\x1f', {0}, size, 11)},
  };
  for (const auto& c : cases) EXPECT_TRUE(Ask(c.block, "absent", 0)) << c.why;
}

TEST(BlockBasedPlacementTest, AnEmptyChunkMatchesNothingWhereverItPoints) {
  EXPECT_FALSE(Ask(Assemble("", {7, 7}, 0, 11), "a", 0));
  EXPECT_FALSE(Ask(Assemble("x", {0}, 1, 11), "a", 0));
}

TEST(BlockBasedPlacementTest, DamagedAndTruncatedBlocksAnswer) {
  BlockBasedFilterWriter writer(Plan(LevelDBBloomSignedTailCodec(), 10));
  FakeFilterStore store;
  for (uint64_t block = 0; block < 4; ++block) {
    writer.StartDataBlock(block * 3000);
    writer.Add(FilterKey(Numbered("key", block)));
  }
  ASSERT_TRUE(writer.Finish(store).ok());
  const std::string whole = store.filters.at(0);
  for (size_t n = 0; n < whole.size(); ++n) {
    for (uint64_t offset : {0u, 3000u, 9000u, 1u << 30}) {
      Ask(whole.substr(0, n), "key1", offset);
    }
    for (int value = 0; value < 256; ++value) {
      std::string bytes = whole;
      bytes[n] = static_cast<char>(value);
      for (uint64_t offset : {0u, 3000u, 9000u, 1u << 30}) {
        Ask(bytes, "key1", offset);
      }
    }
  }
}

}  // namespace tamis
