// SPDX-License-Identifier: Apache-2.0
//
// The values that benchmarks write: bytes of which a given share can be
// compressed, cheap to get and the same for the same seed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace tamis {

class ValuePool {
 public:
  // REQUIRES: size > 0. `compressed_ratio`: what a codec should leave of a
  // value, from 0 to 1.
  ValuePool(size_t size, uint64_t seed, double compressed_ratio = 0.5);

  // Lives as long as the pool.
  std::string_view Next() {
    position_ = (position_ + size_) % kPoolBytes;
    return {pool_.data() + position_, size_};
  }

 private:
  static constexpr size_t kPoolBytes = 1 << 20;
  const size_t size_;
  size_t position_ = 0;
  std::string pool_;
};

}  // namespace tamis
