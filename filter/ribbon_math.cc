// SPDX-License-Identifier: Apache-2.0
#include "filter/ribbon_math.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "filter/bloom_math.h"
#include "util/base/check.h"

namespace tamis {

namespace {

// Capacity in keys of 2^i slots; undefined below 2^8.
constexpr std::array<double, 18> kKeysOfPowers = {
    0,       0,       0,       0,       0,       0,
    0,       0,       248.851, 499.532, 1001.26, 2003.97,
    4005.59, 8000.39, 15966.6, 31828.1, 63447.3, 126506};

// Beyond the table, overhead grows linearly with the power.
double KeysOfPower(int power) {
  const auto known = static_cast<int>(kKeysOfPowers.size());
  if (power < known) return kKeysOfPowers[static_cast<size_t>(power)];
  constexpr double kGrowth = 0.0038;
  const double at_last = std::ldexp(1.0, known - 1) / kKeysOfPowers.back();
  const double base = at_last - (known - 1) * kGrowth;
  return std::ldexp(1.0, power) / (base + power * kGrowth);
}

uint32_t WholeBlocks(uint32_t slots) {
  const uint32_t whole =
      (slots + kRibbonWidth - 1) / kRibbonWidth * kRibbonWidth;
  return std::max(whole, 2 * kRibbonWidth);
}

// The rate of a plain filter. bloom_math.h's version rounds differently, and
// the last bit of this sum may decide a byte on disk.
double Rate(double bits_per_key, double probes) {
  return std::pow(1.0 - std::exp(-probes / bits_per_key), probes);
}

}  // namespace

double RibbonOneIn(double bits_per_key) {
  TAMIS_DCHECK(bits_per_key >= 1);
  TAMIS_DCHECK(bits_per_key <= 100);
  constexpr double kLineBits = 8.0 * kFilterLineBytes;
  const double probes = FastLocalBloomProbes(BloomMillibits(bits_per_key));
  const double keys_per_line = kLineBits / bits_per_key;
  const double spread = std::sqrt(keys_per_line);
  const double crowded = Rate(kLineBits / (keys_per_line + spread), probes);
  const double sparse = Rate(kLineBits / (keys_per_line - spread), probes);
  return 1.0 / ((crowded + sparse) / 2);
}

uint32_t RibbonSlots(uint64_t num_keys) {
  TAMIS_CHECK(num_keys > 0);
  TAMIS_CHECK(num_keys <= kRibbonKeysMax);
  const auto keys = static_cast<double>(num_keys);
  auto power = static_cast<int>(std::log(keys) * 1.4426950409 + 0.5);
  double low = KeysOfPower(power);
  if (power == 0 || low == 0) return 2 * kRibbonWidth;
  double high = low;
  if (keys < low) {
    --power;
    low = KeysOfPower(power);
  } else {
    high = KeysOfPower(power + 1);
  }
  // Linear interpolation between powers of two.
  const double slots = std::ldexp(1.0, power);
  return WholeBlocks(static_cast<uint32_t>((keys - low) / (high - low) * slots +
                                           slots + 0.999999999));
}

uint64_t RibbonBytes(uint32_t num_slots, double one_in, uint32_t entropy) {
  if (!(one_in > 1) || !(1.0 / one_in < 1)) return kRibbonSegmentBytes;
  if (one_in > 0xffffffffu) return uint64_t{num_slots} * 4;

  // This number of columns has too high a rate, one more too low a rate: a
  // fraction of the blocks gets one more.
  const int columns =
      static_cast<int>(std::bit_width(static_cast<uint32_t>(one_in))) - 1;
  const double rate_narrow = std::ldexp(1.0, -columns);
  const double rate_wide = std::ldexp(1.0, -(columns + 1));
  const double share_narrow =
      (1.0 / one_in - rate_wide) / (rate_narrow - rate_wide);
  const double rounding = (entropy + 0.5) / 4294967296.0;
  const uint32_t num_starts = num_slots - kRibbonWidth + 1;
  const auto num_narrow = static_cast<uint64_t>(
      (share_narrow * num_starts + rounding) / kRibbonWidth);
  const uint64_t num_blocks = num_slots / kRibbonWidth;
  return kRibbonSegmentBytes * (num_blocks * static_cast<uint64_t>(columns) +
                                (num_blocks - num_narrow));
}

RibbonLayout RibbonLayoutOf(uint64_t bytes, uint32_t num_blocks) {
  TAMIS_CHECK(num_blocks > 0);
  const uint64_t segments = bytes / kRibbonSegmentBytes;
  const uint64_t columns = (segments + num_blocks - 1) / num_blocks;
  if (columns > kRibbonColumnsMax) return {num_blocks, kRibbonColumnsMax, 0};
  return {num_blocks, static_cast<uint32_t>(columns),
          static_cast<uint32_t>(columns * num_blocks - segments)};
}

}  // namespace tamis
