// SPDX-License-Identifier: Apache-2.0
//
// Properties of every range filter codec of the registry.
#include "filter/range_filter.h"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "filter/filter_registry.h"
#include "tests/support/sorted_keys.h"
#include "util/base/random.h"
#include "util/coding/coding.h"

namespace tamis {
namespace {

std::string BigEndian(uint64_t value) {
  std::string key;
  PutFixed64(&key, __builtin_bswap64(value));
  return key;
}

// Integers of up to `bits` bits.
Keys Integers(size_t n, int bits, Random* random) {
  Keys keys;
  for (size_t i = 0; i < n; ++i) {
    keys.push_back(BigEndian(random->Next() >> (64 - bits)));
  }
  return SortedKeys(std::move(keys));
}

Keys Decimals(size_t n, Random* random) {
  Keys keys;
  for (size_t i = 0; i < n; ++i) {
    keys.push_back("user" + std::to_string(random->Next()));
  }
  return SortedKeys(std::move(keys));
}

// Few different bytes, also 0 and 255, so that keys are often prefixes or
// neighbours of others.
std::string ShortKey(Random* random) {
  static constexpr char kBytes[] = {'\0', '\1', 'a', '\xfe', '\xff'};
  std::string key(random->Uniform(6), '\0');
  for (char& c : key) c = kBytes[random->Uniform(sizeof(kBytes))];
  return key;
}

Keys ShortKeys(size_t n, Random* random) {
  Keys keys;
  for (size_t i = 0; i < n; ++i) keys.push_back(ShortKey(random));
  return SortedKeys(std::move(keys));
}

// Up to 20 bytes of any value; some continue another key.
Keys BinaryKeys(size_t n, Random* random) {
  Keys keys;
  for (size_t i = 0; i < n; ++i) {
    std::string key;
    if (!keys.empty() && random->OneIn(4)) {
      key = keys[random->Uniform(keys.size())];
    }
    for (size_t more = random->Uniform(12); more > 0; --more) {
      key.push_back(static_cast<char>(random->Next()));
    }
    keys.push_back(std::move(key));
  }
  return SortedKeys(std::move(keys));
}

std::string Build(const RangeFilterCodec& codec, double bits_per_key,
                  const Keys& keys) {
  const auto builder = codec.NewBuilder(bits_per_key);
  for (const std::string& key : keys) {
    builder->Add(key);
    builder->Add(key);  // another version
  }
  return builder->Finish();
}

class RangeFilterTest : public testing::TestWithParam<const RangeFilterCodec*> {
 protected:
  const RangeFilterCodec& codec() const { return *GetParam(); }

