// SPDX-License-Identifier: Apache-2.0
//
// A 128-bit integer. ISO C++ has none; GCC and clang have one on every 64-bit
// machine.
#pragma once

#include <cstdint>

namespace tamis {

__extension__ typedef unsigned __int128 Uint128;

// Returns the high half of the product. Maps a random a to [0, b) evenly.
inline uint64_t MultiplyHigh(uint64_t a, uint64_t b) {
  return static_cast<uint64_t>((Uint128{a} * b) >> 64);
}

}  // namespace tamis
