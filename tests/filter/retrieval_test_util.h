// SPDX-License-Identifier: Apache-2.0
//
// Helpers for the filters that end in the trailer of filter/retrieval_codec.h,
// and for what all of those promise.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "filter/retrieval_codec.h"
#include "tests/filter/filter_test_util.h"
#include "util/coding/coding.h"

namespace tamis {

inline std::vector<std::string> Users(size_t count) {
  std::vector<std::string> keys;
  for (size_t i = 0; i < count; ++i) keys.push_back(Numbered("user", i));
  return keys;
}

inline uint8_t MarkerOf(const std::string& filter) {
  return static_cast<uint8_t>(filter[filter.size() - 5]);
}
inline uint8_t SeedOf(const std::string& filter) {
  return static_cast<uint8_t>(filter[filter.size() - 6]);
}
inline uint32_t ResultBitsOf(const std::string& filter) {
  return DecodeFixed16(filter.data() + filter.size() - 8);
}
// The same in whole bits.
inline int BitsOf(const std::string& filter) {
  return static_cast<int>(ResultBitsOf(filter) / 256);
}

inline void ExpectAllMatch(const FilterCodec& codec, const std::string& filter,
                           const std::vector<std::string>& keys) {
  const FilterView view = codec.Open(filter);
  for (const std::string& key : keys) {
    ASSERT_TRUE(Matches(view, key)) << Slice(key).ToString(true);
  }
}

// Trailers that contradict the body, as pairs of a place in the trailer and a
// byte, make every key match. Any seed can be read; with another one, fewer
// than `matches` of 1000 keys match by chance.
inline void ExpectContradictionsAlwaysMatch(
    const FilterCodec& codec, const std::string& filter,
    const std::vector<std::pair<size_t, int>>& contradictions, size_t matches) {
  const size_t body = filter.size() - kRetrievalTrailerBytes;
  const auto changed = [&](size_t at, int value) {
    std::string bytes = filter;
    bytes[body + at] = static_cast<char>(value);
    return bytes;
  };
  for (const auto& [at, value] : contradictions) {
    const std::string bytes = changed(at, value);
    EXPECT_EQ(MatchesOf(codec, bytes, 100), 100u) << at;
    EXPECT_EQ(codec.PredictedFalsePositiveRate(bytes, 9), 1);
    EXPECT_EQ(codec.Parameters(bytes), "");
  }
  for (int seed = 1; seed < 256; ++seed) {
    EXPECT_LT(MatchesOf(codec, changed(10, seed), 1000), matches) << seed;
  }
}

// Equal hashes do not peel, so that the next seed gets them without duplicates.
// Returns the filter of 2000 keys that come twice; fewer than `matches` of
// 10000 absent keys match.
inline std::string ExpectDuplicatesTakeAnotherSeed(const FilterCodec& codec,
                                                   size_t matches) {
  const std::vector<std::string> once = Users(2000);
  std::vector<std::string> keys = {"a", "b", "a", "c", "a"};
  keys.insert(keys.end(), once.begin(), once.end());
  keys.insert(keys.end(), once.begin(), once.end());
  std::string filter = BuildFilter(codec, 10, keys);
  EXPECT_GT(SeedOf(filter), 0);
  ExpectAllMatch(codec, filter, keys);
  EXPECT_LT(MatchesOf(codec, filter, 10000), matches);
  return filter;
}

// The order of the keys does not show in the filter.
inline void ExpectOrderDoesNotMatter(const FilterCodec& codec,
                                     std::vector<std::string> keys) {
  const std::string filter = BuildFilter(codec, 10, keys);
  std::ranges::reverse(keys);
  EXPECT_EQ(BuildFilter(codec, 10, keys), filter);
}

}  // namespace tamis
