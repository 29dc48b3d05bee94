// SPDX-License-Identifier: Apache-2.0
//
// Bloom filter arithmetic. Converts bits per key to sizes and probe counts, and
// those to false-positive rates. Sizes and probe counts determine bytes on disk
// and must not change. Pure functions; any thread.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tamis {

// The size of the trailer that ends every full filter and identifies its
// format.
inline constexpr size_t kFilterTrailerBytes = 5;
// The size of a line, which holds all bits of a key in a cache-local filter.
inline constexpr size_t kFilterLineBytes = 64;

// Returns bits per key in thousandths. Returns 0, which means no filter, below
// 0.5 bits; 1000 from 0.5 to 1; 100000 above 100 and for NaN.
uint32_t BloomMillibits(double bits_per_key);
// Returns the same, but at least 1000, for a builder, which must write a
// filter.
uint32_t BuilderMillibits(double bits_per_key);
// Returns bits per key limited to 1 to 100, without rounding.
double BuilderBitsPerKey(double bits_per_key);
// Returns whole bits per key, at least 1, for the older formats.
uint32_t BloomWholeBits(uint32_t millibits);

// Returns the probes per key of the plain and the legacy cache-local filter, 1
// to 30.
uint32_t PlainBloomProbes(uint32_t whole_bits);
// Returns the probes per key of FastLocalBloom, 1 to 24. They are fewer than
// the optimum for a plain filter, since keys are distributed unevenly over the
// lines.
uint32_t FastLocalBloomProbes(uint32_t millibits);
// Returns the bytes of all lines, without the trailer: a multiple of 64 below
// 2^32.
uint64_t FastLocalBloomBytes(uint64_t num_keys, uint32_t millibits);

// Returns the false-positive rate with bits_per_key bits and `probes` probes
// per key, if the bits of a key lie anywhere in the filter.
double PlainBloomFalsePositiveRate(double bits_per_key, double probes);
// Returns the rate if the bits of a key lie in one line of line_bits. The
// number of keys per line deviates from its mean q by about sqrt(q); the result
// is the average of the rates at q + sqrt(q) and q - sqrt(q).
double CacheLocalBloomFalsePositiveRate(double bits_per_key, double probes,
                                        double line_bits);
// Returns the rate if the bits of a key are start, start + step, start + 2 *
// step, ... within one line. line_bits must be a power of two. Some steps (0,
// half a line, a quarter, ...) return to the start after a few bits, and a key
// of the line may have the same step and nearly the same start. Both keep the
// rate above about 1/500 for up to 30 bits per key.
double SteppingBloomFalsePositiveRate(double bits_per_key, uint32_t probes,
                                      uint64_t line_bits);
// Returns the probability that an absent key's hash equals one of num_keys
// hashes.
double HashCollisionRate(double num_keys, int hash_bits);
// Returns the probability of at least one of two independent events.
double EitherRate(double a, double b);

}  // namespace tamis
