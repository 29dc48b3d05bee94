// SPDX-License-Identifier: Apache-2.0
//
// Compares the Bloom codecs with filters that LevelDB and RocksDB built.
#include "filter/cache_local_bloom.h"
#include "filter/fast_local_bloom.h"
#include "filter/filter_entries.h"
#include "filter/leveldb_bloom.h"
#include "tests/filter/filter_test_util.h"

namespace tamis {

namespace {

// Builds the filter of each vector, and probes RocksDB's filter with the keys
// that RocksDB probed.
void CheckFullFilters(const FilterCodec& codec, const nlohmann::json& vectors) {
  for (const auto& vector : vectors) {
    const double bits_per_key = vector["bits_per_key"].get<double>();
    const std::vector<std::string> keys = KeysOf(vector);
    SCOPED_TRACE(testing::Message()
                 << bits_per_key << " bits, " << keys.size() << " keys");
    const std::string golden = FromHex(vector["filter_hex"].get<std::string>());
    EXPECT_EQ(BuildFilter(codec, bits_per_key, keys), golden);

    const FilterView view = codec.Open(golden);
    for (const std::string& key : keys) EXPECT_TRUE(Matches(view, key));
    if (!vector.contains("probe_absent")) continue;
    size_t i = 0;
    for (const auto& matches : vector["probe_absent"]) {
      const std::string absent = Numbered("absent", i++);
      EXPECT_EQ(Matches(view, absent), matches.get<int>() != 0) << absent;
    }
  }
}

}  // namespace

TEST(BloomVectorsTest, FastLocalBloomIsRocksDBsToTheByte) {
  TAMIS_LOAD_VECTORS(vectors, "fastlocal_bloom.json");
  CheckFullFilters(*FastLocalBloomCodec(), vectors);
}

TEST(BloomVectorsTest, CacheLocalBloomIsRocksDBsToTheByte) {
  TAMIS_LOAD_VECTORS(vectors, "legacy_full_bloom.json");
  CheckFullFilters(*CacheLocalBloomCodec(), vectors);
}

TEST(BloomVectorsTest, KeysWithTheirPrefixFirstAreThoseOfRocksDB11) {
  TAMIS_LOAD_VECTORS(vectors, "fastlocal_addkeyandalt.json");
  for (const auto& vector : vectors) {
    const FilterCodec& codec =
        *(vector["format_version"].get<int>() < 5 ? CacheLocalBloomCodec()
                                                  : FastLocalBloomCodec());
    const auto& pairs = vector["key_alt_hex"];
    // Every prefix of a vector is cut at the same length.
    const std::unique_ptr<const SliceTransform> prefixes(
        NewCappedPrefixTransform(pairs[0][1].get<std::string>().size() / 2));
    FilterEntries entries({.prefixes = prefixes.get(), .prefix_first = true});
    const auto builder = codec.NewBuilder(vector["bits_per_key"].get<double>());
    size_t added = 0;
    for (const auto& pair : pairs) {
      const std::string key = FromHex(pair[0].get<std::string>());
      EXPECT_EQ(prefixes->Transform(key).ToString(true),
                Slice(FromHex(pair[1].get<std::string>())).ToString(true));
      added += entries.Add(FilterKey(key), builder.get());
    }
    EXPECT_EQ(added, vector["entries"].get<size_t>()) << pairs;
    const Result<std::string> filter = builder->Finish();
    ASSERT_TRUE(filter.ok()) << filter.status();
    EXPECT_EQ(
        Slice(*filter).ToString(true),
        Slice(FromHex(vector["filter_hex"].get<std::string>())).ToString(true))
        << pairs;
  }
}

TEST(BloomVectorsTest, LevelDBBloomIsLevelDBsToTheByte) {
  TAMIS_LOAD_VECTORS(vectors, "leveldb_bloom.json");
  CheckFullFilters(*LevelDBBloomCodec(), vectors["bloom"]);
}

TEST(BloomVectorsTest, TheFlavoursOfLevelDBBloomDifferWhereBytesAreHigh) {
  const std::vector<std::string> high = {"\xff\xfe\xfd", "\x80"};
  EXPECT_NE(BuildFilter(*LevelDBBloomCodec(), 10, high),
            BuildFilter(*LevelDBBloomSignedTailCodec(), 10, high));
  const std::vector<std::string> low = {"a", "foo", "key000001"};
  EXPECT_EQ(BuildFilter(*LevelDBBloomCodec(), 10, low),
            BuildFilter(*LevelDBBloomSignedTailCodec(), 10, low));
}

}  // namespace tamis
