// SPDX-License-Identifier: Apache-2.0
#include "filter/filter_registry.h"

#include <set>

#include "filter/cache_local_bloom.h"
#include "filter/fast_local_bloom.h"
#include "filter/leveldb_bloom.h"
#include "filter/ribbon.h"
#include "tests/filter/filter_test_util.h"

namespace tamis {

namespace {

const FilterLocator kBuiltinFull{FilterPlacement::kFull,
                                 std::string(kBuiltinBloomFamily)};

FilterLocator BlockBased(const std::string& family) {
  return {FilterPlacement::kBlockBased, family};
}

}  // namespace

TEST(FilterRegistryTest, BytesDecideAsInRocksDB) {
  TAMIS_LOAD_VECTORS(vectors, "filter_dispatch.json");
  for (const auto& vector : vectors) {
    const auto why = vector["why"].get<std::string>();
    const std::string filter = FromHex(vector["filter_hex"].get<std::string>());
    const FilterView view = OpenFilter(kBuiltinFull, filter);
    int matches = 0;
    for (size_t i = 0; i < 64; ++i) {
      if (Matches(view, Numbered("k", i))) ++matches;
    }
    EXPECT_EQ(matches, vector["matches_of_64"].get<int>()) << why;
  }
}

TEST(FilterRegistryTest, MetaindexKeysRoundTrip) {
  const struct {
    FilterPlacement placement;
    const char* key;
  } cases[] = {
      {FilterPlacement::kBlockBased, "filter.rocksdb.BuiltinBloomFilter"},
      {FilterPlacement::kFull, "fullfilter.rocksdb.BuiltinBloomFilter"},
      {FilterPlacement::kPartitioned,
       "partitionedfilter.rocksdb.BuiltinBloomFilter"}};
  for (const auto& c : cases) {
    EXPECT_EQ(MetaindexKey(c.placement, kBuiltinBloomFamily), c.key);
    const auto parsed = ParseMetaindexKey(c.key);
    ASSERT_TRUE(parsed.has_value()) << c.key;
    EXPECT_EQ(parsed->placement, c.placement);
    EXPECT_EQ(parsed->family, kBuiltinBloomFamily);
  }
}

TEST(FilterRegistryTest, OtherMetaindexKeysAreNoFilters) {
  for (const char* key : {"", "filter", "fullfilter", "rocksdb.properties",
                          "rocksdb.index", "Filter.x", "xfilter.y"}) {
    EXPECT_FALSE(ParseMetaindexKey(key).has_value()) << key;
  }
}

TEST(FilterRegistryTest, TheNameDecidesTheHashOfABlockBasedFilter) {
  const std::string chunk = BuildFilter(*LevelDBBloomCodec(), 10, {"a"});
  EXPECT_EQ(FindCodec(BlockBased("leveldb.BuiltinBloomFilter2"), chunk),
            LevelDBBloomCodec());
  EXPECT_EQ(FindCodec(BlockBased("leveldb.BuiltinBloomFilter"), chunk),
            LevelDBBloomSignedTailCodec());
  EXPECT_EQ(FindCodec(BlockBased("rocksdb.BuiltinBloomFilter"), chunk),
            LevelDBBloomSignedTailCodec());
}

TEST(FilterRegistryTest, NamesOfEarlySevenPointZeroAreKnownEverywhere) {
  const std::string full = BuildFilter(*FastLocalBloomCodec(), 10, {"a"});
  for (const char* family :
       {"bloomfilter", "ribbonfilter", "rocksdb.internal.LegacyBloomFilter",
        "rocksdb.internal.FastLocalBloomFilter",
        "rocksdb.internal.Standard128RibbonFilter",
        "rocksdb.internal.DeprecatedBlockBasedBloomFilter"}) {
    EXPECT_EQ(FindCodec({FilterPlacement::kFull, family}, full),
              FastLocalBloomCodec());
    EXPECT_EQ(FindCodec({FilterPlacement::kPartitioned, family}, full),
              FastLocalBloomCodec());
    EXPECT_EQ(FindCodec(BlockBased(family), full),
              LevelDBBloomSignedTailCodec());
  }
}

TEST(FilterRegistryTest, AnUnknownFamilyAlwaysMatches) {
  for (const FilterLocator& where :
       {FilterLocator{FilterPlacement::kFull, "somebody.Else"},
        FilterLocator{FilterPlacement::kFull, ""},
        FilterLocator{FilterPlacement::kFull, "leveldb.BuiltinBloomFilter2"},
        BlockBased("somebody.Else")}) {
    // Also where the bytes would mean "no key" under a name we know.
    for (const char* bytes : {"", "a", "12345", "1234567890"}) {
      EXPECT_EQ(FindCodec(where, bytes), nullptr) << where.family;
      EXPECT_TRUE(Matches(OpenFilter(where, bytes), "a")) << where.family;
    }
    EXPECT_FALSE(FilterOpener(where).known());
  }
}

TEST(FilterRegistryTest, FiveBytesOrFewerHoldNoKeyInAFullFilter) {
  for (size_t n = 0; n <= 5; ++n) {
    for (char byte : {'\x00', '\x06', '\xff', '\xfe'}) {
      const std::string filter(n, byte);
      EXPECT_FALSE(Matches(OpenFilter(kBuiltinFull, filter), "a")) << n;
      EXPECT_FALSE(Matches(OpenFilter({FilterPlacement::kPartitioned,
                                       std::string(kBuiltinBloomFamily)},
                                      filter),
                           "a"))
          << n;
    }
  }
}

TEST(FilterRegistryTest, EveryMarkerGivesItsCodecOrAlwaysMatches) {
  for (int marker = -128; marker < 128; ++marker) {
    std::string filter(64 + 5, '\0');
    filter[64] = static_cast<char>(marker);
    filter[64 + 2] = 6;  // FastLocalBloom's probes
    if (marker > 0) {
      filter[64 + 1] = 1;  // one legacy line
      filter[64 + 2] = 0;
    }
    const FilterCodec* const codec = FindCodec(kBuiltinFull, filter);
    const bool may_match = Matches(OpenFilter(kBuiltinFull, filter), "a");
    if (marker > 0) {
      EXPECT_EQ(codec, CacheLocalBloomCodec()) << marker;
      EXPECT_FALSE(may_match) << marker;
    } else if (marker == -1) {
      EXPECT_EQ(codec, FastLocalBloomCodec());
      EXPECT_FALSE(may_match);
    } else if (marker == -2) {
      EXPECT_EQ(codec, RibbonCodec());  // with too many blocks for its bytes
    } else {
      EXPECT_EQ(codec, nullptr) << marker;
      EXPECT_TRUE(may_match) << marker;
    }
  }
}

TEST(FilterRegistryTest, EveryCodecHasItsOwnName) {
  std::set<std::string_view> names;
  for (const FilterCodec* codec : BuiltinCodecs()) names.insert(codec->name());
  EXPECT_EQ(names.size(), BuiltinCodecs().size());
}

}  // namespace tamis
