// SPDX-License-Identifier: Apache-2.0
//
// Compares Ribbon filters with those that RocksDB built.
#include "filter/ribbon.h"
#include "tests/filter/filter_test_util.h"
#include "tests/filter/sha256.h"

namespace tamis {

TEST(RibbonVectorsTest, RibbonIsRocksDBsToTheByte) {
  TAMIS_LOAD_VECTORS(vectors, "ribbon.json");
  int other_seeds = 0;
  int bloom_filters = 0;
  for (const auto& vector : vectors) {
    const double bits_per_key = vector["bits_per_key"].get<double>();
    const std::vector<std::string> keys = KeysOf(vector);
    SCOPED_TRACE(testing::Message() << bits_per_key << " bits, "
                                    << vector["keygen"].get<std::string>());
    const std::string golden = FromHex(vector["filter_hex"].get<std::string>());
    const auto builder = RibbonCodec()->NewBuilder(bits_per_key);
    AddAll(keys, builder.get());
    EXPECT_EQ(builder->EstimateSizeBytes(), golden.size());
    const Result<std::string> filter = builder->Finish();
    ASSERT_TRUE(filter.ok());
    EXPECT_EQ(Slice(*filter).ToString(true), Slice(golden).ToString(true));

    const FilterView view = RibbonCodec()->Open(golden);
    for (const std::string& key : keys) EXPECT_TRUE(Matches(view, key));
    const auto& probed = vector.contains("probe_absent")
                             ? vector["probe_absent"]
                             : nlohmann::json::array();
    for (size_t i = 0; i < probed.size(); ++i) {
      const std::string absent = Numbered("absent", i);
      EXPECT_EQ(Matches(view, absent), probed[i].get<int>() != 0) << absent;
    }
    if (vector.contains("final_seed")) ++other_seeds;
    if (golden[golden.size() - 5] == '\xff') ++bloom_filters;
  }
  EXPECT_EQ(vectors.size(), 30u);
  EXPECT_EQ(other_seeds, 8);
  EXPECT_EQ(bloom_filters, 3);
}

TEST(RibbonVectorsTest, LargeFiltersHaveTheRecordedDigest) {
  ASSERT_EQ(Sha256Hex("abc"),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  TAMIS_LOAD_VECTORS(vectors, "ribbon_large.json");
  for (const auto& vector : vectors) {
    const auto rule = vector["keygen"].get<std::string>();
    const std::string filter =
        BuildFilter(*RibbonCodec(), vector["bits_per_key"].get<double>(),
                    KeysFromGenerator(rule));
    EXPECT_EQ(filter.size(), vector["filter_len"].get<size_t>()) << rule;
    EXPECT_EQ(
        Slice(filter.data() + filter.size() - 5, 5).ToString(true),
        Slice(FromHex(vector["trailer_hex"].get<std::string>())).ToString(true))
        << rule;
    EXPECT_EQ(Sha256Hex(filter), vector["sha256"].get<std::string>()) << rule;
  }
  EXPECT_EQ(vectors.size(), 4u);
}

}  // namespace tamis
