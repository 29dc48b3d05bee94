// SPDX-License-Identifier: Apache-2.0
#include "filter/bloom_math.h"

#include <algorithm>
#include <cmath>

namespace tamis {

namespace {

// The probability that a bit is set.
double FillRate(double keys_per_bit, double probes) {
  return 1.0 - std::exp(-probes * keys_per_bit);
}

double StandardRate(double keys_per_bit, double probes) {
  return std::pow(FillRate(keys_per_bit, probes), probes);
}

// Keys per bit in lines that hold one standard deviation more, or fewer, keys
// than average.
struct LineLoad {
  double crowded;
  double sparse;
};
LineLoad LoadOf(double bits_per_key, double line_bits) {
  const double keys_per_line = line_bits / bits_per_key;
  const double spread = std::sqrt(keys_per_line);
  return {(keys_per_line + spread) / line_bits,
          std::max(keys_per_line - spread, 0.0) / line_bits};
}

// The largest millibits that use this number of probes.
struct ProbeStep {
  uint32_t millibits_max;
  uint32_t probes;
};
constexpr ProbeStep kProbeSteps[] = {
    {2080, 1},  {3580, 2},  {5100, 3},  {6640, 4},   {8300, 5},   {10070, 6},
    {11720, 7}, {14001, 8}, {16050, 9}, {18300, 10}, {22001, 11}, {25501, 12},
};

}  // namespace

uint32_t BloomMillibits(double bits_per_key) {
  if (bits_per_key < 0.5) return 0;
  if (bits_per_key < 1.0) return 1000;
  // Negated, so that NaN takes this branch, too.
  if (!(bits_per_key < 100.0)) return 100000;
  return static_cast<uint32_t>(bits_per_key * 1000.0 + 0.500001);
}

uint32_t BuilderMillibits(double bits_per_key) {
  return std::max<uint32_t>(BloomMillibits(bits_per_key), 1000);
}

double BuilderBitsPerKey(double bits_per_key) {
  // NaN becomes 100, too.
  return bits_per_key < 100.0 ? std::max(bits_per_key, 1.0) : 100.0;
}

uint32_t BloomWholeBits(uint32_t millibits) {
  return std::max<uint32_t>((millibits + 500) / 1000, 1);
}

uint32_t PlainBloomProbes(uint32_t whole_bits) {
  const auto probes = static_cast<uint32_t>(whole_bits * 0.69);
  return std::clamp<uint32_t>(probes, 1, 30);
}

uint32_t FastLocalBloomProbes(uint32_t millibits) {
  for (const ProbeStep& step : kProbeSteps) {
    if (millibits <= step.millibits_max) return step.probes;
  }
  return millibits > 50000 ? 24 : (millibits - 1) / 2000 - 1;
}

uint64_t FastLocalBloomBytes(uint64_t num_keys, uint32_t millibits) {
  constexpr uint64_t kBytesMax = 0xffffffc0;
  const uint64_t raw =
      std::min<uint64_t>((num_keys * millibits + 7999) / 8000, kBytesMax);
  return (raw + kFilterLineBytes - 1) / kFilterLineBytes * kFilterLineBytes;
}

double PlainBloomFalsePositiveRate(double bits_per_key, double probes) {
  return StandardRate(1.0 / bits_per_key, probes);
}

double CacheLocalBloomFalsePositiveRate(double bits_per_key, double probes,
                                        double line_bits) {
  const LineLoad load = LoadOf(bits_per_key, line_bits);
  return (StandardRate(load.crowded, probes) +
          StandardRate(load.sparse, probes)) /
         2;
}

double SteppingBloomFalsePositiveRate(double bits_per_key, uint32_t probes,
                                      uint64_t line_bits) {
  const LineLoad load = LoadOf(bits_per_key, static_cast<double>(line_bits));
  const double crowded = FillRate(load.crowded, probes);
  const double sparse = FillRate(load.sparse, probes);
  double rate = 0;
  // Of line_bits steps, one has period 1, and each longer period has period /
  // 2.
  for (uint64_t period = 1; period <= line_bits; period *= 2) {
    const auto steps = static_cast<double>(std::max<uint64_t>(period / 2, 1));
    const auto bits = static_cast<double>(std::min<uint64_t>(period, probes));
    rate += steps / static_cast<double>(line_bits) *
            (std::pow(crowded, bits) + std::pow(sparse, bits)) / 2;
  }
  // A key of the line may have the same step, or its negative. If it also
  // starts i steps away, only i probes of the absent key are left to chance.
  const double fill = FillRate(1 / bits_per_key, probes);
  double starts = 1;
  for (uint32_t i = 1; i < probes; ++i) {
    starts += 2 * std::pow(fill, static_cast<double>(i));
  }
  const auto line = static_cast<double>(line_bits);
  const double keys = line / bits_per_key;
  return EitherRate(rate, -std::expm1(-keys * 2 * starts / (line * line)));
}

double HashCollisionRate(double num_keys, int hash_bits) {
  return -std::expm1(-std::ldexp(num_keys, -hash_bits));
}

double EitherRate(double a, double b) { return a + b - a * b; }

}  // namespace tamis
