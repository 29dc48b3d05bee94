// SPDX-License-Identifier: Apache-2.0
//
// Random choices of scripts and of the plans in them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>

#include "util/base/random.h"

namespace tamis::differential {

class Dice : public Random {
 public:
  using Random::Random;

  template <typename T>
  T Pick(std::initializer_list<T> choices) {
    return *std::next(choices.begin(),
                      static_cast<std::ptrdiff_t>(Uniform(choices.size())));
  }
  // Returns a number in [low, high].
  uint64_t Between(uint64_t low, uint64_t high) {
    return low + Uniform(high - low + 1);
  }
};

}  // namespace tamis::differential
