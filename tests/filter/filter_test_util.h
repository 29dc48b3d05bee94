// SPDX-License-Identifier: Apache-2.0
//
// Sets of keys, and helpers that build one filter from them.
#pragma once

#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "filter/filter_codec.h"
#include "tests/util/coding/vectors.h"

namespace tamis {

// "key%06d:0..N" of the vectors: key000000 to key00000N.
inline std::vector<std::string> KeysFromGenerator(const std::string& rule) {
  const size_t percent = rule.find("%06d:0..");
  EXPECT_NE(percent, std::string::npos) << rule;
  const int last = std::atoi(rule.c_str() + percent + 8);
  std::vector<std::string> keys;
  for (int i = 0; i <= last; ++i) {
    char digits[16];
    std::snprintf(digits, sizeof(digits), "%06d", i);
    keys.push_back(rule.substr(0, percent) + digits);
  }
  return keys;
}

// "absent" and 7: "absent7".
inline std::string Numbered(const char* name, size_t i) {
  return std::string(name).append(std::to_string(i));
}

// The keys of a vector, listed or by rule.
inline std::vector<std::string> KeysOf(const nlohmann::json& vector) {
  if (vector.contains("keygen")) {
    return KeysFromGenerator(vector["keygen"].get<std::string>());
  }
  std::vector<std::string> keys;
  for (const auto& hex : vector["keys_hex"]) {
    keys.push_back(FromHex(hex.get<std::string>()));
  }
  return keys;
}

inline void AddAll(const std::vector<std::string>& keys, FilterBuilder* to) {
  for (const std::string& key : keys) to->Add(FilterKey(key));
}

inline std::string BuildFilter(const FilterCodec& codec, double bits_per_key,
                               const std::vector<std::string>& keys) {
  const auto builder = codec.NewBuilder(bits_per_key);
  AddAll(keys, builder.get());
  Result<std::string> filter = builder->Finish();
  EXPECT_TRUE(filter.ok()) << filter.status().ToString();
  return std::move(filter).value();
}

// Lower case.
inline std::string ToHex(const std::string& bytes) {
  std::string hex;
  for (const char c : bytes) {
    char digits[3];
    std::snprintf(digits, sizeof(digits), "%02x", static_cast<uint8_t>(c));
    hex += digits;
  }
  return hex;
}

inline bool Matches(const FilterView& view, const std::string& key) {
  return view.MayMatch(FilterKey(key));
}

// A view of a block of exactly the filter's size, so that AddressSanitizer sees
// one byte read too far.
class ExactView {
 public:
  ExactView(const FilterCodec& codec, const std::string& filter)
      : bytes_(std::make_unique<char[]>(filter.size())) {
    std::ranges::copy(filter, bytes_.get());
    view_ = codec.Open(Slice(bytes_.get(), filter.size()));
  }
  const FilterView& operator*() const { return view_; }
  // The same with another probe.
  FilterView With(FilterView::Probe probe) const {
    return FilterView(probe, view_.bytes(), view_.state<ViewState>());
  }

 private:
  std::unique_ptr<char[]> bytes_;
  FilterView view_ = FilterView::AlwaysMatch();
};

// Returns how many of the keys "probe0", "probe1", ... match, each prefetched
// first.
inline size_t MatchesOf(const FilterCodec& codec, const std::string& filter,
                        size_t keys) {
  const ExactView view(codec, filter);
  size_t matches = 0;
  for (size_t i = 0; i < keys; ++i) {
    const std::string key = Numbered("probe", i);
    (*view).PrefetchFor(FilterKey(key));
    if (Matches(*view, key)) ++matches;
  }
  return matches;
}

}  // namespace tamis
