// SPDX-License-Identifier: Apache-2.0
#include "filter/fence_group.h"

#include <algorithm>
#include <bit>
#include <optional>

#include "filter/bit_select.h"
#include "filter/elias_fano.h"
#include "util/base/check.h"
#include "util/base/uint128.h"
#include "util/coding/coding.h"

namespace tamis {

GroupFrame GroupFrame::Of(const ByteModel& model, const Slice& first,
                          const Slice& last, size_t from, uint32_t num_keys,
                          uint32_t low_bits) {
  const uint64_t distance = model.CodeOf(last, from, ByteModel::kPartMin) -
                            model.CodeOf(first, from, ByteModel::kPartMin);
  auto exponent = static_cast<uint32_t>(std::bit_width(distance));
  exponent = std::max(exponent, kExponentMin + 5) - kExponentMin - 5;
  // The exponent determines PartMin, and so the codes.
  for (;; ++exponent) {
    GroupFrame frame(0, exponent << 4, num_keys, low_bits);
    // The code of a key with a byte beyond the model may be 2^56.
    const uint64_t low = std::min<uint64_t>(
        frame.CodeOf(model, first, from) >> kLowShift, UINT16_MAX);
    const uint64_t begin = low << kLowShift;
    const uint64_t end = frame.CodeOf(model, last, from) + 1;
    const uint64_t span = ((end - begin - 1) >> frame.exponent_) + 1;
    TAMIS_CHECK(exponent <= 15);
    if (span >= 32) continue;
    frame.low_ = begin;
    frame.mantissa_ = static_cast<uint32_t>(std::max<uint64_t>(span, 16));
    return frame;
  }
}

void AppendGroup(const std::vector<uint64_t>& cells, uint32_t low_bits,
                 std::string* out) {
  const size_t n = cells.size();
  const size_t begin = out->size();
  // Words are written.
  out->resize(begin + GroupSize(static_cast<uint32_t>(n), low_bits) + 8);
  const auto put = [&](size_t bit, uint64_t value) {
    char* const to = out->data() + begin + bit / 8;
    EncodeFixed64(to, DecodeFixed64(to) | value << (bit % 8));
  };
  for (size_t i = 0; i < n; ++i) {
    put((cells[i] >> low_bits) + i, 1);
    put(2 * n + i * low_bits, cells[i] & ((uint64_t{1} << low_bits) - 1));
  }
  out->resize(out->size() - 8);
}

bool GroupHolds(const char* group, uint32_t num_keys, uint32_t low_bits,
                uint64_t from, uint64_t to) {
  const uint32_t bits = 2 * num_keys;
  const auto low = [&](uint32_t i) {
    const uint32_t bit = bits + i * low_bits;
    return DecodeFixed32(group + bit / 8) >> (bit % 8) &
           ((uint32_t{1} << low_bits) - 1);
  };
  Uint128 upper =
      Uint128{DecodeFixed64(group + 8)} << 64 | DecodeFixed64(group);
  if (bits < 128) upper &= (Uint128{1} << bits) - 1;
  const auto high = static_cast<uint32_t>(from >> low_bits);
  uint32_t place = 0;  // of the first bit of `high`
  if (high > 0) {
    const auto word = ~static_cast<uint64_t>(upper);
    const uint32_t zeros = CountBits(word);
    place = high <= zeros ? SelectBit(word, high - 1) + 1
                          : 65 + SelectBit(~static_cast<uint64_t>(upper >> 64),
                                           high - 1 - zeros);
    if (place >= bits) return true;  // malformed: not that many zeros
  }
  uint32_t i = place - high;  // the first key whose high part is not lower
  const std::optional<bool> any = EliasFanoAny(
      DecodeFixed64(group + place / 8) >> (place % 8), i, num_keys, low_bits,
      from, to,
      [&](uint64_t k) { return uint64_t{low(static_cast<uint32_t>(k))}; });
  if (any) return *any;
  upper >>= place;
  const uint32_t from_low =
      static_cast<uint32_t>(from) & ((uint32_t{1} << low_bits) - 1);
  const uint64_t base = from >> low_bits << low_bits;
  for (; (upper & 1) != 0; upper >>= 1, ++i) {
    if (i >= num_keys) return true;  // malformed
    const uint32_t at = low(i);
    if (at >= from_low) return base + at <= to;
  }
  if (i >= num_keys) return false;
  if (upper == 0) return true;  // malformed: a key without a one
  const auto next = static_cast<uint64_t>(upper);
  const auto zeros = static_cast<uint32_t>(
      next != 0 ? std::countr_zero(next)
                : 64 + std::countr_zero(static_cast<uint64_t>(upper >> 64)));
  return base + (uint64_t{zeros} << low_bits) + low(i) <= to;
}

}  // namespace tamis
