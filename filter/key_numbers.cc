// SPDX-License-Identifier: Apache-2.0
#include "filter/key_numbers.h"

#include "util/base/uint128.h"

namespace tamis {

KeyNumbers::KeyNumbers(const SortedKeys& keys) {
  const size_t most =
      std::clamp<size_t>(keys.longest_rest(), 1, kNumberPositionsMax);
  std::vector<std::bitset<256>> seen(most);
  size_t shortest = most;
  keys.ForEach([&](const Slice& rest, size_t shared) {
    for (size_t i = shared; i < std::min(rest.size(), most); ++i) {
      seen[i].set(static_cast<uint8_t>(rest[i]));
    }
    shortest = std::min(shortest, rest.size());
  });
  Take(seen, shortest);
}

std::vector<uint64_t> KeyNumbers::Of(const SortedKeys& keys) const {
  std::vector<uint64_t> values;
  values.reserve(keys.count());
  // Of the first i digits of the current key.
  std::vector<uint64_t> sums(positions() + 1);
  keys.ForEach([&](const Slice& rest, size_t shared) {
    for (size_t i = std::min(shared, positions()); i < positions(); ++i) {
      const uint64_t digit =
          i < rest.size() ? ranks_[i][static_cast<uint8_t>(rest[i])] : 0;
      sums[i + 1] = sums[i] + digit * weights_[i];
    }
    if (values.empty() || values.back() != sums.back()) {
      values.push_back(sums.back());
    }
  });
  return values;
}

void KeyNumbers::AppendTo(std::string* out) const {
  for (size_t i = 0; i < positions(); ++i) {
    PutFixed64(out, weights_[i]);
    for (size_t word = 0; word < 4; ++word) {
      uint64_t bits = 0;
      for (size_t bit = 0; bit < 64; ++bit) {
        bits |= uint64_t{seen_[i][word * 64 + bit]} << bit;
      }
      PutFixed64(out, bits);
    }
    out->push_back(i >= shortest_ ? '\1' : '\0');
  }
}

void KeyNumbers::Take(const std::vector<std::bitset<256>>& seen,
                      size_t shortest) {
  shortest_ = shortest;
  Uint128 numbers = 1;
  for (size_t i = 0; i < seen.size(); ++i) {
    const uint64_t digits = seen[i].count() + (i >= shortest ? 1 : 0);
    if (numbers * digits > Uint128{1} << 64) break;
    numbers *= digits;
    for (uint64_t& weight : weights_) weight *= digits;
    weights_.push_back(1);
    seen_.push_back(seen[i]);
    std::array<uint16_t, 256> ranks{};
    uint16_t rank = i >= shortest ? 1 : 0;
    for (size_t byte = 0; byte < 256; ++byte) {
      ranks[byte] = rank;
      if (seen[i][byte]) ++rank;
    }
    ranks_.push_back(ranks);
  }
}

}  // namespace tamis
