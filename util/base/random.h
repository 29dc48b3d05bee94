// SPDX-License-Identifier: Apache-2.0
//
// Random is a small, fast, seeded generator (SplitMix64: Steele, Lea, Flood,
// OOPSLA 2014). The same seed gives the same numbers on every machine. One
// thread.
#pragma once

#include <array>
#include <cstdint>

namespace tamis {

class Random {
 public:
  explicit constexpr Random(uint64_t seed) : state_(seed) {}

  uint64_t Next() {
    state_ += 0x9e3779b97f4a7c15;
    uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  // Returns a number in [0, n). REQUIRES: n > 0
  uint64_t Uniform(uint64_t n) { return Next() % n; }
  // Returns true once in n times on average. REQUIRES: n > 0
  bool OneIn(uint64_t n) { return Uniform(n) == 0; }

 private:
  uint64_t state_;
};

// Returns the next number of this thread's own sequence, which begins elsewhere
// than those of other threads. For samples and coin flips that need not be
// reproducible. Any thread.
uint64_t ThreadRandom();

// Returns 128 random bits of the operating system. Use them for identifiers
// only, since decisions must be reproducible.
std::array<uint64_t, 2> RandomBitsFromSystem();

}  // namespace tamis
