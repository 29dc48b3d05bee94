// SPDX-License-Identifier: Apache-2.0
#include "filter/key_numbers.h"

#include "filter/bit_select.h"
#include "util/base/uint128.h"

namespace tamis {

namespace {

// The bytes that keys have at one position, and whether a key ends before it,
// in stored form:
//
//   | u64 weight | u64 x 4: bytes seen | u8 1 if a key ends, else 0 |
//
// A key's number is the sum of digit times weight.
class Alphabet {
 public:
  explicit Alphabet(const char* bytes) : bytes_(bytes) {}

  uint64_t weight() const { return DecodeFixed64(bytes_); }
  bool has_end() const { return bytes_[KeyNumbers::kPositionBytes - 1] != 0; }
  bool Has(uint8_t byte) const {
    return (Word(byte / 64) >> (byte % 64) & 1) != 0;
  }
  // Returns the number of digits below that of the byte.
  uint64_t RankOf(uint8_t byte) const {
    uint64_t rank = has_end() ? 1 : 0;
    for (size_t i = 0; i < byte / 64u; ++i) rank += CountBits(Word(i));
    return rank + CountBitsBelow(Word(byte / 64), byte % 64);
  }

 private:
  uint64_t Word(size_t i) const {
    return DecodeFixed64(bytes_ + (i + 1) * sizeof(uint64_t));
  }

  const char* const bytes_;
};

}  // namespace

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

// The smallest number of the keys that are not below a key.
struct KeyNumberReader::Bound {
  Uint128 number;
  // Whether keys below that key may have the number, too.
  bool is_shared;
};

KeyNumberReader::Bound KeyNumberReader::BoundOf(const Slice& key) const {
  const Slice rest(key.data() + prefix_.size(), key.size() - prefix_.size());
  const size_t count = positions_.size() / KeyNumbers::kPositionBytes;
  Uint128 number = 0;
  for (size_t i = 0; i < count; ++i) {
    const Alphabet alphabet(positions_.data() + i * KeyNumbers::kPositionBytes);
    if (i < rest.size()) {
      const auto byte = static_cast<uint8_t>(rest[i]);
      number += Uint128{alphabet.RankOf(byte)} * alphabet.weight();
      // No key has this byte here: the next larger key has a larger one, and
      // after it the smallest digits.
      if (!alphabet.Has(byte)) return {number, false};
    } else if (!alphabet.has_end()) {
      return {number, false};
    }
  }
  return {number, rest.size() > count};
}

std::optional<KeyNumberReader::Range> KeyNumberReader::Between(
    const Slice& begin, const Slice& end) const {
  Uint128 first = 0;
  Uint128 last = UINT64_MAX;
  if (begin.starts_with(prefix_)) {
    first = BoundOf(begin).number;
  } else if (begin.compare(prefix_) > 0) {
    return std::nullopt;
  }
  if (end.starts_with(prefix_)) {
    const Bound bound = BoundOf(end);
    last = bound.number;
    if (!bound.is_shared) {
      if (last == 0) return std::nullopt;
      --last;
    }
  } else if (end.compare(prefix_) < 0) {
    return std::nullopt;
  }
  last = std::min(last, Uint128{UINT64_MAX});  // malformed bytes exceed it
  if (first > last) return std::nullopt;
  return Range{static_cast<uint64_t>(first), static_cast<uint64_t>(last)};
}

}  // namespace tamis
