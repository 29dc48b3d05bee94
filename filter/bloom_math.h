// SPDX-License-Identifier: Apache-2.0
//
// The arithmetic of Bloom filters: from bits per key to sizes and probe counts
// (these decide bytes on disk and are fixed), and from sizes and probe counts
// to false-positive rates. Pure functions; any thread.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tamis {

// Every full filter ends with so many bytes that say what it is.
inline constexpr size_t kFilterTrailerBytes = 5;
// One cache line: the bits of a key in a cache-local filter share one.
inline constexpr size_t kFilterLineBytes = 64;

// Thousandths of a bit per key. Below 0.5 bits: 0, no filter; to 1: 1000;
// above 100 and not-a-number: 100000.
uint32_t BloomMillibits(double bits_per_key);
// As above for a builder, which must write something: at least 1000.
uint32_t BuilderMillibits(double bits_per_key);
// The same without rounding: 1 to 100.
double BuilderBitsPerKey(double bits_per_key);
// Rounded to whole bits, as the older layouts want them; at least 1.
uint32_t BloomWholeBits(uint32_t millibits);

// Probes of the plain and the legacy cache-local filter, 1 to 30.
uint32_t PlainBloomProbes(uint32_t whole_bits);
// Probes of FastLocalBloom, 1 to 24: fewer than the optimum of a plain filter,
// since keys crowd unevenly into lines.
uint32_t FastLocalBloomProbes(uint32_t millibits);
// Bytes of its lines, without trailer: a multiple of 64, below 2^32.
uint64_t FastLocalBloomBytes(uint64_t num_keys, uint32_t millibits);

// The chance that an absent key matches, for bits_per_key bits a key and so
// many probes. The bits lie anywhere in the filter:
double PlainBloomFalsePositiveRate(double bits_per_key, double probes);
// ... or within one line of line_bits, chosen by hash. Lines then hold more or
// fewer keys than the average q by about sqrt(q); the rate is the mean of the
// two.
double CacheLocalBloomFalsePositiveRate(double bits_per_key, double probes,
                                        double line_bits);
// As above where the bits of a key are start, start + step, start + 2 * step
// ... in the line, line_bits being a power of two. An unlucky step (0, half a
// line, a quarter, ...) comes back to its start after few bits, which leaves a
// floor of about 1/600 that no number of bits gets under.
double SteppingBloomFalsePositiveRate(double bits_per_key, uint32_t probes,
                                      uint64_t line_bits);
// The chance that the hash of an absent key equals one of num_keys.
double HashCollisionRate(double num_keys, int hash_bits);
// Either of two independent mishaps.
double EitherRate(double a, double b);

}  // namespace tamis
