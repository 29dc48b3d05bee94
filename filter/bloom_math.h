// SPDX-License-Identifier: Apache-2.0
//
// Bloom filter arithmetic: from bits per key to sizes and probe counts, and
// from those to false-positive rates. Sizes and probe counts determine bytes on
// disk and must not change. Pure functions; any thread.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tamis {

// Every full filter ends with a trailer of this size that identifies its
// format.
inline constexpr size_t kFilterTrailerBytes = 5;
// Size of a line, which holds all bits of a key in a cache-local filter.
inline constexpr size_t kFilterLineBytes = 64;

// Thousandths of a bit per key. Below 0.5 bits: 0, no filter; 0.5 to 1: 1000;
// above 100, or NaN: 100000.
uint32_t BloomMillibits(double bits_per_key);
// As above for a builder, which must write a filter: at least 1000.
uint32_t BuilderMillibits(double bits_per_key);
// Bits per key clamped to 1 to 100, without rounding.
double BuilderBitsPerKey(double bits_per_key);
// Rounded to whole bits, for the older formats; at least 1.
uint32_t BloomWholeBits(uint32_t millibits);

// Probes of the plain and the legacy cache-local filter: 1 to 30.
uint32_t PlainBloomProbes(uint32_t whole_bits);
// Probes of FastLocalBloom: 1 to 24. Fewer than the optimum for a plain filter,
// since keys are distributed unevenly over the lines.
uint32_t FastLocalBloomProbes(uint32_t millibits);
// Bytes of all lines, without trailer: a multiple of 64, below 2^32.
uint64_t FastLocalBloomBytes(uint64_t num_keys, uint32_t millibits);

// The false-positive rate with bits_per_key bits and `probes` probes per key.
// Here bits lie anywhere in the filter:
double PlainBloomFalsePositiveRate(double bits_per_key, double probes);
// ... and here within one line of line_bits, chosen by hash. Line loads deviate
// from the mean q by about sqrt(q); the result is the average of the rates at q
// + sqrt(q) and q - sqrt(q).
double CacheLocalBloomFalsePositiveRate(double bits_per_key, double probes,
                                        double line_bits);
// As above, where the bits of a key are start, start + step, start + 2 * step
// ... within the line, and line_bits is a power of two. Some steps (0, half a
// line, a quarter, ...) return to the start after a few bits, which limits the
// rate to about 1/600 however many bits are used.
double SteppingBloomFalsePositiveRate(double bits_per_key, uint32_t probes,
                                      uint64_t line_bits);
// The probability that an absent key's hash equals one of num_keys hashes.
double HashCollisionRate(double num_keys, int hash_bits);
// The probability of at least one of two independent events.
double EitherRate(double a, double b);

}  // namespace tamis
