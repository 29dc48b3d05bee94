// SPDX-License-Identifier: Apache-2.0
//
// The keys between two fences of a Fence filter (fence_filter.h): a group. They
// begin with the same bytes. What follows has a code under the filter's
// ByteModel. The frame, the interval from the first to the last code, is
// divided into n * 2^w cells for n keys. The cells of the keys are stored in
// Elias-Fano form:
//
//   upper   2n bits: for each of n values of the cells' high part, a one for
//           each key whose cell has it, then a zero
//   lower   the w low bits of each cell
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string>
#include <vector>

#include "tamis/slice.h"

#include "filter/byte_model.h"

namespace tamis {

inline constexpr uint32_t kGroupKeysMax = 64;
inline constexpr uint32_t kGroupLowBitsMax = 20;
// How many bytes after a group GroupHolds may read.
inline constexpr size_t kGroupBytesAfter = 16;

// The interval of codes that the cells of a group divide. A value type.
class GroupFrame {
 public:
  GroupFrame(uint32_t low, uint32_t span, uint32_t num_keys, uint32_t low_bits)
      : low_(uint64_t{low} << kLowShift),
        mantissa_((span & 15) + 16),
        exponent_((span >> 4) + kExponentMin),
        num_keys_(num_keys),
        low_bits_(low_bits) {}

  // Returns a small frame of the codes of keys from `first` to `last`, which
  // begin with the same `from` bytes. REQUIRES: first <= last
  static GroupFrame Of(const ByteModel& model, const Slice& first,
                       const Slice& last, size_t from, uint32_t num_keys,
                       uint32_t low_bits);

  // The stored form: the low end is a multiple of 2^40; the span is a mantissa
  // of 16 to 31, its lower 4 bits stored, times a power of two from 2^37 to
  // 2^52, in the upper 4 bits.
  uint32_t low() const { return static_cast<uint32_t>(low_ >> kLowShift); }
  uint32_t span() const {
    return (mantissa_ - 16) | (exponent_ - kExponentMin) << 4;
  }

  // Returns the code as exactly as the cells need it.
  uint64_t CodeOf(const ByteModel& model, const Slice& key, size_t from) const {
    return model.CodeOf(key, from, PartMin());
  }
  // Returns the size of a part at which codes end, about a sixteenth of a cell.
  uint64_t PartMin() const {
    const auto cell_bits =
        static_cast<uint32_t>(std::bit_width(uint64_t{num_keys_} << low_bits_));
    const uint64_t part = uint64_t{1} << (exponent_ - cell_bits);
    return std::max(part, ByteModel::kPartMin);
  }
  bool IsBefore(uint64_t code) const { return code < low_; }
  bool IsAfter(uint64_t code) const {
    return code >= low_ && (code - low_) >> exponent_ >= mantissa_;
  }
  // REQUIRES: the code is in the frame.
  uint64_t CellOf(uint64_t code) const {
    const uint64_t cells = uint64_t{num_keys_} << low_bits_;
    // The products have at most 37 + 26 bits.
    return (((code - low_) >> (exponent_ - 32)) * cells >> 32) / mantissa_;
  }
  uint64_t CellMax() const { return (uint64_t{num_keys_} << low_bits_) - 1; }

 private:
  static constexpr int kLowShift = kByteCodeBits - 16;
  static constexpr uint32_t kExponentMin = kByteCodeBits - 4 - 15;

  uint64_t low_;
  uint32_t mantissa_;  // 16 to 31
  uint32_t exponent_;
  uint32_t num_keys_;
  uint32_t low_bits_;
};

// Returns the bytes of a group.
inline size_t GroupSize(uint32_t num_keys, uint32_t low_bits) {
  return (num_keys * (2 + low_bits) + 7) / 8;
}

// Appends a group. REQUIRES: the cells ascend, and are below
// cells.size() << low_bits.
void AppendGroup(const std::vector<uint64_t>& cells, uint32_t low_bits,
                 std::string* out);

// Returns whether a key's cell is in [from, to]. Any bytes are safe to search.
// REQUIRES: GroupSize + kGroupBytesAfter bytes can be read; from and to are
// below num_keys << low_bits.
bool GroupHolds(const char* group, uint32_t num_keys, uint32_t low_bits,
                uint64_t from, uint64_t to);

}  // namespace tamis
