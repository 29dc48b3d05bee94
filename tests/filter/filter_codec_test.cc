// SPDX-License-Identifier: Apache-2.0
//
// Properties of every codec, tested on each codec of the registry.
#include "filter/filter_codec.h"

#include <cmath>
#include <memory>

#include "filter/fast_local_bloom.h"
#include "filter/filter_registry.h"
#include "filter/leveldb_bloom.h"
#include "filter/ribbon.h"
#include "tests/filter/filter_test_util.h"
#include "util/base/random.h"
#include "util/coding/coding.h"

namespace tamis {

namespace {

enum class Shape { kDecimal, kBigEndian, kHashed, kLong, kAnyLength };
constexpr Shape kShapes[] = {Shape::kDecimal, Shape::kBigEndian, Shape::kHashed,
                             Shape::kLong, Shape::kAnyLength};

// The i-th key of a shape; all differ.
std::string KeyOf(Shape shape, uint64_t i) {
  std::string key;
  switch (shape) {
    case Shape::kDecimal:
      key = Numbered("user", 1000000000 + i);
      break;
    case Shape::kBigEndian:
      PutFixed64(&key, __builtin_bswap64(i));
      break;
    case Shape::kHashed: {
      Random random(i);
      PutFixed64(&key, random.Next());
      key.resize(9 + i % 24, static_cast<char>(random.Next()));
      break;
    }
    case Shape::kLong:
      key = std::string(100, 'p') + std::to_string(i) + std::string(33, 's');
      break;
    case Shape::kAnyLength:  // 1 byte to 1 KiB
      if (i < 256) {
        key.push_back(static_cast<char>(i));
      } else {
        PutFixed64(&key, i);
        key.resize(9 + i * 37 % 1016, '\xff');
      }
      break;
  }
  return key;
}

constexpr double kBitsPerKey[] = {1, 5.5, 10, 16, 30};

// The factor by which a codec's rate may exceed its formula, apart from chance.
struct Band {
  double factor;
  double extra;
};
Band BandOf(const FilterCodec& codec, Shape shape, size_t num_keys) {
  const bool hash64 = &codec == FastLocalBloomCodec() ||
                      &codec == RibbonCodec() ||
                      codec.family().starts_with("tamis.");
  // A small filter has as few steps from bit to bit as it has bits, and the
  // formulas are about averages of many keys.
  const double few = num_keys < 1000 ? (hash64 ? 0.03 : 0.10) : 0;
  if (hash64 || shape == Shape::kHashed) return {1.15, few};
  // Hash32 mixes poorly: patterns in keys show.
  return {4, few + 0.02};
}

// The bytes in a heap block of exactly their size, so that AddressSanitizer
// sees one byte read too far.
FilterView OpenExact(const FilterCodec& codec, const std::string& bytes,
                     std::unique_ptr<char[]>* owner) {
  *owner = std::make_unique<char[]>(bytes.size());
  std::copy(bytes.begin(), bytes.end(), owner->get());
  return codec.Open(Slice(owner->get(), bytes.size()));
}

class FilterCodecTest : public testing::TestWithParam<const FilterCodec*> {
 protected:
  const FilterCodec& codec() const { return *GetParam(); }

  void CheckSet(Shape shape, size_t num_keys, double bits_per_key) {
    SCOPED_TRACE(testing::Message()
                 << num_keys << " keys of shape " << static_cast<int>(shape)
                 << ", " << bits_per_key << " bits");
    const auto builder = codec().NewBuilder(bits_per_key);
    for (size_t i = 0; i < num_keys; ++i) {
      builder->Add(FilterKey(KeyOf(shape, i)));
    }
    // Hashes of neighbours may collide in 32 bits.
    EXPECT_GE(builder->num_keys() + 2, num_keys);
    EXPECT_LE(builder->num_keys(), num_keys);
    const size_t estimate = builder->EstimateSizeBytes();
    const Result<std::string> filter = builder->Finish();
    ASSERT_TRUE(filter.ok());
    EXPECT_EQ(filter->size(), estimate);
    EXPECT_EQ(builder->num_keys(), 0u);

    const FilterView view = codec().Open(*filter);
    for (size_t i = 0; i < num_keys; ++i) {
      ASSERT_TRUE(Matches(view, KeyOf(shape, i))) << "key " << i;
    }
    CheckRate(shape, num_keys, *filter, view);
  }

