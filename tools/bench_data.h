// SPDX-License-Identifier: Apache-2.0
//
// The values that benchmarks write: cheap, with a given compressibility, and
// equal for equal seeds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace tamis {

class ValuePool {
 public:
  // `compressed_ratio`: the fraction of a value that remains after compression,
  // 0 to 1. REQUIRES: size > 0.
  ValuePool(size_t size, uint64_t seed, double compressed_ratio = 0.5);

  // Valid as long as the pool.
  std::string_view Next() {
    position_ += size_;
    // A value is a whole piece of the pool, also in later rounds: one that
    // straddled two would compress worse.
    if (position_ + size_ > pool_.size()) position_ = 0;
    return {pool_.data() + position_, size_};
  }

 private:
  static constexpr size_t kPoolBytes = 1 << 20;
  const size_t size_;
  size_t position_ = 0;
  std::string pool_;
};

}  // namespace tamis