  // Every range that holds a key matches. Returns the number of empty ranges
  // that did not.
  size_t CheckRange(const RangeFilterView& view, const Keys& keys,
                    std::string begin, std::string end) {
    if (end < begin) std::swap(begin, end);
    if (begin == end) return 0;
    const bool holds = HoldsAny(keys, begin, end);
    const bool matches = view.MayMatch(begin, end);
    EXPECT_TRUE(matches || !holds)
        << Slice(begin).ToString(true) << " to " << Slice(end).ToString(true);
    return matches ? 0 : 1;
  }
};

TEST_P(RangeFilterTest, RangesWithKeysMatch) {
  Random random(301);
  size_t excluded = 0;
  for (int round = 0; round < 300; ++round) {
    const int bits = static_cast<int>(1 + random.Uniform(64));
    Keys keys = round % 3 == 0
                    ? Integers(random.Uniform(400) + 1, bits, &random)
                : round % 3 == 1 ? Decimals(random.Uniform(400) + 1, &random)
                                 : ShortKeys(random.Uniform(60) + 1, &random);
    const std::string filter =
        Build(codec(), 4 + static_cast<double>(random.Uniform(20)), keys);
    if (filter.empty()) continue;
    const auto copy = std::make_unique<char[]>(filter.size());
    std::ranges::copy(filter, copy.get());
    const RangeFilterView view = codec().Open(Slice(copy.get(), filter.size()));
    for (int i = 0; i < 400; ++i) {
      const auto any = [&] {
        switch (random.Uniform(3)) {
          case 0:
            return keys[random.Uniform(keys.size())];
          case 1:
            return keys[random.Uniform(keys.size())] + ShortKey(&random);
          default:
            return round % 3 == 0   ? BigEndian(random.Next() >> (64 - bits))
                   : round % 3 == 1 ? "user" + std::to_string(random.Next())
                                    : ShortKey(&random);
        }
      };
      const std::string begin = any();
      excluded += CheckRange(view, keys, begin, any());
      excluded += CheckRange(view, keys, begin, begin + "\x01");
    }
    // Around each key.
    for (const std::string& key : keys) {
      CheckRange(view, keys, key, key + std::string(1, '\0'));
      CheckRange(view, keys, "", key + std::string(1, '\0'));
      CheckRange(view, keys, key, std::string(20, '\xff'));
    }
  }
  EXPECT_GT(excluded, 1000u);
}

TEST_P(RangeFilterTest, RangesWithBinaryKeysMatch) {
  Random random(301);
  size_t excluded = 0;
  for (const size_t n : {1u, 2u, 10u, 100u, 5000u}) {
    const Keys keys = BinaryKeys(n, &random);
    for (const double bits : {5.0, 12.0, 32.0}) {
      const std::string filter = Build(codec(), bits, keys);
      if (filter.empty()) continue;
      const RangeFilterView view = codec().Open(filter);
      const auto any = [&] {
        std::string key = keys[random.Uniform(keys.size())];
        if (random.OneIn(2)) key.resize(random.Uniform(key.size() + 1));
        if (random.OneIn(2)) key.push_back(static_cast<char>(random.Next()));
        return key;
      };
      for (int i = 0; i < 20000; ++i) {
        const std::string begin = any();
        excluded += CheckRange(view, keys, begin, any());
        excluded += CheckRange(view, keys, begin, begin + ShortKey(&random));
      }
      for (size_t i = 0; i < keys.size(); ++i) {
        CheckRange(view, keys, keys[i], keys[i] + std::string(1, '\0'));
        if (i > 0) CheckRange(view, keys, keys[i - 1], keys[i]);
        if (i > 1) CheckRange(view, keys, keys[i - 2], keys[i]);
      }
    }
  }
  EXPECT_GT(excluded, 1000u);
}

TEST_P(RangeFilterTest, OneKeyOfAnySizeMatches) {
  for (const std::string& key :
       {std::string(), std::string(1, '\0'), std::string("\xff"),
        std::string(3, '\xff'), std::string(1000, 'k')}) {
    const std::string filter = Build(codec(), 12, {key});
    if (filter.empty()) continue;
    const RangeFilterView view = codec().Open(filter);
    CheckRange(view, {key}, key, key + std::string(1, '\0'));
    CheckRange(view, {key}, "", key + std::string(1, '\0'));
    CheckRange(view, {key}, key, std::string(2000, '\xff'));
  }
}

TEST_P(RangeFilterTest, LongKeysMatch) {
  Random random(301);
  Keys keys;
  for (int i = 0; i < 2000; ++i) {
    // Shared bytes of many sizes.
    std::string key(random.OneIn(10) ? 300 : 0, 'a');
    key += std::string(random.Uniform(300), 'b') + BigEndian(random.Next());
    keys.push_back(std::move(key));
  }
  keys = SortedKeys(std::move(keys));
  const std::string filter = Build(codec(), 32, keys);
  // Grafite would not tell them apart.
  EXPECT_EQ(filter.empty(), codec().name() == "Grafite");
  const RangeFilterView view = codec().Open(filter);
  for (size_t i = 1; i < keys.size(); ++i) {
    CheckRange(view, keys, keys[i], keys[i] + std::string(1, '\0'));
    CheckRange(view, keys, keys[i - 1] + std::string(1, '\0'),
               keys[i] + std::string(1, '\0'));
    CheckRange(view, keys, keys[random.Uniform(keys.size())],
               keys[random.Uniform(keys.size())]);
  }
}

TEST_P(RangeFilterTest, NoKeysMakeNoFilter) {
  EXPECT_EQ(codec().NewBuilder(16)->Finish(), "");
}

TEST_P(RangeFilterTest, MalformedBytesNeverCrash) {
  Random random(301);
  const Keys keys = Decimals(300, &random);
  const std::string whole = Build(codec(), 14, keys);
  ASSERT_FALSE(whole.empty());
  const auto probe = [&](const std::string& bytes) {
    const auto copy = std::make_unique<char[]>(bytes.size());
    std::ranges::copy(bytes, copy.get());
    const RangeFilterView view = codec().Open(Slice(copy.get(), bytes.size()));
    view.MayMatch("", "a");
    view.MayMatch("user1", "user2");
    view.MayMatch("user1234", "user12345");
    view.MayMatch(keys[7], keys[8]);
    view.MayMatch(keys[7], "z");
    (void)codec().Parameters(bytes);
  };
  for (size_t n = 0; n < whole.size(); ++n) probe(whole.substr(0, n));
  for (size_t at = 0; at < whole.size(); ++at) {
    for (const int value : {0, 1, 0x7f, 0x80, 0xff}) {
      std::string bytes = whole;
      bytes[at] = static_cast<char>(value);
      probe(bytes);
    }
  }
  for (int round = 0; round < 5000; ++round) {
    std::string bytes = whole.substr(whole.size() - 20);
    bytes.insert(0, std::string(random.Uniform(200), '\xff'));
    bytes[bytes.size() - 20] = static_cast<char>(random.Uniform(64));
    bytes[bytes.size() - 19] = 0;
    probe(bytes);
  }
}

TEST_P(RangeFilterTest, TheRegistryFindsItsFamily) {
  EXPECT_EQ(FindRangeFilterCodec(codec().family()), &codec());
  EXPECT_TRUE(codec().family().starts_with("tamis."));
  EXPECT_EQ(FindRangeFilterCodec("tamis.Unknown"), nullptr);
}

INSTANTIATE_TEST_SUITE_P(Builtin, RangeFilterTest,
                         testing::ValuesIn(RangeFilterCodecs().begin(),
                                           RangeFilterCodecs().end()),
                         [](const auto& instance) {
                           return std::string(instance.param->name());
                         });

}  // namespace
}  // namespace tamis
