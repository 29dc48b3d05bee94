// SPDX-License-Identifier: Apache-2.0
//
// Finds the numbers that the keys of a range may have (key_numbers.h), for a
// probe. For each position, a filter stores the bytes that keys have there, and
// whether a key ends there or before:
//
//   | u64 weight | u64 x 4: bytes seen | u8 1 if a key ends, else 0 |
//
// A key's number is the sum of its digits, each multiplied by the weight of its
// position.
//
// No branch depends on the value of a byte, because such a branch would be
// mispredicted at most positions of binary keys.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "tamis/slice.h"

#include "filter/bit_select.h"
#include "filter/key_numbers.h"
#include "util/base/uint128.h"
#include "util/coding/coding.h"
#include "util/coding/shared_prefix.h"

namespace tamis {

// Reads one position. Any bytes are safe to read.
class StoredPosition {
 public:
  // REQUIRES: kNumberPositionBytes can be read at `bytes`.
  explicit StoredPosition(const char* bytes) : bytes_(bytes) {}

  uint64_t weight() const { return DecodeFixed64(bytes_); }
  // Returns whether a key ends at this position or before.
  bool has_end() const { return bytes_[kNumberPositionBytes - 1] != 0; }

  struct Digit {
    uint64_t rank;  // number of digits below the byte's digit
    bool is_seen;   // whether a key has the byte at this position
  };
  template <BitCount kCount>
  __attribute__((always_inline)) Digit DigitOf(uint8_t byte) const {
    // Loading from kAll + 3 - n yields all ones in the first n words.
    static constexpr uint64_t kOnes = ~uint64_t{0};
    static constexpr uint64_t kAll[6] = {kOnes, kOnes, kOnes, 0, 0, 0};
    const size_t last = byte / 64u;
    const uint64_t* const whole = kAll + 3 - last;
    // Shifts the bit of the byte to the top.
    const uint64_t up_to_byte = Word(last) << (~byte & 63);
    return {.rank = CountBits<kCount>(Word(0) & whole[0]) +
                    CountBits<kCount>(Word(1) & whole[1]) +
                    CountBits<kCount>(Word(2) & whole[2]) +
                    CountBits<kCount>(up_to_byte << 1) + (has_end() ? 1u : 0u),
            .is_seen = up_to_byte >> 63 != 0};
  }

 private:
  uint64_t Word(size_t i) const {
    return DecodeFixed64(bytes_ + (i + 1) * sizeof(uint64_t));
  }

  const char* const bytes_;
};

// A value type; any thread.
class KeyNumberReader {
 public:
  // The bytes of both must outlive *this. `positions` are the bytes that
  // KeyNumbers appended; malformed ones are safe to read.
  KeyNumberReader(const Slice& prefix, const Slice& positions)
      : prefix_(prefix),
        positions_(positions.data()),
        count_(positions.size() / kNumberPositionBytes) {}

  struct Range {
    uint64_t first;
    uint64_t last;
  };
  // Returns the numbers that keys in [begin, end) may have, or nullopt if there
  // are no such keys. May return the range of all numbers if the result has
  // more than `many` numbers.
  // REQUIRES: begin < end.
  template <BitCount kCount>
  __attribute__((always_inline)) std::optional<Range> Between(
      const Slice& begin, const Slice& end, uint64_t many) const;

 private:
  // The smallest number of the keys that are not below some key, as far as the
  // positions that were read determine it.
  struct Bound {
    Uint128 number = 0;
    // Whether later positions do not change the number.
    bool is_complete = false;
  };
  StoredPosition At(size_t position) const {
    return StoredPosition(positions_ + position * kNumberPositionBytes);
  }
  // Reads the byte of a key at one more position. `rest` is the key after the
  // prefix.
  template <BitCount kCount>
  __attribute__((always_inline)) void Read(const Slice& rest, size_t position,
                                           Bound* bound) const {
    const StoredPosition stored = At(position);
    if (position >= rest.size()) {
      bound->is_complete = !stored.has_end();
      return;
    }
    const auto digit =
        stored.DigitOf<kCount>(static_cast<uint8_t>(rest[position]));
    bound->number += Uint128{digit.rank} * stored.weight();
    // If no key has this byte here, the next greater key has a greater byte
    // here, and the smallest digits after it.
    bound->is_complete = !digit.is_seen;
  }

  const Slice prefix_;
  const char* const positions_;
  const size_t count_;
};

template <BitCount kCount>
inline std::optional<KeyNumberReader::Range> KeyNumberReader::Between(
    const Slice& begin, const Slice& end, uint64_t many) const {
  const bool has_begin = begin.starts_with(prefix_);
  const bool has_end = end.starts_with(prefix_);
  if ((!has_begin && begin.compare(prefix_) > 0) ||
      (!has_end && end.compare(prefix_) < 0)) {
    return std::nullopt;
  }
  Slice begin_rest = begin;
  Slice end_rest = end;
  Bound first;
  Bound last;
  size_t position = 0;
  if (has_begin) begin_rest.remove_prefix(prefix_.size());
  if (has_end) end_rest.remove_prefix(prefix_.size());
  if (has_begin && has_end) {
    const size_t shared =
        std::min(count_, SharedPrefixLength(begin_rest, end_rest));
    for (; position < shared; ++position) {
      Read<kCount>(begin_rest, position, &first);
      if (first.is_complete) return std::nullopt;
    }
    last = first;
  } else {
    // All keys are above such a begin, and below such an end.
    if (!has_begin) first = {.number = 0, .is_complete = true};
    if (!has_end) last = {.number = Uint128{1} << 64, .is_complete = true};
  }
  while (position < count_ && !(first.is_complete && last.is_complete)) {
    if (!first.is_complete) Read<kCount>(begin_rest, position, &first);
    if (!last.is_complete) Read<kCount>(end_rest, position, &last);
    // Later positions add at most the weight of this one.
    if (last.number - first.number > Uint128{many} + At(position).weight()) {
      return Range{0, UINT64_MAX};
    }
    ++position;
  }
  // If the end has bytes after the positions that count, keys below the end may
  // have the end's number.
  if (last.is_complete || end_rest.size() <= count_) {
    if (last.number == 0) return std::nullopt;
    --last.number;
  }
  // With malformed bytes, the number may exceed 64 bits.
  last.number = std::min(last.number, Uint128{UINT64_MAX});
  if (first.number > last.number) return std::nullopt;
  return Range{static_cast<uint64_t>(first.number),
               static_cast<uint64_t>(last.number)};
}

}  // namespace tamis
