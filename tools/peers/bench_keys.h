// SPDX-License-Identifier: Apache-2.0
//
// Makes the keys of workloads. Key i is the number 2 * i in decimal digits, so
// odd numbers are absent keys between present ones.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tamis::peers {

// Writes numbers as keys of one size in bytes. One thread.
class KeyWriter {
 public:
  explicit KeyWriter(int size) : key_(static_cast<size_t>(size), '0') {}
  // Returns the number in decimal digits, padded with zeros, valid until the
  // next call.
  std::string_view Write(uint64_t number);

 private:
  std::string key_;
};

// A permutation of [0, n): multiplication modulo n by a number coprime to n.
// Any thread.
class Shuffle {
 public:
  // REQUIRES: 0 < n < 2^32
  Shuffle(uint64_t n, uint64_t seed);
  uint64_t operator[](uint64_t i) const {
    return i * step_ % n_;  // both below 2^32
  }

 private:
  const uint64_t n_;
  uint64_t step_;
};

}  // namespace tamis::peers
