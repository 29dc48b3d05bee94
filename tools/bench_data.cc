// SPDX-License-Identifier: Apache-2.0
#include "tools/bench_data.h"

#include <algorithm>

#include "util/base/random.h"

namespace tamis {

// The pool consists of value-sized pieces, each a random part repeated.
ValuePool::ValuePool(size_t size, uint64_t seed, double compressed_ratio)
    : size_(size) {
  Random random(seed);
  const auto part = static_cast<size_t>(
      std::max(1.0, static_cast<double>(size) * compressed_ratio));
  while (pool_.size() < std::max(kPoolBytes, size_)) {
    std::string bytes(part, ' ');
    for (char& c : bytes) {
      c = static_cast<char>(' ' + static_cast<int>(random.Uniform(95)));
    }
    for (size_t filled = 0; filled < size_; filled += part) {
      pool_.append(bytes, 0, std::min(part, size_ - filled));
    }
  }
}

}  // namespace tamis
