// SPDX-License-Identifier: Apache-2.0
//
// The number of repetitions of tests over seeds, rounds or faults. A sanitizer
// makes each about ten times slower, and finds its kind of bug in the first
// repetition that has it; so a tenth is run. TAMIS_EFFORT sets another share,
// in percent: TAMIS_EFFORT=100 runs all of them everywhere.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include "tests/support/sanitizers.h"

namespace tamis {

inline constexpr uint64_t kEffortByDefault = kSanitizer ? 10 : 100;

inline uint64_t FromEnvironment(const char* name, uint64_t otherwise) {
  const char* const value = std::getenv(name);
  return value != nullptr ? std::strtoull(value, nullptr, 10) : otherwise;
}

// In percent; at least 1.
inline uint64_t Effort() {
  return std::max<uint64_t>(FromEnvironment("TAMIS_EFFORT", kEffortByDefault),
                            1);
}

// The number of rounds to run, out of `all`; at least one.
inline int Rounds(int all) {
  return std::max(static_cast<int>(static_cast<uint64_t>(all) * Effort() / 100),
                  1);
}

// TAMIS_SEEDS, or the effort's share of the default.
inline uint64_t SeedCount(uint64_t by_default) {
  return FromEnvironment("TAMIS_SEEDS",
                         std::max<uint64_t>(by_default * Effort() / 100, 1));
}

// Tests try one of this many faults, or check after one of this many
// operations: TAMIS_CRASH_STRIDE, or by the effort.
inline uint64_t Stride() {
  return std::max<uint64_t>(
      FromEnvironment("TAMIS_CRASH_STRIDE",
                      100 / std::min<uint64_t>(Effort(), 100)),
      1);
}

}  // namespace tamis
