// SPDX-License-Identifier: Apache-2.0
#include "util/coding/hash.h"

#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/util/coding/vectors.h"

namespace tamis {
namespace {

std::string Input(size_t n) {
  std::string bytes(n, '\0');
  for (size_t i = 0; i < n; ++i) {
    bytes[i] = static_cast<char>((131 * i + 7 * (i >> 3) + 17) & 0xff);
  }
  return bytes;
}

TEST(HashTest, Hash64MatchesTheFormatPage) {
  const struct {
    size_t length;
    uint64_t hash;
  } kCases[] = {
      {0, 0x5342c3010fe1dd04},    {1, 0xfd66d68f61003b75},
      {2, 0x084e8302b8cf9b30},    {3, 0x8a3c14ab00d01512},
      {4, 0xcfe0d09d3ba5269b},    {7, 0x1c6e06f9e95ee58d},
      {8, 0xaed89557b5c14ace},    {9, 0x9b319822ab6103b4},
      {15, 0xdcd5ae5659330ced},   {16, 0x3bfabab14e8b4b24},
      {17, 0xedc05097d00fcc0c},   {32, 0xc0d69c8c6b4f6cdc},
      {33, 0x273bec2ba6ac0837},   {64, 0xa827eb1e1e337caf},
      {65, 0x96fea7545e397115},   {96, 0xdc2dcaa8c4a111a2},
      {97, 0x1fccaa4d596f0cae},   {128, 0x46581be590e04e28},
      {129, 0xa32a24f88552b237},  {192, 0x03896a419742ea33},
      {240, 0x567eeb1179e0e90f},  {241, 0xbff7bf68f4b8e8c4},
      {256, 0x4ab68f2d93429e70},  {1023, 0x24ca8f4848130e6e},
      {1024, 0xe4c30dc39536ffc5}, {1025, 0xb71b77fe932ba9a9},
      {1088, 0x42b0b8469210af85}, {2048, 0x88288862cdca03bc},
      {4096, 0x4269857ce2151eb5},
  };
  for (const auto& c : kCases) {
    const std::string input = Input(c.length);
    EXPECT_EQ(Hash64(input), c.hash) << "length " << c.length;
  }
  EXPECT_EQ(Hash64("key000000"), 0xc42dc166a6dd1c90);
  EXPECT_EQ(Hash64("0123456789abcdefg"), 0x1de5bab5896cd852);
}

TEST(HashTest, Hash64AgreesWithRecordedVectorsUnderEverySeed) {
  TAMIS_LOAD_VECTORS(vectors, "xxph3_hash64.json");
  for (const auto& row : vectors["hash64_by_length"]) {
    const std::string input = Input(row["len"].get<size_t>());
    for (const auto& [name, value] : row.items()) {
      if (!name.starts_with("seed_")) continue;
      const uint64_t seed = FromHexNumber(name.substr(5));
      EXPECT_EQ(Hash64(input.data(), input.size(), seed),
                FromHexNumber(value.get<std::string>()))
          << "length " << input.size() << ", " << name;
    }
  }
  for (const auto& row : vectors["hash64_strings"]) {
    const std::string key = FromHex(row["key_hex"].get<std::string>());
    EXPECT_EQ(Hash64(key), FromHexNumber(row["hash64"].get<std::string>()));
  }
}

TEST(HashTest, Hash32AgreesWithRecordedVectorsInBothFlavours) {
  TAMIS_LOAD_VECTORS(vectors, "hash32.json");
  const struct {
    const char* field;
    uint32_t seed;
    Hash32Flavor flavor;
  } kColumns[] = {
      {"rocksdb_bloom_seed_bc9f1d34", kBloomHash32Seed,
       Hash32Flavor::kSignedTail},
      {"leveldb_bloom_seed_bc9f1d34", kBloomHash32Seed,
       Hash32Flavor::kUnsignedTail},
      {"rocksdb_data_block_hash_seed_397", kDataBlockHash32Seed,
       Hash32Flavor::kSignedTail},
  };
  for (const auto& row : vectors) {
    const std::string key = FromHex(row["key_hex"].get<std::string>());
    for (const auto& column : kColumns) {
      EXPECT_EQ(Hash32(key.data(), key.size(), column.seed, column.flavor),
                FromHexNumber(row[column.field].get<std::string>()))
          << row["key_hex"] << " " << column.field;
    }
  }
}

TEST(HashTest, Hash32FlavoursDifferOnlyInTailBytesAbove7f) {
  const auto hash = [](const std::string& key, Hash32Flavor flavor) {
    return Hash32(key.data(), key.size(), kBloomHash32Seed, flavor);
  };
  for (const char* key : {"", "a", "ab", "abc", "\xff\xff\xff\xff"}) {
    EXPECT_EQ(hash(key, Hash32Flavor::kSignedTail),
              hash(key, Hash32Flavor::kUnsignedTail));
  }
  for (const char* key : {"\x80", "a\xff", "abcd\xfe"}) {
    EXPECT_NE(hash(key, Hash32Flavor::kSignedTail),
              hash(key, Hash32Flavor::kUnsignedTail));
  }
}

}  // namespace
}  // namespace tamis
