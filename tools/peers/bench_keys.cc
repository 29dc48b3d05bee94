// SPDX-License-Identifier: Apache-2.0
#include "tools/peers/bench_keys.h"

#include <cstring>
#include <numeric>

namespace tamis::peers {

std::string_view KeyWriter::Write(uint64_t number) {
  size_t i = key_.size();
  for (; i > 0 && number > 0; number /= 10) {
    key_[--i] = static_cast<char>('0' + number % 10);
  }
  std::memset(key_.data(), '0', i);
  return key_;
}

Shuffle::Shuffle(uint64_t n, uint64_t seed) : n_(n) {
  step_ = seed * 0x9e3779b97f4a7c15 % n | 1;
  while (std::gcd(step_, n) != 1) step_ += 2;
}

}  // namespace tamis::peers