  void CheckRate(Shape shape, size_t num_keys, const Slice& filter,
                 const FilterView& view) {
    constexpr size_t kQueries = 20000;
    size_t matches = 0;
    for (size_t i = 0; i < kQueries; ++i) {
      if (Matches(view, KeyOf(shape, num_keys + 1000000 + i))) ++matches;
    }
    const double predicted =
        codec().PredictedFalsePositiveRate(filter, num_keys);
    ASSERT_GE(predicted, 0);
    ASSERT_LE(predicted, 1);
    if (num_keys == 0) {
      EXPECT_EQ(matches, 0u);
      return;
    }
    const double expected = predicted * kQueries;
    const double noise = 4 * std::sqrt(expected) + 4;  // standard deviations
    const Band band = BandOf(codec(), shape, num_keys);
    const auto measured = static_cast<double>(matches);
    EXPECT_LE(measured, band.factor * expected + band.extra * kQueries + noise);
    if (num_keys >= 1000 && band.extra == 0) {
      EXPECT_GE(measured, 0.85 * expected - noise);
    }
  }
};

TEST_P(FilterCodecTest, EveryKeyMatchesAndFewOthersDo) {
  for (Shape shape : kShapes) {
    for (size_t num_keys : {0u, 1u, 2u, 63u, 64u, 10000u}) {
      for (double bits : kBitsPerKey) CheckSet(shape, num_keys, bits);
    }
  }
}

TEST_P(FilterCodecTest, AMillionKeysMatch) {
  CheckSet(Shape::kDecimal, 1000000, 10);
}

TEST_P(FilterCodecTest, AdjacentDuplicatesCountOnce) {
  const auto builder = codec().NewBuilder(10);
  AddAll({"a", "a", "b", "b", "b", "a"}, builder.get());
  EXPECT_EQ(builder->num_keys(), 3u);
}

TEST_P(FilterCodecTest, ABuilderIsReusableAfterFinish) {
  const auto builder = codec().NewBuilder(10);
  AddAll({"first"}, builder.get());
  ASSERT_TRUE(builder->Finish().ok());
  // Not taken for a duplicate of the key before.
  AddAll({"first"}, builder.get());
  EXPECT_EQ(builder->num_keys(), 1u);
  const Result<std::string> filter = builder->Finish();
  ASSERT_TRUE(filter.ok());
  EXPECT_EQ(*filter, BuildFilter(codec(), 10, {"first"}));
}

TEST_P(FilterCodecTest, TheCodecEstimatesAsItsBuilders) {
  constexpr size_t kRibbonSegment = 16;
  for (const double bits : {0.1, 1.0, 5.5, 10.0, 17.3, 100.0}) {
    const auto builder = codec().NewBuilder(bits);
    for (size_t n = 0; n <= 3000; ++n) {
      if (n > 0) builder->Add(FilterKey(KeyOf(Shape::kDecimal, n)));
      if (n > 20 && n % 100 != 0) continue;
      const size_t estimate = codec().EstimateSizeBytes(bits, n);
      const size_t exact = builder->EstimateSizeBytes();
      EXPECT_GE(estimate, exact) << n << " keys, " << bits << " bits";
      EXPECT_LE(estimate,
                exact + (codec().name() == "Ribbon" ? kRibbonSegment : 0))
          << n << " keys, " << bits << " bits";
    }
  }
}

TEST_P(FilterCodecTest, KeysThatFitIsExact) {
  for (double bits : {0.1, 1.0, 5.5, 10.0, 17.3, 100.0, 5000.0}) {
    for (size_t bytes :
         {0u, 1u, 8u, 9u, 63u, 68u, 69u, 70u, 133u, 4096u, 65536u}) {
      SCOPED_TRACE(testing::Message() << bits << " bits, " << bytes);
      const size_t fit = codec().KeysThatFit(bits, bytes);
      ASSERT_TRUE(fit >= 1 || bytes < 69);
      const auto builder = codec().NewBuilder(bits);
      for (size_t i = 0; i < fit; ++i) {
        builder->Add(FilterKey(KeyOf(Shape::kDecimal, i)));
      }
      const size_t full = builder->EstimateSizeBytes();
      // The next one needs more room than there is.
      builder->Add(FilterKey(KeyOf(Shape::kDecimal, fit)));
      EXPECT_GT(builder->EstimateSizeBytes(), bytes);
      if (bytes >= 69) {
        EXPECT_LE(full, bytes);
      }
    }
  }
}

TEST_P(FilterCodecTest, EveryTruncationOpensAndAnswers) {
  const std::string whole =
      BuildFilter(codec(), 10, KeysFromGenerator("key%06d:0..239"));
  for (size_t n = 0; n < whole.size(); ++n) {
    std::unique_ptr<char[]> owner;
    const FilterView view = OpenExact(codec(), whole.substr(0, n), &owner);
    for (size_t i = 0; i < 20; ++i) Matches(view, Numbered("probe", i));
  }
}

TEST_P(FilterCodecTest, EveryFlippedByteOpensAndAnswers) {
  // Enough for Ribbon not to write a Bloom filter in its place.
  const std::string whole =
      BuildFilter(codec(), 10, KeysFromGenerator("key%06d:0..239"));
  for (size_t at = 0; at < whole.size(); ++at) {
    for (int value = 0; value < 256; ++value) {
      std::string bytes = whole;
      bytes[at] = static_cast<char>(value);
      std::unique_ptr<char[]> owner;
      const FilterView view = OpenExact(codec(), bytes, &owner);
      for (const char* key : {"", "a", "key000001", "absent"}) {
        Matches(view, key);
      }
      const double rate = codec().PredictedFalsePositiveRate(bytes, 240);
      EXPECT_TRUE(rate >= 0 && rate <= 1) << rate;
    }
  }
}

TEST_P(FilterCodecTest, AnswersDoNotDependOnAlignment) {
  const std::vector<std::string> keys = KeysFromGenerator("key%06d:0..239");
  const std::string filter = BuildFilter(codec(), 10, keys);
  for (size_t shift = 0; shift < 9; ++shift) {
    const std::string moved = std::string(shift, 'x') + filter;
    const FilterView view =
        codec().Open(Slice(moved.data() + shift, filter.size()));
    for (const std::string& key : keys) EXPECT_TRUE(Matches(view, key));
  }
}

TEST_P(FilterCodecTest, RandomBytesNeverCrash) {
  constexpr uint64_t kSeed = 301;
  Random random(kSeed);
  for (int round = 0; round < 20000; ++round) {
    std::string bytes(random.Uniform(200), '\0');
    for (char& c : bytes) c = static_cast<char>(random.Next());
    if (bytes.size() > 5 && round % 2 == 0) {
      // A marker that is in use, and a middling number of Ribbon's blocks.
      constexpr std::string_view kMarkers = "\xff\xfe\xf0\xef\xee\xed";
      const char marker =
          kMarkers[static_cast<size_t>(round / 2) % kMarkers.size()];
      bytes[bytes.size() - 5] = marker;
      bytes[bytes.size() - 2] = bytes.back() = '\0';
      if (marker != '\xff' && marker != '\xfe') {
        bytes[bytes.size() - 4] = bytes[bytes.size() - 3] = '\0';
      }
    }
    std::unique_ptr<char[]> owner;
    const FilterView view = OpenExact(codec(), bytes, &owner);
    Matches(view, "key");
    Matches(view, "\xff\x80");
  }
}

INSTANTIATE_TEST_SUITE_P(Builtin, FilterCodecTest,
                         testing::ValuesIn(BuiltinCodecs().begin(),
                                           BuiltinCodecs().end()),
                         [](const auto& instance) {
                           return std::string(instance.param->name());
                         });

TEST(LevelDBBloomTest, ReservedProbeCountsAlwaysMatch) {
  std::string filter = BuildFilter(*LevelDBBloomCodec(), 10, {"a"});
  filter.back() = 30;
  EXPECT_FALSE(Matches(LevelDBBloomCodec()->Open(filter), "absent"));
  filter.back() = 31;
  EXPECT_TRUE(Matches(LevelDBBloomCodec()->Open(filter), "absent"));
  EXPECT_EQ(LevelDBBloomCodec()->PredictedFalsePositiveRate(filter, 1), 1);
}

TEST(LevelDBBloomTest, FewerThanTwoBytesHoldNoKey) {
  EXPECT_FALSE(Matches(LevelDBBloomCodec()->Open(""), "a"));
  EXPECT_FALSE(Matches(LevelDBBloomCodec()->Open("\x06"), "a"));
}

}  // namespace
}  // namespace tamis
