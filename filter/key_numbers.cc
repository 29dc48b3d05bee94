// SPDX-License-Identifier: Apache-2.0
#include "filter/key_numbers.h"

#include "filter/bit_select.h"
#include "util/base/uint128.h"

namespace tamis {

void SortedKeys::Add(const Slice& key) {
  const size_t shared = count_ == 0 ? 0 : SharedPrefixLength(last_, key);
  if (count_ == 0) {
    prefix_ = key.ToString();
    shortest_ = longest_ = key.size();
  } else if (shared < prefix_.size()) {
    ShortenPrefix(shared);
  }
  shortest_ = std::min(shortest_, key.size());
  longest_ = std::max(longest_, key.size());
  // Later bytes never count: the prefix only becomes shorter.
  const size_t end = std::min(key.size(), prefix_.size() + kNumberPositionsMax);
  const size_t begin = std::min(shared, end);
  const char* const rest = key.data() + begin;
  char sizes[2 * kMaxVarint32Bytes];
  char* const sizes_end =
      EncodeVarint64(EncodeVarint64(sizes, begin), end - begin);
  bytes_.append(sizes, static_cast<size_t>(sizes_end - sizes));
  bytes_.append(rest, end - begin);
  for (size_t i = std::max(begin, prefix_.size()); i < end; ++i) {
    seen_[i - prefix_.size()].Add(key[i]);
  }
  last_.resize(shared);
  last_.append(key.data() + shared, key.size() - shared);
  ++count_;
}

void SortedKeys::ShortenPrefix(size_t size) {
  // All keys have the same bytes up to the end of the old prefix.
  const size_t more = std::min(prefix_.size() - size, seen_.size());
  std::move_backward(seen_.begin(), seen_.end() - static_cast<ptrdiff_t>(more),
                     seen_.end());
  for (size_t i = 0; i < more; ++i) {
    seen_[i] = SeenBytes();
    seen_[i].Add(prefix_[size + i]);
  }
  prefix_.resize(size);
}

KeyNumbers::KeyNumbers(const SortedKeys& keys)
    : shortest_(std::min(keys.shortest_rest(), kNumberPositionsMax)) {
  const size_t most =
      std::clamp<size_t>(keys.longest_rest(), 1, kNumberPositionsMax);
  Uint128 numbers = 1;
  for (size_t i = 0; i < most; ++i) {
    const SeenBytes& seen = keys.seen(i);
    uint64_t digits = i >= shortest_ ? 1 : 0;
    for (const uint64_t word : seen.words) digits += CountBits(word);
    // Positions count as long as their numbers fit.
    if (numbers * digits > Uint128{1} << 64) break;
    numbers *= digits;
    for (uint64_t& weight : weights_) weight *= digits;
    weights_.push_back(1);
    seen_.push_back(seen);
    std::array<uint16_t, 256> ranks{};
    uint16_t rank = i >= shortest_ ? 1 : 0;
    for (size_t byte = 0; byte < 256; ++byte) {
      ranks[byte] = rank;
      if (seen.Has(static_cast<uint8_t>(byte))) ++rank;
    }
    ranks_.push_back(ranks);
  }
}

std::vector<uint64_t> KeyNumbers::Of(const SortedKeys& keys) const {
  std::vector<uint64_t> values;
  values.reserve(keys.count());
  // sums[i] is the sum for the first i digits of the current key.
  std::array<uint64_t, kNumberPositionsMax + 1> sums{};
  keys.ForEach([&](size_t shared, const Slice& rest) {
    const size_t end = std::min(shared + rest.size(), positions());
    size_t i = shared;
    for (; i < end; ++i) {
      const auto byte = static_cast<uint8_t>(rest[i - shared]);
      sums[i + 1] = sums[i] + ranks_[i][byte] * weights_[i];
    }
    // The digit of a key's end is 0.
    for (; i < positions(); ++i) sums[i + 1] = sums[i];
    const uint64_t number = sums[positions()];
    if (values.empty() || values.back() != number) values.push_back(number);
  });
  return values;
}

void KeyNumbers::AppendTo(std::string* out) const {
  for (size_t i = 0; i < positions(); ++i) {
    PutFixed64(out, weights_[i]);
    for (const uint64_t word : seen_[i].words) PutFixed64(out, word);
    out->push_back(i >= shortest_ ? '\1' : '\0');
  }
}

}  // namespace tamis
